// What lies within `measure`, and which series a run leaves.
#include "platform/measurement.h"

#include <gtest/gtest.h>

#include <set>

#include "small_platform.h"

namespace dcc::vp::measurement_test {
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
  EXPECT_GT(r.rtt_ns.count(), 0u);
}

TEST(Measurement, AWindowThatARunDoesNotReachIsEmpty) {
  const RunResults r =
      run(star("measure: {from: 90us}\n"
               "traffic: [{kind: flow, from: 1, to: 0, bytes: 10KB}]\n"));
  EXPECT_LT(r.sim_time, kMicroSecond * 90);
  EXPECT_EQ(r.measured_from, r.measured_to);
  EXPECT_EQ(r.flows[0].delivered_measured, 0);
  EXPECT_EQ(r.flows[0].delivered_total, 10'000);
  EXPECT_EQ(r.rtt_ns.count(), 0u);
}

const std::string kDelays =
    "output: {delays: true}\nnic: {congestion_control: {algorithm: none}}\n";

TEST(Measurement, DelaysOfALoneFlowAreThoseOfItsWay) {
  const RunResults r = run(
      star(kDelays + "dscp: {12: {weight: 1}}\ntraffic: [{kind: flow, from: 1, to: 0, dscp: 12, "
                     "message: 1KB, rate: 10Gbps}]\n"));
  ASSERT_EQ(r.delays.size(), 1u);
  EXPECT_EQ(r.delays[0].dscp, 12u);
  const MarkedDelays& one_way = r.delays[0].of.one_way;
  const MarkedDelays& round_trip = r.delays[0].of.round_trip;
  // Two links of 1 us; 1078 bytes and the gap of 20 twice at 100 Gb/s, 87.84 ns each.
  EXPECT_EQ(mean_of(one_way.all), kNanoSecond * 2175);
  // Every one of them is the same, to the bucket.
  EXPECT_EQ(quantile_of(one_way.all, 1), quantile_of(one_way.all, 1000));
  EXPECT_GT(*mean_of(round_trip.all), kNanoSecond * 4175);
  EXPECT_LT(*mean_of(round_trip.all), kNanoSecond * 4200);
  EXPECT_EQ(one_way.marked.count(), 0u);
  // What is on its way at the end has arrived and is not acknowledged yet.
  EXPECT_GE(one_way.all.count(), round_trip.all.count());
  EXPECT_EQ(round_trip.all.count(), r.rtt_ns.count());
  EXPECT_EQ(round_trip.all.sum(), r.rtt_ns.sum());
}

TEST(Measurement, DelaysTellClassesApartAndWhichPacketsMetAMark) {
  const RunResults r =
      run(star(kDelays + "switch: {ecn: {kmin: 20KB, kmax: 21KB, pmax: 1}}\n"
                         "dscp: {12: {weight: 1}, 46: {weight: 1}}\n"
                         "traffic: [{kind: incast, senders: 1..2, receiver: 0, dscp: 12},\n"
                         "  {kind: flow, from: 3, to: 1, dscp: 46, rate: 1Gbps}]\n"));
  ASSERT_EQ(r.delays.size(), 2u);
  const MarkedDelays& crowded = r.delays[0].of.one_way;
  const MarkedDelays& free = r.delays[1].of.one_way;
  EXPECT_GT(*mean_of(crowded.all), *mean_of(free.all) * 5);
  EXPECT_EQ(free.marked.count(), 0u);
  EXPECT_GT(crowded.marked.count(), 0u);
  EXPECT_LT(crowded.marked.count(), crowded.all.count());
  // Marked were those that found a queue of 20 KB, 1.6 us and more; not marked those that did not.
  EXPECT_GT(*quantile_of(crowded.marked, 1), kNanoSecond * 3500);
  std::uint64_t received = 0;
  r.delays[0].of.one_way.all.each([&](std::uint64_t, std::uint64_t count) { received += count; });
  r.delays[1].of.one_way.all.each([&](std::uint64_t, std::uint64_t count) { received += count; });
  Bytes delivered = 0;
  for (const FlowResult& flow : r.flows) delivered += flow.delivered_measured;
  EXPECT_LE(static_cast<Bytes>(received) * 1000, delivered + 1000 * 3 * 64);
  EXPECT_GE(static_cast<Bytes>(received) * 1000, delivered);
}

// TIMELY, figure 11: clocks that are off by less than what its thresholds stand apart change
// little; far more noise reads as congestion where there is none.
RunResults timely_with(const std::string& clock) {
  return run(
      "topology: {kind: star, hosts: 4, link: {rate: 10Gbps, delay: 1us}}\n"
      "host: {driver: none}\nswitch: {buffer: 4MiB}\nduration: 20ms\nmeasure: {from: 10ms}\n"
      "traffic: [{kind: incast, senders: 1..3, receiver: 0}]\noutput: {delays: true}\n"
      "nic: {congestion_control: {algorithm: timely}, clock: {" +
      clock + "}}\n");
}

Bytes delivered(const RunResults& r) {
  Bytes bytes = 0;
  for (const FlowResult& flow : r.flows) bytes += flow.delivered_measured;
  return bytes;
}

std::uint64_t cuts(const RunResults& r) {
  return r.counters.of(&AlgorithmCounters::rate_decreases);
}

TEST(Measurement, ExactClocksOfHostsAreTheRule) {
  const RunResults r = timely_with("noise: 0us, drift: 0");
  EXPECT_EQ(cuts(r), 0u);
  EXPECT_EQ(r.delays[0].of.as_read.all.count(), 0u);  // nothing else than what was
  // What the next one is held against: after the start's cuts TIMELY is far from the link's rate.
  EXPECT_NEAR(static_cast<double>(delivered(r)), 444e3, 30e3);
}

TEST(Measurement, ALittleNoiseOfHostsClocksChangesLittle) {
  const RunResults r = timely_with("noise: 1us, drift: 0.0001");
  EXPECT_EQ(cuts(r), 0u);
  // Both ends of a reading are late by up to a microsecond: off by a third of one at the mean.
  const ClassDelays& of = r.delays[0].of;
  EXPECT_EQ(of.as_read.all.count(), of.round_trip.all.count());
  EXPECT_NEAR(static_cast<double>(mean_of(of.as_read.all)->count),
              static_cast<double>(mean_of(of.round_trip.all)->count), 50e3);
  EXPECT_LT(*quantile_of(of.as_read.all, 1), *quantile_of(of.round_trip.all, 1));
  EXPECT_NEAR(static_cast<double>(delivered(r)), 444e3, 30e3);
}

TEST(Measurement, ClocksThatControlNothingAreReadBesideTheSamePackets) {
  const RunResults r = timely_with("noise: 1ms, controls: false");
  EXPECT_EQ(cuts(r), 0u);  // as with exact clocks
  EXPECT_NEAR(static_cast<double>(delivered(r)), 444e3, 30e3);
  const ClassDelays& of = r.delays[0].of;
  EXPECT_EQ(of.as_read.all.count(), of.round_trip.all.count());
  EXPECT_GT(*quantile_of(of.as_read.all, 900), *quantile_of(of.round_trip.all, 900) * 5);
}

TEST(Measurement, NoisyClocksOfHostsAreToldToAlgorithmsAndNotToFigures) {
  const RunResults r = timely_with("noise: 1ms, drift: 0");
  EXPECT_GT(cuts(r), 0u);
  // No packet was faster than light, whatever the clocks said: there and back are four links.
  EXPECT_GE(*quantile_of(r.rtt_ns, 1), kMicroSecond * 4);
  EXPECT_LE(*quantile_of(r.rtt_ns, 999), kMicroSecond * 100);
}

TEST(Measurement, DelaysAreNotMeasuredUnasked) { EXPECT_TRUE(run(star(kIncast)).delays.empty()); }

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
}  // namespace dcc::vp::measurement_test
