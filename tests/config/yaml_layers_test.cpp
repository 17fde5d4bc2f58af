// Configurations that extend other files: precedence of values, origin of values, refused
// combinations.
#include "config/yaml_layers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "config/yaml_reader.h"

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

class YamlLayers : public ::testing::Test {
 protected:
  YamlLayers()
      : folder_(fs::path(::testing::TempDir()) / ("yaml_layers." + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "parts");
  }
  ~YamlLayers() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  LoadedConfig load(const std::string& name, const std::vector<std::string>& overrides = {}) {
    return load_config(folder_ / name, overrides);
  }
  /// The error message of the reader without the path of the test's folder.
  std::string complaint(const std::string& name) {
    try {
      load(name);
    } catch (const ConfigError& e) {
      std::string text = e.what();
      const std::string prefix = folder_.string() + "/";
      for (std::size_t at = 0; (at = text.find(prefix)) != std::string::npos;) {
        text.erase(at, prefix.size());
      }
      return text;
    }
    return "accepted";
  }

  fs::path folder_;
};

TEST_F(YamlLayers, MapsMergeTheRestIsReplacedAndPlacesTellTheFile) {
  const std::string base = write("base.yaml",
                                 "duration: 5ms\n"
                                 "switch: {ecn: {kmin: 10KB, kmax: 300KB}}\n"
                                 "traffic:\n"
                                 "  - {kind: flow, from: 1, to: 0}\n"
                                 "  - {kind: flow, from: 2, to: 0}\n");
  const std::string part = write("parts/ecn.yaml", "switch: {ecn: {kmin: 20KB, pmax: 0.2}}\n");
  write("top.yaml",
        "include: parts/ecn.yaml\n"
        "extends: base.yaml\n"
        "switch: {ecn: {kmax: 400KB}}\n"
        "traffic: [{kind: flow, from: 3, to: 0}]\n");
  const LoadedConfig loaded = load("top.yaml", {"seed=9"});
  EXPECT_EQ(loaded.config.duration, kMilliSecond * 5);
  EXPECT_EQ(loaded.config.switch_.ecn.kmin, 20'000);
  EXPECT_EQ(loaded.config.switch_.ecn.kmax, 400'000);
  EXPECT_EQ(loaded.config.traffic.size(), 1u);
  EXPECT_EQ(loaded.config.seed, 9u);
  EXPECT_EQ(loaded.place_of("duration").text(), base + ":1:11");
  EXPECT_EQ(loaded.place_of("switch.ecn.kmin").text(), part + ":1:22");
  EXPECT_EQ(loaded.place_of("switch.ecn.kmax").source, (folder_ / "top.yaml").string());
  EXPECT_EQ(loaded.place_of("seed").text(), "-c seed=9");
}

TEST_F(YamlLayers, LaterPartsWinAndFilesMayBeIncludedTwice) {
  write("a.yaml", "include: [c.yaml]\nduration: 1ms\n");
  write("b.yaml", "include: [c.yaml]\nduration: 2ms\n");
  write("c.yaml", "seed: 3\n");
  write("top.yaml", "include: [a.yaml, b.yaml]\n");
  EXPECT_EQ(load("top.yaml").config.duration, kMilliSecond * 2);
  EXPECT_EQ(load("top.yaml").config.seed, 3u);
}

TEST_F(YamlLayers, FilesAreNamedRelativeToWhoNamesThem) {
  write("parts/flows.txt", "1 0 3 1000 0.001\n");
  write("parts/base.yaml", "traffic: [{kind: trace, file: flows.txt}]\n");
  write("top.yaml", "extends: parts/base.yaml\n");
  EXPECT_EQ(load("top.yaml").config.traffic[0].file, (folder_ / "parts/flows.txt").string());
}

TEST_F(YamlLayers, AnotherChoiceLeavesTheParametersOfTheFirstBehind) {
  write("base.yaml", "nic: {congestion_control: {algorithm: dcqcn, g: 1/16}}\n");
  write("top.yaml", "extends: base.yaml\nnic: {congestion_control: {algorithm: hpcc}}\n");
  EXPECT_EQ(load("top.yaml").config.nic.congestion_control.name(), "hpcc");
  write("wrong.yaml", "extends: top.yaml\nnic: {congestion_control: {g: 1/16}}\n");
  EXPECT_NE(complaint("wrong.yaml").find("wrong.yaml:2:28: 'g' applies only with"),
            std::string::npos)
      << complaint("wrong.yaml");
}

TEST_F(YamlLayers, WhatIsRefused) {
  write("own.yaml", "seed: 1\nextends: own.yaml\n");
  EXPECT_EQ(complaint("own.yaml"), "own.yaml:2:10: leads back to itself: own.yaml -> own.yaml");
  write("a.yaml", "extends: b.yaml\n");
  write("b.yaml", "include: [parts/../c.yaml]\n");
  write("c.yaml", "include: [a.yaml]\n");
  EXPECT_EQ(complaint("a.yaml"),
            "c.yaml:1:11: leads back to itself: a.yaml -> b.yaml -> c.yaml -> a.yaml");
  write("none.yaml", "extends: nowhere.yaml\n");
  EXPECT_EQ(complaint("none.yaml"), "none.yaml:1:10: no such file: 'nowhere.yaml'");
  write("folder.yaml", "include: [parts]\n");
  EXPECT_EQ(complaint("folder.yaml"), "folder.yaml:1:11: no such file: 'parts'");
  write("map.yaml", "extends: {a: b}\n");
  EXPECT_EQ(complaint("map.yaml"), "map.yaml:1:10: expected a file name, not a map");
  write("null.yaml", "include:\n");
  EXPECT_EQ(complaint("null.yaml"),
            "null.yaml:1:1: expected a file name, or a list of them, not nothing");
  write("list.yaml", "[1, 2]\n");
  write("over_list.yaml", "extends: list.yaml\n");
  EXPECT_EQ(complaint("over_list.yaml"), "list.yaml:1:1: expected a map of settings, not a list");
  write("slip.yaml", "duration: 1ms\nsead: 4\n");
  write("over_slip.yaml", "extends: slip.yaml\n");
  EXPECT_EQ(complaint("over_slip.yaml"), "slip.yaml:2:1: unknown key 'sead'; did you mean 'seed'?");
}

// Each of twenty files includes the next file twice, so that the reader would read 2^20 files
// without its limit.
TEST_F(YamlLayers, ManyAreRefusedBeforeTheyAreRead) {
  for (int i = 0; i < 20; ++i) {
    const std::string next = std::to_string(i + 1) + ".yaml";
    write(std::to_string(i) + ".yaml", "include: [" + next + ", " + next + "]\n");
  }
  write("20.yaml", "seed: 1\n");
  EXPECT_NE(complaint("0.yaml").find("more than 64 files"), std::string::npos);
}

}  // namespace
}  // namespace dcc::vp
