// Tests names in `after` of traffic entries and of trace lines: which flows wait for which, and
// what is refused.
#include "traffic/dependencies.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "unit/traffic/traffic_specs.h"

namespace dcc {
namespace {

using traffic_test::context;

class DependenciesTest : public testing::Test {
 protected:
  ~DependenciesTest() override { std::filesystem::remove(path_); }

  static TrafficSpec named(const std::string& id, HostId from, HostId to) {
    TrafficSpec s = traffic_test::flow(from, to);
    s.id = id;
    s.bytes = 1000;
    return s;
  }
  static TrafficSpec waiting(TrafficSpec s, std::vector<std::string> names) {
    s.after.flows = std::move(names);
    return s;
  }
  TrafficSpec trace(const std::string& text, const std::string& id = "t") {
    std::ofstream(path_) << text;
    TrafficSpec s;
    s.pattern = TrafficPattern::kTrace;
    s.file = path_;
    s.id = id;
    return s;
  }
  Dependencies resolve(const std::vector<TrafficSpec>& specs) {
    const TrafficContext c = context();
    flows_ = expand_traffic(specs, c);
    return resolve_dependencies(specs, c, flows_);
  }
  std::string error(const std::vector<TrafficSpec>& specs) {
    try {
      resolve(specs);
    } catch (const TrafficError& refused) {
      const std::string text = refused.what();
      const std::size_t at = text.find(path_);
      return at == 0 ? text.substr(path_.size()) : text;
    }
    return "";
  }

