// Tests the samples in a trace: inside the trace window, at the trace interval, of traced hosts,
// and only of changed values.
#include "debug/trace_sampler.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "small_platform.h"

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

TEST(TraceSampler, ScopesAreNamesThatViewersTake) {
  EXPECT_EQ(scope_name("s0->h3"), "s0_h3");
  EXPECT_EQ(scope_name("rack.1->agg-2#1"), "rack_1_agg_2_1");
}

/// A temporary folder for the traces of a run.
struct Traced {
  explicit Traced(const std::string& yaml) {
    fs::create_directories(folder);
    RunSetup setup;
    setup.traces.folder = folder;
    (void)run(config_of(yaml), setup);
  }
  ~Traced() { fs::remove_all(folder); }
  std::string text(const char* file) const {
    std::ifstream in(folder / file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder = fs::temp_directory_path() / ("sampler" + std::to_string(getpid()));
};

/// The times in a value change dump (VCD file), in the dump's time unit and in the order of the
/// file.
std::vector<long> times_of(const std::string& trace, std::string* dump) {
  const Traced traced(
      star("nic: {congestion_control: {algorithm: none}}\n"
           "traffic: [{kind: incast, senders: 1..3, receiver: 0}]\n"
           "output: {trace: {signals: true, " +
           trace + "}}\n"));
  *dump = traced.text("signals.vcd");
  std::istringstream in(*dump);
  std::vector<long> times;
  for (std::string line; std::getline(in, line);) {
    if (line[0] == '#') times.push_back(std::stol(line.substr(1)));
  }
  return times;
}

TEST(TraceSampler, KeepsToTheWindowAndTheInterval) {
  std::string dump;
  const std::vector<long> times = times_of("from: 20us, to: 50us, interval: 10us", &dump);
  ASSERT_GE(times.size(), 4u) << dump;
  const long unit = times.back() / 50;  // number of the dump's time units per microsecond
  std::set<long> sampled;
  for (const long t : times) {
    if (t == 0) continue;
    sampled.insert(t / unit);
  }
  EXPECT_EQ(sampled, (std::set<long>{20, 30, 40, 50}))
      << "the growing queue changes at every sample";
}

TEST(TraceSampler, OnlyQueuesThatFeedATracedHost) {
  std::string dump;
  (void)times_of("hosts: [0]", &dump);
  EXPECT_NE(dump.find("s0_h0"), std::string::npos);
  EXPECT_EQ(dump.find("s0_h1"), std::string::npos);
}

TEST(TraceSampler, AQueueAndARateThatStayAreToldOnce) {
  // One sender sends at link rate, and host 3 receives nothing.
  const std::string timeline = Traced(star("nic: {congestion_control: {algorithm: none}}\n"
                                           "traffic: [{kind: flow, from: 1, to: 0}]\n"
                                           "output: {trace: {perfetto: true, interval: 10us}}\n"))
                                   .text("trace.json");
  const auto times_told = [&](const std::string& counter) {
    int times = 0;
    for (std::size_t at = 0; (at = timeline.find(counter, at)) != std::string::npos; ++at) ++times;
    return times;
  };
  EXPECT_EQ(times_told("queue s0->h3 (bytes)"), 1);
  EXPECT_EQ(times_told("rate of flow 0 (Gb/s)"), 1);
}

}  // namespace
}  // namespace dcc::vp
