// Tests collective operations: which rank sends to which rank in which step, and what each send
// waits for.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "unit/traffic/traffic_specs.h"

namespace dcc::traffic_test {
namespace {

/// Executes the flows of one round of a collective by their dependencies. Returns the steps in
/// which each rank sent, counted from flows without dependency.
std::map<std::uint32_t, std::size_t> steps_of(const std::vector<FlowSpec>& flows) {
  std::map<std::uint32_t, std::size_t> step;  // step of each flow, by flow number
  for (bool more = true; more;) {
    more = false;
    for (const FlowSpec& flow : flows) {
      if (step.count(flow.id) != 0) continue;
      std::size_t after = 0;
      bool ready = true;
      for (const FlowSpec& before : flows) {
        if (flow.is_gated() && before.opens == flow.waits_at) {
          EXPECT_EQ(before.to, flow.from) << "a gate is one host's";
          ready = ready && step.count(before.id) != 0;
          if (ready) after = std::max(after, step[before.id] + 1);
        }
      }
      if (ready) step[flow.id] = after, more = true;
    }
  }
  return step;
}

TrafficSpec collective(CollectiveShape shape, HostList ranks, Bytes bytes, unsigned rounds = 1) {
  TrafficSpec s = among(TrafficPattern::kCollective, std::move(ranks));
  s.shape = shape;
  s.bytes = bytes;
  s.rounds = rounds;
  return s;
}

// Four ranks take six steps. In each step every rank sends a quarter of the data to the next rank.
TEST(TrafficCollectives, ARingGoesRoundTwiceLessAStepEach) {
  TrafficSpec s = collective(CollectiveShape::kRing, {5, 3, 8, 1}, 1001, 2);
  s.think = kMicroSecond * 7;
  const auto flows = expand_traffic({s}, context());
  ASSERT_EQ(flows.size(), 2u * 6 * 4);
  const auto step = steps_of(flows);
  ASSERT_EQ(step.size(), flows.size()) << "nobody waits for ever";
  std::map<std::size_t, std::set<std::pair<HostId, HostId>>> pairs;
  for (const FlowSpec& flow : flows) {
    EXPECT_EQ(flow.bytes, 251);
    EXPECT_TRUE(pairs[step.at(flow.id)].emplace(flow.from, flow.to).second);
    EXPECT_EQ(flow.query, step.at(flow.id) / 6);
    EXPECT_TRUE(flow.begins_query);
    EXPECT_EQ(flow.think, step.at(flow.id) == 6 ? kMicroSecond * 7 : PicoSeconds(0));
    EXPECT_EQ(flow.start, PicoSeconds(0));
    EXPECT_EQ(flow.opens == FlowSpec::kNone, step.at(flow.id) == 11) << "nobody waits for the last";
  }
  ASSERT_EQ(pairs.size(), 12u);
  for (const auto& [at, in_it] : pairs) {
    EXPECT_EQ(in_it, (std::set<std::pair<HostId, HostId>>{{5, 3}, {3, 8}, {8, 1}, {1, 5}})) << at;
  }
  s.stagger = kNanoSecond;
  EXPECT_EQ(error_of(s), "traffic.0.stagger: the ranks of a collective begin together");
}

// In a tree of six ranks 1 and 2 are children of 0, 3 and 4 of 1, and 5 of 2.
TEST(TrafficCollectives, ATreeGoesUpAndDown) {
  const auto flows =
      expand_traffic({collective(CollectiveShape::kTree, {0, 1, 2, 3, 4, 5}, 999, 2)}, context());
  ASSERT_EQ(flows.size(), 2u * 2 * 5);
  const auto step = steps_of(flows);
  ASSERT_EQ(step.size(), flows.size());
  for (const FlowSpec& flow : flows) {
    EXPECT_EQ(flow.bytes, 999);
    const bool up = flow.from > flow.to;
    EXPECT_EQ(up ? flow.to : flow.from, ((up ? flow.from : flow.to) - 1) / 2);
    if (flow.query != 0) continue;
    const std::size_t at = step.at(flow.id);
    EXPECT_EQ(at, up ? (flow.from >= 3 ? 0u : 1u) : (flow.to <= 2 ? 2u : 3u))
        << flow.from << " to " << flow.to;
  }
  // In the second round the leaves wait for the data that was broadcast in the first round.
  for (const FlowSpec& flow : flows) {
    if (flow.query == 1 && flow.from >= 3) {
      EXPECT_EQ(step.at(flow.id), 4u);
    }
    EXPECT_EQ(flow.opens == FlowSpec::kNone, flow.query == 1 && flow.to >= 3);
  }
}

TEST(TrafficCollectives, AllToAllGoesARankFurtherInEachStep) {
  const auto flows =
      expand_traffic({collective(CollectiveShape::kAllToAll, {0, 1, 2, 3, 4}, 5000)}, context());
  ASSERT_EQ(flows.size(), 20u);
  const auto step = steps_of(flows);
  ASSERT_EQ(step.size(), flows.size());
  for (const FlowSpec& flow : flows) {
    EXPECT_EQ(flow.bytes, 1000);
    EXPECT_EQ((flow.from + step.at(flow.id) + 1) % 5, flow.to);
  }
}

TEST(TrafficCollectives, ACollectiveIsOfRanksThatWaitForEachOther) {
  TrafficSpec s = collective(CollectiveShape::kRing, {0, 1, 2}, 1000);
  EXPECT_EQ(error_of(s), "");
  s.bytes.reset();
  EXPECT_EQ(error_of(s), "traffic.0: collective needs bytes, the data of a rank");
  s.bytes = 1000;
  s.flows = 2;
  EXPECT_EQ(error_of(s).substr(0, 15), "traffic.0.flows");
  s.flows = 1;
  s.stop = kSecond;
  EXPECT_EQ(error_of(s).substr(0, 14), "traffic.0.stop");
  s.stop.reset();
  s.deadline = kSecond;
  EXPECT_EQ(error_of(s).substr(0, 18), "traffic.0.deadline");
  s.deadline.reset();
  s.service = Service::kUc;
  EXPECT_EQ(error_of(s).substr(0, 17), "traffic.0.service");
  s.service = Service::kRc;
  s.hosts = {4};
  EXPECT_EQ(error_of(s), "traffic.0.hosts: one host has nobody to send to");
}

}  // namespace
}  // namespace dcc::traffic_test
