// Tests the files that a trace writes, and the effect of trace window and selection.
#include "debug/tracing.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "small_platform.h"

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

class TracingTest : public ::testing::Test {
 protected:
  TracingTest() : folder_(fs::temp_directory_path() / ("tracing" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~TracingTest() override { fs::remove_all(folder_); }

  RunResults traced(const std::string& trace) {
    RunSetup setup;
    setup.traces.folder = folder_;
    return run(config_of(star("nic: {congestion_control: {algorithm: dcc}}\n"
                              "traffic: [{kind: incast, senders: 1..3, receiver: 0}]\n"
                              "output: {trace: {" +
                              trace + "}}\n")),
               setup);
  }
  std::string text(const std::string& name) const {
    std::ifstream in(folder_ / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  bool exists(const std::string& name) const { return fs::exists(folder_ / name); }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  fs::path folder_;
};

TEST_F(TracingTest, NothingThatIsNotAsked) {
  const RunResults r = traced("packets: []");
  EXPECT_TRUE(fs::is_empty(folder_));
  EXPECT_TRUE(r.lost_traces.empty());
}

TEST_F(TracingTest, TransactionsOfTheChosenHosts) {
  (void)traced("transactions: text, hosts: [2]");
  const std::string log = text("transactions.txt");
  EXPECT_TRUE(has(log, "host2.platform"));
  EXPECT_FALSE(has(log, "host1."));
  EXPECT_FALSE(exists("signals.vcd"));
}

TEST_F(TracingTest, SignalsOfSlotsLinesAndQueues) {
  (void)traced("signals: true, hosts: [0, 1]");
  const std::string vcd = text("signals.vcd");
  EXPECT_TRUE(has(vcd, "timer_lag"));
  EXPECT_TRUE(has(vcd, "queue_bytes"));
  EXPECT_TRUE(has(vcd, "host1"));
  EXPECT_FALSE(has(vcd, "host2"));
}

TEST_F(TracingTest, ATimelineIsWholeJson) {
  (void)traced("perfetto: true");
  const std::string json = text("trace.json");
  EXPECT_TRUE(nlohmann::json::accept(json));
  EXPECT_TRUE(has(json, "queue s0->h0 (bytes)"));
  EXPECT_TRUE(has(json, "rate of flow 0 (Gb/s)"));
}

// Traces that devices write when events happen require a single order of all events. Traces of
// samples do not.
TEST_F(TracingTest, WhoNeedsOneOrderOfEvents) {
  const auto needs = [](const std::string& algorithm, const std::string& trace) {
    return Tracing::needs_one_order(config_of(
        star("nic: {congestion_control: {algorithm: " + algorithm +
             "}}\ntraffic: [{kind: flow, from: 1, to: 0}]\noutput: {trace: {" + trace + "}}\n")));
  };
  EXPECT_FALSE(needs("dcc", "packets: [{name: all}]"));
  EXPECT_FALSE(needs("dcqcn", "perfetto: true, signals: true"));
  EXPECT_TRUE(needs("dcc", "perfetto: true")) << "a controller's slots";
  EXPECT_TRUE(needs("dcc", "signals: true"));
  EXPECT_TRUE(needs("dcc", "transactions: text"));
}

/// The timeline and the signals of a run on a tree as one text, which begins with the number of
/// threads.
std::string looked_at(unsigned threads, const fs::path& folder) {
  return in_a_process([&] {
    fs::create_directories(folder);
    RunSetup setup;
    setup.traces.folder = folder;
    setup.threads = threads;
    const RunResults r =
        run(config_of("topology: {kind: fat_tree, pods: 2, racks_per_pod: 2, aggs_per_pod: 2, "
                      "hosts_per_rack: 4, cores: 2, host_link: {rate: 100Gbps, delay: 1us}, "
                      "fabric_link: {rate: 100Gbps, delay: 1us}}\nhost: {driver: none}\n"
                      "duration: 60us\nnic: {congestion_control: {algorithm: dcqcn}}\n"
                      "traffic: [{kind: permutation, hosts: 0..15}]\n"
                      "output: {trace: {perfetto: true, signals: true}}\n"),
            setup);
    std::string text = std::to_string(r.threads) + "\n";
    for (const char* const name : {"trace.json", "signals.vcd"}) {
      std::ifstream in(folder / name);
      text.append(std::istreambuf_iterator<char>(in), {});
    }
    fs::remove_all(folder);
    return text;
  });
}

TEST_F(TracingTest, ThreadsLeaveTheSameTimelineAndSignals) {
  const std::string one = looked_at(1, folder_ / "one");
  const std::string two = looked_at(2, folder_ / "two");
  ASSERT_EQ(one.substr(0, 2), "1\n");
  ASSERT_EQ(two.substr(0, 2), "2\n");
  EXPECT_GT(one.size(), 20'000u);
  EXPECT_TRUE(one.substr(2) == two.substr(2));
}

TEST_F(TracingTest, ATraceOfCpusNeedsACpu) {
  RunSetup setup;
  setup.traces.cpu_file = (folder_ / "cpu.txt").string();
  EXPECT_THROW((void)run(config_of(star("traffic: [{kind: flow, from: 1, to: 0}]\n")), setup),
               std::runtime_error);
}

}  // namespace
}  // namespace dcc::vp
