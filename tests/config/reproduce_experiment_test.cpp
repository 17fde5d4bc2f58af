#include <gtest/gtest.h>

#include <fstream>

#include "config/yaml_tree.h"
#include "reproduce/experiment.h"

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

/// A folder with NAME.figures.yml of the given text and an empty NAME.yaml beside it.
class ExperimentFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "dccvp-experiment-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ofstream(folder_ / "tried.yaml") << "duration: 1ms\n";
  }
  void TearDown() override { fs::remove_all(folder_); }

  Experiment load(const std::string& text) {
    std::ofstream(folder_ / "tried.figures.yml") << text;
    return load_experiment(folder_ / "tried.figures.yml");
  }
  /// What the refusal says, without the folder; empty: it was accepted.
  std::string refusal(const std::string& text) {
    try {
      load(text);
    } catch (const ConfigError& error) {
      const std::string said = error.what();
      const std::string prefix = (folder_ / "tried.figures.yml").string();
      EXPECT_EQ(said.substr(0, prefix.size()), prefix) << said;
      return said.substr(std::min(prefix.size(), said.size()));
    }
    return "";
  }
  /// One run of one figure, whose keys are given: it stands on line 3, from column 16 on.
  std::string figure(const std::string& keys) {
    return refusal("runs:\n  - run: one\n    figures: [{" + keys + "}]\n");
  }

  fs::path folder_;
};

TEST_F(ExperimentFile, EveryKeyArrives) {
  const Experiment e = load(
      "title: A title\n"
      "source: somewhere\n"
      "slow: true\n"
      "runs:\n"
      "  - run: first\n"
      "    set: [\"duration=2ms\", \"seed=3\"]\n"
      "    figures:\n"
      "      - {figure: a, value: x.y, per: 1000, published: 20, within: 35%, source: paper,\n"
      "         reason: because}\n"
      "      - {figure: b, value: z, published: 2, within: 0.5, at_least: -1, at_most: 3e2}\n"
      "  - run: second\n"
      "    figures: [{figure: c, value: z}]\n");
  EXPECT_EQ(e.name, "tried");
  EXPECT_EQ(e.title, "A title");
  EXPECT_EQ(e.source, "somewhere");
  EXPECT_TRUE(e.slow);
  EXPECT_EQ(e.config, folder_ / "tried.yaml");
  ASSERT_EQ(e.runs.size(), 2u);
  EXPECT_EQ(e.runs[0].name, "first");
  EXPECT_EQ(e.runs[0].overrides, (std::vector<std::string>{"duration=2ms", "seed=3"}));
  ASSERT_EQ(e.runs[0].figures.size(), 2u);
  const Figure& a = e.runs[0].figures[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.value, "x.y");
  EXPECT_EQ(a.per, 1000);
  EXPECT_EQ(a.published, 20);
  EXPECT_EQ(a.within_share, 0.35);
  EXPECT_FALSE(a.within);
  EXPECT_EQ(a.source, "paper");
  EXPECT_EQ(a.reason, "because");
  const Figure& b = e.runs[0].figures[1];
  EXPECT_EQ(b.within, 0.5);
  EXPECT_FALSE(b.within_share);
  EXPECT_EQ(b.at_least, -1);
  EXPECT_EQ(b.at_most, 300);
  EXPECT_EQ(b.per, 1);
  const Figure& c = e.runs[1].figures[0];
  EXPECT_FALSE(c.published || c.within || c.within_share || c.at_least || c.at_most);
}

TEST_F(ExperimentFile, MayNameAnotherConfiguration) {
  std::ofstream(folder_ / "other.yaml") << "duration: 1ms\n";
  const Experiment e =
      load("config: other.yaml\nruns: [{run: one, figures: [{figure: a, value: b}]}]\n");
  EXPECT_EQ(e.config, folder_ / "other.yaml");
  EXPECT_FALSE(e.slow);
}

