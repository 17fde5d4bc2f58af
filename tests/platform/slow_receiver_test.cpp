// Tests a host whose DMA is slower than its port, behind a switch: goodput, backlog, back-pressure.
#include <gtest/gtest.h>

#include <string>

#include "small_platform.h"

namespace dcc::vp::slow_receiver_test {
namespace {

constexpr double kMemoryGbps = 40;
constexpr std::uint64_t kBuffer = 256 * 1024;

/// Configuration in which two senders send to one host, and every host has the DMA parameters
/// `dma`.
std::string incast(const std::string& dma, const std::string& nic) {
  return "topology: {kind: star, hosts: 3, link: {rate: 100Gbps, delay: 500ns}}\n"
         "host: {driver: native}\nduration: 1ms\nmeasure: {from: 400us}\n"
         "nic: {payload: real, dma: {rate: " +
         dma + "}, congestion_control: {algorithm: none}" + nic +
         "}\ntraffic: [{kind: incast, senders: 1..2, receiver: 0}]\n";
}
/// Runs two senders whose DMA reads 80 Gb/s, and a receiver whose DMA writes 40 Gb/s.
RunResults slow(const std::string& nic) { return run(incast("40Gbps", nic)); }

double goodput_gbps(const RunResults& r) {
  double bits = 0;
  for (const FlowResult& flow : r.flows) bits += 8.0 * static_cast<double>(flow.delivered_measured);
  return bits / 600e3;
}

TEST(SlowReceiver, PausesTheSwitchAndReceivesWhatItsMemoryTakes) {
  const RunResults r = slow("");
  EXPECT_TRUE(r.failures.empty()) << r.failures.front();
  EXPECT_LE(goodput_gbps(r), kMemoryGbps);
  // The receive buffer never runs empty, and completions and read requests take less than a
  // hundredth of the DMA rate.
  EXPECT_GE(goodput_gbps(r), 0.99 * kMemoryGbps);
  EXPECT_EQ(r.counters.of(&NicCounters::receive_discards), 0u);
  EXPECT_GT(r.counters.of(&NicCounters::pauses_sent), 0u);
  EXPECT_LE(r.hosts[0].receive_backlog_max_bytes, kBuffer);
  EXPECT_GT(r.hosts[0].receive_backlog_max_bytes, kBuffer / 2);
  EXPECT_EQ(r.hosts[0].payload_errors, 0u);
}

TEST(SlowReceiver, WithoutPfcItLosesPacketsAndMessagesArriveWhole) {
  const RunResults r = slow(", receive_buffer: {when_full: drop}, recovery: {timeout: 100us}");
  EXPECT_TRUE(r.failures.empty()) << r.failures.front();
  EXPECT_LE(goodput_gbps(r), kMemoryGbps);
  EXPECT_GT(goodput_gbps(r), 0.0);
  EXPECT_GT(r.counters.of(&NicCounters::receive_discards), 0u);
  EXPECT_EQ(r.counters.of(&NicCounters::pauses_sent), 0u);
  EXPECT_EQ(r.hosts[0].payload_errors, 0u);
}

TEST(SlowReceiver, AsksSendersToTryAgain) {
  const RunResults r = slow(", receive_buffer: {when_full: not_ready}");
  EXPECT_TRUE(r.failures.empty()) << r.failures.front();
  EXPECT_LE(goodput_gbps(r), kMemoryGbps);
  EXPECT_GT(goodput_gbps(r), 0.5 * kMemoryGbps) << "a round trip and 10 us are short";
  EXPECT_EQ(r.counters.of(&NicCounters::receive_discards), 0u);
  EXPECT_EQ(r.hosts[0].payload_errors, 0u);
}

TEST(SlowReceiver, AFastMemoryHasNoBacklog) {
  const RunResults r = run(incast("100Gbps", ""));
  EXPECT_EQ(r.hosts[0].receive_backlog_max_bytes, 0u);
}

}  // namespace
}  // namespace dcc::vp::slow_receiver_test
