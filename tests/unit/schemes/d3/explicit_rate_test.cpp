// Tests the rates that a link grants to requests, against values computed by hand and against a
// list of all leases, and the port that sends requests.
#include "schemes/d3/explicit_rate.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace dcc::explicit_rate_test {
namespace {

using Lease = RateAllocator::Lease;

constexpr PicoSeconds kInterval = kMicroSecond * 100;

constexpr BitRate gbps(std::uint64_t n) { return BitRate(n * 1'000'000'000); }
constexpr std::uint64_t operator""_G(unsigned long long n) { return n * 1'000'000'000; }

/// A link of 10 Gb/s that grants rates to requesters.
struct Link10G : RateAllocator {
  explicit Link10G(RateAllocatorParameters parameters = {}) : RateAllocator(parameters) {
    set_link(gbps(10));
  }
};
struct Flow {
  BitRate desired;
  Lease lease;
  BitRate past;
  std::uint64_t asks(RateAllocator& link, PicoSeconds now) {
    lease = link.answer({desired, past, lease, false}, now);
    past = desired;
    return lease.rate.bits_per_second;
  }
  void leaves(RateAllocator& link, PicoSeconds now) {
    EXPECT_EQ(link.answer({{}, past, lease, true}, now).rate, BitRate());
    lease = {};
  }
};

TEST(RateAllocator, SharesAlikeAmongThoseWithoutDeadline) {
  Link10G link;
  Flow first, second;
  EXPECT_EQ(first.asks(link, kMicroSecond), 10_G);
  EXPECT_EQ(first.lease.until, kInterval * 2) << "of this interval and the next";
  EXPECT_EQ(second.asks(link, kMicroSecond * 2), 0u) << "nothing is left yet";
  EXPECT_EQ(first.asks(link, kMicroSecond * 11), 5_G);
  EXPECT_EQ(second.asks(link, kMicroSecond * 12), 5_G);
  EXPECT_EQ(link.flows(), 2u);
  first.leaves(link, kMicroSecond * 21);
  EXPECT_EQ(link.allocated(), gbps(5));
  EXPECT_EQ(second.asks(link, kMicroSecond * 22), 10_G);
}

TEST(RateAllocator, AnIntervalLastsTwoRoundTrips) {
  Link10G link;
  const Lease lease = link.answer({{}, {}, {}, false, kMicroSecond * 300}, kMicroSecond * 50);
  EXPECT_EQ(lease.until, kMicroSecond * 1200);
  EXPECT_EQ(link.answer({{}, {}, lease, false, kMicroSecond * 300}, kMicroSecond * 700).until,
            kMicroSecond * 1800);
  EXPECT_EQ(link.flows(), 1u) << "the first lease was returned";
}

TEST(RateAllocator, GivesWhatIsWantedAndAShareOfTheRest) {
  Link10G link;
  Flow urgent{gbps(4), {}, {}}, other{gbps(2), {}, {}}, idle;
  EXPECT_EQ(urgent.asks(link, kMicroSecond), 10_G) << "4, and all of the rest";
  EXPECT_EQ(other.asks(link, kMicroSecond * 2), 0u);
  EXPECT_EQ(idle.asks(link, kMicroSecond * 3), 0u);
  // The demands of the other requests leave 4 of 10 Gb/s for three flows.
  EXPECT_EQ(urgent.asks(link, kMicroSecond * 11), 4_G + 4_G / 3);
  EXPECT_EQ(other.asks(link, kMicroSecond * 12), 2_G + 4_G / 3);
  EXPECT_EQ(idle.asks(link, kMicroSecond * 13), 4_G / 3);
}

TEST(RateAllocator, FirstComeFirstServedWhateverIsMoreUrgent) {
  Link10G link;
  Flow first{gbps(6), {}, {}}, urgent{gbps(5), {}, {}}, idle;
  first.asks(link, kMicroSecond);
  urgent.asks(link, kMicroSecond * 2);
  EXPECT_EQ(first.asks(link, kMicroSecond * 11), 6_G) << "more is wanted than there is";
  EXPECT_EQ(urgent.asks(link, kMicroSecond * 12), 4_G) << "what is left";
  EXPECT_EQ(idle.asks(link, kMicroSecond * 13), 0u);
  first.leaves(link, kMicroSecond * 20);
  EXPECT_EQ(urgent.asks(link, kMicroSecond * 21), 5_G + 5_G / 2);
}

TEST(RateAllocator, WhatIsNotReturnedIsFreeAfterTwoIntervalsAndReturnedOnce) {
  RateAllocatorParameters parameters;
  parameters.reclaim = Ratio(0);  // the link does not grant unused rates again
  Link10G link(parameters);
  Flow lost, other;
  lost.asks(link, kMicroSecond);
  EXPECT_EQ(other.asks(link, kInterval * 2 - kMicroSecond), 0u);
  EXPECT_EQ(link.flows(), 2u);
  EXPECT_EQ(other.asks(link, kInterval * 2), 10_G);
  EXPECT_EQ(link.flows(), 1u);
  lost.leaves(link, kInterval * 2 + kMicroSecond);  // the interval of the granted rate has ended
  EXPECT_EQ(link.allocated(), gbps(10));
  EXPECT_EQ(link.flows(), 1u);
}

TEST(RateAllocator, GivesOutUnusedRateOnceMoreAndHoldsBackForTheQueue) {
  Link10G link;
  Flow flow;
  flow.asks(link, PicoSeconds());
  // The interval carried 4 Gb/s of the 10 Gb/s granted, and the queue never fell below 12.5 KB.
  link.comes(20'000, 30'000, kMicroSecond);
  link.comes(20'000, 12'500, kMicroSecond * 2);
  link.comes(10'000, 20'000, kMicroSecond * 3);
  // The grantable capacity rises by a tenth of the unused 6 Gb/s and falls by 1 Gb/s, which drains
  // the queue in an interval.
  flow.asks(link, kInterval);
  EXPECT_EQ(link.capacity().bits_per_second, 9'600'000'000u);
  EXPECT_EQ(flow.lease.rate.bits_per_second, 9'600'000'000u);
  link.comes(1000, 125'000'000, kInterval + kMicroSecond);
  flow.asks(link, kInterval * 2);
  EXPECT_EQ(link.capacity(), BitRate()) << "not below nothing";
  flow.asks(link, kInterval * 20);
  EXPECT_EQ(link.capacity(), gbps(10)) << "idle for long";
}

// Random flows that start, send requests, lose replies and end.
class RateAllocatorCrowd : public testing::TestWithParam<std::size_t> {};
TEST_P(RateAllocatorCrowd, LeasesNeverAddUpToMoreThanTheLink) {
  RateAllocatorParameters parameters;
  parameters.reclaim = parameters.drain = Ratio(0);
  Link10G link(parameters);
  std::mt19937_64 random(9);
  std::vector<Flow> flows(GetParam());
  std::vector<Lease> lost;
  PicoSeconds now;
  std::uint64_t most = 0;
  for (int step = 0; step < 100'000; ++step) {
    now += PicoSeconds(static_cast<std::int64_t>(random() % 2'000'000));
    Flow& flow = flows[random() % flows.size()];
    const auto what = random() % 20;
    if (what == 0) {
      flow.leaves(link, now);
    } else {
      if (what < 3) {  // the reply to the previous request was lost
        lost.push_back(flow.lease);
        flow.lease = {};
      }
      flow.desired = random() % 2 == 0 ? BitRate() : BitRate(random() % 9'000'000'000);
      flow.asks(link, now);
    }
    std::uint64_t sum = 0;
    for (const Flow& one : flows) {
      if (one.lease.until > now) sum += one.lease.rate.bits_per_second;
    }
    for (const Lease& one : lost) {
      if (one.until > now) sum += one.rate.bits_per_second;
    }
    if (lost.size() > 1000) lost.erase(lost.begin(), lost.begin() + 900);
    ASSERT_LE(sum, 10_G) << step;
    ASSERT_EQ(link.allocated().bits_per_second, sum) << step;
    most = std::max(most, sum);
  }
  EXPECT_EQ(most, 10_G);
}
INSTANTIATE_TEST_SUITE_P(OfSome, RateAllocatorCrowd, testing::Values(4, 10, 40));

TEST(ExplicitRatePort, WritesWhatItGivesOverWhatItGave) {
  Scheduler clock;
  PacketPool pool;
  RandomStream random{1, "port"};
  ExplicitRatePort port(ExplicitRateParameters{}, {random, clock});
  port.attach({gbps(10), kMicroSecond, 20});
  const auto request = [&](BitRate desired, Lease past, unsigned hop) {
    Packet* const packet = pool.allocate();
    packet->kind = PacketKind::kRequest;
    packet->wire_bytes = 64;
    packet->scheme = desired.bits_per_second;
    packet->immediate = hop;
    pool.attach_telemetry(*packet);
    packet->telemetry_hops = 3;
    if (hop < 3) RateRequestHeader::write(packet->telemetry->hop[hop], past);
    EXPECT_TRUE(port.enqueue(packet).dropped.empty());
    EXPECT_EQ(port.dequeue(), packet);
    return packet;
  };
  Packet* const one = request(gbps(3), {}, 1);
  EXPECT_EQ(one->immediate, 2u);
  const Lease given = RateRequestHeader::lease(one->telemetry->hop[1]);
  EXPECT_EQ(given.rate, gbps(10));
  Packet* const again = request(gbps(3), given, 0);
  EXPECT_EQ(port.model().flows(), 1u) << "the same one";
  Packet* const beyond = request(gbps(3), {}, 3);
  EXPECT_EQ(beyond->immediate, 3u);
  EXPECT_EQ(port.model().flows(), 1u) << "no place in the header";
  for (Packet* packet : {one, again, beyond}) pool.free(packet);
}

TEST(ExplicitRatePort, ServesControlFirstAndDropsWhatFindsNoRoom) {
  Scheduler clock;
  PacketPool pool;
  RandomStream random{1, "port"};
  ExplicitRateParameters parameters;
  parameters.limit = 2200;
  ExplicitRatePort port(parameters, {random, clock});
  port.attach({gbps(10), kMicroSecond, 20});
  const auto take = [&](PacketKind kind, std::uint8_t priority, std::uint32_t bytes) {
    Packet* const packet = pool.allocate();
    packet->kind = kind;
    packet->priority = priority;
    packet->wire_bytes = bytes;
    return packet;
  };
  Packet* const data = take(PacketKind::kData, 0, 1064);
  Packet* const more = take(PacketKind::kData, 0, 1064);
  Packet* const ack = take(PacketKind::kAck, 7, 64);
  Packet* const late = take(PacketKind::kData, 0, 1064);
  EXPECT_TRUE(port.enqueue(data).dropped.empty());
  EXPECT_TRUE(port.enqueue(more).dropped.empty());
  EXPECT_TRUE(port.enqueue(ack).dropped.empty());
  PortDiscipline::EnqueueResult result = port.enqueue(late);
  ASSERT_FALSE(result.dropped.empty());
  EXPECT_EQ(result.dropped.pop(), late);
  EXPECT_EQ(port.dequeue(), ack);
  EXPECT_EQ(port.dequeue(), data);
  EXPECT_EQ(port.dequeue(), more);
  EXPECT_TRUE(port.empty());
  for (Packet* packet : {data, more, ack, late}) pool.free(packet);
}

}  // namespace
}  // namespace dcc::explicit_rate_test
