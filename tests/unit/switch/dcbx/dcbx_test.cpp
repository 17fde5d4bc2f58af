// Tests DCBX: adoption of settings, announcements and their times, remaining mismatches.
#include "switch/dcbx/dcbx.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "sim/state_digest.h"

namespace dcc::dcbx_test {
namespace {

constexpr PicoSeconds kDelay = kMicroSecond;
constexpr std::uint8_t kThree = 1u << 3;
constexpr std::uint8_t kThreeFour = 1u << 3 | 1u << 4;

DcbxSettings settings(bool willing, std::uint8_t pfc, unsigned first_share = 50) {
  DcbxSettings s;
  s.willing = willing;
  s.pfc = pfc;
  s.ets = ets_table_of({first_share, 100 - first_share, 0, 0, 0, 0, 0, 0});
  s.applications = {{3, ApplicationPriority::kUdpPort, 4791}};
  return s;
}

/// Two ends of a link. Messages arrive a microsecond later, and side 0 has the lower address.
class Pair {
 public:
  Pair(const DcbxSettings& a, const DcbxSettings& b, PicoSeconds interval = kSecond * 30) {
    for (unsigned side = 0; side < 2; ++side) {
      wires_[side].owner = this;
      wires_[side].to = 1 - side;
      ends_[side] = std::make_unique<DcbxEnd>(
          scheduler_, pool_, DcbxEnd::Identity{roce::mac_of(side), roce::mac_of(side), "port0"},
          side == 0 ? a : b, interval, side,
          [this, side](Packet* packet) { wires_[side].send(packet); },
          [this, side](std::uint8_t pfc) { paused_[side] = pfc; });
    }
  }
  ~Pair() {
    EXPECT_EQ(pool_.in_use(), static_cast<std::int64_t>(wires_[0].on.size() + wires_[1].on.size()));
  }
  DcbxEnd& end(unsigned side) { return *ends_[side]; }
  /// The priorities with PFC that the port has applied, as a bit mask.
  std::uint8_t paused(unsigned side) const { return paused_[side]; }
  void up() {
    for (auto& end : ends_) end->set_carrier(true);
  }
  void down() {
    for (auto& end : ends_) end->set_carrier(false);
  }
  void cut(bool now) { cut_ = now; }
  void run_for(PicoSeconds time) { scheduler_.run_until(scheduler_.now() + time); }
  PicoSeconds now() const { return scheduler_.now(); }
  PacketPool& pool() { return pool_; }
  bool differ(DcbxAttribute attribute) {
    EXPECT_EQ(end(0).difference(attribute).has_value(), end(1).difference(attribute).has_value());
    return end(0).difference(attribute).has_value();
  }

