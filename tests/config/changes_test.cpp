// Tests how the reader parses changes of parameters during a run, and which changes the reader
// refuses.
#include <gtest/gtest.h>

#include "config/effective_yaml.h"
#include "config/yaml_reader.h"
#include "controller/dcc.h"

namespace dcc::vp {
namespace {

LoadedConfig load(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return load_config_text(text, "t.yaml", ".", overrides);
}

std::string complaint(const std::string& text) {
  try {
    load(text);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "accepted";
}

const DccParameters& dcc_of(const PlatformConfig& config) {
  return *config.nic.congestion_control.chosen<DccParameters>();
}

TEST(Changes, EachComesOnTopOfThoseBefore) {
  const LoadedConfig loaded = load(
      "switch: {ecn: {kmin: 5KB, kmax: 100KB}}\n"
      "changes:\n"
      "- {at: 1ms, set: {switch.ecn.kmax: 200KB, nic.congestion_control.r_ai: 3Mbps}}\n"
      "- {at: 2ms, set: {switch: {ecn: {kmin: 20KB}}, dscp.46.weight: 4}}\n");
  const auto& changes = loaded.config.changes;
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(loaded.config.switch_.ecn.kmax, 100'000);
  EXPECT_EQ(changes[0].at, kMilliSecond);
  EXPECT_EQ(changes[0].config->switch_.ecn.kmin, 5'000);
  EXPECT_EQ(changes[0].config->switch_.ecn.kmax, 200'000);
  EXPECT_EQ(dcc_of(*changes[0].config).r_ai, BitRate(3'000'000));
  EXPECT_EQ(changes[1].config->switch_.ecn.kmin, 20'000);
  EXPECT_EQ(changes[1].config->switch_.ecn.kmax, 200'000);
  EXPECT_EQ(dcc_of(*changes[1].config).r_ai, BitRate(3'000'000));
  EXPECT_EQ(changes[1].config->dscp_of(46).weight, Ratio(4));
}

TEST(Changes, StandInTheEffectiveConfigurationAndReadBack) {
  const LoadedConfig loaded = load(
      "switch: {scheduler: {kind: ets}}\n"
      "changes: [{at: 1ms, set: {switch: {scheduler: {weights: [1, 2, 3, 4, 5, 6, 7, 8]}},\n"
      "  switch.pfc.alpha: '1/4'}}]\n");
  const std::string text = effective_yaml(loaded.config);
  EXPECT_NE(text.find("changes:\n  - at: 1ms\n    set: {switch: {scheduler: {weights: "
                      "[1, 2, 3, 4, 5, 6, 7, 8]}}, switch.pfc.alpha: \"1/4\"}\n"),
            std::string::npos)
      << text;
  const LoadedConfig again = load(text);
  EXPECT_EQ(effective_yaml(again.config), text);
  EXPECT_EQ(again.config.changes.at(0).config->switch_.scheduler.weights[7], 8u);
}

TEST(Changes, AnOverrideOfTheCommandLineIsUnderneath) {
  const LoadedConfig loaded = load("changes: [{at: 1ms, set: {switch.ecn.kmax: 200KB}}]\n",
                                   {"switch.ecn.kmin=50KB", "changes.0.set={switch.ecn.pmax: 1}"});
  EXPECT_EQ(loaded.config.changes.at(0).config->switch_.ecn.kmin, 50'000);
  EXPECT_EQ(loaded.config.changes.at(0).config->switch_.ecn.kmax, 200'000);
  EXPECT_EQ(loaded.config.changes.at(0).config->switch_.ecn.pmax, Ratio(1));
}

TEST(Changes, RefusedWhereTheyStand) {
  const auto of = [](const std::string& set) {
    return complaint("changes:\n- {at: 1ms, set: {" + set + "}}\n");
  };
  EXPECT_EQ(of("switch.ecn.kmax: 200KB"), "accepted");
  const std::string fixed = " cannot change during a run (dccvp params marks those that can)";
  EXPECT_EQ(of("switch.buffer: 1MB"), "t.yaml:2:34: 'switch.buffer'" + fixed);
  EXPECT_EQ(of("switch: {ecn: {kmax: 90KB}, buffer: 1MB}"), "t.yaml:2:55: 'switch.buffer'" + fixed);
  EXPECT_EQ(of("seed: 2"), "t.yaml:2:25: 'seed'" + fixed);
  EXPECT_EQ(of("dscp.3.priority: 1"), "t.yaml:2:36: 'dscp.3.priority'" + fixed);
  EXPECT_EQ(of("traffic: []"), "t.yaml:2:28: 'traffic'" + fixed);
  EXPECT_EQ(of("changes: []"), "t.yaml:2:28: 'changes'" + fixed);
  EXPECT_EQ(of("nic.congestion_control.preset: adapter").substr(0, 20), "t.yaml:2:50: 'nic.co");
  // A change of a parameter during the run must obey the same checks as the parameter's initial
  // value.
  EXPECT_EQ(of("switch.ecn.kmx: 1KB").substr(0, 49),
            "t.yaml:2:19: unknown key 'kmx' in switch.ecn; did");
  EXPECT_EQ(of("switch.ecn.kmax: 200").substr(0, 20), "t.yaml:2:36: '200': ");
  // The new kmin exceeds the kmax that the threshold rule gave: twice the bandwidth-delay product
  // of 100 Gb/s and 4.2 us. A change of kmin does not change kmax.
  EXPECT_EQ(
      of("switch.ecn.kmin: 300KB"),
      "t.yaml:2:36: switch.ecn.kmin: kmin 300KB is above kmax 104672B; a change moves only what "
      "it sets, so kmax stays at the value of the beginning: set switch.ecn.kmax as well");
  EXPECT_EQ(of("switch..kmin: 300KB").substr(0, 27), "t.yaml:2:19: an empty key i");
  EXPECT_EQ(of("traffic.0.dscp: 3").substr(0, 12), "t.yaml:2:19:");
  EXPECT_EQ(complaint("changes: [{at: 10ms, set: {switch.ecn.kmax: 200KB}}]\n"),
            "t.yaml:1:16: changes.0.at: 10ms is not before the end of the run (duration 10ms)");
  EXPECT_EQ(complaint("changes:\n- {at: 2ms, set: {switch.ecn.kmax: 200KB}}\n"
                      "- {at: 1ms, set: {switch.ecn.kmax: 200KB}}\n"),
            "t.yaml:3:8: changes.1.at: 1ms is before the change above; they stand in order of "
            "time");
  EXPECT_EQ(complaint("changes: [{at: 2ms}]\n"), "t.yaml:1:11: changes.0: a change without `set`");
  EXPECT_EQ(complaint("changes: [{set: 3}]\n"),
            "t.yaml:1:17: expected a map of parameters to values, not '3'");
}

TEST(Changes, NeedSomethingToActOn) {
  EXPECT_EQ(complaint("nic: {congestion_control: {algorithm: dcqcn}}\n"
                      "changes: [{at: 1ms, set: {dscp.3.weight: 2}}]\n"),
            "t.yaml:2:42: 'dscp.3.weight' changes the controller's tables: algorithm: dcc");
  EXPECT_EQ(complaint("nic: {congestion_control: {algorithm: dcqcn}}\n"
                      "changes: [{at: 1ms, set: {nic.congestion_control.g: 1/2}}]\n"),
            "t.yaml:2:53: 'nic.congestion_control.g' cannot change during a run (dccvp "
            "params marks those that can)");
}

}  // namespace
}  // namespace dcc::vp
