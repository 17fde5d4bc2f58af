// Tests whole runs from a configuration to results: repeatability, with and without software.
#include "build/run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "measure/metrics.h"
#include "report/metrics_json.h"
#include "small_platform.h"

namespace dcc::vp {
namespace {

TEST(Run, LeavesResultsOfEveryKind) {
  const PlatformConfig config =
      config_of(star("nic: {congestion_control: {algorithm: dcc}}\ndscp: {46: {weight: 2}}\n"
                     "traffic: [{kind: incast, senders: 1..2, receiver: 0, dscp: 46},\n"
                     "          {kind: flow, from: 3, to: 0, bytes: 50KB}]\n"));
  const RunResults r = run(config);
  EXPECT_TRUE(r.completed);
  EXPECT_TRUE(r.failures.empty());
  EXPECT_EQ(r.flows.size(), 3u);
  EXPECT_EQ(r.links.size(), 8u);
  EXPECT_EQ(r.queues.size(), 4u);
  EXPECT_EQ(r.hosts.size(), 4u);
  EXPECT_GT(r.events, 1000u);
  EXPECT_EQ(r.threads, 1u);
  const auto json = metrics_json(r, compute_metrics(config, r));
  EXPECT_EQ(json["aggregate"]["drops"], 0);
  EXPECT_GT(json["aggregate"]["goodput_gbps"], 50.0);
  EXPECT_LE(json["aggregate"]["goodput_gbps"], 100.0);
  EXPECT_EQ(json["classes"].size(), 2u);
}

TEST(Run, ATrafficFileIsRefusedByItsLineBeforeTheFirstEvent) {
  const auto file =
      std::filesystem::temp_directory_path() / ("bad" + std::to_string(getpid()) + ".flow");
  std::ofstream(file) << "1\n1 0 3 100 not_a_number 0\n";
  const PlatformConfig config =
      config_of(star("traffic: [{kind: trace, file: " + file.string() + "}]\n"));
  try {
    (void)run(config);
    ADD_FAILURE() << "no number, no flow";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find(".flow:2"), std::string::npos) << error.what();
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace dcc::vp
