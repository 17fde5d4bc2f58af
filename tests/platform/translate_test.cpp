// Tests the register values that the driver programs into a controller.
#include "build/translate.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "config/yaml_reader.h"
#include "driver/dcc_tables.h"

namespace dcc::vp {
namespace {

dcc_config program(const std::string& congestion_control, const std::string& rate,
                   unsigned mtu = 1000) {
  const std::string text = "topology: {link: {rate: " + rate +
                           "}}\nnic: {mtu: " + std::to_string(mtu) +
                           "B, congestion_control: {algorithm: dcc, " + congestion_control + "}}\n";
  const PlatformConfig config =
      load_config_text(text, "t.yaml", std::filesystem::path("."), {}).config;
  return controller_program(config, 0, config.topology.slowest_link());
}

TEST(ControllerProgram, AdditiveStepFollowsTheSquareOfFasterAndTheCubeOfSlowerLinks) {
  const auto step = [](const std::string& rate) {
    return program("r_ai: 8Mbps, r_hai: 16Mbps, reference_rate: 100Gbps", rate).parameters.r_ai;
  };
  EXPECT_EQ(step("100Gbps"), 8u << 8);
  EXPECT_EQ(step("200Gbps"), 32u << 8);
  EXPECT_EQ(step("400Gbps"), 128u << 8);
  EXPECT_EQ(step("50Gbps"), 1u << 8);
  EXPECT_EQ(step("25Gbps"), 32u);  // the step is 8 Mb/s divided by 64
  EXPECT_EQ(program("r_hai: 16Mbps, reference_rate: 100Gbps", "50Gbps").parameters.r_hai, 2u << 8);
}

TEST(ControllerProgram, AdditiveStepStandsWithoutAReferenceRate) {
  EXPECT_EQ(program("policy: proportional, r_ai: 8Mbps", "25Gbps").parameters.r_ai, 8u << 8);
  EXPECT_EQ(program("r_ai: 8Mbps", "25Gbps").parameters.r_ai, 8u << 8);
}

TEST(ControllerProgram, RateOfOnePacketAnIntervalGoesWithThePacket) {
  EXPECT_EQ(program("policy: proportional", "25Gbps").parameters.r_hai, 550u << 8);
  EXPECT_EQ(program("policy: proportional", "25Gbps", 4096).parameters.r_hai, 2252u * 256 + 204);
  EXPECT_EQ(program("r_hai: 40Mbps", "25Gbps", 4096).parameters.r_hai, 40u << 8);
}

TEST(ControllerProgram, ProportionalPolicyCutsByMarksAndLeavesRoomAboveTheLine) {
  const dcc_config p = program("policy: proportional", "100Gbps");
  EXPECT_EQ(p.policy, std::uint32_t{DCC_POLICY_PROPORTIONAL});
  EXPECT_EQ(p.parameters.mark_shift, 10u);
  EXPECT_EQ(p.parameters.r_max, 125'000u << 8);
  EXPECT_EQ(p.parameters.initial_rate, 100'000u << 8);
  EXPECT_EQ(p.parameters.mi, 0u);
  EXPECT_EQ(p.parameters.g, 52429u);         // G is 4/5
  EXPECT_EQ(p.parameters.first_cut, 2341u);  // FIRST_CUT is 1/28
  EXPECT_EQ(p.parameters.brisk, 95u);
  EXPECT_EQ(program("r_ai: 8Mbps", "100Gbps").parameters.mark_shift, 0u);
}

TEST(ControllerProgram, AMarkTakesHalfWithEachDoublingBeyond100Gbps) {
  const auto shift = [](const char* rate) {
    return program("policy: proportional", rate).parameters.mark_shift;
  };
  EXPECT_EQ(shift("25Gbps"), 10u);
  EXPECT_EQ(shift("199Gbps"), 10u);
  EXPECT_EQ(shift("200Gbps"), 9u);
  EXPECT_EQ(shift("400Gbps"), 8u);
  EXPECT_EQ(shift("800Gbps"), 7u);
}

/// The programmed weights of DSCPs 1 and 2, and the register G, for a port that `flows` flows of
/// each DSCP share.
std::vector<std::uint32_t> scaled(const std::string& weights, unsigned flows,
                                  const std::string& rate = "100Gbps",
                                  const std::string& more = "") {
  const std::string entry = ", hosts: 3, link: {rate: " + rate + "}}\n" + more;
  const std::string text =
      "topology: {kind: star" + entry +
      "nic: {congestion_control: {algorithm: dcc, policy: proportional}}\ndscp: {" + weights +
      "}\ntraffic:\n  - {kind: flow, from: 1, to: 0, dscp: 1, flows: " + std::to_string(flows) +
      "}\n  - {kind: flow, from: 2, to: 0, dscp: 2, flows: " + std::to_string(flows) + "}\n";
  const PlatformConfig config =
      load_config_text(text, "t.yaml", std::filesystem::path("."), {}).config;
  const dcc_config p = controller_program(config, 0, config.topology.slowest_link());
  return {p.classes[1].weight_q8_8, p.classes[2].weight_q8_8, p.parameters.g};
}

TEST(ControllerProgram, ACommonFactorOfTheWeightsInUseChangesNothing) {
  const auto plain = scaled("1: {weight: 1}, 2: {weight: 4}", 1);
  EXPECT_EQ(plain, (std::vector<std::uint32_t>{256, 1024, 52429}));
  EXPECT_EQ(scaled("1: {weight: 15}, 2: {weight: 60}", 1), plain);
  EXPECT_EQ(scaled("1: {weight: 1/8}, 2: {weight: 1/2}", 1), plain);
  EXPECT_EQ(scaled("1: {weight: 15}, 2: {weight: 60}", 400),
            scaled("1: {weight: 1/8}, 2: {weight: 1/2}", 400));
}

TEST(ControllerProgram, TheSumOfWeightsAtAPortHasABound) {
  const auto few = scaled("1: {weight: 1}, 2: {weight: 2}", 160);  // the sum of weights is 480
  EXPECT_EQ(few[0], 256u);
  const auto many = scaled("1: {weight: 1}, 2: {weight: 2}", 320);  // the sum of weights is 960
  EXPECT_LE(many[0], 129u);
  EXPECT_GE(many[0], 126u);
  EXPECT_EQ(many[1], 2 * many[0]);
  EXPECT_EQ(many[2], 52429u);
  const auto widest = scaled("1: {weight: 1/8}, 2: {weight: 128}", 1);
  EXPECT_EQ(widest[0], std::uint32_t{DCC_WEIGHT_MIN_Q8_8});
  EXPECT_EQ(widest[1], 1024 * widest[0]);
}

// With a quarter of the packets marked, the greatest sum of weights is W = 5/16 · c·C/K = 36 at 100
// Gb/s.
TEST(ControllerProgram, MarksByTheMostCongestedPortAllowASmallerSumOfWeights) {
  const std::string nested = "switch: {ecn: {draw: packet}}\n";
  const std::string weights = "1: {weight: 1}, 2: {weight: 2}";
  EXPECT_EQ(scaled(weights, 11, "100Gbps", nested)[0], 256u);  // the sum of weights is 33
  const auto many = scaled(weights, 40, "100Gbps", nested);    // the sum of weights is 120
  EXPECT_NEAR(many[0], 256 * 35.6 / 120, 1);
  EXPECT_EQ(many[1], 2 * many[0]);
  EXPECT_EQ(many[2], 52429u);
  // The register G depends on the greatest sum of weights that marks allow, and not on the smaller
  // sum for `draw: packet`.
  EXPECT_EQ(scaled(weights, 320, "100Gbps", nested)[2], 52429u);
}

// Over one link between two switches forty flows of weight 1 go to host 2 and forty flows of weight
// 2 to host 3. The sum of weights is 120 on that link, and 80 on the link of host 3.
TEST(ControllerProgram, MarksByTheMostCongestedPortCountLinksBetweenSwitches) {
  const auto programmed = [](const std::string& draw) {
    const std::string text =
        "topology: {kind: parking_lot, hosts_per_switch: [2, 2], link: {rate: 100Gbps}, "
        "fabric_link: {rate: 100Gbps}}\nswitch: {ecn: {draw: " +
        draw +
        "}}\nnic: {congestion_control: {algorithm: dcc, policy: proportional}}\n"
        "dscp: {1: {weight: 1}, 2: {weight: 2}}\ntraffic:\n"
        "  - {kind: flow, from: 0, to: 2, dscp: 1, flows: 40}\n"
        "  - {kind: flow, from: 1, to: 3, dscp: 2, flows: 40}\n";
    const PlatformConfig config =
        load_config_text(text, "t.yaml", std::filesystem::path("."), {}).config;
    return controller_program(config, 0, config.topology.slowest_link()).classes[1].weight_q8_8;
  };
  EXPECT_NEAR(programmed("packet"), 256 * 35.6 / 120, 1);
  EXPECT_EQ(programmed("random"), 256) << "the busier receiver's sum is below the bound";
}

/// The factor from which on classes overtake by default, beside flows of DSCPs 1 and 2.
std::uint32_t heavy(const std::string& weights, const std::string& more = "", unsigned flows = 1) {
  const std::string text =
      "topology: {kind: star, hosts: 3, link: {rate: 100Gbps}}\n"
      "nic: {congestion_control: {algorithm: dcc, policy: proportional}}\ndscp: {" +
      weights +
      "}\ntraffic:\n  - {kind: flow, from: 1, to: 0, dscp: 1, flows: " + std::to_string(flows) +
      "}\n  - {kind: flow, from: 2, to: 0, dscp: 2}\n" + more;
  const PlatformConfig config =
      load_config_text(text, "t.yaml", std::filesystem::path("."), {}).config;
  return heavy_factor(config, 0, config.topology.slowest_link());
}

TEST(HeavyFactor, IsThatOfTwiceTheLeastWeightInUse) {
  constexpr std::uint32_t kOfTwo = 2048;
  EXPECT_EQ(heavy("1: {weight: 1}, 2: {weight: 8}"), kOfTwo);
  EXPECT_EQ(heavy("1: {weight: 16}, 2: {weight: 4}"), kOfTwo) << "only ratios count";
  EXPECT_EQ(heavy("1: {weight: 1}, 2: {weight: 1}"), kOfTwo);
  // Other classes have a greater factor, so none of them overtakes.
  EXPECT_EQ(heavy("1: {weight: 8}, 2: {weight: 8}, 3: {weight: 1}"), kOfTwo);
  // A sum of weights of 600 at 100 Gb/s is too great, so the least weight becomes 0.8.
  EXPECT_NEAR(heavy("1: {weight: 1}, 2: {weight: 8}", "", 592), 2048 / (482.0 / 600), 16);
  // With drawn flows weights stay as written.
  const std::string drawn = "  - {kind: poisson, dscp: 2, load: 0.1, sizes: websearch}\n";
  EXPECT_EQ(heavy("1: {weight: 8}, 2: {weight: 4}", drawn), kOfTwo / 4);
  EXPECT_EQ(heavy("1: {weight: 128}, 2: {weight: 128}", drawn), 0u) << "no weight is that great";
}

TEST(HeavyFactor, IsOfFlowsThatShareByWeight) {
  const std::string dcqcn =
      "nics: [{hosts: 2, congestion_control: {algorithm: dcc, policy: dcqcn}}]\n";
  EXPECT_EQ(heavy("1: {weight: 8}, 2: {weight: 1}", dcqcn), 2048u);
  const std::string moving =
      "  - {kind: collective, shape: ring_all_reduce, hosts: [0, 2], dscp: 3, bytes: 8MB, "
      "rounds: 2, weight_at_end: 4}\n";
  EXPECT_EQ(heavy("1: {weight: 8}, 2: {weight: 1}", moving), 0u);
}

/// The programmed weights of DSCPs 1 and 2 for these entries of `traffic`.
std::vector<std::uint32_t> weights_for(const std::string& entries) {
  const std::string text =
      "topology: {kind: star, hosts: 9, link: {rate: 10Gbps}}\n"
      "nic: {congestion_control: {algorithm: dcc, policy: proportional}}\n"
      "dscp: {1: {weight: 1}, 2: {weight: 16}}\ntraffic:\n" +
      entries;
  const PlatformConfig config =
      load_config_text(text, "t.yaml", std::filesystem::path("."), {}).config;
  const dcc_config p = controller_program(config, 0, config.topology.slowest_link());
  return {p.classes[1].weight_q8_8, p.classes[2].weight_q8_8};
}

// The data of an RDMA READ goes to the requester. READs by one host from many hosts therefore share
// a link, like WRITEs of many hosts to one host.
TEST(ControllerProgram, TheDataOfReadsIsCountedWhereItArrives) {
  const auto pair = [](const std::string& written, const std::string& read) {
    SCOPED_TRACE(written + read);
    EXPECT_EQ(weights_for(written), weights_for(read));
  };
  std::string writes, reads;
  for (int host = 0; host < 8; ++host) {
    const std::string other = std::to_string(host);
    const std::string dscp = ", flows: 3, dscp: " + std::to_string(1 + host % 2);
    writes += "  - {kind: flow, from: " + other + ", to: 8" + dscp + "}\n";
    reads += "  - {kind: flow, from: 8, to: " + other + dscp + ", operation: read}\n";
  }
  EXPECT_LT(weights_for(writes)[0], 256u) << "many enough to be scaled";
  pair(writes, reads);
  const std::string twice = ", flows: 16, dscp: 1}\n";
  const std::string twice_read = ", flows: 16, dscp: 1, operation: read}\n";
  const std::string heavy = "  - {kind: flow, from: 1, to: 0, flows: 9, dscp: 2}\n";
  pair(heavy + "  - {kind: incast, receiver: 0" + twice,
       heavy + "  - {kind: one_to_many, sender: 0" + twice_read);
  pair(heavy + "  - {kind: one_to_many, sender: 0" + twice,
       heavy + "  - {kind: incast, receiver: 0" + twice_read);
  EXPECT_NE(weights_for(heavy + "  - {kind: one_to_many, sender: 0" + twice),
            weights_for(heavy + "  - {kind: incast, receiver: 0" + twice));
}

// Only the responder of an RDMA READ, which sends the data, needs an algorithm that shares by
// weight.
TEST(ControllerProgram, ReadsOfAHostOfAnotherAlgorithmAreNotCounted) {
  const std::string other =
      "  - {kind: flow, from: 0, to: 1, dscp: 2, flows: 300, operation: read}\n"
      "  - {kind: flow, from: 1, to: 0, dscp: 1}\n";
  const std::string nics = "nics: [{hosts: [1], congestion_control: {algorithm: dcqcn}}]\n";
  EXPECT_LT(weights_for(other)[1], 16 * 256u);
  EXPECT_EQ(weights_for(other + "  - {kind: flow, from: 2, to: 0, dscp: 1}\n" + nics)[1],
            16 * 256u);
}

// Only senders whose algorithm shares by weight count, also within one entry. At 10 Gb/s the
// greatest sum of weights is 48 for 9 hosts. The lighter flow's weight keeps the ratio of 16.
TEST(ControllerProgram, SendersOfAnotherAlgorithmAreNotCounted) {
  const auto besides = [](const std::string& entry, const std::string& hosts) {
    return weights_for("  - {kind: flow, from: 1, to: 0, dscp: 1}\n  - {" + entry +
                       ", dscp: 2}\nnics: [{hosts: [" + hosts +
                       "], congestion_control: {algorithm: dcqcn}}]\n")[1];
  };
  const std::string most = "2,3,4,5,6,7,8";
  for (const std::string entry :
       {"kind: incast, receiver: 0, senders: 2..8", "kind: all_to_all, hosts: 2..8",
        "kind: one_to_many, sender: 2, receivers: 3..8, flows: 7",
        "kind: one_to_many, sender: 0, receivers: 2..8, operation: read",
        "kind: incast, receiver: 2, senders: 3..8, flows: 7, operation: read"}) {
    SCOPED_TRACE(entry);
    EXPECT_LT(besides(entry, "0"), 16 * 256u);
    EXPECT_EQ(besides(entry, most), 16 * 256u);
  }
  // An incast without a list of senders has all hosts except the receiver as senders. Of these 8
  // hosts one shares by weight.
  const std::string all = "kind: incast, receiver: 0";
  EXPECT_EQ(besides(all, most), besides("kind: incast, receiver: 0, senders: [1]", "2"));
  EXPECT_LT(besides(all, "2,3"), besides(all, "2,3,4,5"));
  EXPECT_EQ(besides("kind: permutation, flows: 9", "0,1," + most),
            besides("kind: flow, from: 2, to: 3", "2"));
  EXPECT_LT(besides("kind: permutation, flows: 9", most), 16 * 256u);
}

// A host in an entry of `nics` is programmed with that entry's parameters. Parameters that the
// entry leaves unset follow the link rate, like those of `nic`.
TEST(ControllerProgram, IsOfTheHostsOwnEntry) {
  const std::string text =
      "topology: {kind: star, hosts: 4, link: {rate: 100Gbps, delay: 1us}}\n"
      "nic: {congestion_control: {algorithm: dcqcn}}\nnics:\n"
      "  - {hosts: 1, congestion_control: {algorithm: dcc, policy: proportional}}\n"
      "  - {hosts: 2, congestion_control: {algorithm: dcc, policy: proportional, r_ai: 5Mbps}}\n";
  const std::string alike =
      "topology: {kind: star, hosts: 4, link: {rate: 100Gbps, delay: 1us}}\n"
      "switch: {ecn: {rule: dcqcn}}\n"
      "nic: {congestion_control: {algorithm: dcc, policy: proportional}}\n";
  const auto load = [](const std::string& yaml) {
    return load_config_text(yaml, "t.yaml", std::filesystem::path("."), {}).config;
  };
  const PlatformConfig config = load(text);
  const BitRate rate(100'000'000'000);
  const dcc_config of_nic = controller_program(load(alike), 1, rate);
  const dcc_config first = controller_program(config, 1, rate);
  const dcc_config second = controller_program(config, 2, rate);
  EXPECT_EQ(first.parameters.r_ai, of_nic.parameters.r_ai);
  EXPECT_EQ(first.parameters.timer_interval, of_nic.parameters.timer_interval);
  EXPECT_NE(second.parameters.r_ai, first.parameters.r_ai);
}

// The sum of weights of 1024 flows at 10 Gb/s exceeds the bound even with the least weights in the
// table.
TEST(ControllerProgram, GRisesWhereTheLeastWeightsAreTooMany) {
  const auto p = scaled("1: {weight: 1}, 2: {weight: 9}", 512, "10Gbps");
  EXPECT_EQ(p[0], std::uint32_t{DCC_WEIGHT_MIN_Q8_8});
  EXPECT_EQ(p[1], 9u * DCC_WEIGHT_MIN_Q8_8);
  EXPECT_GT(p[2], scaled("1: {weight: 1}, 2: {weight: 9}", 1, "10Gbps")[2]);
  EXPECT_LT(p[2], 65536u);
}

// The flows of random traffic at a port are not known in advance, so the weights stay as
// configured.
TEST(ControllerProgram, WithoutKnownFlowsWeightsStay) {
  const std::string text =
      "topology: {kind: star, hosts: 3}\nnic: {congestion_control: {algorithm: dcc, policy: "
      "proportional}}\ndscp: {10: {weight: 1/8}, 46: {weight: 1/2}}\ntraffic:\n"
      "  - {kind: poisson, dscp: 10}\n";
  const PlatformConfig config =
      load_config_text(text, "t.yaml", std::filesystem::path("."), {}).config;
  const dcc_config p = controller_program(config, 0, config.topology.slowest_link());
  EXPECT_EQ(p.classes[10].weight_q8_8, 32u);
  EXPECT_EQ(p.classes[46].weight_q8_8, 128u);
}

TEST(NicProgram, SaysWhatTheSectionSaysInTheRegistersUnits) {
  const auto programme_of = [](const std::string& nic) {
    return nic_program(
        load_config_text("nic: {" + nic + "}\n", "t.yaml", std::filesystem::path("."), {}).config,
        0);
  };
  const nic_config p = programme_of(
      "mtu: 2KB, ack: per_message, congestion_control: {algorithm: dcqcn}, cnp: {interval: 7us, "
      "dscp: 20, priority: 5, carry_marks: true}");
  EXPECT_EQ(p.parameters.mtu, 2000u);
  EXPECT_EQ(p.parameters.cnp_interval, 7000u);
  EXPECT_EQ(p.parameters.cnp_dscp, 20u);
  EXPECT_EQ(p.parameters.cnp_priority, 5u);
  EXPECT_EQ(p.ack_mode, NIC_ACK_PER_MESSAGE);
  EXPECT_EQ(p.cnp_enable, 1);
  EXPECT_EQ(p.cnp_carry_marks, 1);
  EXPECT_EQ(programme_of("congestion_control: {algorithm: none}").cnp_enable, 0);
  EXPECT_EQ(programme_of("ack: none, congestion_control: {algorithm: none}").ack_mode,
            NIC_ACK_NONE);
}

}  // namespace
}  // namespace dcc::vp
