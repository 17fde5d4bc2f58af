// Tests traffic patterns: which host sends to which host, pattern by pattern.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "unit/traffic/traffic_specs.h"

namespace dcc::traffic_test {
namespace {

TEST(TrafficPatterns, PermutationSendsEveryoneToAnother) {
  std::set<std::vector<HostId>> seen;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto flows = expand_traffic(
        {among(TrafficPattern::kPermutation, {0, 1, 2, 3, 4, 5, 6, 7})}, context(16, seed));
    ASSERT_EQ(flows.size(), 8u);
    std::set<HostId> from, to;
    std::vector<HostId> order;
    for (const FlowSpec& flow : flows) {
      EXPECT_NE(flow.from, flow.to);
      from.insert(flow.from);
      to.insert(flow.to);
      order.push_back(flow.to);
    }
    EXPECT_EQ(from.size(), 8u);
    EXPECT_EQ(to.size(), 8u);
    seen.insert(order);
  }
  EXPECT_GT(seen.size(), 15u);
}

TEST(TrafficPatterns, StrideGoesRoundAndRound) {
  TrafficSpec s = among(TrafficPattern::kStride, {});
  s.stride = 4;
  const std::vector<FlowSpec> flows = expand_traffic({s}, context());
  ASSERT_EQ(flows.size(), 16u);
  for (HostId i = 0; i < 16; ++i) {
    EXPECT_EQ(flows[i].from, i);
    EXPECT_EQ(flows[i].to, (i + 4) % 16);
  }
  s.hosts = {3, 5, 9};
  const std::vector<FlowSpec> few = expand_traffic({s}, context());
  ASSERT_EQ(few.size(), 3u);
  EXPECT_EQ(few[2].to, 3u);  // with a stride of four in a list of three hosts
  s.stride = 3;
  EXPECT_EQ(error_of(s), "traffic.0.stride: 3 places on is the host itself: there are 3");
}

TEST(TrafficPatterns, StaggeredStaysNearAsOftenAsAsked) {
  TrafficSpec s = among(TrafficPattern::kStaggered, {});
  s.rack = 4;
  s.pod = 16;
  s.to_rack = Ratio{1, 2};
  s.to_pod = Ratio{3, 10};
  s.flows = 1;
  int near = 0, pod = 0, far = 0;
  std::set<HostId> reached;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const FlowSpec& flow : expand_traffic({s}, context(64, seed))) {
      ASSERT_NE(flow.from, flow.to);
      if (flow.from == 21) reached.insert(flow.to);
      if (flow.from / 4 == flow.to / 4) {
        ++near;
      } else if (flow.from / 16 == flow.to / 16) {
        ++pod;
      } else {
        ++far;
      }
    }
  }
  EXPECT_NEAR(near, 3200, 4 * 40);
  EXPECT_NEAR(pod, 1920, 4 * 37);
  EXPECT_NEAR(far, 1280, 4 * 32);
  EXPECT_EQ(reached.count(21), 0u);
  for (const HostId host : {20u, 22u, 23u}) EXPECT_EQ(reached.count(host), 1u);
  s.to_pod = Ratio{6, 10};
  EXPECT_NE(error_of(s).find("traffic.0.to_pod"), std::string::npos);
  s = among(TrafficPattern::kStaggered, {});
  s.pod = 6;
  EXPECT_EQ(error_of(s), "traffic.0.hosts: are no whole number of pods");
}

TEST(TrafficPatterns, AllToAllIsEveryPairOnce) {
  const auto flows = expand_traffic({among(TrafficPattern::kAllToAll, {2, 5, 7, 11})}, context());
  std::set<std::pair<HostId, HostId>> pairs;
  for (const FlowSpec& flow : flows) pairs.insert({flow.from, flow.to});
  EXPECT_EQ(flows.size(), 12u);
  EXPECT_EQ(pairs.size(), 12u);
}

TEST(TrafficPatterns, OneToManyAndPartitionAggregate) {
  TrafficSpec many;
  many.pattern = TrafficPattern::kOneToMany;
  many.receivers = {1, 2, 3};
  EXPECT_EQ(expand_traffic({many}, context()).size(), 3u);
  TrafficSpec s = to_one({1, 2}, 0, TrafficPattern::kPartitionAggregate);
  s.bytes = 20'000;
  s.rounds = 3;
  s.period = kMilliSecond;
  s.stagger = kNanoSecond;
  const auto flows = expand_traffic({s}, context());
  ASSERT_EQ(flows.size(), 6u);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(flows[static_cast<std::size_t>(i)].start,
              kMilliSecond * (i / 2) + kNanoSecond * (i % 2));
  }
  s.stop = kMilliSecond * 2;  // the third round would start at this time
  EXPECT_EQ(expand_traffic({s}, context()).size(), 4u);
}

