// Tests the fields of request packets: operation, sizes, addresses and the request for an ACK.
#include "nic/request_packet.h"

#include <gtest/gtest.h>

#include "wire/wire_size.h"

namespace dcc::request_packet_test {
namespace {

class RequestPacketTest : public testing::Test {
 protected:
  RequestPacketTest() {
    parameters.host = 7;
    config.remote_host = 3;
    config.remote_qpn = 11;
    item.bytes = 1500;
    item.remote_address = 0x1000;
    plan.payload_bytes = 500;
    plan.last = plan.ends_item = true;
    plan.item_offset = 1000;
    plan.message_bytes = 1500;
    plan.item = &item;
  }
  Packet fill(bool ack_within_message = false) {
    Packet packet;
    fill_request(packet, plan, 42, 2, config, parameters, ack_within_message);
    return packet;
  }
  NicParameters parameters;
  QueuePairConfig config;
  WorkItem item;
  PacketPlan plan;
};

TEST_F(RequestPacketTest, AWriteCarriesItsPlaceAndAddresses) {
  const Packet packet = fill();
  EXPECT_EQ(packet.kind, PacketKind::kData);
  EXPECT_EQ(packet.psn, 42u);
  EXPECT_EQ(packet.source, 7u);
  EXPECT_EQ(packet.source_qpn, 2u);
  EXPECT_EQ(packet.destination, 3u);
  EXPECT_EQ(packet.destination_qpn, 11u);
  EXPECT_EQ(packet.remote_address, 0x1000u + 1000u);
  EXPECT_EQ(packet.payload_bytes, 500u);
  EXPECT_EQ(packet.wire_bytes, roce::data_wire_bytes(500, false, false));
}

TEST_F(RequestPacketTest, AcksAreRequestedAsConfigured) {
  plan.last = false;
  EXPECT_TRUE(fill().ack_requested) << "per packet";
  parameters.ack = AckMode::kPerMessage;
  EXPECT_FALSE(fill().ack_requested);
  EXPECT_TRUE(fill(true).ack_requested) << "a window needs ACKs within a message";
  plan.last = true;
  EXPECT_TRUE(fill().ack_requested);
  config.service = Service::kUc;
  EXPECT_FALSE(fill().ack_requested) << "an unreliable connection has no ACKs";
}

TEST_F(RequestPacketTest, ADatagramGoesWhereItsItemSays) {
  config.service = Service::kUd;
  item.operation = Operation::kSend;
  item.remote_host = 9;
  item.remote_qpn = 77;
  const Packet packet = fill();
  EXPECT_EQ(packet.destination, 9u);
  EXPECT_EQ(packet.destination_qpn, 77u);
  EXPECT_EQ(packet.wire_bytes, roce::send_wire_bytes(500, false, true));
}

TEST_F(RequestPacketTest, AReadHasNoPayloadAndIsPacedByItsResponse) {
  item.operation = Operation::kRead;
  plan.payload_bytes = 2500;
  plan.packets = 3;
  const Packet packet = fill();
  EXPECT_EQ(packet.payload_bytes, 0u);
  EXPECT_FALSE(packet.ack_requested) << "the response acknowledges it";
  EXPECT_EQ(packet.wire_bytes, roce::read_request_wire_bytes());
  EXPECT_EQ(response_wire_bytes(plan, 1000, 20),
            roce::read_response_wire_bytes(1000, true, false) +
                roce::read_response_wire_bytes(1000, false, false) +
                roce::read_response_wire_bytes(500, false, true) + 3 * 20);
}

}  // namespace
}  // namespace dcc::request_packet_test