  const std::string path_ =
      std::filesystem::temp_directory_path() / ("dependencies" + std::to_string(getpid()));
  std::vector<FlowSpec> flows_;
};

TEST_F(DependenciesTest, AGateForEachHostThatBegins) {
  TrafficSpec to_all = traffic_test::to_one({1, 2, 3}, 0);
  to_all.bytes = 10;
  const Dependencies d = resolve({named("a", 0, 1), named("b", 1, 2), waiting(to_all, {"a", "b"})});
  // Both entries share one gate, which opens a gate at each of three senders.
  ASSERT_EQ(d.gates.size(), 4u);
  EXPECT_EQ(d.received.size(), 2u);
  EXPECT_EQ(d.joined.size(), 3u);
  for (const FlowSpec& flow : flows_) {
    EXPECT_EQ(flow.is_gated(), flow.entry == 2);
    if (flow.is_gated()) {
      EXPECT_EQ(d.gates[flow.waits_at - d.first].host, flow.from);
    }
  }
  EXPECT_EQ(d.crossing, "traffic.2: host 2 waits for what ends at host 1");
}

TEST_F(DependenciesTest, AHostWaitsForItsOwn) {
  TrafficSpec ring = traffic_test::among(TrafficPattern::kCollective, {0, 1, 2});
  ring.bytes = 3000;
  ring.rounds = 1;
  ring.id = "ring";
  TrafficSpec compute = traffic_test::among(TrafficPattern::kCompute, {2, 0});
  compute.after.scope = WaitScope::kHost;
  const Dependencies d = resolve({ring, waiting(compute, {"ring"})});
  ASSERT_EQ(d.gates.size(), 2u);
  EXPECT_EQ(d.gates[0].awaited, 4u) << "each host gets four messages";
  EXPECT_EQ(d.crossing, "");
  EXPECT_GT(d.first, 0u) << "the ring has gates of its own";
  ASSERT_EQ(d.computations.size(), 2u);
  EXPECT_EQ(d.computations[1].host, 0u);

  compute.hosts = {7};
  EXPECT_EQ(
      error({ring, waiting(compute, {"ring"})}),
      "traffic.1.after.scope: host: host 7 begins something here and nothing that it waits for "
      "ends there");
}

// A line that waits for an entry of 300 flows adds no more edges than a line that waits for another
// line.
TEST_F(DependenciesTest, LinesShareTheGateOfAnEntryThatTheyAwait) {
  TrafficSpec many = named("b", 0, 1);
  many.flows = 300;
  std::string lines;
  for (int i = 0; i < 100; ++i) {
    lines += i % 4 < 2 ? "1 2 0 100 10 0 after=b" : "compute 1 1us after=b";
    lines += i % 2 == 0 ? "\n" : ":sent need=any\n";
  }
  const Dependencies d = resolve({trace("100\n" + lines), many});
  EXPECT_EQ(d.gates.size(), 102u);
  EXPECT_EQ(d.received.size(), 300u);
  EXPECT_EQ(d.sent.size(), 300u);
  EXPECT_EQ(d.joined.size(), 100u);
  EXPECT_TRUE(d.takes_part[0] && d.takes_part[1]);
  EXPECT_NE(d.crossing.find(": host 1 waits for what ends at host 0"), std::string::npos)
      << "b is sent at host 0";
}
TEST_F(DependenciesTest, ASharedGateIsWhereItsEntryEnds) {
  TrafficSpec two = named("b", 0, 1);
  two.flows = 2;
  EXPECT_EQ(resolve({trace("1\n1 2 0 100 10 0 after=b\n"), two}).crossing, "");
  const TrafficSpec apart = traffic_test::among(TrafficPattern::kAllToAll, {1, 2});
  TrafficSpec both = apart;
  both.bytes = 10;
  both.id = "b";
  EXPECT_NE(resolve({trace("1\n1 2 0 100 10 0 after=b\n"), both})
                .crossing.find("host 1 waits for "
                               "what ends at host 2"),
            std::string::npos);
}

TEST_F(DependenciesTest, ALineWithNamesOfItsOwnWaitsForWhatItsEntryAwaits) {
  const Dependencies d = resolve({waiting(trace("2\n0 1 0 100 10 3us after=b,k need=any delay=2us\n"
                                                "compute 0 1us id=k\n"),
                                          {"c"}),
                                  named("b", 3, 0), named("c", 4, 0)});
  // The line has three gates: for the named flows, for its start, and for both. The entry has one
  // gate.
  ASSERT_EQ(d.gates.size(), 4u);
  EXPECT_EQ(d.joined.size(), 3u);
  const FlowSpec* line = nullptr;
  for (const FlowSpec& flow : flows_) {
    if (flow.entry == 0) line = &flow;
  }
  ASSERT_NE(line, nullptr);
  const Dependencies::Gate& both = d.gates[line->waits_at - d.first];
  EXPECT_FALSE(both.any);
  EXPECT_EQ(both.awaited, 2u);
  EXPECT_EQ(both.delay, PicoSeconds(0));
}

TEST_F(DependenciesTest, AnEntryWithoutFlowsIsNothingToWaitFor) {
  TrafficSpec rare = traffic_test::among(TrafficPattern::kPoisson, {0, 1});
  rare.id = "a";
  rare.load = {1, 1000};
  TrafficContext late = context();
  late.end = kMicroSecond;
  flows_ = expand_traffic({rare}, late);
  ASSERT_TRUE(flows_.empty()) << "they would begin later";
  try {
    resolve_dependencies({rare, waiting(named("b", 1, 2), {"a"})}, late, flows_);
    FAIL();
  } catch (const TrafficError& error) {
    EXPECT_EQ(std::string(error.what()),
              "traffic.1.after.flows: waits for flows of traffic.0, which has none before the end "
              "of the run: a longer duration, or more load");
  }
}

TEST_F(DependenciesTest, UnknownNamesAndNamesTakenTwiceAreRefused) {
  EXPECT_EQ(error({named("grads", 0, 1), waiting(named("b", 1, 2), {"grad"})}),
            "traffic.1.after.flows: no entry has the id 'grad'; did you mean 'grads'?");
  EXPECT_EQ(error({named("a", 0, 1), named("a", 1, 2), waiting(named("b", 1, 2), {"a"})}),
            "traffic.1.id: 'a' is the name of traffic.0");
  EXPECT_EQ(error({named("a", 0, 1), named("a", 1, 2)}),
            "traffic.1.id: 'a' is the name of traffic.0")
      << "also where nobody waits";
  EXPECT_EQ(error({named("a", 0, 1), waiting(named("b", 1, 2), {"a:gone"})}),
            "traffic.1.after.flows: 'a:gone' ends neither in :sent nor in :received");
  EXPECT_EQ(error({trace("1\n0 1 0 100 10 0 id=x\n"), waiting(named("b", 1, 2), {"t.y"})}),
            "traffic.1.after.flows: 't' has no line with id=y");
  EXPECT_EQ(error({trace("2\n0 1 0 100 10 0 id=xx\n1 2 0 100 10 0 after=xy\n")}),
            ":3: no line and no entry has the name 'xy'; did you mean 'xx'?");
  EXPECT_EQ(error({trace("2\n0 1 0 100 10 0 id=x\n1 2 0 100 10 0 id=x\n")}),
            ":3: 'x' is the name of line 2");
  EXPECT_EQ(error({trace("1\ncompute 16 1us\n")}), ":2: there is no host 16 (the topology has 16)");
}

TEST_F(DependenciesTest, CirclesAreRefused) {
  EXPECT_EQ(error({waiting(named("a", 0, 1), {"a"})}),
            "traffic.0.after.flows: waits for traffic.0 itself");
  EXPECT_EQ(error({waiting(named("a", 0, 1), {"b"}), waiting(named("b", 1, 0), {"a"})}),
            "traffic.0.after.flows: waits for traffic.1, which waits for traffic.0: a circle");
  EXPECT_EQ(error({trace("3\n0 1 0 100 10 0 id=x after=z\n1 2 0 100 10 0 id=y after=x\n"
                         "compute 2 1us id=z after=y\n")})
                .substr(0, 12),
            ":2: waits fo");
  // One of two flows suffices, and the first flow begins without waiting.
  TrafficSpec any = waiting(named("a", 0, 1), {"b", "c"});
  any.after.need = WaitNeed::kAny;
  EXPECT_EQ(error({any, waiting(named("b", 1, 0), {"a"}), named("c", 2, 0)}), "");
}

TEST_F(DependenciesTest, WhatHasNoKnownEndIsRefused) {
  TrafficSpec endless = named("a", 0, 1);
  endless.bytes.reset();
  EXPECT_EQ(error({endless, waiting(named("b", 1, 2), {"a"})}),
            "traffic.1.after.flows: waits for flows of traffic.0, which have no end: give them "
            "bytes");
  TrafficSpec datagrams = named("a", 0, 1);
  datagrams.service = Service::kUd;
  datagrams.operation = Operation::kSend;
  EXPECT_EQ(error({datagrams, waiting(named("b", 1, 2), {"a"})}),
            "traffic.1.after.flows: waits for flows of traffic.0, which nobody repeats: service: "
            "rc");
  TrafficSpec stopped = waiting(named("b", 1, 2), {"a"});
  stopped.stop = kMicroSecond;
  EXPECT_EQ(error({named("a", 0, 1), stopped}),
            "traffic.1.stop: when a flow that waits begins is not known before: give it bytes");
}

TEST_F(DependenciesTest, WhatCountsFromNothingIsRefused) {
  const std::string why = ": there is nothing that this counts from: name it in flows";
  TrafficSpec s = named("a", 0, 1);
  s.after.delay = kMicroSecond;
  EXPECT_EQ(error({s}), "traffic.0.after.delay" + why);
  s.after = {};
  s.after.event = WaitEvent::kSent;
  EXPECT_EQ(error({s}), "traffic.0.after.event" + why);
  s.after = {};
  s.after.need = WaitNeed::kAny;
  EXPECT_EQ(error({s}), "traffic.0.after.need" + why);
  s.after = {};
  s.after.scope = WaitScope::kHost;
  EXPECT_EQ(error({s}), "traffic.0.after.scope" + why);
}

TEST_F(DependenciesTest, LinesWaitForLinesAndForEntries) {
  const Dependencies d =
      resolve({trace("4\n0 1 3 100 10 0 id=x\ncompute 1 2us processor=1 id=k after=x\n"
                     "1 2 0 100 10 1us after=k,x:sent,b need=any delay=3us\n2 3 0 100 10 0\n"),
               named("b", 3, 1)});
  ASSERT_EQ(d.gates.size(), 2u);
  EXPECT_EQ(d.gates[0].host, 1u);
  EXPECT_TRUE(d.gates[1].any);
  EXPECT_EQ(d.gates[1].delay, kMicroSecond * 3);
  EXPECT_EQ(d.gates[1].not_before, kMicroSecond);
  EXPECT_EQ(d.gates[1].awaited, 3u);
  ASSERT_EQ(d.computations.size(), 1u);
  EXPECT_EQ(d.computations[0].time, kMicroSecond * 2);
  EXPECT_EQ(d.computations[0].processor, 1u);
  EXPECT_EQ(d.sent.size(), 1u);
  EXPECT_NE(d.crossing.find(": host 1 waits for what ends at host 0"), std::string::npos)
      << "x is sent at host 0";
}

TEST_F(DependenciesTest, OptionsOfLinesAreChecked) {
  const auto refused = [&](const std::string& rest) {
    return error({trace("1\n0 1 0 100 10 0 " + rest + "\n")});
  };
  EXPECT_EQ(refused("id=a id=b"), ":2: id is there twice");
  EXPECT_EQ(refused("id=a/b"), ":2: a name has 1 to 64 letters, digits, _ and -, not 'a/b'");
  EXPECT_EQ(refused("delay=1us"), ":2: delay= without after=");
  EXPECT_EQ(refused("after="), ":2: after= without a name");
  EXPECT_EQ(refused("after=a,,b"),
            ":2: a name has 1 to 64 letters, digits, _ and -, but the line "
            "ends");
  EXPECT_EQ(refused("after=a need=some"), ":2: expected need=all or any, not 'some'");
  EXPECT_EQ(refused("after=a:x"), ":2: expected NAME:sent or NAME:received, not 'a:x'");
  EXPECT_EQ(refused("after=a delay=soon"), ":2: expected delay=TIME, 0 … 10^6 s, not 'soon'");
  EXPECT_EQ(refused("priority=3"),
            ":2: expected id=, after=, event=, need= or delay= behind the sixth field, not "
            "'priority=3'");
  EXPECT_EQ(error({trace("1\ncompute 1\n")}),
            ":2: expected the time, 0 … 10^6 s, after the host, but the line ends");
  EXPECT_EQ(error({trace("1\ncompute 1 1us processor=300\n")}),
            ":2: expected processor=0 … 255, not '300'");
}

}  // namespace
}  // namespace dcc
