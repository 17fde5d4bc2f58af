// Tests several Fastpass arbiters on one switch of 10 Gb/s against values calculated step by step.
// A slot takes 4 us, and a batch has four slots. Of two arbiters one begins a batch at 0, 32, 64
// us, …, and the other at 16, 48 us, …
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "schemes/fastpass/fastpass.h"
#include "unit/schemes/transport_network.h"

namespace dcc::fastpass_arbiters_test {
namespace {

using test::TransportStar;

constexpr PicoSeconds kSlot = kMicroSecond * 4;
constexpr Bytes kPayload = 4096;
const PicoSeconds kThere = (PicoSeconds(3'328'000) + kMicroSecond) * 2;

using Change = std::function<void(FastpassParameters&)>;

/// A star whose last hosts are the arbiters.
struct Arbiters : TransportStar {
  Arbiters(HostId hosts, unsigned arbiters, const Change& change)
      : TransportStar(hosts, fastpass(hosts, arbiters, change), {}, {10_Gbps, kMicroSecond, 0},
                      4096) {}
  static TransportChoice fastpass(HostId hosts, unsigned arbiters, const Change& change) {
    TransportChoice choice;
    choice.choose("fastpass");
    auto& p = choice.of<FastpassParameters>("fastpass");
    p.arbiter = hosts - arbiters;
    p.arbiters = arbiters;
    p.slot = kSlot;
    p.batch = 4;
    p.lead = kMicroSecond * 10;
    p.allocation_time = {};
    change(p);
    return choice;
  }
};

// Eight requests take 100 us of processing each. One arbiter has processed the last request at
// 802.1 us, two arbiters theirs at 402.1 us. The next batches begin at 816 us, and at 416 and 432
// us.
TEST(FastpassArbiters, TwoCarryTwiceTheRequests) {
  const auto last = [](unsigned arbiters) {
    Arbiters star(8 + arbiters, arbiters,
                  [](FastpassParameters& p) { p.request_time = kMicroSecond * 100; });
    PicoSeconds latest{};
    for (HostId h = 0; h < 8; ++h) star.send(h, (h + 1) % 8, kPayload);
    star.scheduler.run_until(kMilliSecond * 2);
    star.expect_all_arrived();
    for (std::uint32_t flow = 0; flow < 8; ++flow) {
      latest = std::max(latest, star.received_at(flow));
    }
    return latest - kThere;
  };
  EXPECT_EQ(last(1), kSlot * 207);
  EXPECT_EQ(last(2), kSlot * 111);
}

// A slot takes 8 us of an arbiter's processor, so one arbiter allocates two slots of every batch
// and two arbiters allocate all four. The first batch after the request begins at 16 us, and slot
// 15 comes 44 us later.
TEST(FastpassArbiters, TwoGiveTwiceTheSlots) {
  const auto last = [](unsigned arbiters) {
    Arbiters star(2 + arbiters, arbiters, [](FastpassParameters& p) {
      p.allocation_time = kMicroSecond * 8;
      p.lead = kMicroSecond * 44;
    });
    star.send(0, 1, kPayload * 40);
    star.scheduler.run_until(kMilliSecond);
    star.expect_all_arrived();
    EXPECT_EQ(star.counters().credits_sent, 40u);
    return star.received_at(0) - kThere;
  };
  EXPECT_EQ(last(1), kSlot * (15 + 19 * 4 + 1));
  EXPECT_EQ(last(2), kSlot * (15 + 39));
}

TEST(FastpassArbiters, NoPortIsOversubscribedInAnySlot) {
  for (const unsigned arbiters : {2u, 3u}) {
    constexpr HostId kHosts = 9;
    Arbiters star(kHosts, arbiters, [](FastpassParameters&) {});
    std::set<std::pair<std::int64_t, HostId>> out, in;
    std::set<std::pair<std::uint32_t, Psn>> seen;
    star.lose([&](const Packet& p) {
      if (p.kind != PacketKind::kData || !seen.emplace(p.flow, p.psn).second) return false;
      const std::int64_t slot = p.sent.count / kSlot.count;
      EXPECT_TRUE(out.emplace(slot, p.source).second) << p.source << " sends twice in " << slot;
      EXPECT_TRUE(in.emplace(slot, p.destination).second)
          << p.destination << " has two in " << slot;
      return false;
    });
    RandomStream random(11, "crowd");
    Bytes longest = 0;
    for (int i = 0; i < 20'000; ++i) {
      star.scheduler.run_until(kMicroSecond * i);
      for (int port = 0; port < static_cast<int>(kHosts); ++port) {
        longest = std::max(longest, star.device->queue_bytes(port));
      }
      if (i % 10 != 0 || i >= 1200) continue;
      const auto from = static_cast<HostId>(random.below(kHosts));
      const auto to = static_cast<HostId>((from + 1 + random.below(kHosts - 1)) % kHosts);
      star.send(from, to, 1 + static_cast<Bytes>(random.below(kPayload * 30)));
    }
    star.expect_all_arrived();
    EXPECT_GT(seen.size(), 1000u);
    EXPECT_LE(longest, 4160 + 10 * 160) << "one packet, and what is told";
  }
}

// The second arbiter receives nothing. The question sent to it at 100 us has no answer at 300 us,
// so the other arbiter allocates the twenty missing slots, in every other batch. From 1 ms on the
// second arbiter is back.
TEST(FastpassArbiters, WhatAnAbsentOneOwesTheOthersGive) {
  Arbiters star(4, 2, [](FastpassParameters& p) { p.ask_again = kMicroSecond * 100; });
  star.lose([](const Packet& p) { return p.kind == PacketKind::kRequest && p.destination == 3; });
  star.send(0, 1, kPayload * 40);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.received_at(0), kSlot * (83 + 4 * 8 + 3) + kThere) << "begun at 320 us: 83 to 86";
  star.expect_all_arrived();
  star.lose([](const Packet&) { return false; });
  star.scheduler.run_until(kMilliSecond * 2);
  EXPECT_EQ(star.counters().credits_unused, 20u) << "given for the old demand at 1.5 ms";
  star.post(0, 0, kPayload * 40, 7);
  star.scheduler.run_until(kMilliSecond * 3);
  EXPECT_EQ(star.received_at(0), kSlot * (507 + 39) + kThere) << "begun at 2016 us: every slot";
}

std::vector<std::uint64_t> wanted(const FastpassDemand& demand) {
  std::vector<std::uint64_t> all;
  for (unsigned k = 0; k < demand.arbiters(); ++k) all.push_back(demand.at(k).wanted);
  return all;
}
using Totals = std::vector<std::uint64_t>;

TEST(FastpassDemand, GoesToWhereThePairLacksTheFewestAndInTurn) {
  FastpassDemand demand(3);
  unsigned turn = 1;
  const std::vector<bool> none(3);
  demand.want(2, none, turn);
  EXPECT_EQ(wanted(demand), (Totals{0, 1, 1}));
  demand.want(4, none, turn);
  EXPECT_EQ(wanted(demand), (Totals{2, 1, 1}));
  demand.want(3, none, turn);  // a demand is never withdrawn
  EXPECT_EQ(wanted(demand), (Totals{2, 1, 1}));
  demand.at(0).given = 2;
  demand.want(9, none, turn);
  EXPECT_EQ(wanted(demand), (Totals{5, 3, 3}));
  EXPECT_EQ(turn, 1u) << "no turns where all lack as many";
}

TEST(FastpassDemand, WhatTheAbsentOweIsWantedOfTheOthers) {
  FastpassDemand demand(3);
  unsigned turn = 0;
  demand.want(6, {false, false, false}, turn);
  EXPECT_EQ(wanted(demand), (Totals{2, 2, 2}));
  demand.want(6, {false, true, false}, turn);
  EXPECT_EQ(wanted(demand), (Totals{3, 2, 3}));
  demand.want(9, {true, true, true}, turn);
  EXPECT_EQ(wanted(demand), (Totals{3, 3, 3}));
}

}  // namespace
}  // namespace dcc::fastpass_arbiters_test
