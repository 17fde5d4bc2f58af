// Tests the early end of a run, and the share of completed work.
#include "build/run_loop.h"

#include <gtest/gtest.h>

#include "small_platform.h"

namespace dcc::vp {
namespace {

FlowTotals flows(std::initializer_list<Bytes> sizes) {
  FlowTotals totals;
  for (const Bytes bytes : sizes) {
    FlowSpec flow;
    flow.bytes = bytes;
    totals.add(flow);
  }
  return totals;
}

TEST(RunLoop, EndsWithFiniteTrafficOfThePlatformsOwnOnly) {
  EXPECT_TRUE(ending_of(flows({1000, 500}), true, true).with_traffic);
  EXPECT_EQ(ending_of(flows({1000, 500}), true, true).bytes, 1500);
  EXPECT_FALSE(ending_of(flows({1000, 0}), true, true).with_traffic) << "one has no end";
  EXPECT_FALSE(ending_of(flows({1000}), false, true).with_traffic) << "software may send more";
  EXPECT_FALSE(ending_of(flows({1000}), true, false).with_traffic) << "nobody hears of its end";
  EXPECT_FALSE(ending_of({}, true, true).with_traffic) << "nothing to wait for";
}

TEST(RunLoop, ProgressIsTimeOrBytesWhicheverIsFurther) {
  const Ending traffic{true, 1000};
  EXPECT_DOUBLE_EQ(share_done(kMilliSecond, kMilliSecond * 4, traffic, 100), 0.25);
  EXPECT_DOUBLE_EQ(share_done(kMilliSecond, kMilliSecond * 4, traffic, 500), 0.5);
  EXPECT_DOUBLE_EQ(share_done(kMilliSecond, kMilliSecond * 4, {}, 500), 0.25);
  EXPECT_DOUBLE_EQ(share_done(kMilliSecond * 9, kMilliSecond * 4, {}, 0), 1.0);
  EXPECT_DOUBLE_EQ(share_done(PicoSeconds(0), PicoSeconds(0), {}, 0), 0.0);
}

TEST(RunLoop, ARunEndsSoonAfterItsLastByteIsAcknowledged) {
  PlatformConfig config =
      config_of(star("traffic: [{kind: flow, from: 1, to: 0, bytes: 100KB}]\n"));
  config.duration = kMilliSecond * 50;
  const RunResults results = run(config);
  EXPECT_TRUE(results.completed);
  EXPECT_TRUE(results.flows[0].completed);
  EXPECT_LE(results.sim_time, *results.flows[0].end + kMicroSecond * 10);
}

// When the last packet has left its sender, two thirds of the data still wait in the switch.
constexpr const char* kUnacknowledged =
    "traffic: [{kind: incast, senders: 1..3, receiver: 0, bytes: 400KB, service: uc}]\n"
    "nic: {congestion_control: {algorithm: none}}\nswitch: {pfc: {enabled: false}}\n";

TEST(RunLoop, ARunEndsWhenPacketsThatNobodyAcknowledgesHaveArrived) {
  PlatformConfig config = config_of(star(kUnacknowledged));
  config.duration = kMilliSecond * 50;
  const RunResults results = run(config);
  for (const FlowResult& flow : results.flows) {
    EXPECT_TRUE(flow.completed);
    EXPECT_LE(results.sim_time, flow.end_rx.value_or(PicoSeconds()) + kMicroSecond * 150);
  }
}

TEST(RunLoop, ALossThatNobodyRepairsDoesNotProlongTheRun) {
  PlatformConfig config =
      config_of(star(std::string(kUnacknowledged) +
                     "faults: [{kind: loss, link: h1->s0, probability: 0.1, stop: 50us}]\n"));
  config.duration = kMilliSecond * 50;
  const RunResults results = run(config);
  EXPECT_FALSE(results.flows[0].completed);
  EXPECT_TRUE(results.flows[1].completed);
  EXPECT_LT(results.sim_time, kMilliSecond * 2);
}

TEST(RunLoop, ARunWithoutEndLastsItsDuration) {
  const RunResults results = run(star("traffic: [{kind: flow, from: 1, to: 0}]\n"));
  EXPECT_TRUE(results.completed);
  EXPECT_EQ(results.sim_time, kMicroSecond * 100);
}

class Impatient final : public RunObserver {
 public:
  bool wants_progress() const override { return true; }
  void on_progress(const Progress& progress) override { seen = progress; }
  bool stop_requested() const override { return true; }
  Progress seen;
};

TEST(RunLoop, AnObserverStopsARunThatIsThenNotComplete) {
  Impatient observer;
  PlatformConfig config =
      config_of(star("traffic: [{kind: incast, senders: 1..3, receiver: 0}]\n"));
  config.duration = kSecond;
  const RunResults results = run_platform(config, observer);
  EXPECT_FALSE(results.completed);
  EXPECT_LT(results.sim_time, kSecond);
  EXPECT_GT(observer.seen.link_traversals, 0u);
  EXPECT_GT(observer.seen.done, 0);
  EXPECT_LT(observer.seen.done, 1);
}

}  // namespace
}  // namespace dcc::vp
