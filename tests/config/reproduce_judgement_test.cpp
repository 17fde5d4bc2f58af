#include <gtest/gtest.h>

#include "reproduce/judgement.h"

namespace dcc::vp {
namespace {

Figure figure(const std::string& value, double per = 1) {
  Figure f;
  f.name = "f";
  f.value = value;
  f.per = per;
  return f;
}

const nlohmann::json kMetrics = nlohmann::json::parse(R"({
  "aggregate": {"drops": 12, "jain": null, "text": "7", "done": true},
  "queues": [{"mean": 3.0}, {"mean": 30.0}, {"mean": 5.0}],
  "mixed": [{"a": 1}, {"b": 8}, {"a": null}],
  "empty": [],
  "flows": [{"goodput": 2.0}, {"goodput": 8.0}, {"goodput": 0.0}]
})");

TEST(FigureValue, FollowsAPath) {
  EXPECT_EQ(figure_value(kMetrics, figure("aggregate.drops")), 12);
  EXPECT_EQ(figure_value(kMetrics, figure("aggregate.done")), 1);
  EXPECT_EQ(figure_value(kMetrics, figure("queues.2.mean")), 5);
  EXPECT_EQ(figure_value(kMetrics, figure("aggregate.drops", 1000)), 0.012);
}

TEST(FigureValue, AStarTakesTheGreatestOfThoseThatHaveIt) {
  EXPECT_EQ(figure_value(kMetrics, figure("queues.*.mean")), 30);
  EXPECT_EQ(figure_value(kMetrics, figure("mixed.*.a")), 1);
  EXPECT_FALSE(figure_value(kMetrics, figure("mixed.*.c")));
  EXPECT_FALSE(figure_value(kMetrics, figure("empty.*.a")));
}

TEST(FigureValue, DividesOneByAnother) {
  EXPECT_EQ(figure_value(kMetrics, figure("flows.0.goodput / flows.1.goodput")), 0.25);
  EXPECT_EQ(figure_value(kMetrics, figure("flows.1.goodput / flows.0.goodput", 2)), 2);
  EXPECT_FALSE(figure_value(kMetrics, figure("flows.0.goodput / flows.2.goodput")));
  EXPECT_FALSE(figure_value(kMetrics, figure("flows.0.goodput / flows.9.goodput")));
  EXPECT_FALSE(figure_value(kMetrics, figure("flows.9.goodput / flows.0.goodput")));
}

TEST(FigureValue, WhatIsNoNumberIsMissing) {
  for (const char* const path :
       {"nothing", "aggregate", "aggregate.jain", "aggregate.text", "aggregate.drops.more",
        "queues.3.mean", "queues.-1.mean", "queues.x.mean", "queues.99999999999999999999.mean",
        "queues..mean", "", "queues", "*"}) {
    EXPECT_FALSE(figure_value(kMetrics, figure(path))) << path;
  }
}

Verdict verdict(const Figure& f, std::vector<double> values, std::size_t seeds = 1) {
  return judge(f, std::move(values), seeds).verdict;
}

TEST(Judge, AToleranceIsAbsoluteOrAShareAndItsEndsAreInside) {
  Figure f = figure("x");
  f.published = 8;
  f.within = 2;
  EXPECT_EQ(verdict(f, {6}), Verdict::kInside);
  EXPECT_EQ(verdict(f, {10}), Verdict::kInside);
  EXPECT_EQ(verdict(f, {5.99}), Verdict::kOutside);
  EXPECT_EQ(verdict(f, {10.01}), Verdict::kOutside);
  f.within.reset();
  f.within_share = 0.25;
  EXPECT_EQ(verdict(f, {6}), Verdict::kInside);
  EXPECT_EQ(verdict(f, {10}), Verdict::kInside);
  EXPECT_EQ(verdict(f, {5.99}), Verdict::kOutside);
  EXPECT_EQ(verdict(f, {10.01}), Verdict::kOutside);
  f.published = -8;
  EXPECT_EQ(verdict(f, {-9}), Verdict::kInside);
  EXPECT_EQ(verdict(f, {9}), Verdict::kOutside);
}

TEST(Judge, ExactMeansExact) {
  Figure f = figure("x");
  f.published = 60'000;
  f.within = 0;
  EXPECT_EQ(verdict(f, {60'000}), Verdict::kInside);
  EXPECT_EQ(verdict(f, {59'999}), Verdict::kOutside);
}

TEST(Judge, BoundsHoldEachByItself) {
  Figure f = figure("x");
  f.at_least = 1;
  f.at_most = 2;
  EXPECT_EQ(verdict(f, {1}), Verdict::kInside);
  EXPECT_EQ(verdict(f, {2}), Verdict::kInside);
  EXPECT_EQ(verdict(f, {0.9}), Verdict::kOutside);
  EXPECT_EQ(verdict(f, {2.1}), Verdict::kOutside);
  // A tolerance and a bound: both.
  f.published = 2;
  f.within = 5;
  EXPECT_EQ(verdict(f, {2.1}), Verdict::kOutside);
}

TEST(Judge, AReasonExplainsWhatIsOutsideAndNothingElse) {
  Figure f = figure("x");
  f.published = 8;
  f.within = 1;
  f.reason = "because";
  EXPECT_EQ(verdict(f, {8}), Verdict::kInside);
  EXPECT_EQ(verdict(f, {11}), Verdict::kExplained);
  EXPECT_EQ(verdict(f, {}), Verdict::kMissing);
}

TEST(Judge, WithoutABoundItIsShown) {
  Figure f = figure("x");
  EXPECT_EQ(verdict(f, {8}), Verdict::kShown);
  f.published = 1;
  EXPECT_EQ(verdict(f, {8}), Verdict::kShown);
}

TEST(Judge, TheMeanOfTheSeedsCountsAndNoneMayBeMissing) {
  Figure f = figure("x");
  f.published = 10;
  f.within = 1;
  const Judgement j = judge(f, {5, 10, 15}, 3);
  EXPECT_EQ(j.verdict, Verdict::kInside);
  EXPECT_EQ(j.mean(), 10);
  EXPECT_EQ(j.least(), 5);
  EXPECT_EQ(j.greatest(), 15);
  EXPECT_EQ(j.figure, &f);
  EXPECT_EQ(verdict(f, {10, 10, 14}, 3), Verdict::kOutside);
  EXPECT_EQ(verdict(f, {10, 10}, 3), Verdict::kMissing);
}

}  // namespace
}  // namespace dcc::vp
