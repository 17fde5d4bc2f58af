// In a network with different algorithms, receivers notify each sender in the way that the sender's
// algorithm expects.
#include "build/cnp_profiles.h"

#include <gtest/gtest.h>

#include "small_platform.h"

namespace dcc::vp::cnp_profiles_test {
namespace {

TEST(CnpProfiles, AreEmptyWhereAllHostsAreAlike) {
  EXPECT_TRUE(CnpProfiles(config_of(star(""))).empty());
}

TEST(CnpProfiles, EachSendersAlgorithmSaysWhatItGoesBy) {
  const CnpProfiles agreed(
      config_of(star("nic: {ack: per_packet, congestion_control: {policy: proportional}}\n"
                     "nics:\n"
                     "  - {hosts: [0, 3], congestion_control: {algorithm: dcqcn, preset: sig15}, "
                     "cnp: {dscp: 20, priority: 5}}\n"
                     "  - {hosts: 1, congestion_control: {algorithm: dctcp}}\n")));
  ASSERT_FALSE(agreed.empty());
  for (const HostId plain : {0u, 3u}) {
    EXPECT_TRUE(agreed.with(plain).wanted);
    EXPECT_FALSE(agreed.with(plain).cnp.carry_marks);
    EXPECT_EQ(agreed.with(plain).cnp.interval, kMicroSecond * 50);
    EXPECT_EQ(agreed.with(plain).cnp.dscp, 20);
    EXPECT_EQ(agreed.with(plain).cnp.priority, 5);
  }
  EXPECT_FALSE(agreed.with(1).wanted);
  EXPECT_TRUE(agreed.with(2).wanted);
  EXPECT_TRUE(agreed.with(2).cnp.carry_marks);
  EXPECT_EQ(agreed.with(2).cnp.interval, kMicroSecond * 2);
}

constexpr const char* kThreeToOne =
    "duration: 2ms\n"
    "traffic: [{kind: incast, senders: 1..3, receiver: 0}]\n"
    "switch: {ecn: {rule: given, kmin: 50KB, kmax: 400KB, pmax: 1, mark_at: dequeue}}\n"
    "nic: {ack: per_packet, congestion_control: {policy: proportional}}\n";

std::string three_to_one(const std::string& driver, const std::string& rest) {
  return "topology: {kind: star, hosts: 4, link: {rate: 100Gbps, delay: 1us}}\nhost: {driver: " +
         driver + "}\n" + kThreeToOne + rest;
}

/// One flow of each algorithm shares the port. The flow of dcc gets CNPs for all marks, the flow of
/// DCQCN at most one CNP every 50 us, and the flow of DCTCP none, because its ACKs carry the marks.
void expect_each_in_its_own_way(const RunResults& results) {
  ASSERT_EQ(results.hosts.size(), 4u);
  EXPECT_GT(results.hosts[1].cnps_received, 4u);
  EXPECT_LE(results.hosts[1].cnps_received, 2'000u / 50 + 1);
  EXPECT_EQ(results.hosts[2].cnps_received, 0u);
  EXPECT_GT(results.hosts[3].cnps_received, 2'000u / 50 + 1);
  for (const FlowResult& flow : results.flows) EXPECT_GT(flow.delivered_total, 1'000'000);
}

constexpr const char* kOneOfEach =
    "nics:\n"
    "  - {hosts: 1, congestion_control: {algorithm: dcqcn}}\n"
    "  - {hosts: 2, congestion_control: {algorithm: dctcp}}\n";

TEST(CnpProfiles, WithoutSoftwareEachIsNotifiedInItsOwnWay) {
  expect_each_in_its_own_way(run(three_to_one("none", kOneOfEach)));
}

TEST(CnpProfiles, WithADriverEachIsNotifiedInItsOwnWay) {
  expect_each_in_its_own_way(run(three_to_one("native", kOneOfEach)));
}

/// Bytes of each flow and CNPs of each host of a run, as one text.
std::string delivered(const std::string& yaml) {
  return in_a_process([&] {
    std::string text;
    const RunResults results = run(yaml);
    for (const FlowResult& flow : results.flows) {
      text += std::to_string(flow.delivered_total) + " ";
    }
    for (const HostResult& host : results.hosts) {
      text += std::to_string(host.cnps_received) + " ";
    }
    return text;
  });
}

TEST(CnpProfiles, AnEntryThatSaysWhatNicSaysChangesNothing) {
  const std::string dcqcn =
      "topology: {kind: star, hosts: 4, link: {rate: 100Gbps, delay: 1us}}\n"
      "host: {driver: none}\nduration: 1ms\n"
      "traffic: [{kind: incast, senders: 1..3, receiver: 0}]\n"
      "nic: {congestion_control: {algorithm: dcqcn}}\n";
  EXPECT_EQ(delivered(dcqcn),
            delivered(dcqcn + "nics: [{hosts: 2, congestion_control: {algorithm: dcqcn}}]\n"));
  EXPECT_NE(delivered(dcqcn),
            delivered(dcqcn + "nics: [{hosts: 2, congestion_control: {algorithm: none}}]\n"));
}

TEST(CnpProfiles, AnEntryWithoutAnAlgorithmHasThatOfNic) {
  const std::string start =
      "topology: {kind: star, hosts: 4, link: {rate: 100Gbps, delay: 1us}}\n"
      "host: {driver: none}\nduration: 1ms\n"
      "traffic: [{kind: incast, senders: 1..3, receiver: 0}]\n";
  for (const char* const nic :
       {"nic: {congestion_control: {algorithm: dcqcn, f: 2}, cnp: {interval: 9us}}\n",
        "nic: {congestion_control: {algorithm: dcc, policy: proportional, r_ai: 20Mbps}}\n",
        "nic: {congestion_control: {algorithm: dctcp}}\n"}) {
    SCOPED_TRACE(nic);
    EXPECT_EQ(delivered(start + nic),
              delivered(start + nic + "nics: [{hosts: 2, ack_every: 1}]\n"));
  }
}

// The configuration sets the ECN thresholds, which would otherwise follow the first algorithm.
TEST(CnpProfiles, ControllersOfEntriesWorkAsThoseOfNic) {
  const std::string dcc = "congestion_control: {algorithm: dcc, policy: proportional}";
  for (const char* const driver : {"none", "native"}) {
    const std::string start =
        "topology: {kind: star, hosts: 4, link: {rate: 100Gbps, delay: 1us}}\n"
        "host: {driver: " +
        std::string(driver) +
        "}\nduration: 1ms\n"
        "switch: {ecn: {rule: given, kmin: 50KB, kmax: 400KB, pmax: 1, mark_at: dequeue}}\n"
        "traffic: [{kind: incast, senders: 1..3, receiver: 0}]\n";
    const std::string of_nic = delivered(start + "nic: {" + dcc + "}\n");
    const std::string others = "nic: {congestion_control: {algorithm: dcqcn}}\n";
    EXPECT_EQ(of_nic, delivered(start + others + "nics: [{hosts: 0..3, " + dcc + "}]\n"));
    EXPECT_NE(of_nic, delivered(start + others + "nics: [{hosts: 0..2, " + dcc + "}]\n"));
  }
}

}  // namespace
}  // namespace dcc::vp::cnp_profiles_test
