#include "config/yaml_reader.h"

#include <gtest/gtest.h>

#include <fstream>

#include "config/effective_yaml.h"
#include "config/parameter_list.h"
#include "controller/dcc.h"
#include "driver/dcc_regs.h"
#include "schemes/timely/timely.h"

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

LoadedConfig read(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return load_config_text(text, "t.yaml", fs::path(DCC_BAD_CONFIGS).parent_path(), overrides);
}

std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    read(text, overrides);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "accepted";
}

// The example configuration of the YAML contract, with paths of existing files.
constexpr const char* kEverything = R"(
seed: 1
duration: 50ms
measure: {from: 20ms, to: 50ms}
topology: {kind: star, hosts: 9, link: {rate: 100Gbps, delay: 1us, overhead: 20B}}
switch:
  buffer: 32MiB
  ecn: {kmin: 5KB, kmax: 200KB, pmax: 0.01, mark_at: enqueue, per: queue}
  pfc: {enabled: true, alpha: 0.125, headroom: auto}
  scheduler: {kind: fifo}
nic:
  mtu: 1000B
  payload: virtual
  ack: per_packet
  cnp: {interval: 50us, dscp: 48, priority: 6, carry_marks: false}
  congestion_control: {algorithm: dcc, preset: sig15}
  controller: {slots: 1024, clock: 250MHz, tick: 1us, latency: 64, timer: model, rate_lut: model}
host: {driver: native}
hosts: {"3": {driver: firmware, elf: bad_configs.txt}}
dscp: {46: {weight: 8, priority: 0, tenant: gold}, 10: {weight: 1}}
tenants: [{name: gold, weight: 2}]
traffic:
  - {kind: incast, senders: 1..8, receiver: 0, dscp: 10, start: 0us}
  - {kind: flow, from: 1, to: 0, dscp: 46, bytes: 10MB, message: 64KiB, start: 1ms, stop: 6ms}
  - {kind: poisson, hosts: 0..8, load: 0.7, sizes: websearch, flows_per_host: 1000}
  - {kind: trace, file: bad_configs.txt, time_offset: 2s, dscp_map: {3: 10}}
output: {series: {interval: 10us, flows: all}}
)";

TEST(Contract, EveryNameIsUnderstood) {
  const PlatformConfig c = read(kEverything).config;
  EXPECT_EQ(c.seed, 1u);
  EXPECT_EQ(c.duration, kMilliSecond * 50);
  EXPECT_EQ(c.measure.from, kMilliSecond * 20);
  EXPECT_EQ(c.topology.link.rate, 100_Gbps);
  EXPECT_EQ(c.switch_.buffer, 32_MiB);
  EXPECT_EQ(c.switch_.ecn.pmax, Ratio(1, 100));
  EXPECT_EQ(c.switch_.pfc.alpha, Ratio(1, 8));
  EXPECT_FALSE(c.switch_.pfc.headroom);
  EXPECT_EQ(c.nic.mtu, 1000);
  EXPECT_EQ(c.nic.cnp.interval, kMicroSecond * 50);
  EXPECT_EQ(c.nic.controller.clock.hertz, 250'000'000u);
  ASSERT_EQ(c.hosts.count(3), 1u);
  EXPECT_EQ(c.host_of(3).driver, DriverKind::kFirmware);
  EXPECT_EQ(c.host_of(2).driver, DriverKind::kNative);
  EXPECT_EQ(c.host_of(3).elf, fs::absolute(DCC_BAD_CONFIGS).string());
  EXPECT_EQ(c.dscp_of(46).weight, Ratio(8));
  EXPECT_EQ(c.dscp_of(46).tenant, "gold");
  EXPECT_EQ(c.dscp_of(0).weight, Ratio(1));
  ASSERT_EQ(c.traffic.size(), 4u);
  EXPECT_EQ(c.traffic[0].senders.size(), 8u);
  EXPECT_FALSE(c.traffic[0].bytes);
  EXPECT_EQ(c.traffic[1].bytes, 10_MB);
  EXPECT_EQ(c.traffic[1].stop, kMilliSecond * 6);
  EXPECT_EQ(c.traffic[2].flows_per_host, 1000u);
  EXPECT_EQ(c.traffic[3].dscp_map.at(3), 10u);
}

