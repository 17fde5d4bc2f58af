#include "measure/flow_groups.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "config/yaml_reader.h"

namespace dcc::vp {
namespace {

struct Grouped {
  PlatformConfig config = load_config_text(
                              "dscp: {46: {weight: 3}}\n"
                              "traffic: [{kind: poisson, load: 0.5, flows_per_host: 10},\n"
                              "  {kind: incast, senders: [1], receiver: 0, bytes: 10KB}]\n",
                              "t")
                              .config;
  RunResults results;
  std::vector<FlowResult> flows;

  Grouped() {
    results.measured_from = kMilliSecond;
    results.measured_to = kMilliSecond * 2;
  }
  FlowResult& add(PicoSeconds start, Bytes bytes, std::optional<PicoSeconds> taken) {
    FlowResult flow;
    flow.begun = true;
    flow.start = start;
    flow.bytes = bytes;
    if (taken) flow.end = start + *taken;
    flow.completed = taken.has_value();
    flows.push_back(flow);
    return flows.back();
  }
  FlowGroups groups() const {
    FlowGrouping grouping(config, results);
    for (const FlowResult& flow : flows) {
      const auto taken = flow.end ? std::optional(*flow.end - flow.start) : std::nullopt;
      grouping.add(flow, taken, taken ? std::optional(2.0) : std::nullopt);
    }
    return grouping.groups();
  }
};

TEST(FlowGroups, CountsFlowsThatBeginInTheWindow) {
  Grouped g;
  // a flow that begins before the measurement window
  g.add(kMilliSecond - PicoSeconds(1), 1000, kMicroSecond);
  g.add(kMilliSecond, 1000, kMicroSecond * 3);
  // a flow that ends after the measurement window
  g.add(kMilliSecond * 2 - PicoSeconds(1), 1000, kMicroSecond * 5);
  g.add(kMilliSecond * 2, 1000, kMicroSecond);  // a flow that begins after the measurement window
  g.add(kMicroSecond * 1500, 1000, std::nullopt);
  g.add(kMicroSecond * 1500, 1000, kMicroSecond).background = true;
  g.add(kMicroSecond * 1500, 1000, kMicroSecond).begun = false;
  g.add(kMicroSecond * 1500, 1000, kMicroSecond).bytes.reset();
  const FlowGroup all = g.groups().all.flows;
  EXPECT_EQ(all.begun, 3u);
  EXPECT_EQ(all.completed, 2u);
  EXPECT_EQ(all.unfinished, 1u);
  EXPECT_EQ(all.mean, kMicroSecond * 4);
  EXPECT_EQ(all.longest, kMicroSecond * 5);
  EXPECT_EQ(all.slowdown_p99, 2.0);
}

TEST(FlowGroups, QuantilesByClassEntryAndSize) {
  Grouped g;
  for (int i = 1; i <= 1000; ++i) {
    FlowResult& flow = g.add(kMicroSecond * 1500, i % 2 == 0 ? 10'000 : 10'001, kMicroSecond * i);
    flow.dscp = i <= 500 ? 46 : 0;
    flow.entry = i % 4 == 0 ? 1 : 0;
    flow.of_incast = i % 4 == 1;
  }
  const FlowGroups groups = g.groups();
  EXPECT_EQ(groups.all.flows.p50, kMicroSecond * 500);
  EXPECT_EQ(groups.all.flows.p99, kMicroSecond * 990);
  EXPECT_EQ(groups.all.flows.p999, kMicroSecond * 999);
  ASSERT_EQ(groups.all.by_size.size(), 2u);
  EXPECT_EQ(groups.all.by_size[0].up_to, 10'000);
  EXPECT_EQ(groups.all.by_size[1].above, 10'000);
  EXPECT_EQ(groups.all.by_size[0].flows.p99, kMicroSecond * 990);
  EXPECT_EQ(groups.all.by_size[1].flows.p99, kMicroSecond * 989);
  ASSERT_EQ(groups.classes.size(), 2u);
  EXPECT_EQ(groups.classes[1].dscp, 46u);
  EXPECT_EQ(groups.classes[1].weight.value(), 3);
  EXPECT_EQ(groups.classes[1].of.flows.p999, kMicroSecond * 500);
  ASSERT_EQ(groups.entries.size(), 3u);
  EXPECT_EQ(groups.entries[0].kind, "poisson");
  EXPECT_EQ(groups.entries[0].of.flows.begun, 500u);
  EXPECT_EQ(groups.entries[1].entry, 0u);
  EXPECT_EQ(groups.entries[1].kind, "incast");
  EXPECT_EQ(groups.entries[1].of.flows.longest, kMicroSecond * 997);
  EXPECT_EQ(groups.entries[2].entry, 1u);
  EXPECT_EQ(groups.entries[2].of.flows.longest, kMicroSecond * 1000);
}

TEST(FlowGroups, DoNotDependOnTheOrderOfFlows) {
  Grouped g;
  for (int i = 1; i <= 300; ++i) g.add(kMicroSecond * 1500, 500 * i, kMicroSecond * (i * i % 311));
  const FlowGroups one = g.groups();
  std::reverse(g.flows.begin(), g.flows.end());
  const FlowGroups other = g.groups();
  EXPECT_EQ(one.all.flows.mean, other.all.flows.mean);
  EXPECT_EQ(one.all.by_size[3].flows.slowdown_mean, other.all.by_size[3].flows.slowdown_mean);
}

}  // namespace
}  // namespace dcc::vp
