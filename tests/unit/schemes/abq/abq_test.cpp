// Tests ABQ with TCP flows whose windows together exceed a port's queue.
#include "schemes/abq/abq.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "describe/parameter_error.h"
#include "schemes/tcp/tcp.h"
#include "unit/schemes/transport_network.h"

namespace dcc::abq_test {
namespace {

constexpr Bytes kSegment = 1430;  // payload of a frame of 1500 bytes, which takes 1.2 us at 10 Gb/s
constexpr Bytes kFrame = 1500;
constexpr PicoSeconds kPacket{1'200'000};
constexpr unsigned kSenders = 4;
constexpr unsigned kWindow = 60;  // window in segments
constexpr Bytes kLimit = 200'000;
constexpr Bytes kHoldAbove = 60'000;

TransportChoice tcp() {
  TransportChoice choice;
  choice.choose("tcp");
  auto& p = choice.of<TcpParameters>("tcp");
  p.receive_window = kWindow;
  p.min_timeout = kMilliSecond * 5;
  p.initial_timeout = kMilliSecond * 5;
  return choice;
}

SwitchParameters ports(bool abq, Bytes hold_above) {
  SwitchParameters parameters;
  if (abq) {
    parameters.discipline.choose("abq");
    auto& p = parameters.discipline.of<AbqParameters>("abq");
    p.limit = kLimit;
    p.hold_above = hold_above;
  } else {
    parameters.discipline.choose("drop_tail");
    parameters.discipline.of<DropTailParameters>("drop_tail").limit = kLimit;
  }
  return parameters;
}

/// An incast of TCP flows over links of 1 us.
struct Incast : test::TransportStar {
  explicit Incast(bool abq, Bytes hold_above = kHoldAbove)
      : TransportStar(kSenders + 1, tcp(), ports(abq, hold_above),
                      {BitRate(10'000'000'000), kMicroSecond, 0},
                      static_cast<std::uint32_t>(kSegment)) {}
  void begin(int segments) {
    for (HostId host = 1; host <= kSenders; ++host) send(host, 0, kSegment * segments);
  }
  /// Runs until `until`. Returns the longest queue of the receiver's port, sampled once per packet
  /// time.
  Bytes longest(PicoSeconds until) {
    Bytes most = 0;
    while (scheduler.now() < until) {
      scheduler.run_until(scheduler.now() + kPacket);
      most = std::max(most, device->queue_bytes(0));
    }
    return most;
  }
};

// The windows hold 360 KB, the path 8 KB and the port 200 KB, so without ABQ packets are lost. With
// ABQ the queue stays near `hold_above`. From a forwarded ACK to its data pass two links, a frame
// and an ACK: 3.3 us, or three packets. So four ACKs are in flight, each of which frees at most two
// segments while windows grow. One more packet is the one that exceeded the threshold.
TEST(Abq, HoldsAcksInsteadOfLosingData) {
  Incast star(true);
  star.begin(1000);
  EXPECT_LE(star.longest(kMilliSecond * 10), kHoldAbove + 9 * kFrame);
  EXPECT_EQ(star.device->totals().dropped, 0u);
  ASSERT_EQ(star.done.size(), kSenders);
  // The link is never idle: the last data arrives after the time of 4000 packets and the first
  // packet's path. The remaining ACKs leave one per packet time, at most as many as the windows
  // held.
  PicoSeconds received{};
  for (std::uint32_t flow = 0; flow < kSenders; ++flow) {
    received = std::max(received, star.received_at(flow));
  }
  EXPECT_LE(received, kPacket * 4000 + kMicroSecond * 5);
  EXPECT_LE(star.done.back().when, received + kPacket * (kSenders * kWindow));
  star.expect_all_arrived();
}

TEST(Abq, WithoutItDataIsLost) {
  Incast star(false);
  star.begin(1000);
  EXPECT_GT(star.longest(kMilliSecond * 10), kHoldAbove + 9 * kFrame);
  EXPECT_GT(star.device->totals().dropped, 0u);
}

// In the middle of the flows the ports hold some 190 ACKs: the windows minus path and queue.
TEST(Abq, RoutingAgainLetsHeldAcksGo) {
  Incast star(true);
  star.begin(1000);
  star.scheduler.run_until(kMilliSecond * 2);
  star.device->route_again(0);
  Bytes gone = 0;
  for (int port = 1; port <= static_cast<int>(kSenders); ++port) {
    gone += star.device->queue_bytes(port);
  }
  EXPECT_GT(gone, 150 * 60);  // an ACK has more than 60 bytes; some ACKs left at once
  star.scheduler.run_until(kMilliSecond * 20);
  EXPECT_EQ(star.done.size(), kSenders);
  star.expect_all_arrived();
}

// Ports hold ACKs for a port whose path has failed. `way` is the new path to host 2.
struct FailedWay : Incast {
  explicit FailedWay(const PortSet& way) : Incast(true) {
    begin(1000);
    scheduler.run_until(kMilliSecond * 2);
    RouteTable routes(kSenders + 1);
    for (HostId host = 0; host <= kSenders; ++host) {
      routes.from(host, host == 2 ? way : PortSet::consecutive(host, 1));
    }
    device->set_routes(routes);
    device->route_again(2);
    sent = device->counters(2).tx_bytes;
    scheduler.run_until(kMilliSecond * 10);
  }
  std::uint64_t sent = 0;
};

// The ports hold about 190 ACKs, a quarter of them for host 2. Host 3 has no such flow.
TEST(Abq, HeldAcksTakeTheNewWayWhenTheirPortHasFailed) {
  FailedWay star(PortSet::consecutive(3, 1));
  EXPECT_EQ(star.device->counters(2).tx_bytes, star.sent);
  EXPECT_GT(star.nics[3]->counters().unknown_qp, 40u);
  EXPECT_EQ(star.device->totals().unroutable, 0u);
}

TEST(Abq, HeldAcksWithoutAWayAreLost) {
  FailedWay star(PortSet{});
  EXPECT_EQ(star.device->counters(2).tx_bytes, star.sent);
  EXPECT_GT(star.device->totals().unroutable, 40u);
}

// With a threshold of zero ACKs are forwarded only while the port is idle, so the port's clock must
// release them.
TEST(Abq, AcksGoOnWhileThePortIsIdle) {
  Incast star(true, 0);
  star.begin(1000);
  star.scheduler.run_until(kMilliSecond * 40);
  EXPECT_EQ(star.done.size(), kSenders);
  EXPECT_EQ(star.device->totals().dropped, 0u);
  star.expect_all_arrived();
}

// Two ports hold ACKs for each other. The release of one ACK may cause a release at the other port.
// In a fifth of a packet time at most that share of the link rate and one frame may leave.
TEST(Abq, PortsThatReleaseForEachOtherSendOneFrameAtATime) {
  Incast star(true, 20'000);
  for (HostId from = 0; from <= kSenders; ++from) {
    if (from != 0) star.send(from, 0, kSegment * 1000);
    if (from != 1) star.send(from, 1, kSegment * 1000);
  }
  constexpr PicoSeconds kStep(kPacket.count / 5);
  std::uint64_t before[2] = {0, 0};
  std::uint64_t most = 0;
  while (star.scheduler.now() < kMilliSecond * 10) {
    star.scheduler.run_until(star.scheduler.now() + kStep);
    for (const int port : {0, 1}) {
      const std::uint64_t sent = star.device->counters(port).tx_bytes;
      most = std::max(most, sent - std::exchange(before[port], sent));
    }
  }
  EXPECT_LE(most, static_cast<std::uint64_t>(kFrame + kFrame / 5));
  EXPECT_GT(most, static_cast<std::uint64_t>(kFrame) / 2);
}

TEST(Abq, HoldsAcksAloneWhileTheQueueIsLong) {
  RandomStream random(1, "abq");
  Scheduler clock;
  PacketPool pool;
  AbqParameters p;
  p.hold_above = 1'000;
  AbqPort port(p, {random, clock});
  Packet ack, data;
  ack.kind = PacketKind::kAck;
  data.kind = PacketKind::kData;
  EXPECT_FALSE(port.holds(ack, 0));
  EXPECT_TRUE(port.holds(ack, 1)) << "behind others";
  Packet* const waiting = pool.allocate();
  waiting->wire_bytes = 1'001;
  port.enqueue(waiting);
  EXPECT_TRUE(port.holds(ack, 0));
  EXPECT_FALSE(port.holds(data, 1));
  EXPECT_FALSE(port.may_release());
  pool.free(port.dequeue());
  EXPECT_TRUE(port.may_release());
}

TEST(Abq, RefusesAThresholdThatNoQueueReaches) {
  AbqParameters p;
  p.hold_above = p.limit;
  EXPECT_THROW(p.check(), ParameterError);
}

}  // namespace
}  // namespace dcc::abq_test
