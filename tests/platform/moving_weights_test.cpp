// The weight of a collective's traffic class follows the bytes that each rank has sent in a round.
#include "disturb/moving_weights.h"

#include <gtest/gtest.h>

#include "build/platform.h"
#include "build/port_config.h"
#include "build/ranks.h"
#include "build/run_loop.h"
#include "small_platform.h"

namespace dcc::vp {
namespace {

constexpr unsigned kDscp = 5;

TEST(MovingWeights, TheWeightIsProportionalToTheBytesSent) {
  EXPECT_EQ(weight_of_progress(256, 2048, 0, 1000), 256u);
  EXPECT_EQ(weight_of_progress(256, 2048, 500, 1000), 1152u);
  EXPECT_EQ(weight_of_progress(256, 2048, 1000, 1000), 2048u);
  EXPECT_EQ(weight_of_progress(2048, 256, 500, 1000), 1152u);  // a weight may also fall
  constexpr Bytes kMost = Bytes{1} << 40;
  EXPECT_EQ(weight_of_progress(16, 65535, kMost, kMost), 65535u);
}

PlatformConfig with_ports(const PlatformConfig& config) {
  return config.topology.host_ports().several() ? port_config(config) : config;
}

/// Records two values every microsecond: the controller's factor F_INC for the class at host 1 (256
/// stands for 1.0), and the acknowledged bytes of host 1, or with `of_all_hosts` of all hosts.
/// Fails if the controllers of the host's ports have different factors.
struct Watched {
  explicit Watched(const std::string& yaml, bool of_all_hosts = false)
      : config(with_ports(config_of(yaml))),
        ports_(config.topology.host_ports()),
        of_all_hosts_(of_all_hosts),
        platform("platform", config, {}),
        loop(platform, observer),
        event_(Event::calling<&Watched::look>(*this, kConsoleRank)) {
    platform.scheduler.schedule_at(event_, kMicroSecond);
    loop.run(results);
  }
  struct Seen {
    std::uint32_t weight;
    Bytes acknowledged;
    std::uint32_t next_weight;  // weight of the class with the next higher DSCP
  };
  std::vector<Seen> seen;
  RunResults results;

