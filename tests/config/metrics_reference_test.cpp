#include "report/metrics_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace dcc::vp {
namespace {

const MetricInfo& info(const std::string& path) {
  for (const MetricInfo& metric : metrics_reference()) {
    if (metric.path == path) return metric;
  }
  static const MetricInfo kNone{};
  ADD_FAILURE() << path << " is not listed";
  return kNone;
}

TEST(MetricsReference, EveryPathOnceEachWithAMeaning) {
  std::set<std::string> paths;
  for (const MetricInfo& metric : metrics_reference()) {
    EXPECT_TRUE(paths.insert(metric.path).second) << metric.path;
    EXPECT_STRNE(metric.about.meaning, "") << metric.path;
  }
  EXPECT_GT(paths.size(), 100u);
}

TEST(MetricsReference, GroupsListsAndWhatMayBeMissingAreFollowed) {
  EXPECT_EQ(info("slowdown.all.p99").about.statistic, Statistic::kQuantile);
  EXPECT_EQ(info("slowdown.bins.N.mean").about.statistic, Statistic::kMean);
  EXPECT_EQ(info("qos.tenants.N.factor").type, MetricType::kNumber);
  EXPECT_EQ(info("warnings").type, MetricType::kTexts);
  EXPECT_EQ(info("diagnoses.N.figures").type, MetricType::kFigures);
  EXPECT_EQ(info("completed").type, MetricType::kTruth);
  EXPECT_EQ(info("links.N.name").type, MetricType::kText);
  EXPECT_EQ(info("classes.N.weight").type, MetricType::kNumber);
}

TEST(MetricsReference, SaysHowAFigureComesAbout) {
  const MetricInfo& drops = info("aggregate.drops");
  EXPECT_EQ(drops.about.statistic, Statistic::kSum);
  EXPECT_EQ(drops.about.span, Span::kWindow);
  EXPECT_EQ(drops.over, (std::vector<std::string_view>{"links", "switches"}));
  EXPECT_EQ(drops.type, MetricType::kInteger);
  EXPECT_STREQ(drops.about.unit, "packets");
  EXPECT_EQ(info("hosts.N.slots_in_use_max").about.statistic, Statistic::kMaximum);
  EXPECT_EQ(info("hosts.N.slots_in_use_max").about.span, Span::kRun);
  EXPECT_TRUE(info("aggregate.rtt_us_p99").nullable);
  EXPECT_FALSE(info("aggregate.goodput_gbps").nullable);
  EXPECT_TRUE(info("flows.N.bytes").nullable);
}

TEST(MetricsReference, EveryWordHasAName) {
  for (const MetricInfo& metric : metrics_reference()) {
    EXPECT_STRNE(type_name(metric.type), "");
    EXPECT_STRNE(statistic_name(metric.about.statistic), "");
    // Every metric with a statistic names the time span that the metric covers.
    EXPECT_EQ(*span_name(metric.about.span) == '\0' && metric.about.statistic != Statistic::kValue,
              false)
        << metric.path;
  }
}

}  // namespace
}  // namespace dcc::vp
