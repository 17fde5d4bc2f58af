#include "switch/credits.h"

#include <gtest/gtest.h>

#include <array>
#include <deque>

#include "sim/random.h"
#include "switch/deadlock.h"
#include "unit/switch/test_devices.h"

namespace dcc {
namespace {

using test::TestNetwork;

constexpr LinkParameters kLink{BitRate(100'000'000'000), kMicroSecond, 20};
constexpr Bytes kMax = 1098;

/// One direction of a link between two ends, each with its own credit counters.
class Wire {
 public:
  Wire(Bytes buffer, std::uint64_t seed)
      : near(buffer, kMax), far(buffer, kMax), random_(seed, "wire") {
    told_.fill(near.buffer_blocks());
    heard_.fill(near.buffer_blocks());
  }

  /// Number of a lane's blocks in buffers, on the wire and as credit. Blocks in `lost_` were lost
  /// on the wire.
  std::int64_t everywhere(int lane) const {
    const auto l = static_cast<std::size_t>(lane);
    const std::int64_t untold = far.buffer_blocks() + arrived_[l] - held(lane) - told_[l];
    EXPECT_GE(untold, 0) << "more room was told than there is";
    std::int64_t sum = near.blocks_left(lane) + held(lane) + untold;
    for (const Packet& packet : forth_) {
      if (packet.kind == PacketKind::kData && packet.priority == lane) {
        sum += credit_blocks(packet.wire_bytes);
      }
    }
    return sum + told_[l] - heard_[l];
  }
  std::int64_t held(int lane) const {
    std::int64_t sum = 0;
    for (const Bytes bytes : held_[static_cast<std::size_t>(lane)]) sum += credit_blocks(bytes);
    return sum;
  }

  void step(std::uint64_t loss_in_100) {
    const int lane = static_cast<int>(random_.below(3));
    switch (random_.below(6)) {
      case 0:
      case 1:
        if ((near.exhausted() >> lane & 1) == 0) {
          Packet packet;
          packet.priority = static_cast<std::uint8_t>(lane);
          packet.wire_bytes = static_cast<std::uint32_t>(64 + random_.below(kMax - 63));
          near.sent(lane, packet.wire_bytes);
          if (random_.below(100) >= loss_in_100) forth_.push_back(packet);
        }
        break;
      case 2:
        if (near.frames_due() != 0) {
          Packet frame;
          near.write_frame(frame);
          forth_.push_back(frame);
        }
        break;
      case 3:
        arrive();
        break;
      case 4:
        release(lane);
        break;
      case 5:
        hear();
        break;
    }
    if (far.frames_due() != 0) {
      Packet frame;
      far.write_frame(frame);
      told_[frame.priority] = static_cast<std::int64_t>(frame.scheme);
      back_.push_back(frame);
    }
  }

  /// Lets packets arrive and leave until no credit is outstanding.
  void drain() {
    for (bool more = true; more;) {
      more = false;
      for (int i = 0; i < 8; ++i) {
        while (near.frames_due() != 0) {
          Packet frame;
          near.write_frame(frame);
          forth_.push_back(frame);
        }
        while (!forth_.empty()) arrive();
        for (int lane = 0; lane < kPriorities; ++lane) {
          while (held(lane) != 0) release(lane);
        }
        while (far.frames_due() != 0) {
          Packet frame;
          far.write_frame(frame);
          told_[frame.priority] = static_cast<std::int64_t>(frame.scheme);
          back_.push_back(frame);
          more = true;
        }
        while (!back_.empty()) hear();
      }
    }
  }

  LaneCredits near, far;

 private:
  void arrive() {
    if (forth_.empty()) return;
    const Packet packet = forth_.front();
    forth_.pop_front();
    const auto lane = static_cast<std::size_t>(packet.priority);
    if (packet.kind == PacketKind::kCreditLimit) {
      far.receive_frame(packet);
      arrived_[lane] = static_cast<std::int64_t>(packet.psn);
      return;
    }
    far.arrived(packet.priority, packet.wire_bytes);
    far.stored(packet.priority, packet.wire_bytes);
    arrived_[lane] += credit_blocks(packet.wire_bytes);
    held_[lane].push_back(packet.wire_bytes);
    EXPECT_LE(held(packet.priority), far.buffer_blocks()) << "the buffer runs over";
  }
  void release(int lane) {
    auto& held = held_[static_cast<std::size_t>(lane)];
    if (held.empty()) return;
    far.released(lane, held.front());
    held.pop_front();
  }
  void hear() {
    if (back_.empty()) return;
    near.receive_frame(back_.front());
    heard_[back_.front().priority] = static_cast<std::int64_t>(back_.front().scheme);
    back_.pop_front();
  }

  RandomStream random_;
  std::deque<Packet> forth_, back_;
  std::array<std::deque<Bytes>, kPriorities> held_;
  std::array<std::int64_t, kPriorities> arrived_{}, told_{}, heard_{};
};

TEST(Credits, NoneIsMadeAndNoneIsLost) {
  for (const Bytes buffer : {2 * kMax + 64, Bytes{10'000}, Bytes{100'000}}) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      Wire wire(buffer, seed);
      for (int i = 0; i < 10'000; ++i) {
        wire.step(0);
        for (int lane = 0; lane < 3; ++lane) {
          ASSERT_EQ(wire.everywhere(lane), wire.far.buffer_blocks()) << "step " << i;
        }
      }
      wire.drain();
      for (int lane = 0; lane < 3; ++lane) {
        // All credit is returned, except amounts below the minimum update.
        EXPECT_GE(wire.near.blocks_left(lane), wire.far.buffer_blocks() * 3 / 4 - 18);
        EXPECT_EQ(wire.near.exhausted(), 0);
      }
    }
  }
}

TEST(Credits, ThoseOfLostPacketsComeBack) {
  Wire wire(10'000, 7);
  for (int i = 0; i < 20'000; ++i) wire.step(5);
  for (int round = 0; round < 100; ++round) {
    wire.drain();
    ASSERT_EQ(wire.near.exhausted(), 0) << "round " << round;
    for (int i = 0; i < 1000; ++i) wire.step(100);  // loses every packet
  }
}

SwitchParameters with_credits() {
  SwitchParameters parameters;
  parameters.ecn.enabled = false;
  parameters.buffer = 16'000;  // the size of the shared buffer, which credits do not use
  parameters.flow_control = SwitchParameters::FlowControl::kCredits;
  return parameters;
}

/// Checks that no input holds more than its advertised space, including packets in flight.
void expect_within_buffers(const TestNetwork& net, const SwitchParameters& parameters) {
  const std::int64_t buffer = parameters.credit_buffer(kLink) / kCreditBlock;
  for (const SwitchDevice* const device : net.devices()) {
    if (device == nullptr) continue;
    for (int port = 0; port < device->ports(); ++port) {
      for (int lane = 0; lane < kPriorities; ++lane) {
        const std::int64_t held = device->credits(port)->blocks_held(lane);
        ASSERT_LE(held, buffer);
        ASSERT_LE(device->buffer().held(port, lane), held * kCreditBlock);
        ASSERT_GT(device->buffer().held(port, lane), (held * kCreditBlock) * 9 / 10 - 64);
        ASSERT_LE(device->credits(port)->blocks_outstanding(lane) + held, buffer);
      }
    }
  }
}

TEST(Credits, AnIncastFillsTheLinkAndLosesNothing) {
  const SwitchParameters parameters = with_credits();
  TestNetwork net(Topology::parking_lot({2, 2, 2}, kLink, kLink), parameters);
  for (HostId h = 1; h < 6; ++h) net.host[h]->blast(0, 1080, static_cast<std::uint8_t>(h % 2));
  for (int i = 1; i <= 400; ++i) {
    net.scheduler.run_until(kMicroSecond * (5 * i));
    expect_within_buffers(net, parameters);
  }
  EXPECT_EQ(net.drops(), 0u);
  const double gbps = static_cast<double>(net.host[0]->bytes) * 8 / 2e6;  // mean rate over 2 ms
  EXPECT_GT(gbps, 97.0 * 1080 / 1100);
  EXPECT_LE(gbps, 100.0 * 1080 / 1100 + 0.1);
  EXPECT_TRUE(find_deadlock(net.topology, waits_of(net.devices())).empty());
  for (auto& host : net.host) host->stop();
  net.scheduler.run_until(kMilliSecond * 10);
  EXPECT_EQ(net.pool.in_use(), 0) << "all that was sent arrives";
}

TEST(Credits, ALaneWithoutAnyLeavesTheOthersAlone) {
  TestNetwork net(Topology::star(3, kLink), with_credits());
  // Lane 0 of host 1 sends to host 0, which two senders overload. Lane 1 sends to host 2.
  net.host[1]->blast(0, 1080, 0);
  net.host[2]->blast(0, 1080, 0);
  net.host[1]->blast(2, 1080, 1);
  net.scheduler.run_until(kMilliSecond);
  const double other = static_cast<double>(net.host[2]->bytes) * 8 / 1e6;
  EXPECT_NEAR(other, 50, 4) << "half of host 1's link, in turn with lane 0's half";
}

TEST(Credits, OneFlowOverOneSwitchRunsAtLineRate) {
  TestNetwork net(Topology::star(2, kLink), with_credits());
  net.host[1]->blast(0, 1080);
  net.scheduler.run_until(kMilliSecond);
  const Bytes line = Bytes{12'500'000} * 1080 / 1100;
  EXPECT_GT(net.host[0]->bytes, line - 40'000);
}

TEST(Credits, ASmallBufferBoundsTheRate) {
  // Like a window, a buffer of b bytes lets b bytes pass per round trip of credit and data.
  SwitchParameters parameters = with_credits();
  parameters.credits.buffer = 6400;
  TestNetwork net(Topology::star(2, kLink), parameters);
  net.host[1]->blast(0, 1080);
  net.scheduler.run_until(kMilliSecond);
  const double gbps = static_cast<double>(net.host[0]->bytes) * 8 / 1e6;
  EXPECT_LT(gbps, 6400 * 8 / 2000.0);
  EXPECT_GT(gbps, 6400 * 8 / 2000.0 * 0.5);
}

TEST(Credits, ARingOfThemCanLockAsPausesDo) {
  Topology topology;
  std::vector<NodeId> node;
  for (int s = 0; s < 4; ++s) {
    node.push_back(topology.add_switch("s" + std::to_string(s)));
    topology.connect(topology.add_host("h" + std::to_string(s)), node.back(), kLink);
  }
  for (std::size_t s = 0; s < 4; ++s) topology.connect(node[s], node[(s + 1) % 4], kLink);
  TestNetwork net(std::move(topology), with_credits());
  for (int s = 0; s < 4; ++s) {
    const NodeId here = net.topology.find("s" + std::to_string(s));
    const NodeId next = net.topology.find("s" + std::to_string((s + 1) % 4));
    int clockwise = 0;
    while (net.topology.peer(here, clockwise).node != next) ++clockwise;
    RouteTable routes(4);
    routes.from(0, PortSet::consecutive(static_cast<std::uint32_t>(clockwise), 1));
    routes.set_block(static_cast<HostId>(s), 1, 1, 0);
    net.at("s" + std::to_string(s)).set_routes(routes);
  }
  for (HostId h = 0; h < 4; ++h) net.host[h]->blast((h + 2) % 4, 1080);
  net.scheduler.run_until(kMilliSecond * 5);
  EXPECT_EQ(find_deadlock(net.topology, waits_of(net.devices())).size(), 4u);
  const std::uint64_t before = net.host[0]->packets;
  net.scheduler.run_until(kMilliSecond * 20);
  EXPECT_EQ(net.host[0]->packets, before);
  EXPECT_EQ(net.drops(), 0u);
}

}  // namespace
}  // namespace dcc
