#include "wire/control_frames.h"

#include <gtest/gtest.h>

#include <random>

namespace dcc {
namespace {

TEST(ControlFrames, PfcFrameHasTheBytesOfTheStandard) {
  Packet packet;
  packet.kind = PacketKind::kPause;
  packet.pause_classes = 1u << 3 | 1u << 6;
  const auto bytes = serialize(pfc_frame_of(packet, {2, 0, 0, 0, 0, 9}));
  const std::vector<std::uint8_t> head = {
      0x01, 0x80, 0xC2, 0x00, 0x00, 0x01, 2, 0,    0,    0, 0, 9, 0x88, 0x08, 0x01, 0x01, 0x00,
      0xFF, 0,    0,    0,    0,    0,    0, 0xFF, 0xFF, 0, 0, 0, 0,    0xFF, 0xFF, 0,    0};
  ASSERT_EQ(bytes.size(), 60u);
  EXPECT_TRUE(std::equal(head.begin(), head.end(), bytes.begin()));
  PfcFrame frame;
  ASSERT_TRUE(parse(bytes.data(), bytes.size(), frame));
  EXPECT_EQ(frame.enabled, 0xFF);
  for (std::size_t p = 0; p < kPriorities; ++p) {
    EXPECT_EQ(frame.time[p], p == 3 || p == 6 ? 0xFFFF : 0) << p;
  }
}

TEST(ControlFrames, CongestionNotificationRoundTrip) {
  CnmFrame frame;
  frame.destination_mac = roce::mac_of(4);
  frame.source_mac = roce::mac_of(9);
  frame.feedback = 63;
  frame.congestion_point = 0x0102030405060708u;
  frame.queue_offset = -300;
  frame.queue_delta = 20;
  frame.priority = 5;
  frame.original_destination = roce::mac_of(11);
  const auto bytes = serialize(frame);
  CnmFrame read;
  ASSERT_TRUE(parse(bytes.data(), bytes.size(), read));
  EXPECT_EQ(read.feedback, 63);
  EXPECT_EQ(read.congestion_point, frame.congestion_point);
  EXPECT_EQ(read.queue_offset, -300);
  EXPECT_EQ(read.queue_delta, 20);
  EXPECT_EQ(read.priority, 5);
  EXPECT_EQ(read.original_destination, frame.original_destination);
  EXPECT_EQ(serialize(read), bytes);
}

TEST(ControlFrames, APauseOfAFlowIsNoCreditFrame) {
  Packet packet;
  packet.kind = PacketKind::kFlowPause;
  packet.destination = 77;
  packet.pause_classes = 1;
  const auto bytes = serialize(flow_pause_frame_of(packet, roce::mac_of(3)));
  FlowPauseFrame read;
  ASSERT_TRUE(parse(bytes.data(), bytes.size(), read));
  EXPECT_TRUE(read.stop);
  EXPECT_EQ(read.host, roce::mac_of(77));
  EXPECT_EQ(read.source_mac, roce::mac_of(3));
  CreditFrame credit;
  EXPECT_FALSE(parse(bytes.data(), bytes.size(), credit));
  const auto other = serialize(CreditFrame{});
  EXPECT_FALSE(parse(other.data(), other.size(), read));
}

TEST(ControlFrames, RubbishIsRefusedWithoutHarm) {
  std::mt19937 noise(5);
  int frames = 0;
  for (int round = 0; round < 50'000; ++round) {
    std::vector<std::uint8_t> bytes = serialize(PfcFrame{});
    if (round % 3 == 0) bytes = serialize(CnmFrame{});
    bytes[noise() % bytes.size()] = static_cast<std::uint8_t>(noise());
    bytes.resize(noise() % (bytes.size() + 1));
    bytes.shrink_to_fit();
    PfcFrame pfc;
    CnmFrame cnm;
    frames += parse(bytes.data(), bytes.size(), pfc) ? 1 : 0;
    frames += parse(bytes.data(), bytes.size(), cnm) ? 1 : 0;
  }
  EXPECT_GT(frames, 1000);
  EXPECT_LT(frames, 40'000);
}

}  // namespace
}  // namespace dcc
