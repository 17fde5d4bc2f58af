// Tests PDQ's choice of the flows that send over a link and the flows that pause, against values
// computed by hand and against a direct transcription of PDQ's rules. Also tests the port that
// handles requests and replies.
#include "schemes/pdq/preemptive_rate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

#include "switch/switch_device.h"

namespace dcc::preemptive_rate_test {
namespace {

constexpr PicoSeconds kRtt = kMicroSecond * 10;
constexpr std::uint64_t kName = 7;
constexpr PicoSeconds kNone = PicoSeconds::max();

constexpr BitRate gbps(std::uint64_t n) { return BitRate(n * 1'000'000'000); }
constexpr std::uint64_t operator""_G(unsigned long long n) { return n * 1'000'000'000; }

PreemptiveAllocatorParameters undampened(std::uint32_t flows = 16) {
  PreemptiveAllocatorParameters parameters;
  parameters.dampening = Ratio(0);
  parameters.flows = flows;
  return parameters;
}

/// A link of 10 Gb/s with PDQ's allocator.
struct Link10G : PreemptiveAllocator {
  explicit Link10G(const PreemptiveAllocatorParameters& parameters = undampened())
      : PreemptiveAllocator(parameters, kName) {
    set_link(gbps(10));
  }
};

/// A requester at a link with PDQ's allocator, and no other link.
struct Flow {
  std::uint32_t number;
  PicoSeconds left;
  PicoSeconds deadline = kNone;
  std::uint64_t paused_by = 0;
  BitRate most = gbps(10);
  PicoSeconds probe_after{};

  SchedulingHeader header() const { return {most, paused_by, deadline, left, kRtt, kRtt}; }
  SchedulingHeader asks(PreemptiveAllocator& link, PicoSeconds now, Bytes queue = 0) {
    SchedulingHeader told = header();
    link.ask(number, told, queue, now);
    return told;
  }
  /// Sends a request and its reply through the port. Returns the rate that the flow then has.
  std::uint64_t gets(PreemptiveAllocator& link, PicoSeconds now, Bytes queue = 0) {
    const SchedulingHeader told = asks(link, now, queue);
    link.answer(number, told, now);
    paused_by = told.paused_by;
    probe_after = told.probe_after;
    return told.rate.bits_per_second;
  }
};

TEST(PreemptiveAllocator, TheMostCriticalSendsAndTheOthersPause) {
  Link10G link;
  Flow longer{1, kRtt * 50}, shorter{2, kRtt * 20};
  EXPECT_EQ(longer.gets(link, kMicroSecond), 10_G);
  EXPECT_EQ(shorter.gets(link, kMicroSecond * 2), 10_G) << "it goes first, whoever came first";
  EXPECT_EQ(longer.gets(link, kMicroSecond * 3), 0u);
  EXPECT_EQ(longer.paused_by, kName);
  EXPECT_EQ(shorter.gets(link, kMicroSecond * 4), 10_G);
  shorter.left = {};
  shorter.asks(link, kMicroSecond * 5);
  EXPECT_EQ(link.flows().size(), 1u) << "that was its last packet";
  EXPECT_EQ(longer.gets(link, kMicroSecond * 6), 10_G);
  EXPECT_EQ(longer.paused_by, 0u);
}

TEST(PreemptiveAllocator, DeadlinesComeFirstThenWhatIsLeftThenTheNumber) {
  Link10G link;
  Flow all[] = {{5, kRtt * 9},           {4, kRtt * 9},           {6, kRtt * 8},
                {3, kRtt * 90, kSecond}, {7, kRtt * 80, kSecond}, {8, kRtt * 99, kMilliSecond}};
  for (Flow& flow : all) flow.asks(link, kMicroSecond);
  std::vector<std::uint32_t> order;
  for (const auto& flow : link.flows()) order.push_back(flow.number);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{8, 7, 3, 6, 4, 5}));
}

TEST(PreemptiveAllocator, WhatTheFirstCannotUseIsTheNext) {
  Link10G link;
  Flow slow{1, kRtt * 10, kNone, 0, gbps(3)}, next{2, kRtt * 20}, last{3, kRtt * 30};
  EXPECT_EQ(slow.gets(link, kMicroSecond), 3_G);
  EXPECT_EQ(next.gets(link, kMicroSecond), 7_G);
  EXPECT_EQ(last.gets(link, kMicroSecond), 0u);
}

// With K = 2 flows with less than two round trips left do not count, until their sum reaches two
// round trips.
TEST(PreemptiveAllocator, TheNextBeginsBeforeTheLastHasEnded) {
  Link10G link;
  Flow ending{1, kRtt * 2}, next{2, kRtt * 20}, last{3, kRtt * 21};
  EXPECT_EQ(ending.gets(link, kMicroSecond), 10_G);
  EXPECT_EQ(next.gets(link, kMicroSecond), 0u) << "two are not less than two";
  ending.left = kRtt * 2 - kMicroSecond;
  EXPECT_EQ(ending.gets(link, kMicroSecond * 2), 10_G);
  EXPECT_EQ(next.gets(link, kMicroSecond * 2), 10_G);
  EXPECT_EQ(last.gets(link, kMicroSecond * 2), 0u);
  // The flows have 0.5 and 1.9 round trips left. The first one alone is below two and does not
  // count; later flows do.
  Flow half{4, kMicroSecond * 5}, other{5, kMicroSecond * 19}, more{6, kMicroSecond * 19};
  EXPECT_EQ(half.gets(link, kMicroSecond * 3), 10_G);
  EXPECT_EQ(other.gets(link, kMicroSecond * 3), 10_G);
  EXPECT_EQ(more.gets(link, kMicroSecond * 3), 0u);
}

TEST(PreemptiveAllocator, WithoutEarlyStartEveryoneCounts) {
  PreemptiveAllocatorParameters parameters = undampened();
  parameters.early_start = 0;
  Link10G link(parameters);
  Flow tiny{1, kMicroSecond}, next{2, kRtt};
  EXPECT_EQ(tiny.gets(link, kMicroSecond), 10_G);
  EXPECT_EQ(next.gets(link, kMicroSecond), 0u);
}

// Of several requests before a reply only the first one is accepted.
TEST(PreemptiveAllocator, APromiseCountsUntilItsAnswerOrTwoRoundTrips) {
  Link10G link;
  Flow first{1, kRtt * 10}, second{2, kRtt * 11};
  EXPECT_EQ(first.asks(link, kMicroSecond).rate, gbps(10));
  EXPECT_EQ(second.asks(link, kMicroSecond * 2).rate, BitRate());
  EXPECT_EQ(second.asks(link, kMicroSecond + kRtt * 2 - PicoSeconds(1)).rate, BitRate());
  EXPECT_EQ(second.asks(link, kMicroSecond + kRtt * 2).rate, gbps(10)) << "it was lost";
  // The reply carries less than this link granted, because another port granted less.
  SchedulingHeader told = first.asks(link, kRtt * 3);
  told.rate = gbps(4);
  link.answer(1, told, kRtt * 3);
  EXPECT_EQ(second.asks(link, kRtt * 3).rate, gbps(6));
}

// A probe overtakes data in a queue, and so does its reply.
TEST(PreemptiveAllocator, AnAnswerToAnOlderPacketDoesNotCount) {
  Link10G link;
  Flow first{1, kRtt * 10}, second{2, kRtt * 11};
  const SchedulingHeader older = first.asks(link, kMicroSecond);
  SchedulingHeader newer = first.asks(link, kMicroSecond * 2);
  newer.rate = gbps(3);
  link.answer(1, newer, kMicroSecond * 2);
  link.answer(1, older, kMicroSecond);
  EXPECT_EQ(second.asks(link, kRtt).rate, gbps(7));
}

TEST(PreemptiveAllocator, WhoPausesElsewhereIsNotKept) {
  Link10G link;
  Flow first{1, kRtt * 10}, second{2, kRtt * 11};
  SchedulingHeader told = first.asks(link, kMicroSecond);
  EXPECT_EQ(told.rate, gbps(10));
  told.paused_by = kName + 1;
  told.rate = {};
  link.answer(1, told, kMicroSecond * 2);
  EXPECT_TRUE(link.flows().empty());
  EXPECT_EQ(second.gets(link, kMicroSecond * 3), 10_G);
  first.paused_by = kName + 1;
  told = first.asks(link, kMicroSecond * 4);
  EXPECT_EQ(told.rate, gbps(10)) << "passed on";
  EXPECT_EQ(told.paused_by, kName + 1);
  EXPECT_EQ(link.flows().size(), 1u);
}

// The pause is a fifth of a round trip per more critical flow, but at least the round trip that the
// sender states.
TEST(PreemptiveAllocator, WhoHasMoreBeforeItAsksMoreRarely) {
  Link10G link;
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < 16; ++i) flows.push_back({i, kRtt * (10 + i)});
  for (Flow& flow : flows) flow.gets(link, kMicroSecond);
  EXPECT_EQ(flows[4].probe_after, kRtt);
  EXPECT_EQ(flows[5].probe_after, kRtt);
  EXPECT_EQ(flows[6].probe_after, kMicroSecond * 12);
  EXPECT_EQ(flows[15].probe_after, kRtt * 3);
}

// Dampening does not apply to flows that end within two round trips.
TEST(PreemptiveAllocator, OneBeginsInARoundTrip) {
  PreemptiveAllocatorParameters parameters;
  parameters.dampening = Ratio(1);
  Link10G link{parameters};
  Flow first{1, kRtt * 30}, second{2, kRtt * 20}, third{3, kRtt * 10}, tiny{4, kRtt};
  EXPECT_EQ(first.gets(link, kMicroSecond), 10_G);
  EXPECT_EQ(second.gets(link, kMicroSecond + kRtt - PicoSeconds(1)), 0u);
  EXPECT_EQ(second.gets(link, kMicroSecond + kRtt), 10_G);
  EXPECT_EQ(third.gets(link, kRtt * 2), 0u);
  EXPECT_EQ(tiny.gets(link, kRtt * 2), 10_G);
  EXPECT_EQ(second.gets(link, kRtt * 2), 10_G) << "it sends already";
  EXPECT_EQ(third.gets(link, kMicroSecond + kRtt * 2), 10_G);
}

// The default dampening is a small part of a round trip. A port that lets one flow begin per round
// trip would leave its link idle while many flows wait.
TEST(PreemptiveAllocator, ByDefaultFourBeginInARoundTrip) {
  Link10G link{PreemptiveAllocatorParameters{}};
  unsigned begun = 0;
  for (std::uint32_t number = 1; number <= 8; ++number) {
    Flow flow{number, kRtt * (30 - number)};  // each flow is more critical than those before it
    const PicoSeconds now = kMicroSecond + PicoSeconds(kRtt.count * (number - 1) / 8);
    if (flow.gets(link, now) != 0) ++begun;
  }
  EXPECT_EQ(begun, 4u);
}

TEST(PreemptiveAllocator, KeepsTheMostCriticalOnly) {
  Link10G link(undampened(2));
  Flow a{1, kRtt * 10}, b{2, kRtt * 20}, c{3, kRtt * 30}, d{4, kRtt * 5};
  EXPECT_EQ(a.gets(link, kMicroSecond), 10_G);
  EXPECT_EQ(b.gets(link, kMicroSecond), 0u);
  EXPECT_EQ(c.gets(link, kMicroSecond), 0u);
  EXPECT_EQ(c.paused_by, kName);
  ASSERT_EQ(link.flows().size(), 2u);
  EXPECT_EQ(d.gets(link, kMicroSecond), 10_G);
  ASSERT_EQ(link.flows().size(), 2u);
  EXPECT_EQ(link.flows()[1].number, 1u);
}

// Probes of 2 us arrive every 5 us, in periods of eight round trips. Then one probe arrives in a
// millisecond.
TEST(PreemptiveAllocator, WhoIsNotKeptAsksMoreRarelyWhileProbesCrowdTheLink) {
  Link10G link(undampened(2));
  Flow a{1, kRtt * 10}, b{2, kRtt * 20}, c{3, kRtt * 30};
  const auto asks = [&](PicoSeconds now) {
    a.gets(link, now);
    b.gets(link, now);
    SchedulingHeader header = c.header();
    header.waited = kRtt * 4;
    link.ask(3, header, 0, now, 2'500);
    return header.probe_after;
  };
  EXPECT_EQ(asks(kMicroSecond), kRtt * 3);
  for (int i = 1; i < 20; ++i) asks(kMicroSecond * (1 + 5 * i));
  EXPECT_EQ(asks(kMicroSecond * 100), kRtt * 8);
  SchedulingHeader kept = b.header();
  kept.waited = kRtt * 4;
  link.ask(2, kept, 0, kMicroSecond * 100);
  EXPECT_EQ(kept.probe_after, kRtt) << "it is kept, and its turn is near";
  EXPECT_EQ(asks(kMilliSecond), kRtt * 3);
}

// Probes of 12'500 bytes take 10 us each, and the list keeps three flows.
TEST(PreemptiveAllocator, ProbesOfTheKeptTakeHalfTheLinkAtMost) {
  Link10G link;
  Flow a{1, kRtt * 10}, b{2, kRtt * 20}, c{3, kRtt * 30};
  a.gets(link, kMicroSecond);
  b.gets(link, kMicroSecond);
  SchedulingHeader asks = c.header();
  link.ask(3, asks, 0, kMicroSecond, 12'500);
  EXPECT_EQ(asks.probe_after, kMicroSecond * 10 * 2 * 3);
}

TEST(PreemptiveAllocator, ForgetsWhomNobodySpeaksOf) {
  Link10G link;
  Flow gone{1, kRtt * 10}, other{2, kRtt * 20};
  gone.gets(link, kMicroSecond);
  EXPECT_EQ(other.gets(link, kRtt * 4), 0u);
  EXPECT_EQ(other.gets(link, kRtt * 4 + kMicroSecond), 10_G);
}

// The port reserves the link for a flow that was told to repeat its request after three round
// trips.
TEST(PreemptiveAllocator, RemembersThePausedUntilTheyWereToAsk) {
  Link10G link;
  Flow last{15, kRtt * 50};
  for (std::uint32_t i = 0; i < 15; ++i) {
    Flow flow{i, kRtt * (10 + i)};
    flow.gets(link, kMicroSecond);
  }
  last.gets(link, kMicroSecond);
  ASSERT_EQ(last.probe_after, kRtt * 3);
  Flow first{0, kRtt * 10};
  first.gets(link, kRtt * 12);
  EXPECT_EQ(link.flows().back().number, last.number);
  first.gets(link, kRtt * 12 + kMicroSecond);
  EXPECT_EQ(link.flows().back().number, first.number);
}

// A queue of 5 KB drains at 2 Gb/s in two round trips of 10 us.
TEST(PreemptiveAllocator, HoldsBackForTheQueueThatStood) {
  Link10G link;
  Flow flow{1, kRtt * 100};
  EXPECT_EQ(flow.gets(link, kMicroSecond, 0), 10_G);
  EXPECT_EQ(flow.gets(link, kMicroSecond + kRtt, 9000), 10_G);
  EXPECT_EQ(flow.gets(link, kMicroSecond * 2 + kRtt, 5000), 10_G);
  EXPECT_EQ(flow.gets(link, kMicroSecond * 3 + kRtt, 7000), 10_G);
  EXPECT_EQ(flow.gets(link, kMicroSecond + kRtt * 2, 8000), 8_G) << "the shortest";
  EXPECT_EQ(flow.gets(link, kMicroSecond + kRtt * 3, 1'000'000), 10_G - 3'200'000'000);
  EXPECT_EQ(flow.gets(link, kMicroSecond + kRtt * 4, 1'000'000), 0u) << "not below nothing";
  EXPECT_EQ(flow.gets(link, kMicroSecond + kRtt * 5, 0), 10_G);
}

/// Random flows send requests, get replies, lose some, pause at other links and end. At all times
/// the sending flows together do not exceed the link. No flow pauses while more critical flows
/// leave bandwidth unused, and no flow sends beside a more critical flow that takes the whole link.
class PreemptiveAllocatorCrowd : public testing::TestWithParam<std::uint32_t> {};
TEST_P(PreemptiveAllocatorCrowd, ServesNobodyBeforeSomebodyMoreCritical) {
  Link10G link(undampened(GetParam()));
  std::mt19937_64 random(GetParam());
  const auto below = [&](std::uint64_t n) { return random() % n; };
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < 40; ++i) flows.push_back({i, {}});
  PicoSeconds now = kMicroSecond;
  std::size_t let = 0, paused = 0;
  for (int step = 0; step < 20'000; ++step) {
    now = now + PicoSeconds(static_cast<std::int64_t>(below(kMicroSecond.count)));
    Flow& flow = flows[below(flows.size())];
    if (flow.left == PicoSeconds()) {
      flow.left = kNanoSecond * static_cast<std::int64_t>(1 + 2500 * below(60));
      flow.deadline = below(3) == 0 ? now + kRtt * static_cast<std::int64_t>(below(100)) : kNone;
      flow.most = gbps(1 + below(10));
      flow.paused_by = 0;
    } else if (below(8) == 0) {
      flow.left = {};
    }
    SchedulingHeader told = flow.asks(link, now);
    if (flow.left == PicoSeconds()) continue;

    const auto& list = link.flows();
    EXPECT_TRUE(std::is_sorted(list.begin(), list.end(), [](const auto& a, const auto& b) {
      return std::tie(a.deadline, a.left, a.number) < std::tie(b.deadline, b.left, b.number);
    }));
    // Rates of the more critical flows, by algorithm 2 of the paper.
    const auto self = std::find_if(list.begin(), list.end(),
                                   [&](const auto& one) { return one.number == flow.number; });
    if (self == list.end()) {
      EXPECT_EQ(told.paused_by, kName);
      EXPECT_GE(list.size(), GetParam());
    } else {
      std::int64_t ending = 0;
      std::uint64_t taken = 0;
      for (auto it = list.begin(); it != self; ++it) {
        const std::int64_t round_trips = it->left.count * 1024 / kRtt.count;
        if (round_trips < 2048 && ending < 2048) {
          ending += round_trips;
        } else {
          const std::uint64_t offered = now < it->raised ? it->offered.bits_per_second : 0;
          taken += std::max(it->rate.bits_per_second, offered);
        }
      }
      const std::uint64_t free = taken < 10_G ? 10_G - taken : 0;
      EXPECT_NEAR(static_cast<double>(told.rate.bits_per_second),
                  static_cast<double>(std::min(free, flow.most.bits_per_second)), 1.0);
      EXPECT_EQ(told.paused_by, free == 0 ? kName : 0);
      free == 0 ? ++paused : ++let;
    }
    if (below(10) == 0) continue;  // the reply is lost
    if (below(5) == 0) told.paused_by = kName + 1, told.rate = {};
    link.answer(flow.number, told, now);
    flow.paused_by = told.paused_by == kName ? kName : 0;
  }
  EXPECT_GT(let, 1000u);
  EXPECT_GT(paused, 1000u);
}
INSTANTIATE_TEST_SUITE_P(Kept, PreemptiveAllocatorCrowd, testing::Values(1u, 4u, 16u, 64u));

Packet* with_header(PacketPool& pool, PacketKind kind, const Flow& flow) {
  Packet* const packet = pool.allocate();
  packet->kind = kind;
  packet->flow = flow.number;
  packet->wire_bytes = 64;
  pool.attach_places(*packet);
  SchedulingHeaderOn::write(*packet, flow.header());
  return packet;
}

TEST(PreemptiveRatePort, WritesWhatItSaysAndHearsWhatComesBack) {
  Scheduler clock;
  PacketPool pool;
  RandomStream random{1, "port"};
  PreemptiveRatePort port(PreemptiveRateParameters{}, {random, clock});
  PreemptiveRatePort other(PreemptiveRateParameters{}, {random, clock});
  EXPECT_NE(port.model().name(), other.model().name());
  port.attach({gbps(10), kMicroSecond, 20});
  const Flow first{1, kRtt * 10, kSecond}, second{2, kRtt * 20, kSecond};
  Packet* const probe = with_header(pool, PacketKind::kRequest, first);
  Packet* const data = with_header(pool, PacketKind::kData, second);
  for (Packet* packet : {probe, data}) {
    EXPECT_TRUE(port.enqueue(packet).dropped.empty());
    EXPECT_EQ(port.dequeue(), packet);
    EXPECT_FALSE(packet->collects_telemetry());
  }
  const SchedulingHeader told = SchedulingHeaderOn::read(*probe);
  EXPECT_EQ(told.rate, gbps(10));
  EXPECT_EQ(told.paused_by, 0u);
  EXPECT_EQ(told.deadline, kSecond);
  EXPECT_EQ(told.left, kRtt * 10);
  EXPECT_EQ(told.round_trip, kRtt);
  EXPECT_EQ(told.probe_after, kRtt);
  EXPECT_EQ(SchedulingHeaderOn::read(*data).paused_by, port.model().name());
  EXPECT_EQ(port.model().flows()[0].rate, BitRate()) << "only promised";
  probe->kind = PacketKind::kCredit;
  port.reverse_packet(*probe);
  EXPECT_EQ(port.model().flows()[0].rate, gbps(10));
  for (Packet* packet : {probe, data}) pool.free(packet);
}

/// A switch whose output link records the packets.
struct Keeps final : PacketOut {
  std::vector<Packet*> packets;
  PicoSeconds send(Packet* packet) override {
    packets.push_back(packet);
    return {};
  }
};

// A reply that arrives over a port's link is handled by that port, and not by the port through
// which it leaves.
TEST(PreemptiveRatePort, HearsWhatComesInOverItsOwnLink) {
  Scheduler scheduler;
  PacketPool pool;
  SwitchParameters parameters;
  parameters.pfc.enabled = false;
  parameters.discipline.choose("preemptive_rate");
  parameters.discipline.of<PreemptiveRateParameters>("preemptive_rate").rates = undampened();
  SwitchDevice device(scheduler, pool, parameters, 2, 1, 0, 1);
  Keeps out[2];
  for (int port = 0; port < 2; ++port) device.attach(port, out[port], {gbps(10), {}, 0});
  RouteTable routes(2);
  routes.set_block(0, 2, 1, 0);
  device.set_routes(routes);
  const auto pass = [&](Packet* packet, int from) {
    packet->destination = from == 0 ? 1 : 0;
    device.receive(packet, from);
    scheduler.run_until(scheduler.now() + kNanoSecond);
    EXPECT_EQ(out[1 - from].packets.back(), packet);
    return SchedulingHeaderOn::read(*packet);
  };
  Packet* const first = with_header(pool, PacketKind::kRequest, {1, kRtt * 10});
  Packet* const second = with_header(pool, PacketKind::kRequest, {2, kRtt * 20});
  EXPECT_EQ(pass(first, 0).rate, gbps(10));
  SchedulingHeader told = SchedulingHeaderOn::read(*first);
  told.rate = gbps(6);
  first->kind = PacketKind::kCredit;
  SchedulingHeaderOn::write(*first, told);
  pass(first, 1);
  EXPECT_EQ(pass(second, 0).rate, gbps(4));
  for (Packet* packet : {first, second}) pool.free(packet);
}

}  // namespace
}  // namespace dcc::preemptive_rate_test
