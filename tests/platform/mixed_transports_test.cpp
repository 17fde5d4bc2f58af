// Tests networks in which some hosts use RoCE and others TCP.
#include <gtest/gtest.h>

#include <string>

#include "small_platform.h"

namespace dcc::vp::mixed_transports_test {
namespace {

/// Configuration of two racks of four hosts and one spine. The DCQCN flows 0 and 1 and the TCP
/// flows 2 and 3 share the uplink of the first rack.
std::string two_racks(const std::string& tcp, const std::string& traffic) {
  return "topology: {kind: leaf_spine, leaves: 2, spines: 1, hosts_per_leaf: 4,\n"
         "           host_link: {rate: 100Gbps, delay: 1us}, fabric_link: {rate: 100Gbps, delay: "
         "1us}}\n"
         "host: {driver: none}\nduration: 5ms\nmeasure: {from: 3ms, to: 5ms}\n"
         "switch: {pfc: {enabled: false}}\n"
         "nic: {payload: virtual, congestion_control: {algorithm: dcqcn}}\n"
         "nics: [{hosts: [2, 3, 6, 7], transport: {" +
         tcp + "}}]\ntraffic: " + traffic + "\n";
}
constexpr const char* kTwoOfEach =
    "[{kind: flow, from: 0, to: 4}, {kind: flow, from: 1, to: 5}, "
    "{kind: flow, from: 2, to: 6}, {kind: flow, from: 3, to: 7}]";

/// Goodput in Gb/s during the measurement window of 2 ms.
double goodput(const FlowResult& flow) {
  return static_cast<double>(flow.delivered_measured) * 8 / 2e6;
}

// A link of 100 Gb/s carries 91.6 Gb/s of payload in packets of 1 KiB. TCP without ECN reduces its
// window only after a loss, so the queue stays above kmax and the DCQCN flows fall to their minimum
// rate.
TEST(MixedTransports, TcpWithoutEcnStarvesDcqcn) {
  const RunResults results = run(two_racks("kind: tcp", kTwoOfEach));
  ASSERT_EQ(results.flows.size(), 4u);
  EXPECT_LT(goodput(results.flows[0]) + goodput(results.flows[1]), 5);
  EXPECT_GT(goodput(results.flows[2]) + goodput(results.flows[3]), 80);
  EXPECT_GT(results.hosts[0].cnps_received, 0u);
  EXPECT_EQ(results.hosts[2].cnps_received, 0u);
}

// CUBIC with ECN reduces its window at the CE marks to which DCQCN reacts.
TEST(MixedTransports, TcpWithEcnSharesWithDcqcn) {
  const RunResults results = run(two_racks("kind: tcp, ecn: true", kTwoOfEach));
  ASSERT_EQ(results.flows.size(), 4u);
  double sum = 0;
  for (const FlowResult& flow : results.flows) {
    EXPECT_GT(goodput(flow), 5) << flow.id;
    sum += goodput(flow);
  }
  EXPECT_GT(sum, 85);
}

// Hosts without traffic change nothing, so the RoCE hosts must behave as in a network without
// TCP.
TEST(MixedTransports, IdleTcpHostsChangeNothing) {
  const auto delivered = [](const std::string& yaml) {
    return in_a_process([&] {
      std::string text;
      for (const FlowResult& flow : run(yaml).flows) {
        text += std::to_string(flow.delivered_total) + " ";
      }
      return text;
    });
  };
  const std::string traffic = "[{kind: flow, from: 0, to: 4}, {kind: flow, from: 1, to: 5}]";
  std::string plain = two_racks("kind: tcp", traffic);
  const auto from = plain.find("nics:");
  plain.erase(from, plain.find("traffic:") - from);
  const std::string all = delivered(plain);
  EXPECT_GT(all.size(), 10u);
  EXPECT_EQ(all, delivered(two_racks("kind: tcp", traffic)));
}

std::string refusal(const std::string& yaml) {
  try {
    const Planned planned(yaml);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(MixedTransports, BothEndsOfAFlowNeedTheSame) {
  EXPECT_EQ(refusal(two_racks("kind: tcp", "[{kind: flow, from: 0, to: 6}]")),
            "traffic.0: host 0 has transport roce, host 6 has tcp (nics): both ends of a flow need "
            "the same");
  EXPECT_EQ(refusal(two_racks("kind: tcp", "[{kind: incast, senders: 0..1, receiver: 4}]")), "");
}

TEST(MixedTransports, TcpFlowsHaveNoRateOfTheirOwn) {
  EXPECT_NE(refusal(two_racks("kind: tcp", "[{kind: flow, from: 2, to: 6, rate: 1Gbps}]"))
                .find("transport tcp controls rates itself"),
            std::string::npos);
  EXPECT_EQ(refusal(two_racks("kind: tcp", "[{kind: flow, from: 0, to: 4, rate: 1Gbps}]")), "");
}

}  // namespace
}  // namespace dcc::vp::mixed_transports_test