TEST(Contract, EveryShippedConfigurationIsAccepted) {
  std::size_t seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator(DCC_CONFIGS)) {
    if (entry.path().extension() != ".yaml") continue;
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    // Skips sweep files, which describe no platform.
    if (text.find("\nplatform:") != std::string::npos) continue;
    // Skips configurations that need a firmware ELF file, which this build may not have.
    if (text.find("\n# needs: firmware") != std::string::npos) continue;
    EXPECT_NO_THROW(load_config(entry.path())) << entry.path();
    ++seen;
  }
  EXPECT_GE(seen, 6u);
}

TEST(Contract, TheManualsExamplesAreAccepted) {
  std::ifstream page(fs::path(DCC_CONFIGS).parent_path() / "docs/configuration.md");
  std::string example;
  int examples = 0;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line == "```yaml") {
      inside = true;
      example.clear();
    } else if (line == "```" && inside) {
      inside = false;
      ++examples;
      EXPECT_NO_THROW(read(example)) << example;
    } else if (inside) {
      example += line + "\n";
    }
  }
  EXPECT_GE(examples, 2);
}

TEST(Effective, ReadsBackToItself) {
  for (const char* const more :
       {"",
        "nic.congestion_control.algorithm=timely",
        "nic.congestion_control.algorithm=hpcc",
        "nic.congestion_control.algorithm=ibcc",
        "nic.congestion_control.algorithm=qcn",
        "nic.congestion_control.algorithm=dctcp",
        "nic.congestion_control.preset=adapter",
        "nic={congestion_control: {policy: proportional}, cnp: {carry_marks: true}}",
        "topology={kind: fat_tree}",
        "topology={kind: parking_lot, hosts_per_switch: [5, 4]}",
        "topology={kind: fat_tree, k: 4, oversubscription: 2}",
        "topology={kind: leaf_spine, leaves: 3}",
        "topology={kind: rail, rails: 4}",
        "topology={kind: torus, dimensions: [4, 3], wrap: false}",
        "topology={kind: dragonfly, groups: 5, global_link: {delay: 5us}}",
        "switch.scheduler.kind=ets",
        "routing={kind: lmc, lmc: 2}",
        "switch.pfc.headroom=50KB",
        "nic.ack_priority=5",
        "faults=[{kind: loss, probability: 0.1%}, {kind: link_down, link: h1->s0, stop: 1ms}]",
        "expect=[{metric: aggregate.drops, max: 0}]"}) {
    std::vector<std::string> overrides;
    if (*more != '\0') overrides.emplace_back(more);
    const std::string first = effective_yaml(read(kEverything, overrides).config);
    const std::string second = effective_yaml(load_config_text(first, "again").config);
    EXPECT_EQ(first, second) << more;
    EXPECT_NE(first.find("seed: 1\n"), std::string::npos);
  }
}