TEST_F(ExperimentFile, AFigureIsRefusedWithItsPlace) {
  EXPECT_EQ(figure("figure: a, value: b"), "");
  EXPECT_EQ(figure("figure: a, value: b, publishd: 3"), ":3:37: a figure has no key 'publishd'");
  EXPECT_EQ(figure("figure: a"), ":3:15: a figure needs `figure` and `value`");
  EXPECT_EQ(figure("value: a"), ":3:15: a figure needs `figure` and `value`");
  EXPECT_EQ(figure("figure: a, value: b, within: 3"), ":3:15: `within` needs a `published` value");
  EXPECT_EQ(figure("figure: a, value: b, within: 3%"), ":3:15: `within` needs a `published` value");
  EXPECT_EQ(figure("figure: a, value: b, published: much"), ":3:48: expected a number, not 'much'");
  EXPECT_EQ(figure("figure: a, value: b, published: 3x"), ":3:48: expected a number, not '3x'");
  EXPECT_EQ(figure("figure: a, value: b, published: nan"), ":3:48: expected a number, not 'nan'");
  EXPECT_EQ(figure("figure: a, value: b, published: 1, within: -1"),
            ":3:59: a tolerance below zero");
  EXPECT_EQ(figure("figure: a, value: b, published: 1, within: -1%"),
            ":3:59: a tolerance below zero");
  EXPECT_EQ(figure("figure: a, value: b, published: 1, within: \"%\""),
            ":3:59: expected a number, not '%'");
  EXPECT_EQ(figure("figure: a, value: b, per: 0"), ":3:42: per: division by zero");
  EXPECT_EQ(figure("figure: [a], value: b"), ":3:24: expected text, not a list");
  EXPECT_EQ(figure("figure: a, value: b, at_most: {}"), ":3:46: expected text, not a map");
}

TEST_F(ExperimentFile, TheRestIsRefusedWithItsPlace) {
  const std::string run = "{run: one, figures: [{figure: a, value: b}]}";
  EXPECT_EQ(refusal("runs: [" + run + "]\n"), "");
  EXPECT_EQ(refusal("title: none\n"), ":1:1: an experiment needs `runs`");
  EXPECT_EQ(refusal("runs: []\n"), ":1:1: an experiment needs `runs`");
  EXPECT_EQ(refusal("runs: {}\n"), ":1:7: expected a list, not a map");
  EXPECT_EQ(refusal("- runs\n"), ":1:1: expected a map, not a list");
  EXPECT_EQ(refusal("fast: true\nruns: [" + run + "]\n"), ":1:1: an experiment has no key 'fast'");
  EXPECT_EQ(refusal("slow: maybe\nruns: [" + run + "]\n"),
            ":1:7: expected true or false, not 'maybe'");
  EXPECT_EQ(refusal("runs: [{run: one, figures: []}]\n"), ":1:8: a run needs `figures`");
  EXPECT_EQ(refusal("runs: [{run: one, seed: 3, figures: []}]\n"),
            ":1:19: a run has no key 'seed'");
  EXPECT_EQ(refusal("runs: [{set: duration=1ms}]\n"), ":1:14: expected a list, not 'duration=1ms'");
  EXPECT_NE(refusal("config: absent.yaml\nruns: [" + run + "]\n").find("there is no configuration"),
            std::string::npos);
  EXPECT_NE(refusal("runs: [\n"), "");
  EXPECT_NE(refusal(""), "");
}

TEST_F(ExperimentFile, AFolderIsListedByName) {
  EXPECT_THROW(find_experiments(folder_), ConfigError);
  EXPECT_THROW(find_experiments(folder_ / "absent"), ConfigError);
  for (const char* const name : {"b.figures.yml", "a.figures.yml", "figures.yml", ".figures.yml"}) {
    std::ofstream(folder_ / name) << "\n";
  }
  const std::vector<fs::path> found = find_experiments(folder_);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].filename(), "a.figures.yml");
  EXPECT_EQ(found[1].filename(), "b.figures.yml");
}

TEST(ShippedExperiments, AllCanBeRead) {
  const std::vector<fs::path> files = find_experiments(fs::path(DCC_CONFIGS) / "reproduce");
  EXPECT_GE(files.size(), 20u);
  for (const fs::path& file : files) {
    const Experiment e = load_experiment(file);
    EXPECT_FALSE(e.title.empty()) << file;
    EXPECT_FALSE(e.source.empty()) << file;
  }
}

}  // namespace
}  // namespace dcc::vp
