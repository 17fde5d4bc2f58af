// Tests PFC pauses with a duration (switch.pfc.quanta) in whole networks. Senders renew the pauses
// in time, also during pause storms and with slow hosts.
#include <gtest/gtest.h>

#include <string>

#include "small_platform.h"

namespace dcc::vp::pause_quanta_test {
namespace {

/// Six hosts at one leaf send to one host at the other leaf, so that the spine pauses the leaf and
/// the leaf pauses its hosts.
std::string incast(const std::string& quanta, const std::string& rest = "") {
  return "topology: {kind: leaf_spine, leaves: 2, spines: 1, hosts_per_leaf: 6,\n"
         "  host_link: {rate: 100Gbps, delay: 1us}, fabric_link: {rate: 400Gbps, delay: 1us}}\n"
         "host: {driver: none}\nduration: 400us\nmeasure: {from: 0us}\n"
         "switch: {buffer: 2MB, ecn: {enabled: false}, pfc: {" +
         quanta +
         "}}\nnic: {congestion_control: {algorithm: none}}\n"
         "traffic: [{kind: incast, senders: 0..5, receiver: 6, bytes: 500KB}]\n" +
         rest;
}

/// Completion time of each flow, number of lost packets, number of pauses.
struct Outcome {
  explicit Outcome(const RunResults& results)
      : lost(results.balance.packets_dropped + results.counters.of(&NicCounters::receive_discards)),
        pauses(results.counters.of(&PfcCounters::pauses_sent)),
        at_nics(results.counters.of(&NicCounters::pauses_sent)) {
    for (const FlowResult& flow : results.flows) {
      ends += std::to_string(flow.end ? flow.end->count : -1) + " ";
      last = std::max(last, flow.end ? flow.end->count : 0);
    }
  }
  std::string ends;
  std::int64_t last = 0;
  std::uint64_t lost, pauses, at_nics;
};

std::string text_of(const Outcome& o) {
  return o.ends + std::to_string(o.lost) + " " + std::to_string(o.pauses) + " " +
         std::to_string(o.at_nics);
}
std::string outcome(const std::string& yaml, std::uint32_t threads = 0) {
  return in_a_process([&] {
    RunSetup setup;
    setup.threads = threads;
    return text_of(Outcome(run(config_of(yaml), setup)));
  });
}

TEST(PauseQuanta, APauseLongerThanItsCauseIsLikeOneWithoutATime) {
  const std::string plain = outcome(incast(""));
  EXPECT_EQ(plain.find("-1"), std::string::npos) << plain;
  EXPECT_NE(plain.substr(plain.size() - 4), "0 0 0") << "nothing was paused";
  EXPECT_EQ(outcome(incast("quanta: 65535")), plain);
}

// 40 quanta are 205 ns at 100 Gb/s, and a quarter of that at 400 Gb/s.
TEST(PauseQuanta, RenewedPausesLoseNothing) {
  const Outcome plain(run(incast("quanta: 40")));
  EXPECT_EQ(plain.lost, 0u);
  EXPECT_GT(plain.pauses, 0u);
  EXPECT_GT(plain.last, 0);
}

TEST(PauseQuanta, ThreadsChangeNothing) {
  EXPECT_EQ(outcome(incast("quanta: 40"), 1), outcome(incast("quanta: 40"), 2));
}

TEST(PauseQuanta, ASlowHostRenewsItsPauses) {
  const std::string slow =
      "topology: {kind: star, hosts: 3, link: {rate: 100Gbps, delay: 500ns}}\n"
      "host: {driver: native}\nduration: 1ms\nmeasure: {from: 400us}\n"
      "nic: {congestion_control: {algorithm: none}, payload: real, dma: {rate: 40Gbps}}\n"
      "traffic: [{kind: incast, senders: 1..2, receiver: 0}]\n";
  const Outcome timed(run(slow + "switch: {pfc: {quanta: 40}}\n"));
  EXPECT_EQ(timed.lost, 0u);
  EXPECT_GT(timed.at_nics, 0u);
}

TEST(PauseQuanta, AWatchdogFindsAStormThatIsRenewed) {
  const std::string storm =
      "faults: [{kind: pause_storm, host: 6, priorities: [0], start: 50us, stop: 250us}]\n";
  const std::string watchdog = ", watchdog: {detect: 50us, poll: 10us, restore: 50us}";
  const std::string raging = outcome(incast("quanta: 1000", storm));
  EXPECT_NE(raging, outcome(incast("quanta: 1000")));
  EXPECT_EQ(raging, outcome(incast("alpha: 1/8", storm)));
  const Outcome watched(run(incast("quanta: 1000" + watchdog, storm)));
  EXPECT_GT(watched.lost, 0u);
}

TEST(PauseQuanta, RefusesPausesThatEndBeforeTheirRenewal) {
  const auto refusal = [](const std::string& yaml) -> std::string {
    try {
      config_of(yaml);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(incast("quanta: 40")), "");
  EXPECT_NE(refusal(incast("quanta: 20")).find("write at least"), std::string::npos);
  EXPECT_NE(refusal(incast("quanta: 40", "nics: [{hosts: 0..3, mtu: 4KiB}]\n"))
                .find("a pause of 40 quanta is over before a renewal behind a packet of mtu 4KiB"),
            std::string::npos);
}

}  // namespace
}  // namespace dcc::vp::pause_quanta_test
