// Samples of a trace: in the window, at the interval, of traced hosts, and only what has changed.
#include "platform/trace_sampler.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <set>

#include "small_platform.h"

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

TEST(TraceSampler, ScopesAreNamesThatViewersTake) {
  EXPECT_EQ(scope_name("s0->h3"), "s0_h3");
  EXPECT_EQ(scope_name("rack.1->agg-2#1"), "rack_1_agg_2_1");
}

/// The times of a value change dump, in its units, in the order of the file.
std::vector<long> times_of(const std::string& trace, std::string* dump = nullptr) {
  const fs::path folder = fs::temp_directory_path() / ("sampler" + std::to_string(getpid()));
  fs::create_directories(folder);
  RunSetup setup;
  setup.traces.folder = folder;
  (void)run(config_of(star("nic: {congestion_control: {algorithm: none}}\n"
                           "traffic: [{kind: incast, senders: 1..3, receiver: 0}]\n"
                           "output: {trace: {signals: true, " +
                           trace + "}}\n")),
            setup);
  std::ifstream in(folder / "signals.vcd");
  std::vector<long> times;
  for (std::string line; std::getline(in, line);) {
    if (line[0] == '#') times.push_back(std::stol(line.substr(1)));
    if (dump != nullptr) *dump += line + '\n';
  }
  fs::remove_all(folder);
  return times;
}

TEST(TraceSampler, KeepsToTheWindowAndTheInterval) {
  std::string dump;
  const std::vector<long> times = times_of("from: 20us, to: 50us, interval: 10us", &dump);
  ASSERT_GE(times.size(), 4u) << dump;
  const long unit = times.back() / 50;  // of a microsecond
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

}  // namespace
}  // namespace dcc::vp
