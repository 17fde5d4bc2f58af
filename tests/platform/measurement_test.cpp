// What lies within `measure`, and which series a run leaves.
#include "platform/measurement.h"

#include <gtest/gtest.h>

#include <set>

#include "small_platform.h"

namespace dcc::vp {
namespace {

const std::string kIncast = "traffic: [{kind: incast, senders: 1..3, receiver: 0}]\n";

TEST(Measurement, CountsWithinTheWindowOnly) {
  const RunResults r = run(
      star("measure: {from: 60us, to: 80us}\n"
           "traffic: [{kind: flow, from: 1, to: 0, stop: 30us}, {kind: flow, from: 2, to: 3}]\n"));
  EXPECT_EQ(r.measured_from, kMicroSecond * 60);
  EXPECT_EQ(r.measured_to, kMicroSecond * 80);
  EXPECT_GT(r.flows[0].delivered_total, 0);
  EXPECT_EQ(r.flows[0].delivered_measured, 0) << "it had stopped before";
  // 20 us at no more than 100 Gb/s.
  EXPECT_GT(r.flows[1].delivered_measured, 200'000);
  EXPECT_LE(r.flows[1].delivered_measured, 250'000);
  EXPECT_LT(r.flows[1].delivered_measured, r.flows[1].delivered_total);
  // A packet counts as a whole when it is sent: the one that is on the wire at the end is too much.
  const PicoSeconds packet = kNanoSecond * 100;
  for (const LinkResult& link : r.links) {
    EXPECT_LE(link.busy, kMicroSecond * 20 + packet) << link.name;
  }
  EXPECT_TRUE(r.rtt_mean);
}

TEST(Measurement, AWindowThatARunDoesNotReachIsEmpty) {
  const RunResults r =
      run(star("measure: {from: 90us}\n"
               "traffic: [{kind: flow, from: 1, to: 0, bytes: 10KB}]\n"));
  EXPECT_LT(r.sim_time, kMicroSecond * 90);
  EXPECT_EQ(r.measured_from, r.measured_to);
  EXPECT_EQ(r.flows[0].delivered_measured, 0);
  EXPECT_EQ(r.flows[0].delivered_total, 10'000);
  EXPECT_FALSE(r.rtt_mean);
}

TEST(Measurement, TheBusiestQueueIsTheReceivers) {
  const RunResults r = run(star("output: {series: {interval: 10us, queues: busiest}}\n" + kIncast));
  ASSERT_FALSE(r.queue_series.t.empty());
  for (const std::uint32_t port : r.queue_series.port) EXPECT_EQ(r.queues[port].port, "s0->h0");
  EXPECT_EQ(r.queue_series.t.front(), kMicroSecond * 10);
  EXPECT_EQ(r.queue_series.t.back(), kMicroSecond * 100);
}

TEST(Measurement, AllQueuesOrNone) {
  const RunResults r = run(star("output: {series: {interval: 10us, queues: all}}\n" + kIncast));
  EXPECT_EQ(std::set<std::uint32_t>(r.queue_series.port.begin(), r.queue_series.port.end()).size(),
            4u);
}

TEST(Measurement, NoSeriesThatAreNotAsked) {
  const RunResults r = run(star(
      "output: {series: {interval: 10us, queues: none, flows: none, classes: false}}\n" + kIncast));
  EXPECT_TRUE(r.queue_series.t.empty());
  EXPECT_TRUE(r.flow_rates.t.empty());
  EXPECT_TRUE(r.class_series.t.empty());
  EXPECT_TRUE(r.warnings.empty());
}

TEST(Measurement, AFlowSeriesOfThousandsIsLeftOutAndSaidSo) {
  const RunResults r = run(
      star("output: {series: {interval: 10us}}\n"
           "traffic: [{kind: poisson, hosts: 0..3, load: 0.1, sizes: websearch, flows_per_host: "
           "600}]\n"));
  EXPECT_TRUE(r.flow_rates.t.empty());
  ASSERT_EQ(r.warnings.size(), 1u);
  EXPECT_NE(r.warnings[0].find("2400 flows"), std::string::npos) << r.warnings[0];
}

TEST(Measurement, WithoutAcknowledgementsAFlowEndsWithItsLastByteReceived) {
  const RunResults r =
      run(star("nic: {ack: none, congestion_control: {algorithm: none}}\n"
               "traffic: [{kind: flow, from: 1, to: 0, bytes: 10KB}]\n"));
  EXPECT_TRUE(r.flows[0].completed);
  EXPECT_TRUE(r.flows[0].end_rx);
  EXPECT_FALSE(r.flows[0].end);
}

}  // namespace
}  // namespace dcc::vp