TEST(Presets, AdapterThenSingleParametersOnTop) {
  const auto c = read("nic: {congestion_control: {r_ai: 7Mbps, preset: adapter}}").config;
  const auto& d = c.nic.congestion_control.of<DccParameters>("dcc");
  EXPECT_EQ(d.r_ai, 7_Mbps);
  EXPECT_EQ(d.r_hai, 50_Mbps);
  EXPECT_EQ(d.g, Ratio(5, 1024));
  EXPECT_EQ(d.f, 1u);
  EXPECT_EQ(d.byte_counter, 32'767);
  EXPECT_EQ(d.increase_timer, kMicroSecond * 300);
  EXPECT_EQ(d.alpha_timer, kMicroSecond);
  EXPECT_EQ(d.decrease_period, kMicroSecond * 4);
  EXPECT_EQ(d.clamp_target, DcqcnParameters::Clamp::kAfterTimer);
  EXPECT_EQ(d.cut_floor, Ratio(1, 2));
  EXPECT_EQ(d.r_min, 1_Mbps);
  EXPECT_EQ(c.nic.cnp.interval, kMicroSecond * 4);
  const auto own = read("nic: {cnp: {interval: 9us}, congestion_control: {preset: adapter}}");
  EXPECT_EQ(own.config.nic.cnp.interval, kMicroSecond * 9);
}

TEST(MarkingRule, ProportionalPolicyBringsThresholdsUnlessOneIsGiven) {
  const std::string star = "topology: {kind: star, hosts: 3, link: {rate: 100Gbps, delay: 1us}}\n";
  const std::string policy = "nic: {congestion_control: {policy: proportional}}\n";
  const auto ecn = [](const std::string& text) { return read(text).config.switch_.ecn; };
  // The base RTT is 4 us of delay plus the transmission time of packets of 1062 + 20 and 66 + 20
  // bytes on two links each.
  const EcnParameters by_rule = ecn(star + policy);
  EXPECT_NEAR(by_rule.kmin, 1.05 * 52'336, 2);
  EXPECT_NEAR(by_rule.kmax, 8.4 * 52'336, 10);
  EXPECT_EQ(by_rule.pmax.to_fixed(16), 65'536u);
  EXPECT_EQ(by_rule.mark_at, EcnParameters::MarkAt::kDequeue);
  EXPECT_EQ(by_rule.reference_rate->bits_per_second, 100'000'000'000u);
  const EcnParameters others = ecn(star + policy + "switch: {ecn: {rule: short_flows}}\n");
  EXPECT_EQ(others.kmin, 10'620);
  EXPECT_NEAR(others.kmax - others.kmin, 1.2 * 52'336, 2);
  const EcnParameters given = ecn(star + policy + "switch: {ecn: {kmin: 7KB}}\n");
  EXPECT_EQ(given.kmin, 7'000);
  EXPECT_EQ(given.kmax, EcnParameters{}.kmax);
  EXPECT_EQ(ecn(star + "nic: {congestion_control: {preset: sig15}}\n").kmin, EcnParameters{}.kmin);
  // A configuration that the program writes back contains the values that a rule chose.
  EXPECT_EQ(ecn(effective_yaml(read(star + policy).config)).kmax, by_rule.kmax);
}

TEST(StepRule, ProportionalPolicyTakesSmallerStepsBehindSlowerLinksUnlessOneIsGiven) {
  const auto steps = [](const std::string& rate, const std::string& more) {
    const auto c =
        read("topology: {kind: star, hosts: 3, link: {rate: " + rate +
             ", delay: 1us}}\nnic: {congestion_control: {policy: proportional" + more + "}}\n")
            .config;
    return c.nic.congestion_control.of<DccParameters>("dcc");
  };
  // At 25 Gb/s r_ai is 13.7 Mb/s times (1/4)^(2/3) = 0.39685, and g is 1 - 0.2 / 0.39685.
  EXPECT_TRUE(steps("25Gbps", "").r_ai == BitRate(5'437'000));
  EXPECT_TRUE(steps("25Gbps", "").g == Ratio(496, 1000));
  EXPECT_TRUE(steps("100Gbps", "").r_ai == BitRate(13'700'000));
  EXPECT_TRUE(steps("400Gbps", "").g == Ratio(4, 5));
  EXPECT_TRUE(steps("25Gbps", ", g: 0.9").r_ai == BitRate(13'700'000));
  EXPECT_TRUE(steps("25Gbps", ", r_ai: 3Mbps").g == Ratio(4, 5));
  EXPECT_TRUE(steps("1Gbps", "").g == Ratio(0));
}

TEST(StepRule, AChangeOfOneKeyMovesNoOther) {
  const auto c = read(
                     "topology: {kind: star, hosts: 3, link: {rate: 25Gbps, delay: 10us}}\n"
                     "duration: 10ms\nnic: {congestion_control: {policy: proportional}}\n"
                     "changes: [{at: 1ms, set: {nic.congestion_control.g: 0.25,"
                     " nic.congestion_control.brisk: 7}}, {at: 2ms, set: "
                     "{nic.congestion_control.r_ai: 9Mbps}}]\n")
                     .config;
  const auto law = [](const PlatformConfig& config) {
    return config.nic.congestion_control.of<DccParameters>("dcc");
  };
  const auto first = law(*c.changes.at(0).config), second = law(*c.changes.at(1).config);
  EXPECT_TRUE(first.g == Ratio(1, 4));
  EXPECT_EQ(first.brisk, 7u);
  EXPECT_TRUE(first.r_ai == law(c).r_ai);
  EXPECT_TRUE(first.first_cut == law(c).first_cut);
  EXPECT_TRUE(first.increase_timer == law(c).increase_timer);
  EXPECT_TRUE(second.r_ai == 9_Mbps);
  EXPECT_TRUE(second.g == Ratio(1, 4));
}

TEST(StepRule, GreatStepsAfterAHoldAreForShortRoundTrips) {
  const auto law = [](const std::string& delay, const std::string& more) {
    const auto c = read("topology: {kind: star, hosts: 3, link: {rate: 100Gbps, delay: " + delay +
                        "}}\nnic: {congestion_control: {policy: proportional" + more + "}}\n")
                       .config;
    return c.nic.congestion_control.of<DccParameters>("dcc");
  };
  EXPECT_EQ(law("3us", "").brisk, 95u);
  // The round trip is 16 us plus the transmission time of two packets.
  EXPECT_EQ(law("4us", "").brisk, 0u);
  // The increase interval is 4/3 of the round trip.
  EXPECT_TRUE(law("4us", "").increase_timer == kMicroSecond * 22);
  EXPECT_TRUE(law("4us", "").r_hai == BitRate(350'000'000));  // R_HAI is one packet per 4 us
  EXPECT_TRUE(law("4us", ", r_hai: 500Mbps").r_hai == 500_Mbps);
  EXPECT_TRUE(law("50us", "").increase_timer == kMicroSecond * 267);
  EXPECT_TRUE(law("500us", "").increase_timer == kMicroSecond * 512);
  EXPECT_TRUE(law("4us", "").initial_window == Ratio(3, 2));
  EXPECT_TRUE(law("4us", "").first_cut == Ratio(1, 24));
  EXPECT_EQ(law("4us", ", brisk: 50").brisk, 50u);
  EXPECT_TRUE(law("4us", ", brisk: 50").increase_timer == kMicroSecond * 14);
}

// Late CE marks need small rate steps. Each doubling of the increase interval above 32 us halves
// the step of a packet (r_ai) and of a mark (MARK_SHIFT), so that the equilibrium stays the same.
TEST(StepRule, StepsAreHalvedWhereMarksAreLate) {
  const auto law = [](const std::string& delay, const std::string& more) {
    return read("topology: {kind: star, hosts: 3, link: {rate: 100Gbps, delay: " + delay +
                "}}\nnic: {congestion_control: {policy: proportional" + more + "}}\n")
        .config.nic.congestion_control.of<DccParameters>("dcc");
  };
  const auto mark_shift = [](const DccParameters& dcc) {
    return dcc.registers({}, 100_Gbps, 100_Gbps, 1000).mark_shift;
  };
  EXPECT_TRUE(law("1us", "").r_ai == BitRate(13'700'000));
  EXPECT_EQ(mark_shift(law("1us", "")), 10u);
  EXPECT_TRUE(law("5us", "").r_ai == BitRate(13'700'000));  // the increase interval is 28 us
  EXPECT_TRUE(law("10us", "").r_ai == BitRate(6'850'000));  // the increase interval is 54 us
  EXPECT_EQ(mark_shift(law("10us", "")), 9u);
  EXPECT_TRUE(law("50us", "").r_ai == BitRate(856'250));  // the increase interval is 267 us
  EXPECT_EQ(mark_shift(law("50us", "")), 6u);
  EXPECT_TRUE(law("50us", ", r_ai: 2Mbps").r_ai == 2_Mbps);
  EXPECT_TRUE(law("1us", ", increase_timer: 60us").r_ai == BitRate(6'850'000));
}

// A switch that marks at enqueue marks a packet before the queue that caused the mark has drained.
// In equilibrium that queue lies between kmin and kmax, and reaches kmax if pmax is below the share
// of marks that the flows need.
TEST(StepRule, TheQueueAtRestDelaysMarksAtEnqueue) {
  const auto interval = [](const std::string& ecn) {
    const auto c = read(
        "topology: {kind: star, hosts: 3, link: {rate: 100Gbps, delay: 1us}}\n"
        "nic: {congestion_control: {policy: proportional}}\nswitch: {ecn: {" +
        ecn + "}}\n");
    return c.config.nic.congestion_control.of<DccParameters>("dcc").increase_timer;
  };
  EXPECT_TRUE(interval("kmin: 20KB, kmax: 80KB, pmax: 1, mark_at: enqueue") == kMicroSecond * 14);
  EXPECT_TRUE(interval("kmin: 800KB, kmax: 4MB, mark_at: dequeue") == kMicroSecond * 14);
  // The increase interval is 4/3 of the control delay: a queue of 64 us, a round trip of 4 us and
  // two packets.
  EXPECT_TRUE(interval("kmin: 800KB, kmax: 800KB, pmax: 1, mark_at: enqueue") == kMicroSecond * 91);
  // The equilibrium queue is kmin (100 KB) and 0.15 of the ramp to kmax: 685 KB, or 55 us.
  EXPECT_TRUE(interval("kmin: 100KB, kmax: 4MB, pmax: 1, mark_at: enqueue") == kMicroSecond * 79);
  // The marking ramp ends below the share of marks that the flows need, so the equilibrium queue is
  // kmax: 4 MB, or 320 us.
  EXPECT_TRUE(interval("kmin: 100KB, kmax: 4MB, pmax: 0.05, mark_at: enqueue") ==
              kMicroSecond * 433);
}

// Rates oscillate by a fraction of the bytes in flight. A queue whose thresholds lie far below the
// bytes in flight runs empty.
TEST(StepRule, StepsAreHalvedWhereTheThresholdsLieFarBelowTheBytesUnderWay) {
  const auto law = [](const std::string& kmax, const std::string& more,
                      const std::string& marks = "pmax: 1, mark_at: dequeue") {
    return read(
               "topology: {kind: star, hosts: 3, link: {rate: 100Gbps, delay: 10us}}\n"
               "nic: {congestion_control: {policy: proportional" +
               more + "}}\nswitch: {ecn: {kmin: 10KB, kmax: " + kmax + ", " + marks + "}}\n")
        .config.nic.congestion_control.of<DccParameters>("dcc");
  };
  const auto mark_shift = [](const DccParameters& dcc) {
    return dcc.registers({}, 100_Gbps, 100_Gbps, 1000).mark_shift;
  };
  // The bandwidth-delay product of 40 us and 100 Gb/s is 500 KB. The increase interval of 54 us
  // alone halves the steps once.
  EXPECT_EQ(law("400KB", "").finer_steps, 0u);
  EXPECT_TRUE(law("400KB", "").r_ai == BitRate(6'850'000));
  EXPECT_EQ(mark_shift(law("400KB", "")), 9u);
  EXPECT_EQ(law("200KB", "").finer_steps, 1u);
  EXPECT_TRUE(law("200KB", "").r_ai == BitRate(3'425'000));
  EXPECT_EQ(mark_shift(law("200KB", "")), 8u);
  EXPECT_EQ(law("50KB", "").finer_steps, 2u);
  EXPECT_TRUE(law("50KB", "").r_ai == BitRate(1'712'500));
  EXPECT_EQ(mark_shift(law("50KB", "")), 7u);
  // At the end of a marking ramp with a low pmax all packets are marked or none, and marks wait in
  // the queue.
  EXPECT_EQ(law("400KB", "", "pmax: 0.1, mark_at: enqueue").finer_steps, 1u);
  EXPECT_EQ(law("50KB", "", "pmax: 0.1, mark_at: enqueue").finer_steps, 2u);
  EXPECT_EQ(law("400KB", "", "pmax: 0.2, mark_at: enqueue").finer_steps, 0u);
  EXPECT_EQ(law("400KB", "", "pmax: 0.1, mark_at: dequeue").finer_steps, 0u);
  EXPECT_EQ(mark_shift(law("50KB", ", finer_steps: 0")), 9u);
  EXPECT_TRUE(law("50KB", ", finer_steps: 3").r_ai == BitRate(856'250));
  EXPECT_EQ(law("50KB", ", r_ai: 2Mbps").finer_steps, 0u);
}

TEST(Presets, ProportionalBringsWhatItNeeds) {
  const auto c = read("nic: {congestion_control: {policy: proportional, first_cut: 1/8}}").config;
  const auto& d = c.nic.congestion_control.of<DccParameters>("dcc");
  EXPECT_TRUE(d.r_ai == BitRate(13'700'000));
  EXPECT_TRUE(d.r_hai == 550_Mbps);
  EXPECT_TRUE(d.r_min == 5_Mbps);
  EXPECT_TRUE(d.g == Ratio(4, 5));
  EXPECT_FALSE(d.reference_rate.has_value());
  EXPECT_TRUE(d.mi == Ratio(0));
  EXPECT_TRUE(d.decrease_period == kMicroSecond * 5);
  EXPECT_EQ(d.f, 0u);
  EXPECT_TRUE(d.first_cut == Ratio(1, 8));  // a single parameter overrides the preset's value
  EXPECT_TRUE(d.increase_timer == kMicroSecond * 14);
  EXPECT_EQ(d.brisk, 95u);
  EXPECT_TRUE(c.nic.cnp.carry_marks);
  EXPECT_TRUE(c.nic.cnp.interval == kMicroSecond * 2);
  const auto plain = read("nic: {congestion_control: {policy: proportional}}").config;
  EXPECT_TRUE(plain.nic.congestion_control.of<DccParameters>("dcc").first_cut == Ratio(1, 28));
}

TEST(Topology, ItsSlowestLink) {
  const auto slowest = [](const char* yaml) { return read(yaml).config.topology.slowest_link(); };
  EXPECT_TRUE(slowest("topology: {link: {rate: 25Gbps}}") == 25_Gbps);
  EXPECT_TRUE(slowest("topology: {kind: fat_tree, host_link: {rate: 50Gbps}}") == 50_Gbps);
  EXPECT_TRUE(slowest("topology: {kind: dragonfly, global_link: {rate: 40Gbps}}") == 40_Gbps);
  EXPECT_TRUE(slowest("topology: {kind: custom, nodes: [{name: a, kind: host}, {name: b, kind: "
                      "host}, {name: s, kind: switch}], links: [{from: a, to: s}, {from: b, to: "
                      "s, rate: 10Gbps}]}") == 10_Gbps);
}

TEST(Presets, Sig15IsTheDefault) {
  const auto c = read("nic: {congestion_control: {preset: sig15}}").config;
  const auto& d = c.nic.congestion_control.of<DccParameters>("dcc");
  EXPECT_EQ(d.g, Ratio(1, 256));
  EXPECT_EQ(d.f, 5u);
  EXPECT_EQ(d.alpha_timer, kMicroSecond * 55);
  EXPECT_EQ(d.increase_timer, kMicroSecond * 55);
  EXPECT_EQ(d.byte_counter, 10_MB);
  EXPECT_EQ(d.r_ai, 40_Mbps);
  EXPECT_EQ(d.r_hai, 40_Mbps);
  EXPECT_EQ(c.nic.cnp.interval, kMicroSecond * 50);
  EXPECT_EQ(c.switch_.ecn.kmin, 5_KB);
}

TEST(Overrides, ReachEverywhere) {
  const auto c =
      read(kEverything, {"traffic.0.dscp=46", "switch.ecn.kmin=7KB", "seed=18446744073709551615",
                         "dscp.46.weight=4", "measure.to=40ms", "switch.ecn={kmax: 300KB}",
                         "traffic.0.senders=[1, 3]"})
          .config;
  EXPECT_EQ(c.traffic[0].dscp, 46u);
  EXPECT_EQ(c.traffic[0].senders, (HostList{1, 3}));
  EXPECT_EQ(c.switch_.ecn.kmin, 7_KB);  // the maps of both files are merged
  EXPECT_EQ(c.switch_.ecn.kmax, 300_KB);
  EXPECT_EQ(c.seed, 18446744073709551615u);
  EXPECT_EQ(c.dscp_of(46).weight, Ratio(4));
  EXPECT_EQ(c.dscp_of(46).tenant, "gold");
}

TEST(Overrides, ListsReplaceWhole) {
  const auto c = read(kEverything, {"traffic=[{kind: flow, from: 1, to: 2}]"}).config;
  ASSERT_EQ(c.traffic.size(), 1u);
  EXPECT_EQ(c.traffic[0].from, 1u);
}

TEST(Overrides, AnotherAlgorithmLeavesTheFirstOnesParametersBehind) {
  const std::string file = "nic: {congestion_control: {algorithm: dcqcn, f: 3, r_min: 50Mbps}}";
  const auto timely = read(file, {"nic.congestion_control.algorithm=timely"}).config;
  EXPECT_EQ(timely.nic.congestion_control.of<TimelyParameters>("timely").r_min,
            50_Mbps);  // both algorithms have the parameter r_ai
  // A key that the override itself sets must apply to the new algorithm.
  EXPECT_EQ(
      error_of(file, {"nic.congestion_control.algorithm=timely", "nic.congestion_control.g=0.5"}),
      "-c nic.congestion_control.g=0.5: 'g' applies only with algorithm: dcc or dcqcn "
      "or dctcp or hull");
}

// An element of `hosts` inherits the driver of `host`, unless the element sets its own driver.
TEST(Overrides, AnotherDriverLeavesTheFirstOnesParametersBehindInHostsToo) {
  const std::string file =
      "host: {driver: firmware, elf: t.yaml, machine: virt}\nhosts: {\"1\": {machine: dcc}}\n";
  EXPECT_EQ(error_of(file, {"host.driver=native"}), "accepted");
  EXPECT_EQ(error_of(file, {"host.driver=native", "hosts.1.machine=virt"}),
            "-c hosts.1.machine=virt: 'machine' applies only with driver: firmware");
}

TEST(Overrides, TheLastOneWins) {
  EXPECT_EQ(read("seed: 1", {"seed=2", "seed=3"}).config.seed, 3u);
}

TEST(Overrides, ErrorsNameTheArgument) {
  EXPECT_EQ(error_of("seed: 1", {"seed"}), "-c seed: expected key.path=value");
  EXPECT_EQ(error_of("seed: 1", {"=3"}), "-c =3: expected key.path=value");
  EXPECT_EQ(error_of("seed: 1", {"seed="}), "-c seed=: 'seed' has no value");
  EXPECT_EQ(error_of("seed: 1", {"seed.x=3"}),
            "-c seed.x=3: 'seed' is a single value, it has no 'x'");
  EXPECT_EQ(error_of("seed: 1", {"switch..x=3"}), "-c switch..x=3: an empty key in 'switch..x'");
  EXPECT_EQ(error_of("seed: 1", {"switch.bufer=3MB"}),
            "-c switch.bufer=3MB: unknown key 'bufer' in switch; did you mean 'buffer'?");
  EXPECT_EQ(error_of("seed: 1", {"duration=5"}),
            "-c duration=5: '5': needs a unit (ps, ns, us, ms, s)");
  EXPECT_EQ(error_of(kEverything, {"traffic.4.dscp=1"}),
            "-c traffic.4.dscp=1: 'traffic' has 4 elements, so no index 4");
  EXPECT_EQ(
      error_of(kEverything, {"traffic.x.dscp=1"}),
      "-c traffic.x.dscp=1: 'traffic' is a list: its elements are addressed by index, not 'x'");
  EXPECT_EQ(
      error_of("seed: 1", {"measure.from=10ms"}),
      "-c measure.from=10ms: measure.from: the window begins at 10ms, not before its end 10ms");
  EXPECT_EQ(error_of("seed: 1", {"seed=[1"}).rfind("-c seed=[1", 0), 0u);
}

TEST(Parameters, EveryOneIsDocumentedAndNamesAreUnique) {
  std::map<std::pair<std::string, std::string>, int> seen;
  for (const ParameterRow& row : list_parameters()) {
    EXPECT_FALSE(row.meaning.empty()) << row.path;
    EXPECT_FALSE(row.type.empty()) << row.path;
    EXPECT_FALSE(row.fallback.empty()) << row.path;
    EXPECT_EQ((++seen[{row.path, row.condition}]), 1)
        << row.path << " twice under " << row.condition;
  }
  EXPECT_GT(seen.size(), 150u);
}

const ParameterRow& row_of(const std::vector<ParameterRow>& rows, const std::string& path) {
  for (const ParameterRow& row : rows) {
    if (row.path == path) return row;
  }
  throw std::runtime_error("no row " + path);
}

TEST(Parameters, OriginsOfEffectiveValues) {
  const auto rows = list_parameters(
      read("seed: 4\nnic: {congestion_control: {preset: adapter}}\n", {"duration=3ms"}));
  EXPECT_EQ(row_of(rows, "seed").origin, "t.yaml:1:7");
  EXPECT_EQ(row_of(rows, "seed").value, "4");
  EXPECT_EQ(row_of(rows, "seed").fallback, "1");
  EXPECT_EQ(row_of(rows, "duration").origin, "-c duration=3ms");
  EXPECT_EQ(row_of(rows, "duration").value, "3ms");
  EXPECT_EQ(row_of(rows, "switch.ecn.kmin").origin, "default");
  EXPECT_EQ(row_of(rows, "nic.congestion_control.f").origin, "preset");
  EXPECT_EQ(row_of(rows, "nic.congestion_control.f").value, "1");
  EXPECT_EQ(row_of(rows, "nic.congestion_control.f").fallback, "5");
  for (const ParameterRow& row : rows) EXPECT_NE(row.path, "nic.congestion_control.eta");
}

TEST(Parameters, DefaultsAreWithinTheirRanges) {
  // The reader must accept a file that writes out every default value, so ranges and defaults do
  // not contradict.
  for (const char* const algorithm : {"dcc", "dcqcn", "qcn", "timely", "dctcp", "hpcc", "hull",
                                      "ibcc", "swift", "powertcp", "none"}) {
    const std::string choice = std::string("nic.congestion_control.algorithm=") + algorithm;
    const std::string text = effective_yaml(default_config({choice}).config);
    EXPECT_NO_THROW(load_config_text(text, algorithm)) << text;
  }
}

TEST(Overrides, AShorterRunIsMeasuredToItsEnd) {
  const std::string file = "duration: 10ms\nmeasure: {from: 100us, to: 9ms}\n";
  const LoadedConfig loaded = read(file, {"duration=200us"});
  EXPECT_EQ(loaded.config.measure_end(), kMicroSecond * 200);
  ASSERT_EQ(loaded.notes.size(), 1u);
  EXPECT_EQ(loaded.notes[0],
            "measure.to: 9ms is after the end of the run; statistics are taken to the end, 200us");
  EXPECT_TRUE(read(file, {"duration=9ms"}).notes.empty());
  EXPECT_TRUE(read(file, {}).notes.empty());
  // An override shortens the run so that the default measurement window would be empty. The reader
  // then measures from a quarter of the run on.
  const LoadedConfig shorter = read(file, {"duration=80us"});
  EXPECT_EQ(shorter.config.measure.from, kMicroSecond * 20);
  EXPECT_EQ(shorter.config.measure_end(), kMicroSecond * 80);
  ASSERT_EQ(shorter.notes.size(), 2u);
  EXPECT_EQ(shorter.notes[1],
            "measure.from: 100us is not before the end of the run, 80us; statistics are taken from "
            "a quarter of the run on, 20us");
  // The reader refuses a measurement window outside the run if an override set the window or if the
  // file is wrong without overrides.
  EXPECT_NE(error_of(file, {"duration=80us", "measure.from=90us"}), "accepted");
  EXPECT_NE(error_of(file, {"duration=200us", "measure.to=300us"}), "accepted");
  EXPECT_NE(error_of(file, {"duration=200us", "measure={from: 0us, to: 1ms}"}), "accepted");
  EXPECT_NE(error_of("duration: 1ms\nmeasure: {to: 2ms}\n", std::vector<std::string>{}),
            "accepted");
}

TEST(Overrides, WhatAnOverrideSetsIsNeverLeftBehind) {
  const std::string file = "nic: {congestion_control: {algorithm: timely, variant: patched}}\n";
  EXPECT_EQ(error_of(file, {"nic.congestion_control.algorithm=dcc"}), "accepted");
  const std::string map = "nic.congestion_control={algorithm: dcc, variant: bogus}";
  const std::string refused = ": 'variant' applies only with algorithm: ";
  EXPECT_EQ(error_of(file, {map}).rfind("-c " + map + refused, 0), 0u) << error_of(file, {map});
  const std::string single = "nic.congestion_control.variant=patched";
  EXPECT_EQ(error_of(file, {"nic.congestion_control.algorithm=dcc", single})
                .rfind("-c " + single + refused, 0),
            0u);
  EXPECT_NE(error_of(file, {"nic.congestion_control={algorithm: dcc, varyant: bogus}"})
                .find("unknown key 'varyant'"),
            std::string::npos);
}

}  // namespace
}  // namespace dcc::vp
