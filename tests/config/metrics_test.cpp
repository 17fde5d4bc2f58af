#include "measure/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "config/yaml_reader.h"
#include "controller/dcc.h"
#include "report/metrics_json.h"
#include "report/numbers.h"

namespace dcc::vp {
namespace {

/// Two traffic classes share one port for 10 ms, in which 1250 bytes are 1 Mb/s.
struct Fixture {
  PlatformConfig config =
      load_config_text(
          "dscp: {46: {weight: 3, tenant: gold}, 10: {weight: 1, tenant: lead}}\n"
          "tenants: [{name: gold, weight: 3}, {name: lead}]\n",
          "t")
          .config;
  RunResults results;

  Fixture() {
    results.completed = true;
    results.sim_time = kMilliSecond * 20;
    results.measured_from = kMilliSecond * 10;
    results.measured_to = kMilliSecond * 20;
    results.wall_s = 2;
    results.link_traversals = 1000;
    results.events = 3000;
  }

  FlowResult& add(HostId from, HostId to, unsigned dscp, Bytes measured) {
    FlowResult flow;
    flow.id = static_cast<std::uint32_t>(results.flows.size());
    flow.from = from;
    flow.to = to;
    flow.dscp = dscp;
    flow.delivered_measured = measured;
    flow.delivered_total = measured;
    results.flows.push_back(flow);
    return results.flows.back();
  }
  Metrics metrics() const { return compute_metrics(config, results); }
};

/// Test cases for which the C++ program and the Python tools must compute the same statistics
/// (tests/python/statistics_test.py).
nlohmann::json statistics_cases(const char* of) {
  std::ifstream file(DCC_STATISTICS_CASES);
  return nlohmann::json::parse(file).at(of);
}

TEST(Jain, KnownValues) {
  const nlohmann::json cases = statistics_cases("jain");
  ASSERT_GT(cases.size(), 5u);
  for (const auto& c : cases) {
    const auto index = jain_index(c["values"].get<std::vector<double>>());
    ASSERT_EQ(index.has_value(), !c["is"].is_null()) << c;
    if (index) {
      EXPECT_DOUBLE_EQ(*index, c["is"].get<double>()) << c;
    }
  }
}

TEST(Percentile, NearestRank) {
  const nlohmann::json cases = statistics_cases("percentile");
  ASSERT_GT(cases.size(), 5u);
  for (const auto& c : cases) {
    auto values = c["values"].get<std::vector<double>>();
    EXPECT_EQ(percentile(values, c["percent"].get<double>()), c["is"].get<double>()) << c;
  }
  std::vector<double> hundred(100);
  for (int i = 0; i < 100; ++i) hundred[static_cast<std::size_t>(i)] = 100 - i;
  EXPECT_EQ(percentile(hundred, 99), 99);
}

/// Percentile sorts long lists by radix sort. The order must equal that of a comparison sort.
TEST(Percentile, OfManyValuesIsThatOfTheSortedList) {
  std::vector<double> values = {0.0,   -0.0,   1e-320, -1e-320, 1e300, -1e300, 1.5, -1.5,
                                1e-12, -1e-12, 12.0,   12.0,    3e9,   -3e9,   0.1, 0.3};
  std::uint64_t state = 7;
  while (values.size() < 20'000) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto mantissa = static_cast<double>(static_cast<std::int64_t>(state) >> 20);
    values.push_back(std::ldexp(mantissa, static_cast<int>(state % 120) - 90));
  }
  for (const std::size_t size : {std::size_t{4095}, std::size_t{4096}, values.size()}) {
    std::vector<double> some(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(size));
    std::vector<double> sorted = some;
    std::sort(sorted.begin(), sorted.end());
    for (const double percent : {50.0, 0.0, 1.0, 99.9, 100.0}) {
      const auto rank = static_cast<std::size_t>(
          std::max(1.0, std::ceil(percent / 100 * static_cast<double>(size) - 1e-9)));
      std::vector<double> unsorted = some;
      EXPECT_EQ(percentile(unsorted, percent), sorted[rank - 1]) << size << " " << percent;
      EXPECT_EQ(unsorted, sorted) << size;
    }
  }
}

TEST(Deadlines, AreMissedByWhatComesLateOrNotAtAll) {
  Fixture f;
  EXPECT_FALSE(f.metrics().deadlines) << "no flow has one";
  const auto flow = [&](PicoSeconds deadline, std::optional<PicoSeconds> end) {
    FlowResult& added = f.add(1, 0, 10, 1000);
    added.start = kMilliSecond * 15;
    added.deadline = deadline;
    added.end_rx = end;
  };
  flow(kMilliSecond, kMilliSecond * 16);  // the flow completes exactly at its deadline
  // the flow misses its deadline by one picosecond
  flow(kMilliSecond, kMilliSecond * 16 + PicoSeconds(1));
  flow(kMilliSecond, std::nullopt);  // the flow never completes
  // A flow whose deadline is the end of the run has neither met nor missed it.
  flow(kMilliSecond * 5, std::nullopt);
  flow(kMilliSecond * 10, kMilliSecond * 19);  // the flow completes before its deadline
  f.add(1, 0, 10, 1000);                       // a flow without a deadline
  const Metrics m = f.metrics();
  ASSERT_TRUE(m.deadlines);
  EXPECT_EQ(m.deadlines->flows, 4u);
  EXPECT_EQ(m.deadlines->missed, 2u);
  EXPECT_DOUBLE_EQ(m.deadlines->miss_share, 0.5);
}

TEST(Shares, ByWeightWhenAllAreThereAllTheTime) {
  Fixture f;
  f.add(1, 0, 46, 3'000'000);
  f.add(2, 0, 46, 2'400'000);
  f.add(3, 0, 10, 1'000'000);
  f.add(4, 0, 10, 800'000);
  const Metrics m = f.metrics();
  ASSERT_EQ(m.classes.size(), 2u);
  const ClassMetrics& low = m.classes[0];
  const ClassMetrics& high = m.classes[1];
  EXPECT_EQ(low.dscp, 10u);
  EXPECT_EQ(high.flows, 2u);
  EXPECT_DOUBLE_EQ(high.goodput_gbps, 5'400'000 * 8 / 10e-3 / 1e9);
  EXPECT_DOUBLE_EQ(*high.share, 0.75);
  EXPECT_DOUBLE_EQ(*high.expected_share, 0.75);
  // Flow 0 is entitled to 3/8 of 7.2 MB, which is 2.7 MB, and got 3.0 MB.
  EXPECT_NEAR(*high.share_error_max, 3.0 / 2.7 - 1, 1e-12);
  EXPECT_NEAR(*low.share_error_max, 1.0 / 0.9 - 1, 1e-12);
  EXPECT_DOUBLE_EQ(m.goodput_gbps, 7'200'000 * 8 / 10e-3 / 1e9);
}

TEST(Shares, ActiveTimeCounts) {
  Fixture f;
  f.add(1, 0, 10, 2'000'000);  // a flow active in the whole measurement window
  // a flow active in the second half of the measurement window
  f.add(2, 0, 10, 1'000'000).start = kMilliSecond * 15;
  FlowResult& ended = f.add(3, 0, 46, 1'000'000);  // a flow active for 1 ms
  ended.end_rx = kMilliSecond * 11;
  ended.end = kMilliSecond * 12;
  ended.completed = true;
  f.add(4, 0, 46, 0).start = kMilliSecond * 25;  // a flow that starts after the measurement window
  FlowResult& before = f.add(5, 0, 46, 0);       // a flow that ends before the measurement window
  before.end_rx = kMilliSecond * 3;
  before.completed = true;
  const Metrics m = f.metrics();
  // The entitlement of a class is the sum of weight times active time: 10 + 5 for one class, 3 * 1
  // for the other class.
  EXPECT_DOUBLE_EQ(*m.classes[0].expected_share, 15.0 / 18);
  EXPECT_DOUBLE_EQ(*m.classes[1].expected_share, 3.0 / 18);
  EXPECT_EQ(m.classes[1].flows, 1u);
  EXPECT_DOUBLE_EQ(m.of_flow(f.results.flows[1]).goodput_gbps, 1'000'000 * 8 / 5e-3 / 1e9);
  EXPECT_EQ(m.of_flow(f.results.flows[2]).active, kMilliSecond);
  // Three flows were active in the measurement window. Flows outside the window do not change
  // Jain's index.
  EXPECT_NEAR(*m.jain, *jain_index({1.6, 1.6, 8.0}), 1e-12);
}

TEST(Shares, NoneWithMoreThanOneBottleneck) {
  Fixture f;
  f.add(1, 0, 46, 100);
  f.add(2, 3, 10, 100);
  const Metrics m = f.metrics();
  EXPECT_FALSE(m.classes[0].expected_share);
  EXPECT_FALSE(m.classes[0].share_error_max);
  EXPECT_DOUBLE_EQ(*m.classes[0].share, 0.5);
}

TEST(Shares, OneSenderIsABottleneckToo) {
  Fixture f;
  f.add(1, 0, 46, 100);
  f.add(1, 3, 10, 100);
  EXPECT_TRUE(has_single_bottleneck(f.results));
}

TEST(Shares, BackgroundIsLeftOut) {
  Fixture f;
  f.add(1, 0, 46, 100);
  FlowResult& background = f.add(2, 3, 10, 900);
  background.background = true;
  const Metrics m = f.metrics();
  ASSERT_EQ(m.classes.size(), 1u);
  EXPECT_DOUBLE_EQ(*m.classes[0].share, 1.0);
  EXPECT_DOUBLE_EQ(*m.jain, 1.0);
  EXPECT_DOUBLE_EQ(m.goodput_gbps, 100 * 8 / 10e-3 / 1e9);
}

TEST(Shares, NothingReceived) {
  Fixture f;
  f.add(1, 0, 46, 0);
  const Metrics m = f.metrics();
  EXPECT_FALSE(m.classes[0].share);
  EXPECT_FALSE(m.classes[0].share_error_max);
  EXPECT_FALSE(f.metrics().slowdown);
}

TEST(Tenants, CountOnceHoweverManyFlowsTheyOpen) {
  Fixture f;
  f.add(1, 0, 46, 600);
  for (int i = 0; i < 4; ++i) f.add(2, 0, 10, 100);
  // this flow begins while the other flows are active
  f.results.flows.back().start = kMilliSecond * 12;
  const Metrics m = f.metrics();
  ASSERT_EQ(m.tenants.size(), 2u);
  EXPECT_DOUBLE_EQ(*m.tenants[0].share, 0.6);
  EXPECT_DOUBLE_EQ(*m.tenants[0].expected_share, 0.75);
  EXPECT_DOUBLE_EQ(*m.tenants[1].expected_share, 0.25);
}

TEST(Slowdown, ByHand) {
  Fixture f;
  for (int i = 1; i <= 4; ++i) {
    FlowResult& flow = f.add(1, 0, 10, 1000);
    flow.bytes = i <= 2 ? 1'000 : 50'000;
    // The third flow begins before the measurement window.
    flow.start = i == 3 ? kMicroSecond * 9'999 : kMilliSecond * 10;
    flow.end_rx = flow.start + kMicroSecond * (10 * i - 2);
    flow.end = flow.start + kMicroSecond * 10 * i;
    flow.ideal = kMicroSecond * 10;
    if (i == 2 || i == 3) flow.ideal_rx = kMicroSecond * 4;
    flow.completed = i != 4;  // the last flow did not complete
  }
  const Metrics m = f.metrics();
  EXPECT_DOUBLE_EQ(*m.of_flow(f.results.flows[1]).slowdown, 2.0);
  EXPECT_EQ(*m.of_flow(f.results.flows[1]).fct, kMicroSecond * 20);
  EXPECT_EQ(*m.of_flow(f.results.flows[1]).fct_rx, kMicroSecond * 18);
  EXPECT_FALSE(m.of_flow(f.results.flows[3]).fct);
  ASSERT_EQ(m.slowdown_bins.size(), 2u);
  EXPECT_EQ(m.slowdown_bins[0].up_to, 1'000);
  EXPECT_EQ(m.slowdown_bins[0].flows, 2u);
  EXPECT_DOUBLE_EQ(m.slowdown_bins[0].mean, 1.5);
  EXPECT_DOUBLE_EQ(m.slowdown_bins[1].p99, 3.0);
  EXPECT_DOUBLE_EQ(m.slowdown->mean, 2.0);
  EXPECT_FALSE(m.of_flow(f.results.flows[0]).slowdown_received);
  EXPECT_DOUBLE_EQ(*m.of_flow(f.results.flows[1]).slowdown_received, 4.5);
  EXPECT_EQ(m.slowdown_received->flows, 1u);
  ASSERT_EQ(m.slowdown_received_bins.size(), 1u);
  EXPECT_DOUBLE_EQ(m.slowdown_received_bins[0].p50, 4.5);
}

TEST(Balances, HoldOrSaySo) {
  Fixture f;
  Balance& b = f.results.balance;
  b = {10, 7, 2, 1, 20, 11, 6, 3};
  EXPECT_TRUE(broken_balances(f.results).empty());
  b.packets_dropped = 1;
  b.events_pending = 4;
  const auto broken = broken_balances(f.results);
  ASSERT_EQ(broken.size(), 2u);
  EXPECT_EQ(broken[0], "packets do not add up: 10 sent, but 7 delivered + 1 dropped + 1 in flight");
  b = {};
  HostResult host;
  host.payload_errors = 3;
  host.completions_lost = 1;
  f.results.hosts.push_back(host);
  EXPECT_EQ(broken_balances(f.results).size(), 2u);
}

/// Adds one millisecond to the time series of two classes: the goodput of gold and of lead.
void sample(RunResults& results, PicoSeconds t, double gold, double lead) {
  for (const auto& [dscp, gbps] : {std::pair{10u, lead}, std::pair{46u, gold}}) {
    results.class_series.t.push_back(t);
    results.class_series.dscp.push_back(dscp);
    results.class_series.goodput_gbps.push_back(gbps);
  }
}

TEST(TenantWindows, TheWorstWindowCountsNotTheAverage) {
  Fixture f;
  f.config.measure.window = kMilliSecond * 2;
  f.config.measure.settle = PicoSeconds(0);
  f.config.output.series.interval = kMilliSecond;
  f.add(1, 0, 46, 1);
  f.add(2, 0, 10, 1);
  // The average share of the two classes is 3 : 1, but two consecutive milliseconds of ten are 1 :
  // 1 and two are 7 : 1.
  for (int i = 11; i <= 20; ++i) {
    const double lead = i == 13 || i == 14 ? 40 : i == 17 || i == 18 ? 10 : 20;
    sample(f.results, kMilliSecond * i, 80 - lead, lead);
  }
  const Metrics m = f.metrics();
  EXPECT_DOUBLE_EQ(*m.tenants[0].share_error_window, 1 - 0.5 / 0.75);
  EXPECT_DOUBLE_EQ(*m.tenants[1].share_error_window, 0.5 / 0.25 - 1);
}

TEST(TenantWindows, NotWhileTenantsComeAndGoNorBeforeTheyHaveSettled) {
  Fixture f;
  f.config.measure.window = kMilliSecond * 2;
  f.config.measure.settle = kMilliSecond * 2;
  f.config.output.series.interval = kMilliSecond;
  f.add(1, 0, 46, 1);
  f.add(2, 0, 10, 1).start = kMilliSecond * 14;
  // While gold sends alone, gold has all goodput. The first two milliseconds of lead have a wrong
  // share, but lie within the settling time `settle`.
  for (int i = 11; i <= 14; ++i) sample(f.results, kMilliSecond * i, 80, 0);
  for (int i = 15; i <= 16; ++i) sample(f.results, kMilliSecond * i, 20, 60);
  for (int i = 17; i <= 20; ++i) sample(f.results, kMilliSecond * i, 60, 20);
  Metrics m = f.metrics();
  EXPECT_DOUBLE_EQ(*m.tenants[0].share_error_window, 0);
  EXPECT_DOUBLE_EQ(*m.tenants[1].share_error_window, 0);
  f.config.measure.settle = kMilliSecond;
  m = f.metrics();
  // The measurement window covers only 16 to 18 ms, where the class's share is 40 of 80.
  EXPECT_DOUBLE_EQ(*m.tenants[1].share_error_window, 1);
  f.config.measure.window = kMilliSecond * 8;
  EXPECT_FALSE(f.metrics().tenants[1].share_error_window);
}

TEST(Json, TheClosedLoopIsThereWhenItRan) {
  Fixture f;
  f.add(1, 0, 46, 1'250'000);
  EXPECT_FALSE(metrics_json(f.results, f.metrics()).contains("qos"));
  f.results.qos = QosResult{4, 74, 60, 371, 50'000, {{"gold", 46, 1, 31.66, -0.5}}};
  const auto json = metrics_json(f.results, f.metrics());
  EXPECT_EQ(json["qos"]["manager"], 4);
  EXPECT_EQ(json["qos"]["messages"], 371);
  EXPECT_EQ(json["qos"]["tenants"][0]["factor"], 31.66);
}

TEST(Json, HasTheContractsNamesInOrder) {
  Fixture f;
  f.add(1, 0, 46, 1'250'000).bytes = 5;
  f.results.links.push_back(
      {"s0->h0", BitRate(1'000'000'000), 1'000'000, kMilliSecond * 9, kMicroSecond});
  f.results.queues.push_back({"s0->h0", 12.5, 3, 4, 5});
  f.results.hosts.push_back({});
  const auto json = metrics_json(f.results, f.metrics());
  std::vector<std::string> keys;
  for (const auto& item : json.items()) keys.push_back(item.key());
  EXPECT_EQ(keys, (std::vector<std::string>{"schema_version",
                                            "completed",
                                            "sim_time_s",
                                            "wall_s",
                                            "link_traversals",
                                            "speed",
                                            "measure",
                                            "aggregate",
                                            "classes",
                                            "tenants",
                                            "links",
                                            "queues",
                                            "buffers",
                                            "reordering",
                                            "deadlock",
                                            "slowdown",
                                            "reference_slowdown",
                                            "fct",
                                            "flow_count",
                                            "flows_begun",
                                            "flows_completed",
                                            "flows",
                                            "hosts",
                                            "balance",
                                            "diagnoses",
                                            "warnings",
                                            "failures"}));
  EXPECT_EQ(json["sim_time_s"].dump(), "0.02");
  EXPECT_EQ(json["speed"]["link_traversals_per_s"], 500.0);
  EXPECT_EQ(json["speed"]["events_per_s"], 1500.0);
  EXPECT_FALSE(json["speed"].contains("waiting_share"));
  EXPECT_EQ(json["links"][0]["utilisation"], 0.9);
  EXPECT_EQ(json["links"][0]["pause_s"], 1e-6);
  EXPECT_EQ(json["flows"][0]["goodput_gbps"], 1.0);
  EXPECT_TRUE(json["flows"][0]["end_s"].is_null());
  EXPECT_EQ(json["classes"][0]["weight"].dump(), "3");
  EXPECT_EQ(json["aggregate"]["rtt_us_mean"].dump(), "null");
}

TEST(Json, SeveralThreadsTellWhereTheirTimeWent) {
  Fixture f;
  f.results.wall_s = 2;
  f.results.threads = 2;
  f.results.time_spent = {1.0, 0.25, 0.5};
  const auto json = metrics_json(f.results, f.metrics());
  EXPECT_EQ(json["speed"]["waiting_share"], 0.125);
  EXPECT_EQ(json["speed"]["alone_share"], 0.25);
  EXPECT_EQ(json["speed"]["platform_share"], 0.25);
}

TEST(Json, DiagnosesHaveTheirFiguresAndWarningsTheirTexts) {
  Fixture f;
  EXPECT_EQ(metrics_json(f.results, f.metrics())["diagnoses"].dump(), "[]");
  f.results.diagnoses = {{"idle_link", "Link a idles", {{"link", "a"}, {"utilisation", 0.25}}},
                         {"deadlock", "None moves", {}}};
  const auto json = metrics_json(f.results, f.metrics());
  EXPECT_EQ(json["diagnoses"].dump(),
            "[{\"id\":\"idle_link\",\"text\":\"Link a idles\",\"figures\":{\"link\":\"a\","
            "\"utilisation\":0.25}},{\"id\":\"deadlock\",\"text\":\"None moves\",\"figures\":{}}]");
  EXPECT_EQ(json["warnings"].dump(), "[\"Link a idles\",\"None moves\"]");
}

TEST(Jain, ByWeightOfARunWhoseSharesFollowWeights) {
  Fixture f;
  f.add(1, 0, 46, 3'000'000);
  f.add(2, 0, 10, 1'000'000);
  const Metrics m = f.metrics();
  EXPECT_DOUBLE_EQ(*m.jain, 16.0 / 20);
  EXPECT_DOUBLE_EQ(*m.jain_weighted, 1);
  f.results.flows[1].delivered_measured = 3'000'000;
  EXPECT_DOUBLE_EQ(*f.metrics().jain, 1);
  EXPECT_DOUBLE_EQ(*f.metrics().jain_weighted, 16.0 / 20);
}

TEST(Json, AtMostTenThousandFlows) {
  Fixture f;
  for (int i = 0; i < 10'001; ++i) f.add(1, 0, 46, 1).begun = i < 10'000;
  f.results.flows.front().completed = true;
  const auto json = metrics_json(f.results, f.metrics());
  EXPECT_EQ(json["flows"].size(), 10'000u);
  EXPECT_EQ(json["flow_count"], 10'001);
  EXPECT_EQ(json["flows_begun"], 10'000);
  EXPECT_EQ(json["flows_completed"], 1);
}

TEST(Expectations, MetMissedUnknown) {
  Fixture f;
  f.add(1, 0, 46, 1'250'000);
  const auto json = metrics_json(f.results, f.metrics());
  const auto broken = [&](const char* yaml) {
    return broken_expectations(load_config_text(yaml, "t").config, json);
  };
  EXPECT_TRUE(broken("expect: [{metric: aggregate.goodput_gbps, min: 1, max: 1}]").empty());
  EXPECT_TRUE(broken("expect: [{metric: completed, min: 1}]").empty());
  EXPECT_TRUE(broken("expect: [{metric: classes.0.share, min: 0.99}]").empty());
  EXPECT_EQ(broken("expect: [{metric: aggregate.goodput_gbps, min: 1.1}]"),
            (std::vector<std::string>{"expectation: aggregate.goodput_gbps is 1, below 1.1"}));
  EXPECT_EQ(broken("expect: [{metric: aggregate.drops, max: -1}]").size(), 1u);
  EXPECT_EQ(broken("expect: [{metric: classes.1.share, min: 0}]"),
            (std::vector<std::string>{"expectation: metrics.json has no classes.1.share"}));
  EXPECT_EQ(broken("expect: [{metric: aggregate.rtt_us_mean, min: 0}]"),
            (std::vector<std::string>{"expectation: aggregate.rtt_us_mean is null, not a number"}));
  for (const char* const nowhere :
       {"aggregate.goodput_gbps.x", "aggregate", "'..'", "classes.x.share"}) {
    EXPECT_THROW(broken(("expect: [{metric: " + std::string(nowhere) + ", min: 0}]").c_str()),
                 ConfigError)
        << nowhere;
  }
}

TEST(Numbers, ExactSecondsShortNumbers) {
  EXPECT_EQ(seconds_text(kMilliSecond * 50), "0.05");
  EXPECT_EQ(seconds_text(PicoSeconds(1)), "0.000000000001");
  EXPECT_EQ(seconds_text(kSecond * 3), "3");
  EXPECT_EQ(seconds_text(PicoSeconds(-1'500'000'000'000)), "-1.5");
  EXPECT_EQ(number_text(0.1 + 0.2), "0.3");
  EXPECT_EQ(number_text(-0.0), "0");
  EXPECT_EQ(rounded(1.0 / 3), 0.333333333);
}

}  // namespace
}  // namespace dcc::vp