// Host 0 asks hosts 1 and 2. Host 1 asks 3, 4 and 5, and host 2 asks 6, 7 and 8.
TEST(TrafficPatterns, RequestsGoDownATreeAndAnswersUp) {
  TrafficSpec s = to_one({1, 2, 3, 4, 5, 6, 7, 8}, 0, TrafficPattern::kPartitionAggregate);
  s.bytes = 20'000;
  s.fan_out = {2, 3};
  s.think = kMicroSecond;
  s.rounds = 2;
  s.stagger = kNanoSecond;
  s.deadline = kMicroSecond * 500;
  const auto flows = expand_traffic({s}, context());
  ASSERT_EQ(flows.size(), 32u);
  std::set<std::uint32_t> gates;
  for (const FlowSpec& flow : flows) {
    const bool request = flow.bytes == 2000;
    EXPECT_EQ(flow.from < flow.to, request);
    const HostId child = request ? flow.to : flow.from;
    const HostId parent = request ? flow.from : flow.to;
    EXPECT_EQ(parent, child <= 2 ? 0u : child <= 5 ? 1u : 2u);
    EXPECT_EQ(flow.is_gated(), !(request && parent == 0)) << "who asks first waits for nobody";
    EXPECT_EQ(flow.query != FlowSpec::kNone, !request && parent == 0);
    EXPECT_EQ(flow.deadline.has_value(), !request);
    EXPECT_EQ(flow.think, kMicroSecond);
    EXPECT_NE(flow.opens, FlowSpec::kNone);
    if (flow.is_gated()) gates.insert(flow.waits_at);
  }
  // Each round has one gate for the request to each host, and one for the answers to hosts 1 and 2.
  EXPECT_EQ(gates.size(), 2u * (8 + 2));
  for (const std::uint32_t gate : gates) {
    std::size_t openers = 0, behind = 0;
    std::set<HostId> hosts;
    for (const FlowSpec& flow : flows) {
      if (flow.opens == gate) {
        ++openers;
        hosts.insert(flow.to);
      }
      if (flow.waits_at == gate) {
        ++behind;
        hosts.insert(flow.from);
      }
    }
    EXPECT_EQ(hosts.size(), 1u) << "a gate is one host's";
    // A request starts one or three answers of a worker. Three answers start the next request.
    EXPECT_TRUE((openers == 1 && (behind == 1 || behind == 3)) || (openers == 3 && behind == 1));
  }
  EXPECT_EQ(flows.front().start, PicoSeconds(0));
  EXPECT_EQ(flows.back().start, kMilliSecond + kNanoSecond) << "the second request of round two";
}

TEST(TrafficPatterns, ATreeHasAsManyPlacesAsSenders) {
  TrafficSpec s = to_one({1, 2, 3}, 0, TrafficPattern::kPartitionAggregate);
  s.bytes = 1000;
  s.rounds = 10;
  s.fan_out = {1, 2};
  EXPECT_EQ(error_of(s), "");
  s.fan_out = {1, 1};
  EXPECT_EQ(error_of(s), "traffic.0.fan_out: there are 2 places in the tree, and 3 senders");
  s.fan_out = {65'535, 65'535, 65'535, 65'535, 65'535, 65'535, 65'535, 65'535};
  EXPECT_NE(error_of(s), "") << "without counting round the clock";
  s.fan_out = {3};
  s.service = Service::kUc;
  EXPECT_EQ(error_of(s).substr(0, 17), "traffic.0.service");
  s.service = Service::kRc;
  s.operation = Operation::kRead;
  EXPECT_EQ(error_of(s).substr(0, 19), "traffic.0.operation");
  s.operation = Operation::kSend;
  EXPECT_EQ(error_of(s), "");
  s.flows = 2;
  EXPECT_EQ(error_of(s).substr(0, 15), "traffic.0.flows");
}

}  // namespace
}  // namespace dcc::traffic_test
