// Hosts of one network use different loss recovery: go-back-N and selective repeat.
#include <gtest/gtest.h>

#include <string>

#include "small_platform.h"

namespace dcc::vp::recovery_by_host_test {
namespace {

/// Configuration of two pairs of hosts. The link of each sender loses one packet in a thousand.
std::string two_pairs(const std::string& rest) {
  return "topology: {kind: star, hosts: 4, link: {rate: 100Gbps, delay: 1us}}\n"
         "host: {driver: none}\nduration: 2ms\nmeasure: {from: 0ms}\n"
         "traffic: [{kind: flow, from: 1, to: 0}, {kind: flow, from: 3, to: 2}]\n"
         "faults: [{kind: loss, link: h1->s0, probability: 0.1%},\n"
         "         {kind: loss, link: h3->s0, probability: 0.1%}]\n" +
         rest;
}

std::uint64_t repeated(const RunResults& results, std::size_t flow) {
  return results.flows[flow].counts.of(&FlowRecord::retransmits);
}

/// Numbers of delivered and retransmitted packets of each flow, as text.
std::string outcome(const std::string& yaml, std::uint32_t threads = 0) {
  return in_a_process([&] {
    RunSetup setup;
    setup.threads = threads;
    const RunResults results = run(config_of(yaml), setup);
    std::string text;
    for (std::size_t i = 0; i < results.flows.size(); ++i) {
      text += std::to_string(results.flows[i].delivered_total) + " " +
              std::to_string(repeated(results, i)) + " ";
    }
    return text;
  });
}

constexpr const char* kFirstPair = "nics: [{hosts: 0..1, recovery: {kind: selective_repeat}}]\n";

// In 2 ms a link of 100 Gb/s carries 22 700 packets of 1078 bytes with 20 bytes between them, so it
// loses about 23. A round trip of more than 4 us holds at least 45 packets, which go-back-N
// retransmits after each loss. A loss within a retransmitted part counts at most half.
TEST(RecoveryByHost, EachPairRepeatsInItsOwnWay) {
  const RunResults results = run(two_pairs(kFirstPair));
  ASSERT_EQ(results.flows.size(), 2u);
  const std::uint64_t one_by_one = repeated(results, 0);
  const std::uint64_t lost = results.balance.packets_dropped;
  EXPECT_GT(one_by_one, 5u);
  ASSERT_GT(lost, one_by_one);
  EXPECT_GT(repeated(results, 1), (lost - one_by_one) * 45 / 2);
}

TEST(RecoveryByHost, EntriesForAllHostsAreLikeNic) {
  const std::string selective = "recovery: {kind: selective_repeat, reorder_window: 100}";
  const std::string by_nic = outcome(two_pairs("nic: {" + selective + "}\n"));
  EXPECT_EQ(by_nic, outcome(two_pairs("nics: [{hosts: 0..3, " + selective + "}]\n")));
  EXPECT_EQ(by_nic,
            outcome(two_pairs("nic: {" + selective + "}\nnics: [{hosts: 2, ack_every: 1}]\n")));
  EXPECT_NE(by_nic, outcome(two_pairs("")));
}

TEST(RecoveryByHost, AFlowWithOneSelectiveEndGoesBack) {
  const std::string plain = outcome(two_pairs(""));
  for (const char* const hosts : {"0", "1", "[0, 3]"}) {
    EXPECT_EQ(plain, outcome(two_pairs("nics: [{hosts: " + std::string(hosts) +
                                       ", recovery: {kind: selective_repeat}}]\n")))
        << hosts;
  }
}

TEST(RecoveryByHost, ThreadsChangeNothing) {
  EXPECT_EQ(outcome(two_pairs(kFirstPair), 1), outcome(two_pairs(kFirstPair), 2));
}

std::string refusal(const std::string& yaml) {
  try {
    const Planned planned(yaml);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(RecoveryByHost, AReceiverKeepsAllThatItsSenderHasUnderWay) {
  const std::string nic = "nic: {recovery: {kind: selective_repeat, reorder_window: 128}}\n";
  const auto entry = [](const char* host, const char* window) {
    return "nics: [{hosts: " + std::string(host) + ", recovery: {reorder_window: " + window +
           "}}]\n";
  };
  EXPECT_EQ(refusal(two_pairs(nic + entry("1", "64"))), "");
  EXPECT_EQ(refusal(two_pairs(nic + entry("1", "129"))),
            "traffic.0: host 1 sends 129 packets ahead (recovery.reorder_window), host 0 keeps "
            "only 128 early ones: write a reorder_window at the sender that is not larger");
  EXPECT_NE(refusal(two_pairs(nic + entry("2", "64"))), "");
  EXPECT_EQ(refusal(two_pairs("nic: {recovery: {reorder_window: 128}}\n" + entry("2", "64"))), "");
}

}  // namespace
}  // namespace dcc::vp::recovery_by_host_test
