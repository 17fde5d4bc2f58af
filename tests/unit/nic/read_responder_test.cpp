// Tests the responses to READ and atomic requests. The test decides when each response packet is
// sent.
#include "nic/read_responder.h"

#include <gtest/gtest.h>

#include "wire/byte_order.h"

namespace dcc::read_responder_test {
namespace {

constexpr std::uint32_t kMtu = 1000;

class ReadResponderTest : public testing::Test {
 protected:
  ReadResponderTest() {
    parameters.host = 7;
    config.remote_host = 3;
    config.remote_qpn = 11;
    config.priority = 4;
  }
  static Packet request(Operation operation, Psn psn, std::uint32_t bytes) {
    Packet packet;
    packet.operation = operation;
    packet.psn = psn;
    packet.message_bytes = bytes;
    packet.flow = 5;
    packet.sent = PicoSeconds(1000);
    return packet;
  }
  ReadResponder::Made make() { return responder.make_packet(state, 2, config, kMtu, false); }

  PacketPool pool;
  NicCounters counters;
  NicParameters parameters;
  QueuePairConfig config;
  ReadResponder responder{pool, counters, parameters};
  ResponderState state;
};

TEST_F(ReadResponderTest, CutsAResponseIntoPacketsOfTheMtu) {
  ASSERT_TRUE(ReadResponder::enqueue(state, request(Operation::kRead, 20, 2500)));
  for (Psn i = 0; i < 3; ++i) {
    const ReadResponder::Made made = make();
    EXPECT_EQ(made.packet->operation, Operation::kReadResponse);
    EXPECT_EQ(made.packet->psn, 20 + i);
    EXPECT_EQ(made.packet->payload_bytes, i < 2 ? 1000u : 500u);
    EXPECT_EQ(made.packet->first, i == 0);
    EXPECT_EQ(made.packet->last, i == 2);
    EXPECT_EQ(made.packet->destination, 3u);
    EXPECT_EQ(made.packet->destination_qpn, 11u);
    EXPECT_EQ(made.packet->source_qpn, 2u);
    EXPECT_FALSE(made.awaits_payload) << "payload is virtual";
    pool.free(made.packet);
  }
  EXPECT_TRUE(state.responses.empty());
}

// The time stamp of each response packet is later by the time of the packets before it, so that the
// measured RTT excludes these packets.
TEST_F(ReadResponderTest, EchoesTheRequestsTimePlusTheTimeOfThePacketsBefore) {
  ReadResponder::enqueue(state, request(Operation::kRead, 20, 2000));
  const ReadResponder::Made first = make();
  const ReadResponder::Made second = make();
  EXPECT_EQ(first.packet->sent, PicoSeconds(1000));
  EXPECT_EQ(second.packet->sent - first.packet->sent,
            serialization_time(first.packet->wire_bytes + parameters.link_overhead,
                               parameters.line_rate));
}

TEST_F(ReadResponderTest, ARepeatedRequestDropsTheResponsesBehindIt) {
  ReadResponder::enqueue(state, request(Operation::kRead, 20, 1000));
  ReadResponder::enqueue(state, request(Operation::kRead, 21, 1000));
  ReadResponder::enqueue(state, request(Operation::kRead, 22, 1000));
  ReadResponder::enqueue(state, request(Operation::kRead, 21, 1000));
  ASSERT_EQ(state.responses.size(), 2u);
  EXPECT_EQ(state.responses.back().psn, 21u);
}

TEST_F(ReadResponderTest, ARepeatedAtomicRequestGetsItsFirstResult) {
  state.atomics.push_back({30, false, false, 0});
  EXPECT_FALSE(ReadResponder::enqueue(state, request(Operation::kFetchAdd, 30, 8)))
      << "its response is being made";
  Packet response;
  response.psn = 30;
  pool.attach_payload(response, 8);
  put_le64(response.payload->data(), 99);
  ReadResponder::keep_result(state, response);
  ASSERT_TRUE(ReadResponder::enqueue(state, request(Operation::kFetchAdd, 30, 8)));
  EXPECT_TRUE(state.responses.front().repeated);
  EXPECT_EQ(state.responses.front().original, 99u);
  EXPECT_FALSE(ReadResponder::enqueue(state, request(Operation::kFetchAdd, 12, 8)))
      << "its result is no longer kept";
}

TEST_F(ReadResponderTest, RefusalDropsTheResponsesAndMakesANak) {
  state.atomics.push_back({30, false, false, 0});
  ReadResponder::enqueue(state, request(Operation::kRead, 40, 1000));
  Packet response;
  response.psn = 30;
  response.destination = 3;
  response.destination_qpn = 11;
  Packet* const nak = responder.refuse(&state, response);
  EXPECT_EQ(nak->kind, PacketKind::kNak);
  EXPECT_EQ(nak->nak, NakReason::kAccess);
  EXPECT_EQ(nak->psn, 30u);
  EXPECT_EQ(nak->destination, 3u);
  EXPECT_TRUE(state.responses.empty());
  EXPECT_TRUE(state.atomics.front().refused);
  EXPECT_EQ(counters.mr_violations, 1u);
  EXPECT_EQ(counters.naks_sent, 1u);
}

}  // namespace
}  // namespace dcc::read_responder_test
