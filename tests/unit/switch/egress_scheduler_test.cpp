#include "switch/egress_scheduler.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "describe/parameter_error.h"

namespace dcc {
namespace {

using Kind = EgressSchedulerParameters::Kind;

EgressScheduler make(Kind kind, std::array<std::uint32_t, kPriorities> weights = {}) {
  EgressSchedulerParameters parameters;
  parameters.kind = kind;
  parameters.weights = weights;
  return EgressScheduler(parameters);
}

/// Bytes sent by each priority if all priorities in `eligible` always have packets, of a size per
/// priority.
std::vector<double> shares(EgressScheduler& scheduler, unsigned eligible,
                           const std::array<Bytes, kPriorities>& size, int packets) {
  std::vector<double> sent(kPriorities, 0);
  double sum = 0;
  for (int i = 0; i < packets; ++i) {
    const int p = scheduler.pick(eligible);
    EXPECT_NE(eligible >> p & 1, 0u);
    scheduler.charge(p, size[static_cast<std::size_t>(p)]);
    sent[static_cast<std::size_t>(p)] += static_cast<double>(size[static_cast<std::size_t>(p)]);
    sum += static_cast<double>(size[static_cast<std::size_t>(p)]);
  }
  for (double& s : sent) s /= sum;
  return sent;
}

TEST(EgressScheduler, FifoLetsPrioritiesTakeTurns) {
  EgressScheduler scheduler = make(Kind::kFifo);
  std::vector<int> order;
  for (int i = 0; i < 6; ++i) order.push_back(scheduler.pick(0b10010001));
  EXPECT_EQ(order, (std::vector<int>{0, 4, 7, 0, 4, 7}));
  EXPECT_EQ(scheduler.pick(0b00000010), 1);
  EXPECT_EQ(scheduler.pick(0b00000011), 0);
}

TEST(EgressScheduler, StrictTakesTheHighest) {
  EgressScheduler scheduler = make(Kind::kStrict);
  EXPECT_EQ(scheduler.pick(0b00000001), 0);
  EXPECT_EQ(scheduler.pick(0b01010101), 6);
  EXPECT_EQ(scheduler.pick(0b11111111), 7);
  EXPECT_EQ(scheduler.pick(0b11111111), 7);
}

TEST(EgressScheduler, ShapedPrioritiesComeBeforeWeightedOnesAndWaitForTheirCredit) {
  EgressSchedulerParameters parameters;
  parameters.kind = Kind::kEts;
  parameters.shapers = {{5, BitRate(1'000'000'000)}};
  EgressScheduler scheduler(parameters);
  CreditShaper& shaper = scheduler.shaper();
  ASSERT_TRUE(scheduler.shapes());
  const unsigned both = 0b100001;
  shaper.began(5, PicoSeconds(0));
  EXPECT_EQ(shaper.released(both, PicoSeconds(0)), both);
  EXPECT_EQ(scheduler.pick(both), 5);
  shaper.sent(5, 125);  // the bytes that the shaper's rate allows in a microsecond
  EXPECT_EQ(shaper.released(both, kNanoSecond * 999), 0b000001u);
  EXPECT_EQ(shaper.released(0b100000, kNanoSecond * 999), 0u);
  EXPECT_EQ(shaper.next_release(0b100000), kMicroSecond);
  EXPECT_EQ(shaper.released(both, kMicroSecond), both);
  // After other priorities have delayed it by 9 us, the priority has credit for ten packets. The
  // eleventh must wait again.
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(shaper.released(0b100000, kMicroSecond * 10), 0b100000u);
    shaper.sent(5, 125);
  }
  EXPECT_EQ(shaper.released(0b100000, kMicroSecond * 10), 0u);
  // An idle priority accumulates no credit and keeps its debt.
  shaper.began(5, kMicroSecond * 10);
  EXPECT_EQ(shaper.next_release(0b100000), kMicroSecond * 11);
  shaper.began(5, kMicroSecond * 50);
  shaper.sent(5, 125);
  EXPECT_EQ(shaper.next_release(0b100000), kMicroSecond * 51);
  shaper.sent(0, 10'000);  // without effect: priority 0 has no shaper
  EXPECT_EQ(shaper.released(0b000001, PicoSeconds(0)), 0b000001u);
  parameters.shapers.push_back({5, BitRate(2'000'000'000)});
  EXPECT_THROW(parameters.check(), ParameterError);
}

TEST(EgressScheduler, EtsSharesBytesByWeightWhateverThePacketSizes) {
  EgressScheduler scheduler = make(Kind::kEts, {1, 2, 5, 0, 0, 0, 0, 0});
  const auto share = shares(scheduler, 0b0111, {1500, 64, 1000, 0, 0, 0, 0, 0}, 200'000);
  EXPECT_NEAR(share[0], 1.0 / 8, 0.001);
  EXPECT_NEAR(share[1], 2.0 / 8, 0.001);
  EXPECT_NEAR(share[2], 5.0 / 8, 0.001);
  // One priority is idle. The others share the link in the same proportion as before.
  const auto rest = shares(scheduler, 0b0101, {1500, 64, 1000, 0, 0, 0, 0, 0}, 200'000);
  EXPECT_NEAR(rest[0], 1.0 / 6, 0.001);
  EXPECT_NEAR(rest[2], 5.0 / 6, 0.001);
}

TEST(EgressScheduler, EtsHandlesPacketsFarBeyondAQuantum) {
  EgressScheduler scheduler = make(Kind::kEts, {1, 3, 0, 0, 0, 0, 0, 0});
  const auto share = shares(scheduler, 0b0011, {65'000, 65'000, 0, 0, 0, 0, 0, 0}, 40'000);
  EXPECT_NEAR(share[0], 0.25, 0.002);
}

TEST(EgressScheduler, EtsWeightZeroIsStrictAboveTheOthers) {
  EgressScheduler scheduler = make(Kind::kEts, {1, 1, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(scheduler.pick(0b0111), 2);
  EXPECT_EQ(scheduler.pick(0b10000111), 7);
  EXPECT_LT(scheduler.pick(0b0011), 2);
}

TEST(EgressScheduler, AnIdlePrioritySavesNothingUp) {
  EgressScheduler scheduler = make(Kind::kEts, {1, 1, 0, 0, 0, 0, 0, 0});
  // Priority 1 sends one small packet of its quantum and becomes empty. When both priorities have
  // packets again, it is the other priority's turn.
  EXPECT_EQ(scheduler.pick(0b10), 1);
  scheduler.charge(1, 64);
  scheduler.emptied(1);
  EXPECT_EQ(scheduler.pick(0b11), 0);
}

TEST(EgressScheduler, RefusesWhatCannotBe) {
  EXPECT_THROW(make(Kind::kEts), std::invalid_argument);
  EXPECT_THROW(make(Kind::kEts, {10'001, 1}), std::invalid_argument);
}

EgressScheduler lanes(std::vector<VlArbitrationParameters::Entry> high,
                      std::vector<VlArbitrationParameters::Entry> low, unsigned limit = 255) {
  EgressSchedulerParameters parameters;
  parameters.kind = Kind::kVlArbitration;
  parameters.vl = {std::move(high), std::move(low), limit};
  return EgressScheduler(parameters);
}

TEST(VlArbitration, SharesBytesByWeightWithinATable) {
  EgressScheduler scheduler = lanes({}, {{0, 32}, {1, 64}, {2, 160}});
  const auto share = shares(scheduler, 0b0111, {1024, 64, 256, 0, 0, 0, 0, 0}, 200'000);
  EXPECT_NEAR(share[0], 1.0 / 8, 0.001);
  EXPECT_NEAR(share[1], 2.0 / 8, 0.001);
  EXPECT_NEAR(share[2], 5.0 / 8, 0.001);
  const auto rest = shares(scheduler, 0b0101, {1024, 64, 256, 0, 0, 0, 0, 0}, 200'000);
  EXPECT_NEAR(rest[0], 1.0 / 6, 0.001);
}

TEST(VlArbitration, ALaneMayStandInATableMoreThanOnce) {
  EgressScheduler scheduler = lanes({}, {{0, 1}, {1, 1}, {0, 1}, {2, 0}});
  std::vector<int> order;
  for (int i = 0; i < 6; ++i) {
    order.push_back(scheduler.pick(0b0011));
    scheduler.charge(order.back(), 64);
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 0, 0, 1, 0}));
}

TEST(VlArbitration, TheHighTableGoesFirstUpToItsLimit) {
  const auto of_low = [](unsigned limit) {
    EgressScheduler scheduler = lanes({{7, 255}}, {{0, 255}}, limit);
    return shares(scheduler, 0b10000001, {1024, 0, 0, 0, 0, 0, 0, 1024}, 100'000)[0];
  };
  EXPECT_EQ(of_low(255), 0);
  EXPECT_NEAR(of_low(0), 1.0 / 2, 0.001);  // the priorities alternate
  // one low-priority packet follows four packets of 1024 bytes
  EXPECT_NEAR(of_low(1), 1.0 / 5, 0.001);
  EXPECT_NEAR(of_low(10), 1.0 / 41, 0.001);
}

TEST(VlArbitration, ALaneOfNoTableSendsWhenNobodyElseCan) {
  EgressScheduler scheduler = lanes({{7, 1}}, {{0, 1}});
  EXPECT_EQ(scheduler.pick(0b0110), 1);
  scheduler.charge(1, 100);
  EXPECT_EQ(scheduler.pick(0b0111), 0);
}

TEST(VlArbitration, TablesWithoutAWeightAreRefused) {
  VlArbitrationParameters tables;
  EXPECT_THROW(tables.check(), ParameterError);
  tables.low = {{0, 0}};
  EXPECT_THROW(tables.check(), ParameterError);
  tables.high = {{3, 1}};
  EXPECT_NO_THROW(tables.check());
  tables.low.assign(65, {0, 1});
  EXPECT_THROW(tables.check(), ParameterError);
}

}  // namespace
}  // namespace dcc
