// Tests that every registered transport must pass: loss of each kind of packet that the transport
// sends, loss of all kinds together, no loss, a stopped flow, and reused INT stacks.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "sim/state_digest.h"
#include "unit/schemes/transport_network.h"

namespace dcc::every_transport_test {
namespace {

using test::TransportStar;
using Kinds = std::array<std::uint64_t, kPacketKinds>;

constexpr HostId kHosts = 8;
constexpr Bytes kMtu = 1000;

SwitchParameters ports_for(const TransportParameters& transport) {
  SwitchParameters switches;
  if (transport.strict_ports()) switches.scheduler.kind = EgressSchedulerParameters::Kind::kStrict;
  return switches;
}

class EveryTransport : public testing::TestWithParam<std::string> {
 protected:
  EveryTransport() {
    choice_.choose(GetParam());
    star_ = std::make_unique<TransportStar>(kHosts, choice_, ports_for(*choice_.chosen()),
                                            LinkParameters{10_Gbps, kMicroSecond, 20},
                                            static_cast<std::uint32_t>(kMtu));
  }
  /// Sends messages of all sizes from many hosts to one host and from one host to many, three
  /// times.
  void send_all() {
    for (int round = 0; round < 3; ++round) {
      for (HostId h = 1; h < kHosts; ++h) {
        star_->send(h, h == 1 ? 0 : h % 2, 1 + kMtu * static_cast<Bytes>(1 + 15 * h));
        star_->send(0, h, 300 * static_cast<Bytes>(h));
        star_->send(h, (h + 1) % kHosts, kMtu * 20);
      }
    }
  }
  /// Loses one in `each` of the packets for which `in` returns true. Counts seen and lost packets
  /// by kind.
  template <class In>
  void lose(In in, std::uint64_t each) {
    star_->lose([this, in, each](const Packet& packet) {
      const auto kind = static_cast<std::size_t>(packet.kind);
      ++seen_.at(kind);
      if (!in(packet.kind) || !random_.chance((std::uint64_t{1} << 32) / each)) return false;
      ++lost_.at(kind);
      return true;
    });
  }
  void run() {
    send_all();
    // retransmission timeouts may be long, and double each time that a packet is lost again
    star_->scheduler.run_until(kSecond * 3000);
  }
  void renew() {
    star_ = std::make_unique<TransportStar>(kHosts, choice_, ports_for(*choice_.chosen()),
                                            LinkParameters{10_Gbps, kMicroSecond, 20},
                                            static_cast<std::uint32_t>(kMtu));
    seen_ = lost_ = Kinds{};
  }

  TransportChoice choice_;
  std::unique_ptr<TransportStar> star_;
  RandomStream random_{7, "losses"};
  Kinds seen_{}, lost_{};
};

TEST_P(EveryTransport, EndsAllFlowsWithEveryByteOnce) {
  lose([](PacketKind) { return false; }, 1);
  run();
  star_->expect_all_arrived();
}

// Every host sends to the next host. No link is overloaded, so no packet is dropped or trimmed, no
// timer expires, and nothing is sent twice.
TEST_P(EveryTransport, TimesNobodyOutAndRepeatsNothingWhereNothingIsLost) {
  for (HostId h = 0; h < kHosts; ++h) {
    star_->send(h, (h + 1) % kHosts, kMtu * static_cast<Bytes>(1 + 100 * h) + 300);
  }
  star_->scheduler.run_until(kSecond * 3000);
  EXPECT_EQ(star_->sum_of(&NicCounters::timeouts), 0u);
  EXPECT_EQ(star_->sum_of(&NicCounters::retransmits), 0u);
  star_->expect_all_arrived();
}

TEST_P(EveryTransport, EndsAllFlowsThoughPacketsOfOneKindAreLost) {
  lose([](PacketKind) { return false; }, 1);
  run();
  const Kinds normal = seen_;
  int kinds = 0;
  for (std::size_t kind = 0; kind < kPacketKinds; ++kind) {
    if (normal[kind] < 30) continue;
    ++kinds;
    SCOPED_TRACE("kind " + std::to_string(kind));
    renew();
    lose([kind](PacketKind of) { return static_cast<std::size_t>(of) == kind; }, 10);
    run();
    EXPECT_GT(lost_[kind], 0u);
    star_->expect_all_arrived();
  }
  EXPECT_GE(kinds, 2) << "data, and what answers it";
}

TEST_P(EveryTransport, EndsAllFlowsThoughAFifthOfAllPacketsIsLost) {
  lose([](PacketKind) { return true; }, 5);
  run();
  EXPECT_GT(lost_[static_cast<std::size_t>(PacketKind::kData)], 100u);
  star_->expect_all_arrived();
}

TEST_P(EveryTransport, EndsAFlowThatIsStopped) {
  star_->send(0, 1, kMtu * 100'000);
  star_->scheduler.run_until(kMilliSecond * 2);
  star_->nics[0]->transmitter().stop(0);
  star_->scheduler.run_until(kMilliSecond * 3);
  const Bytes received = star_->ledger[0].received_bytes;
  // Two milliseconds at 10 Gb/s are 2500 packets. TDMA gives each host one slot in fifteen.
  EXPECT_GT(received, GetParam() == "tdma" ? kMtu * 100 : kMtu * 1000);
  star_->scheduler.run_until(kSecond * 3000);
  EXPECT_EQ(star_->ledger[0].received_bytes, received) << "what had left, and no more";
  EXPECT_EQ(star_->ledger[0].acked_bytes, received);
  EXPECT_EQ(star_->done.size(), 1u);
  EXPECT_EQ(star_->pool.in_use(), 0) << "packets that are nowhere";
}

// Which reused telemetry stack a packet gets depends on the number of threads, so the old contents
// of the stack must not matter.
TEST_P(EveryTransport, ShowsNothingOfWhatItsPacketsStacksHeldBefore) {
  const auto states = [this](std::uint64_t before) {
    renew();
    std::vector<Packet*> used;
    for (int i = 0; i < 200; ++i) {
      used.push_back(star_->pool.allocate());
      star_->pool.attach_telemetry(*used.back());
      for (IntHop& hop : used.back()->telemetry->hop) {
        hop = {PicoSeconds(static_cast<std::int64_t>(before)), before, static_cast<Bytes>(before),
               BitRate(before)};
      }
    }
    for (Packet* const packet : used) star_->pool.free(packet);
    send_all();
    std::vector<std::uint64_t> list;
    for (int i = 0; i < 30; ++i) {
      star_->scheduler.run_until(star_->scheduler.now() + kMicroSecond * 3);
      StateDigest digest;
      star_->pool.each_in_use([&](const Packet& packet) { digest(packet); });
      list.push_back(digest.value());
    }
    return list;
  };
  EXPECT_EQ(states(0), states(7));
}

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const auto& entry : Transports::all()) list.push_back(entry.name);
  return list;
}
INSTANTIATE_TEST_SUITE_P(Registered, EveryTransport, testing::ValuesIn(names()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace dcc::every_transport_test