 private:
  struct WireTo {
    Pair* owner = nullptr;
    unsigned to = 0;
    std::deque<std::pair<PicoSeconds, Packet*>> on;
    Event arrival{Event::calling<&WireTo::arrive>(*this, 9)};
    void send(Packet* packet) {
      on.emplace_back(owner->scheduler_.now() + kDelay, packet);
      owner->scheduler_.schedule_at(arrival, on.front().first);
    }
    void arrive() {
      Packet* const packet = on.front().second;
      on.pop_front();
      if (!on.empty()) owner->scheduler_.schedule_at(arrival, on.front().first);
      if (!owner->cut_) owner->ends_[to]->receive(*packet);
      owner->pool_.free(packet);
    }
  };
  Scheduler scheduler_;
  PacketPool pool_;
  bool cut_ = false;
  std::uint8_t paused_[2] = {0, 0};
  WireTo wires_[2];
  std::unique_ptr<DcbxEnd> ends_[2];
};

TEST(Dcbx, WhoIsWillingTakesWhatTheOtherHas) {
  Pair link(settings(true, kThree, 50), settings(false, kThreeFour, 20));
  EXPECT_EQ(link.paused(0), kThree);
  link.up();
  link.run_for(kMilliSecond);
  EXPECT_EQ(link.paused(0), kThreeFour);
  EXPECT_EQ(link.paused(1), kThreeFour);
  EXPECT_EQ(link.end(0).in_force().ets, settings(false, 0, 20).ets);
  EXPECT_FALSE(link.differ(DcbxAttribute::kPfc));
  EXPECT_FALSE(link.differ(DcbxAttribute::kEts));
  // The port announces its settings when its link comes up, and again after it has adopted the
  // neighbour's settings.
  EXPECT_EQ(link.end(0).counters().sent, 2u);
  EXPECT_EQ(link.end(1).counters().sent, 1u);
  EXPECT_EQ(link.end(0).counters().malformed + link.end(1).counters().malformed, 0u);
}

TEST(Dcbx, OfTwoWillingOnesTheLowerAddressKeepsItsPfc) {
  Pair link(settings(true, kThree), settings(true, kThreeFour));
  link.up();
  link.run_for(kMilliSecond);
  EXPECT_EQ(link.paused(0), kThree);
  EXPECT_EQ(link.paused(1), kThree);
  EXPECT_FALSE(link.differ(DcbxAttribute::kPfc));
}

TEST(Dcbx, TwoWillingOnesExchangeTheirSharesAndComeToRest) {
  Pair link(settings(true, kThree, 30), settings(true, kThree, 60));
  link.up();
  link.run_for(kSecond);
  EXPECT_EQ(link.end(0).in_force().ets, settings(true, 0, 60).ets);
  EXPECT_EQ(link.end(1).in_force().ets, settings(true, 0, 30).ets);
  EXPECT_LE(link.end(0).counters().sent, 3u);
}

TEST(Dcbx, NobodyWillingIsADifferenceSinceTheFirstFrame) {
  Pair link(settings(false, kThree, 50), settings(false, kThreeFour, 50));
  link.run_for(kMilliSecond);
  link.up();
  link.run_for(kMilliSecond);
  ASSERT_TRUE(link.differ(DcbxAttribute::kPfc));
  const auto& difference = *link.end(1).difference(DcbxAttribute::kPfc);
  EXPECT_EQ(difference.since, kMilliSecond + kDelay);
  EXPECT_EQ(difference.here, "3 4");
  EXPECT_EQ(difference.there, "3");
  EXPECT_FALSE(link.differ(DcbxAttribute::kEts));
  EXPECT_EQ(link.paused(0), kThree);
  EXPECT_EQ(link.paused(1), kThreeFour);
}

TEST(Dcbx, SharesAndApplicationsDifferToo) {
  DcbxSettings other = settings(false, kThree, 20);
  other.applications.front().priority = 5;
  Pair link(settings(false, kThree, 50), other);
  link.up();
  link.run_for(kMilliSecond);
  ASSERT_TRUE(link.differ(DcbxAttribute::kEts));
  EXPECT_EQ(link.end(0).difference(DcbxAttribute::kEts)->there,
            "20% 80% strict strict strict strict strict strict");
  ASSERT_TRUE(link.differ(DcbxAttribute::kApplications));
  EXPECT_EQ(link.end(0).difference(DcbxAttribute::kApplications)->here, "udp4791:3");
  EXPECT_FALSE(link.differ(DcbxAttribute::kPfc));
}

TEST(Dcbx, WhenTheLinkGoesDownItsOwnIsInForceAndWhenItComesBackItIsAgreedAnew) {
  Pair link(settings(true, kThree), settings(false, kThreeFour));
  link.up();
  link.run_for(kMilliSecond);
  link.down();
  EXPECT_EQ(link.paused(0), kThree);
  link.run_for(kSecond * 100);
  EXPECT_EQ(link.end(0).counters().sent, 2u);  // a link that is down sends no frames
  EXPECT_FALSE(link.end(0).unanswered_since());
  link.up();
  EXPECT_TRUE(link.end(0).unanswered_since());
  link.run_for(kMilliSecond);
  EXPECT_EQ(link.paused(0), kThreeFour);
  EXPECT_EQ(link.end(0).counters().sent, 4u);
}

TEST(Dcbx, FramesAreRepeatedAndAnEndThatFallsSilentIsForgotten) {
  Pair link(settings(true, kThree), settings(false, kThreeFour));
  link.up();
  link.run_for(kSecond * 61);
  EXPECT_EQ(link.end(1).counters().sent, 3u);
  EXPECT_EQ(link.paused(0), kThreeFour);
  // neither end notices that frames are lost: the last frame came at 60 s and is valid for 121 s
  link.cut(true);
  link.run_for(kSecond * 119);
  EXPECT_EQ(link.paused(0), kThreeFour);
  EXPECT_FALSE(link.end(0).unanswered_since());
  link.run_for(kSecond * 2);
  EXPECT_EQ(link.paused(0), kThree);
  EXPECT_TRUE(link.end(0).unanswered_since());
  link.cut(false);
  link.run_for(kSecond * 31);
  EXPECT_EQ(link.paused(0), kThreeFour);
}

TEST(Dcbx, ShortIntervalsSpendTheCreditAndThenOneFrameGoesEachSecond) {
  Pair link(settings(true, kThree), settings(true, kThree), kMicroSecond);
  link.up();
  link.run_for(kMilliSecond);
  EXPECT_EQ(link.end(0).counters().sent, 5u);
  link.run_for(kSecond * 10);
  EXPECT_EQ(link.end(0).counters().sent, 15u);
  EXPECT_EQ(link.end(1).counters().received, 15u);
  EXPECT_FALSE(link.end(1).unanswered_since());
  link.down();
  link.up();  // after the link comes up the port has its full transmit credit
  link.run_for(kMilliSecond);
  EXPECT_EQ(link.end(0).counters().sent, 20u);
}

TEST(Dcbx, CreditThatIsNotSpentComesToNoMoreThanFiveFrames) {
  Pair link(settings(false, kThree), settings(false, kThree));
  link.up();
  link.run_for(kSecond * 20);
  EXPECT_EQ(link.end(0).counters().sent, 1u);
  // The other end changes its settings ten times. A willing end announces each adopted setting as
  // often as the rate limit allows.
  Pair willing(settings(true, kThree), settings(false, kThree));
  willing.up();
  willing.run_for(kSecond * 20);
  ASSERT_EQ(willing.end(0).counters().sent, 1u);
  const auto hear = [&](std::uint8_t pfc) {
    LldpFrame frame;
    frame.source = frame.chassis = roce::mac_of(1);
    frame.port = "port0";
    frame.seconds_to_live = 121;
    frame.pfc = LldpFrame::Pfc{false, kPriorities, pfc};
    const std::vector<std::uint8_t> bytes = serialize(frame);
    Packet* const packet = willing.pool().allocate();
    packet->kind = PacketKind::kLldp;
    willing.pool().attach_payload(*packet, bytes.size());
    std::copy(bytes.begin(), bytes.end(), packet->payload->begin());
    willing.end(0).receive(*packet);
    willing.pool().free(packet);
  };
  for (unsigned change = 0; change < 10; ++change) {
    hear(change % 2 == 0 ? kThreeFour : kThree);
    willing.run_for(kMilliSecond);
  }
  hear(kThreeFour);
  EXPECT_EQ(willing.paused(0), kThreeFour);  // the adopted setting is in force at once
  EXPECT_EQ(willing.end(0).counters().sent, 1u + 5u);
  willing.run_for(kMilliSecond * 900);
  EXPECT_EQ(willing.end(0).counters().sent, 6u);
  willing.run_for(kMilliSecond * 200);  // the last setting is announced, once
  EXPECT_EQ(willing.end(0).counters().sent, 7u);
  willing.run_for(kSecond * 5);
  EXPECT_EQ(willing.end(0).counters().sent, 7u);
}

TEST(Dcbx, AnUnsoundFrameIsCountedAndChangesNothing) {
  Pair link(settings(true, kThree), settings(false, kThreeFour));
  link.up();
  link.run_for(kMilliSecond);
  Packet* const packet = link.pool().allocate();
  packet->kind = PacketKind::kLldp;
  link.end(0).receive(*packet);  // a frame without contents
  link.pool().attach_payload(*packet, 60);
  link.end(0).receive(*packet);
  link.pool().free(packet);
  EXPECT_EQ(link.end(0).counters().malformed, 2u);
  EXPECT_EQ(link.paused(0), kThreeFour);
}

TEST(Dcbx, ASchedulersWeightsAreWholePercent) {
  EgressSchedulerParameters scheduler;
  scheduler.kind = EgressSchedulerParameters::Kind::kEts;
  scheduler.weights = {1, 1, 1, 0, 0, 0, 0, 0};
  const EtsTable thirds = ets_table_of(scheduler);
  EXPECT_EQ(thirds.bandwidth, (std::array<std::uint8_t, 8>{34, 33, 33, 0, 0, 0, 0, 0}));
  EXPECT_EQ(thirds.selection[0], TransmissionSelection::kEts);
  EXPECT_EQ(thirds.selection[7], TransmissionSelection::kStrict);
  scheduler.kind = EgressSchedulerParameters::Kind::kStrict;
  EXPECT_EQ(ets_table_of(scheduler).selection[0], TransmissionSelection::kStrict);
  // a scheduler that serves priorities in turn has equal shares
  scheduler.kind = EgressSchedulerParameters::Kind::kFifo;
  unsigned sum = 0;
  for (const std::uint8_t share : ets_table_of(scheduler).bandwidth) sum += share;
  EXPECT_EQ(sum, 100u);
}

TEST(DcbxEnd, WhatWasHeardShowsInTheDigestThoughNothingFollowsFromIt) {
  const auto digest_beside = [](unsigned first_share) {
    Pair pair(settings(false, kThree), settings(false, kThree, first_share));
    StateDigest d;
    pair.up();
    pair.run_for(kMilliSecond);
    d(pair.end(0));
    pair.run_for(kMilliSecond);
    return d.value();
  };
  EXPECT_EQ(digest_beside(50), digest_beside(50));
  EXPECT_NE(digest_beside(50), digest_beside(40));
}

TEST(DcbxEnd, SharesInForceShowInTheDigest) {
  const auto digest_of_end = [](unsigned first_share) {
    Pair pair(settings(false, kThree, first_share), settings(false, kThree));
    StateDigest d;
    d(pair.end(0));
    return d.value();
  };
  EXPECT_NE(digest_of_end(50), digest_of_end(40));
}

}  // namespace
}  // namespace dcc::dcbx_test
