#include "wire/wire_frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "wire/control_frames.h"

namespace dcc {
namespace {

constexpr roce::MacAddress kPort = {0x06, 0, 1, 2, 3, 4};

Packet data_packet(std::uint32_t payload) {
  Packet packet;
  packet.kind = PacketKind::kData;
  packet.ecn = Ecn::kCe;
  packet.dscp = 46;
  packet.first = true;
  packet.message_bytes = 100'000;
  packet.payload_bytes = payload;
  packet.wire_bytes = roce::data_wire_bytes(payload, true, false);
  packet.source = 3;
  packet.destination = 70'000;
  packet.destination_qpn = 0x123456;
  packet.flow = 9;
  packet.psn = 0x1'0000'05;
  return packet;
}

std::vector<std::uint8_t> frame_of(const Packet& packet, std::uint32_t snap,
                                   std::uint32_t* length) {
  FrameWriter writer(snap);
  std::vector<std::uint8_t> room(snap + 8, 0xEE);
  const FrameSize size = writer.write(packet, kPort, room.data());
  for (std::size_t i = size.captured; i < room.size(); ++i) {
    EXPECT_EQ(room[i], 0xEE) << "written beyond what was captured";
  }
  room.resize(size.captured);
  *length = size.length;
  return room;
}

TEST(WireFrame, WholeFramesAreWhatTheSerialiserMakesOfTheSamePacket) {
  for (const std::uint32_t payload : {1u, 2u, 3u, 4u, 255u, 256u, 257u, 1000u, 4096u}) {
    const Packet packet = data_packet(payload);
    std::uint32_t length = 0;
    const auto frame = frame_of(packet, 9216, &length);
    const auto expected =
        roce::serialize(roce::headers_of(packet, packet.message_bytes), nullptr, payload);
    EXPECT_EQ(frame, expected) << payload;
    EXPECT_EQ(length, packet.wire_bytes - roce::kFcs) << payload;
    const roce::Parsed parsed = roce::parse(frame.data(), frame.size());
    EXPECT_EQ(parsed.error, roce::ParseError::kNone) << roce::describe(parsed.error);
    EXPECT_EQ(parsed.headers.ecn, Ecn::kCe);
  }
}

TEST(WireFrame, CarriedPayloadAndItsIcrc) {
  PacketPool pool;
  Packet packet = data_packet(333);
  pool.attach_payload(packet, 333);
  std::iota(packet.payload->begin(), packet.payload->end(), std::uint8_t{7});
  std::uint32_t length = 0;
  const auto frame = frame_of(packet, 9216, &length);
  const roce::Parsed parsed = roce::parse(frame.data(), frame.size());
  ASSERT_EQ(parsed.error, roce::ParseError::kNone) << roce::describe(parsed.error);
  EXPECT_EQ(std::vector<std::uint8_t>(parsed.payload, parsed.payload + parsed.payload_size),
            *packet.payload);
}

TEST(WireFrame, AnySnapLengthKeepsTheFrameSBeginning) {
  PacketPool pool;
  for (const bool real : {false, true}) {
    Packet packet = data_packet(101);
    if (real) pool.attach_payload(packet, 101);
    std::uint32_t length = 0;
    const auto whole = frame_of(packet, 9216, &length);
    for (std::uint32_t snap = 1; snap <= whole.size() + 1; ++snap) {
      std::uint32_t cut_length = 0;
      const auto cut = frame_of(packet, snap, &cut_length);
      ASSERT_EQ(cut.size(), std::min<std::size_t>(snap, whole.size()));
      ASSERT_TRUE(std::equal(cut.begin(), cut.end(), whole.begin())) << snap;
      ASSERT_EQ(cut_length, length);
    }
  }
}

TEST(WireFrame, PayloadsOfChangingLength) {
  FrameWriter writer(9216);
  std::vector<std::uint8_t> room(9216);
  for (const std::uint32_t payload : {1000u, 17u, 1000u, 1000u, 4u, 17u}) {
    const FrameSize size = writer.write(data_packet(payload), kPort, room.data());
    EXPECT_EQ(roce::parse(room.data(), size.captured).error, roce::ParseError::kNone) << payload;
  }
}

TEST(WireFrame, AnswersAndNotifications) {
  Packet packet;
  packet.source = 1;
  packet.destination = 2;
  packet.destination_qpn = 5;
  packet.psn = 77;
  std::uint32_t length = 0;
  const auto headers = [&] {
    const auto frame = frame_of(packet, 128, &length);
    const roce::Parsed parsed = roce::parse(frame.data(), frame.size());
    EXPECT_EQ(parsed.error, roce::ParseError::kNone) << roce::describe(parsed.error);
    return parsed.headers;
  };
  packet.kind = PacketKind::kAck;
  EXPECT_EQ(headers().syndrome, roce::kSyndromeAck);
  EXPECT_EQ(length, roce::ack_wire_bytes() - roce::kFcs);
  packet.kind = PacketKind::kNak;
  EXPECT_EQ(headers().syndrome, roce::kSyndromeNakSequence);
  packet.nak = NakReason::kInvalid;
  EXPECT_EQ(headers().syndrome, roce::kSyndromeNakInvalid);
  packet.nak = NakReason::kAccess;
  EXPECT_EQ(headers().syndrome, roce::kSyndromeNakAccess);
  packet.kind = PacketKind::kCnp;
  packet.cnp_marks = 9;
  EXPECT_EQ(headers().cnp_marks, 0);  // the CNP carries no number of marks
  packet.cnp_packets = 12;
  EXPECT_EQ(headers().cnp_marks, 9);
  EXPECT_EQ(headers().cnp_packets, 12);
  EXPECT_EQ(headers().opcode, roce::Opcode::kCnp);
  EXPECT_EQ(length, roce::cnp_wire_bytes() - roce::kFcs);
}

TEST(WireFrame, FramesOfOneHop) {
  Packet packet;
  packet.kind = PacketKind::kPause;
  packet.pause_classes = 0b1001;
  packet.wire_bytes = 64;
  std::uint32_t length = 0;
  auto frame = frame_of(packet, 128, &length);
  PfcFrame pfc;
  ASSERT_TRUE(parse(frame.data(), frame.size(), pfc));
  EXPECT_EQ(pfc.source_mac, kPort);
  EXPECT_EQ(pfc.time[0], 0xFFFF);
  EXPECT_EQ(pfc.time[1], 0);
  EXPECT_EQ(length, 60u);

  packet.kind = PacketKind::kCnm;
  packet.qcn_feedback = 42;
  packet.source = 8;
  packet.destination = 3;
  frame = frame_of(packet, 128, &length);
  CnmFrame cnm;
  ASSERT_TRUE(parse(frame.data(), frame.size(), cnm));
  EXPECT_EQ(cnm.feedback, 42);
  EXPECT_EQ(cnm.destination_mac, roce::mac_of(3));
  EXPECT_EQ(cnm.original_destination, roce::mac_of(8));
}

// A transport without published headers: addresses, ECN and checksum are real, and the rest of the
// frame is text.
TEST(WireFrame, OtherTransportsAreLabelled) {
  Packet packet = data_packet(4096);
  packet.wire_bytes = 4160;
  packet.scheme = 0xAB;
  packet.destination = 2;
  FrameWriter writer(9216, "uec");
  std::vector<std::uint8_t> frame(9216);
  FrameSize size = writer.write(packet, kPort, frame.data());
  EXPECT_EQ(size.length, 4156u) << "without FCS";
  EXPECT_EQ(size.captured, size.length);
  const std::string label = "uec data 16777221, flow 9, qp 1193046, 4096 B, ab";
  EXPECT_EQ(std::string(frame.begin() + 34, frame.begin() + 34 + static_cast<long>(label.size())),
            label);
  EXPECT_EQ(std::count(frame.begin() + 34 + static_cast<long>(label.size()), frame.begin() + 4156,
                       std::uint8_t{0}),
            4156 - 34 - static_cast<long>(label.size()));
  const auto mac = roce::mac_of(2);
  EXPECT_TRUE(std::equal(mac.begin(), mac.end(), frame.begin()));
  EXPECT_EQ(frame[14 + 1], 46 << 2 | 3) << "DSCP and CE";
  EXPECT_EQ(frame[14 + 2] << 8 | frame[14 + 3], 4156 - 14);
  EXPECT_EQ(frame[14 + 9], 253);
  EXPECT_EQ(roce::ipv4_checksum(frame.data() + 14), 0u);

  packet.kind = PacketKind::kAck;
  packet.payload_bytes = 0;
  packet.wire_bytes = 40;  // fewer bytes than the label needs
  size = writer.write(packet, kPort, frame.data());
  EXPECT_EQ(size.length, 34 + std::string("uec ack 16777221, flow 9, qp 1193046, 0 B, ab").size());
  FrameWriter snapped(64, "uec");
  size = snapped.write(packet, kPort, frame.data());
  EXPECT_EQ(size.captured, 64u);

  // Packets of this kind have the longest label.
  packet.kind = PacketKind::kReturned;
  packet.psn = packet.scheme = ~std::uint64_t{0};
  packet.flow = packet.destination_qpn = packet.payload_bytes = ~std::uint32_t{0};
  FrameWriter longest(9216, std::string(100, 'x'));
  size = longest.write(packet, kPort, frame.data());
  EXPECT_EQ(size.length, 34 + std::string("xxxxxxxxxxxxxxxx returned 18446744073709551615, flow "
                                          "4294967295, qp 4294967295, 4294967295 B, "
                                          "ffffffffffffffff")
                                  .size());
}

}  // namespace
}  // namespace dcc
