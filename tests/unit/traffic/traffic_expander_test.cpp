// Tests the expansion of traffic entries to flows: contents, order, numbers, random draws, traces,
// errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>

#include "unit/traffic/traffic_specs.h"

namespace dcc::traffic_test {
namespace {

/// Resident memory of this process in bytes.
std::size_t memory_in_use() {
  std::ifstream statm("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  statm >> all >> resident;
  return resident * 4096;
}

TEST(TrafficExpander, DeadlinesAreOfEveryFlowAndWithinTime) {
  TrafficSpec s = to_one({1, 2}, 0);
  s.bytes = 1000;
  s.stagger = kMilliSecond;
  s.deadline = kMicroSecond * 300;
  const std::vector<FlowSpec> flows = expand_traffic({s}, context());
  ASSERT_EQ(flows.size(), 2u);
  for (const FlowSpec& one : flows) EXPECT_EQ(one.deadline, kMicroSecond * 300);
  s.start = PicoSeconds::max() - kMicroSecond * 300;
  s.stagger = PicoSeconds(0);
  EXPECT_NE(error_of(s).find("after the end of time"), std::string::npos);
  s.start = PicoSeconds(0);
  s.bytes.reset();
  EXPECT_NE(error_of(s).find("deadline: a flow without end"), std::string::npos) << error_of(s);
}

TEST(TrafficExpander, FlowsOfALargeAllToAllAreNotListed) {
  // A list of these 16 million flows would take 3 GB and several seconds.
  TrafficSpec s = among(TrafficPattern::kAllToAll, {});
  s.bytes = 1000;
  TrafficContext thousands = context();
  thousands.hosts = 4096;
  const std::vector<TrafficSpec> specs(3, s);
  const std::size_t before = memory_in_use();
  FlowStream stream(specs, thousands);
  FlowSpec flow;
  for (std::uint32_t i = 0; i < 3 * 5000; ++i) {
    ASSERT_TRUE(stream.next(flow));
    EXPECT_EQ(flow.id, i);
    // If entries start at the same time, all flows of one entry precede those of the next.
    EXPECT_EQ(flow.entry, 0);
    EXPECT_EQ(flow.from, i / 4095);
    EXPECT_EQ(flow.to, i % 4095 < i / 4095 ? i % 4095 : i % 4095 + 1);
  }
  EXPECT_LT(memory_in_use(), before + 10'000'000);
}

TEST(TrafficExpander, FlowCarriesEverythingThatWasSaid) {
  TrafficSpec s = flow(1, 0);
  s.dscp = 46;
  s.bytes = 10'000'000;
  s.message = 4096;
  s.start = kMilliSecond;
  s.stop = kMilliSecond * 6;
  s.initial_rate = BitRate(5);
  const auto flows = expand_traffic({s}, context());
  ASSERT_EQ(flows.size(), 1u);
  EXPECT_EQ(flows[0].id, 0u);
  EXPECT_EQ(flows[0].from, 1u);
  EXPECT_EQ(flows[0].to, 0u);
  EXPECT_EQ(flows[0].dscp, 46);
  EXPECT_EQ(flows[0].priority, 5);
  EXPECT_EQ(flows[0].bytes, 10'000'000);
  EXPECT_EQ(flows[0].message, 4096);
  EXPECT_EQ(flows[0].start, kMilliSecond);
  EXPECT_EQ(flows[0].stop, kMilliSecond * 6);
  EXPECT_EQ(flows[0].initial_rate, BitRate(5));
  EXPECT_FALSE(flows[0].background);
}

TEST(TrafficExpander, IncastStaggersStartAndStop) {
  TrafficSpec s = to_one({3, 1, 2}, 0);
  s.flows = 2;
  s.stop = kSecond * 5;
  s.stagger = kSecond;
  s.stop_stagger = kSecond * 2;
  const auto flows = expand_traffic({s}, context());
  ASSERT_EQ(flows.size(), 6u);
  const HostId senders[] = {3, 3, 1, 1, 2, 2};
  for (std::uint32_t i = 0; i < 6; ++i) {
    EXPECT_EQ(flows[i].id, i);
    EXPECT_EQ(flows[i].from, senders[i]);
    EXPECT_EQ(flows[i].start, kSecond * i);
    EXPECT_EQ(flows[i].stop, kSecond * (5 + 2 * i));
  }
}

TEST(TrafficExpander, FlowsAreNumberedByStartThenAsWritten) {
  TrafficSpec late = flow(1, 0);
  late.start = kMicroSecond;
  const TrafficSpec early = to_one({2, 3}, 0);
  const auto flows = expand_traffic({late, early}, context());
  ASSERT_EQ(flows.size(), 3u);
  EXPECT_EQ(flows[0].from, 2u);
  EXPECT_EQ(flows[1].from, 3u);
  EXPECT_EQ(flows[2].from, 1u);
  EXPECT_EQ(flows[2].id, 2u);
}

TEST(TrafficExpander, PoissonLoadsTheLinkAsAsked) {
  TrafficSpec s = among(TrafficPattern::kPoisson, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  s.sizes = "fbhadoop";
  s.flows_per_host = 20'000;
  const auto flows = expand_traffic({s}, context());
  ASSERT_EQ(flows.size(), 200'000u);
  long double bits = 0;
  std::vector<long double> last(10, 0);
  std::vector<int> to(10, 0);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    EXPECT_NE(flows[i].from, flows[i].to);
    if (i > 0) {
      EXPECT_LE(flows[i - 1].start, flows[i].start);
    }
    bits += 8.0L * static_cast<long double>(flows[i].bytes);
    last[flows[i].from] = static_cast<long double>(flows[i].start.count) * 1e-12L;
    ++to[flows[i].to];
  }
  long double seconds = 0;
  for (const long double t : last) seconds += t;
  // Sizes have a standard deviation of 5.5 times their mean and gaps of 1 time, so 200000 flows
  // give the load to 1.3 %.
  EXPECT_NEAR(static_cast<double>(bits / (seconds * 100e9L)), 0.7, 0.7 * 0.04);
  for (const int n : to) EXPECT_NEAR(n, 20'000, 600);
}

TEST(TrafficExpander, OneEntryDoesNotChangeAnothersDraws) {
  TrafficSpec a = among(TrafficPattern::kPoisson, {0, 1, 2});
  a.flows_per_host = 50;
  TrafficSpec b = a;
  b.hosts = {4, 5, 6};
  const auto alone = expand_traffic({a}, context());
  const auto both = expand_traffic({a, b}, context());
  std::vector<FlowSpec> first;
  for (const FlowSpec& flow : both) {
    if (flow.from < 3) first.push_back(flow);
  }
  ASSERT_EQ(first.size(), alone.size());
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(first[i].start, alone[i].start);
    EXPECT_EQ(first[i].bytes, alone[i].bytes);
    EXPECT_EQ(first[i].to, alone[i].to);
  }
  // Two equal entries draw different flows.
  const auto twice = expand_traffic({a, a}, context());
  for (std::size_t i = 1; i < twice.size(); ++i) {
    EXPECT_FALSE(twice[i].start == twice[i - 1].start && twice[i].from == twice[i - 1].from);
  }
  const auto other_seed = expand_traffic({a}, context(16, 2));
  EXPECT_NE(other_seed[0].start, alone[0].start);
}

TEST(TrafficExpander, DrawnFlowsAreTheSameOnEveryMachine) {
  // Compares with a recorded result. The arithmetic uses integers only, so the result is the same
  // with every compiler and processor.
  TrafficSpec s = among(TrafficPattern::kPoisson, {0, 1, 2, 3});
  s.flows_per_host = 100;
  std::uint64_t digest = 0;
  for (const FlowSpec& flow : expand_traffic({s}, context())) {
    digest = digest * 1'000'003u + static_cast<std::uint64_t>(flow.start.count);
    digest = digest * 1'000'003u + static_cast<std::uint64_t>(flow.bytes);
    digest = digest * 1'000'003u + flow.from * 4u + flow.to;
  }
  EXPECT_EQ(digest, 605217845292416183u);
}

TEST(TrafficExpander, AStreamIsAllEntriesByStartThenAsTheyAreWritten) {
  // Many flows start at the same time on purpose: an incast without stagger, a trace with equal
  // times, and a poisson entry between them. The stream must equal the separately expanded entries,
  // sorted.
  const std::string path = ::testing::TempDir() + "stream_trace";
  std::ofstream(path) << "4\n1 2 3 100 500 0.0\n2 1 4 100 700 0.0\n3 1 4 9 701 0.000005\n"
                         "4 1 4 9 702 0.000005\n";
  TrafficSpec trace;
  trace.pattern = TrafficPattern::kTrace;
  trace.file = path;
  TrafficSpec poisson = among(TrafficPattern::kPoisson, {0, 1, 2, 3, 4, 5});
  poisson.flows_per_host = 200;
  poisson.stop = kMilliSecond;
  TrafficSpec late = to_one({1, 2, 3}, 0);
  late.bytes = 1000;
  late.start = kMicroSecond * 5;
  TrafficSpec rounds = to_one({4, 5, 3}, 0, TrafficPattern::kPartitionAggregate);
  rounds.bytes = 2000;
  rounds.rounds = 4;
  rounds.period = kMicroSecond * 5;
  const std::vector<TrafficSpec> specs{late, trace, poisson, rounds};
  std::vector<FlowSpec> expected;
  for (std::size_t entry = 0; entry < specs.size(); ++entry) {
    // The random numbers of an entry depend on its position in the list.
    std::vector<TrafficSpec> none_but(specs.size(), flow(6, 7));
    none_but[entry] = specs[entry];
    for (const FlowSpec& f : expand_traffic(none_but, context())) {
      if (f.from != 6) expected.push_back(f);
    }
  }
  std::stable_sort(expected.begin(), expected.end(),
                   [](const FlowSpec& a, const FlowSpec& b) { return a.start < b.start; });
  const TrafficContext c = context();
  FlowStream stream(specs, c);
  FlowSpec f;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_TRUE(stream.next(f));
    EXPECT_EQ(f.id, i);
    EXPECT_EQ(f.start, expected[i].start);
    EXPECT_EQ(f.from, expected[i].from);
    EXPECT_EQ(f.to, expected[i].to);
    EXPECT_EQ(f.bytes, expected[i].bytes);
  }
  EXPECT_FALSE(stream.next(f));
}

TEST(TrafficExpander, ATraceOutOfOrderIsSorted) {
  const std::string path = ::testing::TempDir() + "disordered_trace";
  std::ofstream(path) << "4\n1 2 3 100 500 3\n2 1 4 100 700 1\n3 1 4 9 701 3\n4 1 4 9 702 2\n";
  TrafficSpec s;
  s.pattern = TrafficPattern::kTrace;
  s.file = path;
  std::vector<HostId> from;
  for (const FlowSpec& f : expand_traffic({s}, context())) from.push_back(f.from);
  EXPECT_EQ(from, (std::vector<HostId>{2, 4, 1, 3}));
}

TEST(TrafficExpander, TraceMapsPrioritiesAndShiftsTime) {
  const std::string path = ::testing::TempDir() + "expander_trace";
  std::ofstream(path) << "3\n1 2 3 100 500 2.000001\n2 1 4 100 700 2.000002\n3 1 4 9 700 2.5\n";
  TrafficSpec s;
  s.pattern = TrafficPattern::kTrace;
  s.file = path;
  s.time_offset = kSecond * 2;
  s.start = kMicroSecond;
  s.stop = kMilliSecond;
  s.dscp_map[3] = 46;
  s.dscp = 7;
  const auto flows = expand_traffic({s}, context());
  ASSERT_EQ(flows.size(), 2u);  // the third flow would start after the stop time
  EXPECT_EQ(flows[0].start, kMicroSecond * 2);
  EXPECT_EQ(flows[0].dscp, 46);
  EXPECT_EQ(flows[0].priority, 5);
  EXPECT_EQ(flows[1].start, kMicroSecond * 3);
  EXPECT_EQ(flows[1].dscp, 7);
  s.time_offset = kSecond * 3;
  EXPECT_EQ(error_of(s), path + ":2: the flow starts before the time offset");
  s.time_offset = PicoSeconds(0);
  s.stop.reset();
  std::ofstream(path) << "2\n1 2 3 100 500 2\n2 99 4 100 700 2\n";
  EXPECT_EQ(error_of(s), path + ":3: there is no host 99 (the topology has 16)");
  std::ofstream(path) << "1\n2 2 3 100 500 2\n";
  EXPECT_EQ(error_of(s), path + ":2: host 2 would send to itself");
  std::remove(path.c_str());
}

TEST(TrafficExpander, AnEmptyListStandsForAllButTheOtherEnd) {
  const auto ends = [](const TrafficSpec& s) {
    std::set<std::pair<HostId, HostId>> pairs;
    for (const FlowSpec& flow : expand_traffic({s}, context(4))) pairs.insert({flow.from, flow.to});
    return pairs;
  };
  using Pairs = std::set<std::pair<HostId, HostId>>;
  EXPECT_EQ(ends(to_one({}, 1)), (Pairs{{0, 1}, {2, 1}, {3, 1}}));
  TrafficSpec many;
  many.pattern = TrafficPattern::kOneToMany;
  many.sender = 2;
  EXPECT_EQ(ends(many), (Pairs{{2, 0}, {2, 1}, {2, 3}}));
  EXPECT_EQ(ends(among(TrafficPattern::kAllToAll, {})).size(), 12u);
  EXPECT_EQ(ends(among(TrafficPattern::kPermutation, {})).size(), 4u);
  TrafficSpec poisson = among(TrafficPattern::kPoisson, {});
  poisson.flows_per_host = 1000;
  EXPECT_EQ(ends(poisson).size(), 12u);
}

TEST(TrafficExpander, RefusesWhatCannotBe) {
  using P = TrafficPattern;
  EXPECT_EQ(error_of(flow(1, 1)), "traffic.0: from and to are the same host");
  EXPECT_EQ(error_of(flow(16, 1)), "traffic.0.from: there is no host 16: the topology has 0 to 15");
  EXPECT_EQ(error_of(to_one({1, 2, 1}, 0)),
            "traffic.0.senders: a host appears twice among the senders");
  EXPECT_EQ(error_of(to_one({1, 0}, 0)), "traffic.0.senders: the receiver is among the senders");
  EXPECT_EQ(error_of(among(P::kPermutation, {1})),
            "traffic.0.hosts: one host has nobody to send to");
  EXPECT_EQ(error_of(flow(1, 2, P::kBackground)), "traffic.0: background traffic needs a rate");
  EXPECT_EQ(error_of(to_one({1}, 2, P::kPartitionAggregate)),
            "traffic.0: partition_aggregate needs bytes, the size of an answer");
  TrafficSpec s;
  s.pattern = P::kTrace;
  EXPECT_EQ(error_of(s), "traffic.0: kind: trace needs a file");
  s = flow(1, 2);
  s.stop = s.start;
  EXPECT_EQ(error_of(s), "traffic.0.stop: stops before it starts");
  s = flow(1, 2);
  s.flows = 4'000'000'000u;
  EXPECT_EQ(error_of(s), "traffic.0: more than 50000000 flows");
  s = flow(1, 2);  // 9 000 000 s and 4 000 000 s are valid times, but their sum is not
  s.start = kSecond * 9'000'000;
  s.stagger = kSecond * 4'000'000;
  s.flows = 2;
  EXPECT_EQ(error_of(s), "traffic.0: starts or stops after the end of time, 106 days");
  s.stagger = kSecond;
  s.stop = kSecond * 9'100'000;
  s.stop_stagger = kSecond * 4'000'000;
  EXPECT_EQ(error_of(s), "traffic.0: starts or stops after the end of time, 106 days");
  s = to_one({1}, 2, P::kPartitionAggregate);
  s.bytes = 1;
  s.start = kSecond * 9'000'000;
  s.period = kSecond * 4'000'000;
  s.rounds = 2;
  EXPECT_EQ(error_of(s), "traffic.0: starts or stops after the end of time, 106 days");
  s = to_one({1, 2, 3}, 0);
  s.stop = kMicroSecond;
  s.stagger = kMicroSecond;
  EXPECT_EQ(error_of(s), "traffic.0: one of its flows stops before it starts");
  s = among(P::kPoisson, {1, 2});
  s.flows_per_host = 10;
  s.load = Ratio{0};
  EXPECT_EQ(error_of(s), "traffic.0: needs a load above 0");
  s.load = Ratio{7, 10};
  s.sizes = "/nowhere";
  EXPECT_NE(error_of(s).find("/nowhere: No such file"), std::string::npos);
}

}  // namespace
}  // namespace dcc::traffic_test
