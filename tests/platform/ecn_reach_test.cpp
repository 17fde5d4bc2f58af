// Whether ECN can act in a configuration, against a case calculated by hand.
#include "build/ecn_reach.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "config/yaml_reader.h"

namespace dcc::vp {
namespace {

std::vector<std::string> notes(const std::string& switch_, const std::string& algorithm) {
  const std::string text =
      "topology: {kind: star, hosts: 5, link: {rate: 25Gbps, delay: 1us}}\n"
      "nic: {mtu: 1000B, congestion_control: {algorithm: " +
      algorithm + "}}\nswitch: {" + switch_ + "}\n";
  return ecn_notes(load_config_text(text, "t.yaml", std::filesystem::path("."), {}).config);
}

// Four inputs with alpha 1/8 and 10 KB of headroom each leave S = 1000 - 40 = 960 KB; they hold 960
// * 0.5 / 1.5 = 320 KB when all are paused.
const std::string kFabric =
    "buffer: 1000KB, pfc: {alpha: 0.125, reference_rate: none, headroom: 10KB}, "
    "ecn: {reference_rate: none, kmax: 10MB, kmin: ";

TEST(EcnReach, TellsTheQueueAtWhichPfcHasPausedEverybody) {
  const auto told = notes(kFabric + "320000B}", "dcqcn");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(
      told[0],
      "ECN cannot act at s0->h0: it marks from a queue of 320 KB on (switch.ecn.kmin), but PFC "
      "has paused all 4 inputs that fill it by 320 KB = S A / (1 + A), where S = 960 KB is the "
      "buffer of 1000 KB without 40 KB of headroom, and A = 0.5 the sum of their alpha; a kmin "
      "well below 320 KB would (5 ports are like that)");
  EXPECT_TRUE(notes(kFabric + "319999B}", "dcqcn").empty());
}

TEST(EcnReach, WithoutPfcTheBufferIsTheEnd) {
  const std::string lossy =
      "buffer: 1MB, pfc: {enabled: false}, ecn: {reference_rate: none, kmax: ";
  const auto told = notes(lossy + "2MB, kmin: 1MB}", "dctcp");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(
      told[0],
      "ECN cannot act at s0->h0: it marks from a queue of 1000 KB on (switch.ecn.kmin), and the "
      "buffer holds 1000 KB; a kmin well below 1000 KB would (5 ports are like that)");
  EXPECT_TRUE(notes(lossy + "2MB, kmin: 999999B}", "dctcp").empty());
}

TEST(EcnReach, SaysNothingWhereMarksTellNobody) {
  EXPECT_FALSE(notes(kFabric + "2MB}", "dcc").empty());
  EXPECT_TRUE(notes(kFabric + "2MB}", "hpcc").empty());
  EXPECT_TRUE(notes(kFabric + "2MB}", "none").empty());
  EXPECT_TRUE(notes(kFabric + "2MB, enabled: false}", "dcc").empty());
}

TEST(EcnReach, APortWithoutInputsHasNoQueue) {
  const std::string text =
      "topology:\n"
      "  kind: custom\n"
      "  nodes: [{name: a}, {name: b}, {name: s, kind: switch}, {name: end, kind: switch}]\n"
      "  links: [{from: a, to: s}, {from: b, to: s}, {from: s, to: end}]\n"
      "switch: {ecn: {kmin: 5KB}}\n";
  EXPECT_TRUE(
      ecn_notes(load_config_text(text, "t.yaml", std::filesystem::path("."), {}).config).empty());
}

}  // namespace
}  // namespace dcc::vp
