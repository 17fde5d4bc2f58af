// What the driver is told to programme into a controller.
#include "platform/translate.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "config/yaml_reader.h"

namespace dcc::vp {
namespace {

dcc_config programme(const std::string& congestion_control, const std::string& rate,
                     unsigned mtu = 1000) {
  const std::string text = "topology: {link: {rate: " + rate +
                           "}}\nnic: {mtu: " + std::to_string(mtu) +
                           "B, congestion_control: {algorithm: dcc, " + congestion_control + "}}\n";
  const PlatformConfig config =
      load_config_text(text, "t.yaml", std::filesystem::path("."), {}).config;
  return controller_programme(config, config.topology.slowest_link());
}

TEST(ControllerProgramme, AdditiveStepFollowsTheSquareOfFasterAndTheCubeOfSlowerLinks) {
  const auto step = [](const std::string& rate) {
    return programme("r_ai: 8Mbps, r_hai: 16Mbps, reference_rate: 100Gbps", rate).parameters.r_ai;
  };
  EXPECT_EQ(step("100Gbps"), 8u << 8);
  EXPECT_EQ(step("200Gbps"), 32u << 8);
  EXPECT_EQ(step("400Gbps"), 128u << 8);
  EXPECT_EQ(step("50Gbps"), 1u << 8);
  EXPECT_EQ(step("25Gbps"), 32u);  // 8 Mb/s / 64
  EXPECT_EQ(programme("r_hai: 16Mbps, reference_rate: 100Gbps", "50Gbps").parameters.r_hai,
            2u << 8);
}

TEST(ControllerProgramme, AdditiveStepStandsWithoutAReferenceRate) {
  EXPECT_EQ(programme("policy: proportional, r_ai: 8Mbps", "25Gbps").parameters.r_ai, 8u << 8);
  EXPECT_EQ(programme("r_ai: 8Mbps", "25Gbps").parameters.r_ai, 8u << 8);
}

TEST(ControllerProgramme, RateOfOnePacketAnIntervalGoesWithThePacket) {
  EXPECT_EQ(programme("policy: proportional", "25Gbps").parameters.r_hai, 400u << 8);
  EXPECT_EQ(programme("policy: proportional", "25Gbps", 4096).parameters.r_hai, 1638u * 256 + 102);
  EXPECT_EQ(programme("r_hai: 40Mbps", "25Gbps", 4096).parameters.r_hai, 40u << 8);
}

TEST(ControllerProgramme, ProportionalPolicyCutsByMarksAndLeavesRoomAboveTheLine) {
  const dcc_config p = programme("policy: proportional", "100Gbps");
  EXPECT_EQ(p.policy, std::uint32_t{DCC_POLICY_PROPORTIONAL});
  EXPECT_EQ(p.parameters.mark_shift, 10u);
  EXPECT_EQ(p.parameters.r_max, 125'000u << 8);
  EXPECT_EQ(p.parameters.initial_rate, 100'000u << 8);
  EXPECT_EQ(p.parameters.mi, 0u);
  EXPECT_EQ(p.parameters.g, 52429u);         // 4/5
  EXPECT_EQ(p.parameters.first_cut, 2048u);  // 1/32
  EXPECT_EQ(programme("r_ai: 8Mbps", "100Gbps").parameters.mark_shift, 0u);
}

}  // namespace
}  // namespace dcc::vp