 private:
  void look() {
    Bytes acknowledged = 0;
    for (const PlannedFlow& flow : platform.plan.flows()) {
      if (flow.spec.entry != 0) continue;
      if (!of_all_hosts_ && ports_.host_of(flow.spec.from) != 1) continue;
      acknowledged += platform.ledger[flow.spec.id].acked_bytes;
    }
    seen.push_back({weight_at(ports_.first_port(1)), acknowledged,
                    weight_at(ports_.first_port(1), kDscp + 1)});
    for (HostId port = 1; port < ports_.ports_of(1); ++port) {
      EXPECT_EQ(weight_at(ports_.first_port(1) + port), seen.back().weight);
    }
    platform.scheduler.schedule_in(event_, kMicroSecond);
  }
  std::uint32_t weight_at(HostId port, unsigned dscp = kDscp) {
    const ControllerEngine& device = platform.hosts[port]->dcc()->device();
    return device.tables().read(RateTable::kFactor, dscp) & 0xFFFFu;
  }
  PlatformConfig config;
  HostPorts ports_;
  bool of_all_hosts_;
  Unwatched observer;
  Platform platform;
  RunLoop loop;
  Event event_;
};

/// Configuration with two rounds of a collective among four ranks; `keys` are added to its entry.
std::string ring(const std::string& keys, const std::string& nic = "") {
  return "topology: {kind: star, hosts: 4, link: {rate: 100Gbps, delay: 1us}}\n"
         "host: {driver: none}\nduration: 400us\n"
         "nic: {" +
         nic +
         "congestion_control: {algorithm: dcc, policy: proportional}}\n"
         "dscp: {5: {weight: 2}}\n"
         "traffic: [{kind: collective, shape: ring_all_reduce, bytes: 400KB, rounds: 2, think: "
         "10us, "
         "dscp: 5, " +
         keys + "}]\n";
}

// Each of four ranks sends six times 100 KB per round, so the weight rises from 2 to 8 in each of
// two rounds. `round` is the number of bytes per round that the weight follows.
void expect_two_rounds(const Watched& watched, Bytes round = 600'000) {
  const std::uint32_t begin = watched.seen.front().weight;
  EXPECT_NE(begin, 0u);
  for (const Watched::Seen& seen : watched.seen) {
    // After the last round the class has its configured weight again.
    const Bytes of_round = seen.acknowledged % round;
    ASSERT_EQ(seen.weight, weight_of_progress(begin, 4 * begin, of_round, round))
        << seen.acknowledged << " bytes are acknowledged";
  }
  EXPECT_EQ(watched.seen.back().acknowledged, 2 * round);
}

TEST(MovingWeights, EachRoundBeginsWithTheWeightOfTheClass) {
  expect_two_rounds(Watched(ring("weight_at_end: 8, weight_interval: 1us")));
}

// Another flow shares links with some of the ranks, so the bytes of a rank differ from those of the
// job. The pause between two rounds is longer than the ranks are apart in time.
TEST(MovingWeights, AllRanksFollowTheBytesOfTheJob) {
  std::string yaml = ring("weight_at_end: 8, weight_interval: 1us, weight_follows: job");
  const auto replace = [&](const std::string& old, const std::string& by) {
    yaml.replace(yaml.find(old), old.size(), by);
  };
  replace("duration: 400us", "duration: 1ms");
  replace("think: 10us", "think: 200us");
  replace("}]\n", "}, {kind: flow, from: 0, to: 2, bytes: 200KB}]\n");
  expect_two_rounds(Watched(yaml, true), 4 * 600'000);
}

// The flows of a host are assigned to its ports by a hash. The weight follows the rank's bytes on
// all ports together.
TEST(MovingWeights, AllPortsOfAHostFollowTheRank) {
  expect_two_rounds(Watched(ring("weight_at_end: 8, weight_interval: 1us", "ports: 2, ")));
}

TEST(MovingWeights, AnEarlierJobLeads) {
  EXPECT_EQ(bytes_with_lead(0, 16'000, 0, 1), 0) << "a job alone";
  EXPECT_EQ(bytes_with_lead(0, 16'000, 0, 2), 1'000);
  EXPECT_EQ(bytes_with_lead(8'000, 16'000, 0, 2), 8'500);
  EXPECT_EQ(bytes_with_lead(16'000, 16'000, 0, 2), 16'000);
  EXPECT_EQ(bytes_with_lead(8'000, 16'000, 1, 2), 8'000);
  EXPECT_EQ(bytes_with_lead(0, 16'000, 1, 3), 500);
}

// Two jobs begin at the same time. Until the first byte is acknowledged, job 1 has the weight of a
// job that has sent a sixteenth of its round, and job 2 has its initial weight.
TEST(MovingWeights, OfTwoJobsTheFirstLeads) {
  std::string yaml = ring("weight_at_end: 8, weight_interval: 1us, weight_follows: job");
  const std::string entry = yaml.substr(yaml.find("{kind: collective"));
  std::string second = entry.substr(0, entry.find("}]") + 1);
  second.replace(second.find("dscp: 5"), 7, "dscp: 6");
  yaml.replace(yaml.find("}]\n"), 3, "}, " + second + "]\n");
  yaml.replace(yaml.find("dscp: {5: {weight: 2}}"), 22, "dscp: {5: {weight: 2}, 6: {weight: 2}}");
  const Watched watched(yaml, true);
  constexpr std::uint32_t begin = 2 * 256;
  const Watched::Seen& early = watched.seen.at(2);
  ASSERT_EQ(early.acknowledged, 0);
  EXPECT_EQ(early.weight, weight_of_progress(begin, 4 * begin, 1, 16));
  EXPECT_EQ(early.next_weight, begin);
}

TEST(MovingWeights, WithoutTheKeyTheWeightStays) {
  const Watched watched(ring("message: 64KiB"));
  for (const Watched::Seen& seen : watched.seen) {
    ASSERT_EQ(seen.weight, watched.seen.front().weight);
  }
}

}  // namespace
}  // namespace dcc::vp
