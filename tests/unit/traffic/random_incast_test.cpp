// Tests incasts with a random receiver, alone and beside Poisson arrivals, and traffic until the
// end of the run.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "unit/traffic/traffic_specs.h"

namespace dcc::traffic_test {
namespace {

TrafficContext until(PicoSeconds end) {
  TrafficContext c = context(16);
  c.end = end;
  return c;
}

TrafficSpec random_incast() {
  TrafficSpec s;
  s.pattern = TrafficPattern::kIncast;
  s.receiver.reset();
  s.incast_load = Ratio{1, 10};
  s.fan_in = 5;
  s.bytes = 10'000;
  return s;
}

TEST(RandomIncast, DrawsDistinctSendersAndAnotherReceiver) {
  TrafficSpec s = random_incast();
  s.dscp = 46;
  const auto flows = expand_traffic({s}, until(kMilliSecond * 20));
  std::map<PicoSeconds, std::set<HostId>> senders;
  std::map<PicoSeconds, HostId> receivers;
  std::map<HostId, int> received;
  for (const FlowSpec& flow : flows) {
    EXPECT_NE(flow.from, flow.to);
    EXPECT_EQ(flow.bytes, 10'000);
    EXPECT_EQ(flow.priority, 5);
    EXPECT_TRUE(flow.of_incast);
    EXPECT_TRUE(senders[flow.start].insert(flow.from).second) << "twice in one incast";
    EXPECT_EQ(receivers.emplace(flow.start, flow.to).first->second, flow.to);
    ++received[flow.to];
  }
  for (const auto& one : senders) EXPECT_EQ(one.second.size(), 5u);
  // At a load of 0.1, 16 links of 100 Gb/s carry 400 MB in 20 ms. These are 8000 incasts of 50 kB,
  // with a standard deviation of sqrt(8000), or 1.1 %.
  EXPECT_NEAR(static_cast<double>(senders.size()), 8000, 8000 * 0.045);
  ASSERT_EQ(received.size(), 16u);
  for (const auto& [host, count] : received) EXPECT_NEAR(count / 5, 500, 100) << host;
}

TEST(RandomIncast, FromAllHostsUnlessAFanInIsGiven) {
  TrafficSpec s = random_incast();
  s.fan_in.reset();
  s.receivers = {3};
  const auto flows = expand_traffic({s}, until(kMilliSecond));
  ASSERT_GT(flows.size(), 15u);
  EXPECT_EQ(flows.size() % 15, 0u);
  for (const FlowSpec& flow : flows) EXPECT_EQ(flow.to, 3u);
}

TEST(RandomIncast, BesidePoissonArrivalsInOneEntry) {
  TrafficSpec alone = among(TrafficPattern::kPoisson, {});
  alone.sizes = "fbhadoop";
  TrafficSpec both = alone;
  both.incast_load = Ratio{1, 50};
  both.fan_in = 8;
  both.incast_bytes = 20'000;
  const auto background = expand_traffic({alone}, until(kMilliSecond * 2));
  std::vector<FlowSpec> left;
  std::size_t incast = 0;
  for (const FlowSpec& flow : expand_traffic({both}, until(kMilliSecond * 2))) {
    if (flow.of_incast) {
      ++incast;
      EXPECT_EQ(flow.bytes, 20'000);
    } else {
      left.push_back(flow);
    }
  }
  EXPECT_GT(incast, 0u);
  EXPECT_EQ(incast % 8, 0u);
  ASSERT_EQ(left.size(), background.size()) << "an incast changes no other draw";
  for (std::size_t i = 0; i < left.size(); ++i) EXPECT_EQ(left[i].start, background[i].start);
}

TEST(RandomIncast, RefusesWhatItCannotDraw) {
  TrafficSpec s = random_incast();
  EXPECT_NE(error_of(s).find("the traffic has no end"), std::string::npos) << error_of(s);
  s.stop = kMilliSecond;
  EXPECT_EQ(error_of(s), "");
  s.fan_in = 16;
  EXPECT_NE(error_of(s).find("at most 15 senders"), std::string::npos) << error_of(s);
  s.fan_in = 15;
  EXPECT_EQ(error_of(s), "");
  s.bytes.reset();
  EXPECT_NE(error_of(s).find("need bytes"), std::string::npos) << error_of(s);
  s = random_incast();
  s.stop = kMilliSecond;
  s.incast_load.reset();
  EXPECT_NE(error_of(s).find("need a load"), std::string::npos) << error_of(s);
}

TEST(TrafficToTheEnd, PoissonArrivalsGoOn) {
  TrafficSpec s = among(TrafficPattern::kPoisson, {0, 1, 2, 3});
  s.sizes = "fbhadoop";
  const auto flows = expand_traffic({s}, until(kMilliSecond * 3));
  ASSERT_GT(flows.size(), 10u);
  EXPECT_LT(flows.back().start, kMilliSecond * 3);
  EXPECT_GT(flows.back().start, kMilliSecond * 2);
  TrafficSpec counted = s;
  counted.flows_per_host = 1'000'000;
  counted.stop = kMilliSecond * 3;
  EXPECT_EQ(expand_traffic({counted}, context()).size(), flows.size());
  EXPECT_NE(error_of(s).find("flows_per_host: is needed"), std::string::npos) << error_of(s);
}

TEST(TrafficToTheEnd, QueriesGoOn) {
  TrafficSpec s = to_one({1, 2}, 0, TrafficPattern::kPartitionAggregate);
  s.bytes = 1000;
  s.period = kMicroSecond * 100;
  s.start = kMicroSecond * 50;
  const auto queries = [&](PicoSeconds end) { return expand_traffic({s}, until(end)).size() / 2; };
  EXPECT_EQ(queries(kMilliSecond * 2), 20u);   // queries start at 50, 150, … 1950 us
  EXPECT_EQ(queries(kMicroSecond * 150), 1u);  // no query starts at the end of the run
  EXPECT_EQ(queries(kMicroSecond * 151), 2u);
  EXPECT_EQ(queries(kMicroSecond * 20), 0u);
  s.rounds = 3;
  EXPECT_EQ(queries(kMilliSecond * 2), 3u);
  EXPECT_EQ(error_of(s), "");
  s.rounds.reset();
  EXPECT_NE(error_of(s).find("rounds: is needed"), std::string::npos) << error_of(s);
}

}  // namespace
}  // namespace dcc::traffic_test
