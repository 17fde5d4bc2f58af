#include <gtest/gtest.h>

#include <fstream>

#include "reproduce/small_flows.h"

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

class SmallFlows : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "dccvp-small-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }
  nlohmann::json of(const std::string& csv) {
    std::ofstream(folder_ / "flows.csv") << csv;
    nlohmann::json metrics = {{"kept", 1}};
    add_small_flows(metrics, folder_);
    EXPECT_EQ(metrics["kept"], 1);
    return metrics;
  }
  fs::path folder_;
};

TEST_F(SmallFlows, CompletedFlowsUpTo10KB) {
  std::string csv = "id,bytes,fct_s,completed\n";
  for (int i = 1; i <= 100; ++i) {
    csv +=
        std::to_string(i) + "," + std::to_string(100 * i) + "," + std::to_string(i) + "e-6,true\n";
  }
  csv += "101,10001,5,true\n";  // too large
  csv += "102,10,,false\n";     // unfinished
  csv += "103,,3e-6,false\n";   // unlimited
  const nlohmann::json small = of(csv).at("small_flows");
  EXPECT_EQ(small.at("flows"), 100);
  EXPECT_DOUBLE_EQ(small.at("fct_us_p50"), 50);
  EXPECT_DOUBLE_EQ(small.at("fct_us_p99"), 99);
}

TEST_F(SmallFlows, NothingWithoutSuchFlows) {
  EXPECT_FALSE(of("id,bytes,fct_s\n1,20000,1\n").contains("small_flows"));
  EXPECT_FALSE(of("id,bytes\n1,20\n").contains("small_flows"));
  EXPECT_FALSE(of("").contains("small_flows"));
  fs::remove(folder_ / "flows.csv");
  nlohmann::json metrics;
  add_small_flows(metrics, folder_);
  EXPECT_FALSE(metrics.contains("small_flows"));
}

}  // namespace
}  // namespace dcc::vp
