// Parameters that a configuration leaves unset get values from the network's slowest link and base
// RTT, or from the requirements of the chosen transport.
#include "config/follow_network.h"

#include <gtest/gtest.h>

#include "config/effective_yaml.h"
#include "config/parameter_list.h"
#include "controller/dcc.h"
#include "describe/network_scale.h"

namespace dcc::vp {
namespace {

LoadedConfig loaded_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return load_config_text(text, "t.yaml", ".", overrides);
}

std::string star(const std::string& rate, const std::string& delay) {
  return "topology: {kind: star, hosts: 9, link: {rate: " + rate + ", delay: " + delay + "}}\n";
}

DcqcnParameters dcqcn(const LoadedConfig& loaded) {
  return *loaded.config.nic.congestion_control.chosen<DcqcnParameters>();
}

std::string refusal_of(const std::string& text) {
  try {
    loaded_of(text);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(FollowNetwork, EnginesOfBlocksFollowThatOfTheNicUnlessOneIsGiven) {
  const NicConfig plain = loaded_of("seed: 1\n").config.nic;
  EXPECT_EQ(plain.pacer.engine, BlockImplementation::kNone);
  EXPECT_EQ(plain.np.engine, Implementation::kModel);
  EXPECT_EQ(plain.parser.engine, Implementation::kModel);
  const LoadedConfig model = loaded_of("nic: {engine: model}\n");
  EXPECT_EQ(model.config.nic.pacer.engine, BlockImplementation::kModel);
  EXPECT_EQ(model.config.followed.count("nic.pacer.engine"), 1u);
  EXPECT_EQ(model.config.followed.count("nic.parser.engine"), 1u);
  const LoadedConfig own = loaded_of("nic: {engine: model, pacer: {engine: none}}\n");
  EXPECT_EQ(own.config.nic.pacer.engine, BlockImplementation::kNone);

  const std::string both = "nic: {engine: lockstep, np: {engine: model}}\n";
  const std::string refusal = refusal_of(both);
  if (refusal != "accepted") {  // a build without RTL refuses `engine: rtl`
    EXPECT_NE(refusal.find("nic.engine: engine: lockstep: this build has no RTL"),
              std::string::npos)
        << refusal;
    return;
  }
  const NicConfig compared = loaded_of(both).config.nic;
  EXPECT_EQ(compared.controller.engine, Implementation::kLockstep);
  EXPECT_EQ(compared.pacer.engine, BlockImplementation::kLockstep);
  EXPECT_EQ(compared.np.engine, Implementation::kModel);
  EXPECT_EQ(compared.parser.engine, Implementation::kLockstep);
  const NicConfig alone = loaded_of("nic: {engine: lockstep, parser: {engine: rtl}}\n").config.nic;
  EXPECT_EQ(alone.parser.engine, Implementation::kRtl);
  EXPECT_EQ(alone.np.engine, Implementation::kLockstep);
  // A configuration may choose RTL for one part of the controller. All other parts remain models.
  const NicConfig part = loaded_of("nic: {engine: rtl, controller: {timer: rtl}}\n").config.nic;
  EXPECT_EQ(part.controller.engine, Implementation::kModel);
  // A host without a congestion controller has no engine that RTL could replace.
  const NicConfig other =
      loaded_of("nic: {engine: rtl, congestion_control: {algorithm: dcqcn}}\n").config.nic;
  EXPECT_EQ(other.controller.engine, Implementation::kModel);
  EXPECT_EQ(other.pacer.engine, BlockImplementation::kRtl);
  EXPECT_EQ(other.parser.engine, Implementation::kRtl);
}

// A link of 100 Gb/s and 1 us has a base RTT of 4.19 us and a bandwidth-delay product of 52.3 KB.
TEST(FollowNetwork, RatesAndTimesOfDcqcnFollowRateAndDistance) {
  const std::string algorithm = "nic: {congestion_control: {algorithm: dcqcn}}\n";
  const LoadedConfig loaded = loaded_of(star("100Gbps", "1us") + algorithm);
  const DcqcnParameters p = dcqcn(loaded);
  EXPECT_EQ(p.increase_timer, kMicroSecond * 17);
  EXPECT_EQ(p.alpha_timer, kMicroSecond * 17);
  EXPECT_EQ(loaded.config.nic.cnp.interval, kMicroSecond * 17);
  // r_ai is a 125th of 100 Gb/s, times the base RTT of 4.19 us, divided by the interval of 17 us.
  EXPECT_NEAR(p.r_ai.bits_per_second / 1e6, 800 * 4.187 / 17, 2);
  EXPECT_EQ(p.r_min.bits_per_second, 100'000'000u);
  EXPECT_NEAR(loaded.config.switch_.ecn.kmin, 52'336 / 2, 2);
  EXPECT_NEAR(loaded.config.switch_.ecn.kmax, 52'336 * 2, 8);

  const DcqcnParameters fast = dcqcn(loaded_of(star("800Gbps", "1us") + algorithm));
  // The link rate is eight times as high, and the base RTT is 4.02 us.
  EXPECT_NEAR(
      static_cast<double>(fast.r_ai.bits_per_second) / static_cast<double>(p.r_ai.bits_per_second),
      8 * 4.02 / 4.187, 0.05);
  // In a network with long round trips DCQCN's increase timer is at least one base RTT. In a
  // network with short round trips the timer is a whole number of ticks.
  EXPECT_GE(dcqcn(loaded_of(star("100Gbps", "50us") + algorithm)).increase_timer,
            kMicroSecond * 200);
  EXPECT_EQ(dcqcn(loaded_of(star("800Gbps", "1ns") + algorithm)).increase_timer, kMicroSecond);
}

TEST(FollowNetwork, HardwareHasTheSameDefaultsInWholeTicks) {
  const DcqcnParameters p = dcqcn(loaded_of(star("100Gbps", "1us")));
  EXPECT_EQ(p.increase_timer, kMicroSecond * 17);
  const DcqcnParameters coarse =
      dcqcn(loaded_of(star("100Gbps", "1us") + "nic: {controller: {tick: 10us}}\n"));
  EXPECT_EQ(coarse.increase_timer, kMicroSecond * 20);
}

TEST(FollowNetwork, WrittenValuesAndNamedPresetsStay) {
  const std::string net = star("100Gbps", "1us");
  const DcqcnParameters written =
      dcqcn(loaded_of(net + "nic: {congestion_control: {r_ai: 7Mbps}}\n"));
  EXPECT_EQ(written.r_ai, 7_Mbps);
  EXPECT_EQ(written.increase_timer, kMicroSecond * 17);
  const LoadedConfig sig15 = loaded_of(net + "nic: {congestion_control: {preset: sig15}}\n");
  EXPECT_EQ(dcqcn(sig15).r_ai, 40_Mbps);
  EXPECT_EQ(sig15.config.nic.cnp.interval, kMicroSecond * 50);
  EXPECT_EQ(sig15.config.switch_.ecn.kmax, EcnParameters{}.kmax);
  const LoadedConfig threshold = loaded_of(net + "switch: {ecn: {kmax: 400KB}}\n");
  EXPECT_EQ(threshold.config.switch_.ecn.kmax, 400'000);
  EXPECT_EQ(threshold.config.switch_.ecn.kmin, EcnParameters{}.kmin);
}

TEST(FollowNetwork, AThresholdFollowsTheOtherOneThatIsWrittenAlone) {
  const auto ecn = [](const std::string& written) {
    return loaded_of(star("100Gbps", "1us") + "switch: {ecn: {" + written + "}}\n")
        .config.switch_.ecn;
  };
  EXPECT_EQ(ecn("kmin: 300KB").kmax, 1'200'000);
  // the default kmax is 4 times the kmin of 50 KB
  EXPECT_EQ(ecn("kmin: 50KB").kmax, EcnParameters{}.kmax);
  EXPECT_EQ(ecn("kmin: 2147483647B").kmax, kMaxThreshold);
  EXPECT_EQ(ecn("kmax: 8KB").kmin, 2'000);
  EXPECT_EQ(ecn("kmin: 9KB, kmax: 10KB").kmax, 10'000);
  // After a change of one ECN threshold the other threshold follows the network, until a change
  // sets it too.
  const auto changed = [](const std::string& written, const std::string& set) {
    const PlatformConfig c = loaded_of(star("100Gbps", "1us") + "switch: {ecn: {" + written +
                                       "}}\nduration: 10ms\nchanges: [" + set + "]\n")
                                 .config;
    return c.changes.back().config->switch_.ecn;
  };
  EXPECT_EQ(changed("kmin: 100KB", "{at: 1ms, set: {switch.ecn.kmin: 500KB}}").kmax, 2'000'000);
  EXPECT_EQ(changed("kmin: 300KB", "{at: 1ms, set: {switch.ecn.kmin: 120KB}}").kmax, 480'000);
  EXPECT_EQ(changed("kmax: 100KB", "{at: 1ms, set: {switch.ecn.kmax: 8KB}}").kmin, 2'000);
  EXPECT_EQ(changed("kmin: 300KB", "{at: 1ms, set: {switch.ecn.pmax: 0.5}}").kmax, 1'200'000);
  EXPECT_EQ(changed("kmin: 100KB",
                    "{at: 1ms, set: {switch.ecn.kmax: 500KB}}, "
                    "{at: 2ms, set: {switch.ecn.kmin: 200KB}}")
                .kmax,
            500'000);
}

// If the configuration file sets no ECN threshold, a change of one threshold leaves the other
// threshold where it is. The change is refused if kmin would exceed kmax.
TEST(FollowNetwork, AChangeThatWritesTheFirstThresholdMovesNoOther) {
  const auto changed = [](const std::string& kmin) {
    return loaded_of(star("100Gbps", "1us") +
                     "switch: {ecn: {rule: given}}\nduration: 10ms\n"
                     "changes: [{at: 1ms, set: {switch.ecn.kmin: " +
                     kmin + "}}]\n")
        .config.changes.front()
        .config->switch_.ecn;
  };
  EXPECT_EQ(changed("150KB").kmax, EcnParameters{}.kmax);
  try {
    changed("500KB");
    FAIL() << "kmin above kmax";
  } catch (const ConfigError& error) {
    EXPECT_NE(
        std::string(error.what())
            .find("switch.ecn.kmin: kmin 500KB is above kmax 200KB; a change moves only what it "
                  "sets, so kmax stays at the value of the beginning: set switch.ecn.kmax as well"),
        std::string::npos)
        << error.what();
  }
}

TEST(FollowNetwork, ARuleGivesWayToALimitThatIsWritten) {
  const std::string net = star("100Gbps", "1us") + "nic: {congestion_control: {algorithm: dcqcn, ";
  EXPECT_EQ(dcqcn(loaded_of(net + "r_max: 50Mbps}}\n")).r_min, 50_Mbps);
  EXPECT_EQ(dcqcn(loaded_of(net + "initial_rate: 30Mbps}}\n")).r_min, 30_Mbps);
  EXPECT_EQ(dcqcn(loaded_of(net + "first_rate: 20Mbps}}\n")).r_min, 20_Mbps);
}

TEST(FollowNetwork, AChangeOfOneKeyMovesNoOther) {
  const auto c =
      loaded_of(star("100Gbps", "1us") +
                "duration: 10ms\n"
                "changes: [{at: 1ms, set: {switch.ecn.kmax: 400KB, switch.ecn.pmax: 0.5}}]\n")
          .config;
  const PlatformConfig& after = *c.changes.front().config;
  EXPECT_EQ(after.switch_.ecn.kmax, 400'000);
  EXPECT_EQ(after.switch_.ecn.kmin, c.switch_.ecn.kmin);
  EXPECT_EQ(after.nic.congestion_control.of<DccParameters>("dcc").increase_timer,
            c.nic.congestion_control.of<DccParameters>("dcc").increase_timer);
}

// A longer increase interval halves r_ai and the rate cut of a CE mark. The interval has the same
// effect whether the file or a later change sets it.
TEST(FollowNetwork, AChangedIntervalTakesTheStepOfTheSameIntervalFromTheBeginning) {
  const std::string net = star("100Gbps", "50us") + "duration: 10ms\n";
  const std::string policy = "nic: {congestion_control: {algorithm: dcc, policy: proportional";
  const auto dcc = [](const PlatformConfig& config) {
    return config.nic.congestion_control.of<DccParameters>("dcc");
  };
  const auto ruled = loaded_of(net + policy + "}}\n").config;
  for (const std::string interval : {"16us", "64us", "200us", "500us"}) {
    const auto given = loaded_of(net + policy + ", increase_timer: " + interval + "}}\n").config;
    const auto changed =
        loaded_of(net + policy +
                  "}}\nchanges: [{at: 1us, set: {nic.congestion_control.increase_timer: " +
                  interval + "}}]\n")
            .config;
    const PlatformConfig& after = *changed.changes.front().config;
    EXPECT_EQ(dcc(after).increase_timer, dcc(given).increase_timer);
    EXPECT_EQ(dcc(after).r_ai, dcc(given).r_ai) << interval;
  }
  const auto written =
      loaded_of(
          net + policy +
          "}}\nchanges: [{at: 1us, set: {nic.congestion_control: {increase_timer: 16us, r_ai: "
          "3Mbps}}}]\n")
          .config;
  EXPECT_EQ(dcc(*written.changes.front().config).r_ai, 3_Mbps);
  const auto short_interval = loaded_of(net + policy + ", increase_timer: 16us}}\n").config;
  EXPECT_FALSE(dcc(ruled).r_ai == dcc(short_interval).r_ai);
}

// With `switch.ecn.draw: packet` the default increase_timer of dcc is at least 168 us. The increase
// steps equal those of a configuration that sets increase_timer to the same value, and r_hai stays
// one packet per interval.
TEST(FollowNetwork, MarksByTheMostCongestedPortHaveALongInterval) {
  const auto loaded = [](const std::string& draw, const std::string& more,
                         const std::string& delay = "1us") {
    return loaded_of(star("100Gbps", delay) + "duration: 10ms\nswitch: {ecn: {draw: " + draw +
                     "}}\nnic: {congestion_control: {algorithm: dcc, " + more + "}}\n");
  };
  const auto dcc = [](const LoadedConfig& of) {
    return of.config.nic.congestion_control.of<DccParameters>("dcc");
  };
  const std::string policy = "policy: proportional";
  const LoadedConfig ruled = loaded("packet", policy);
  const LoadedConfig given = loaded("random", policy + ", increase_timer: 168us");
  EXPECT_EQ(dcc(loaded("random", policy)).increase_timer, kMicroSecond * 14);
  EXPECT_EQ(dcc(ruled).increase_timer, kMicroSecond * 168);
  EXPECT_EQ(dcc(ruled).r_ai, dcc(given).r_ai);
  EXPECT_EQ(dcc(ruled).r_hai.bits_per_second, dcc(given).r_hai.bits_per_second * 14 / 168);
  EXPECT_EQ(dcc(loaded("packet", policy + ", r_hai: 92Mbps")).r_hai, 92_Mbps);
  EXPECT_NE(ruled.config.followed.at("nic.congestion_control.increase_timer").find("draw packet"),
            std::string::npos);
  EXPECT_EQ(dcc(loaded("packet", policy + ", increase_timer: 20us")).increase_timer,
            kMicroSecond * 20);
  EXPECT_EQ(dcc(loaded("packet", policy + ", first_cut: 1/8")).increase_timer, kMicroSecond * 168);
  EXPECT_EQ(dcc(loaded("packet", policy, "50us")).increase_timer,
            dcc(loaded("random", policy, "50us")).increase_timer);
  EXPECT_EQ(dcc(loaded("packet", "policy: dcqcn")).increase_timer,
            dcc(loaded("random", "policy: dcqcn")).increase_timer);
}

// With `switch.ecn.draw: packet` the scale of weights follows the port with the greatest sum of
// flow weights. Ports between switches count as well.
TEST(FollowNetwork, MarksByTheMostCongestedPortCountTheWeightsOfEveryPort) {
  const auto sum = [](const std::string& traffic, const std::string& draw = "packet",
                      const std::string& fabric = "100Gbps") {
    const LoadedConfig loaded = loaded_of(
        "topology: {kind: parking_lot, hosts_per_switch: [2, 2, 2], link: {rate: 400Gbps, delay: "
        "1us}, fabric_link: {rate: " +
        fabric +
        ", delay: 1us}}\nduration: 10ms\nhost: {driver: none}\ndscp: {10: {weight: 2}, 11: "
        "{weight: "
        "3}}\nswitch: {ecn: {draw: " +
        draw +
        "}}\nnic: {congestion_control: {algorithm: dcc, policy: proportional}}\n"
        "nics: [{hosts: 1, congestion_control: {algorithm: dcqcn}}]\ntraffic: [" +
        traffic + "]\n");
    return static_cast<double>(loaded.config.port_weight) / 65536;
  };
  const std::string far = "{kind: flow, from: 0, to: 4, dscp: 10, flows: 3}";
  const std::string near = ", {kind: flow, from: 2, to: 5, dscp: 11}";
  EXPECT_EQ(sum(far), 6);
  EXPECT_EQ(sum(far + near), 9) << "the second link between switches";
  EXPECT_EQ(sum(far + near, "random"), 0) << "not needed";
  EXPECT_EQ(sum(far + near, "packet", "400Gbps"), 9) << "all ports are alike";
  EXPECT_EQ(sum(far + near, "packet", "800Gbps"), 6) << "a sender's port, half as fast";
  EXPECT_EQ(sum("{kind: flow, from: 1, to: 4, dscp: 11}"), 0) << "goes by no weight";
  EXPECT_EQ(sum("{kind: incast, senders: 2..3, receiver: 4, dscp: 11}"), 6);
  EXPECT_EQ(sum("{kind: incast, receiver: 5, dscp: 10}"), 6) << "hosts 0, 2 and 3 cross a link";
  EXPECT_EQ(sum("{kind: one_to_many, sender: 0, receivers: 2..5, dscp: 10}"), 8);
  EXPECT_EQ(sum("{kind: flow, from: 1, to: 4, dscp: 10, operation: read, message: 1MB}"), 2)
      << "data of a READ goes back";
}

// Three flows of weight 2 cross two spines, so each port of the leaf has half of their weight.
TEST(FollowNetwork, SeveralPathsShareTheWeightOfAFlow) {
  const LoadedConfig loaded = loaded_of(
      "topology: {kind: leaf_spine, leaves: 2, spines: 2, hosts_per_leaf: 2, host_link: {rate: "
      "400Gbps, delay: 1us}, fabric_link: {rate: 100Gbps, delay: 1us}}\nduration: 10ms\n"
      "host: {driver: none}\ndscp: {10: {weight: 2}}\nswitch: {ecn: {draw: packet}}\n"
      "nic: {congestion_control: {algorithm: dcc, policy: proportional}}\n"
      "traffic: [{kind: flow, from: 0, to: 2, dscp: 10, flows: 3}]\n");
  EXPECT_EQ(static_cast<double>(loaded.config.port_weight) / 65536, 3);
}

// With telemetry the flows of the busiest port add 1/20 of its rate and half a packet in a round
// trip. A step of the user's own stays, and so does the preset's if the flows are not known.
TEST(FollowNetwork, TheStepOfTelemetryFollowsTheWeightsOfAPort) {
  const auto loaded = [](const std::string& rate, const std::string& traffic,
                         const std::string& more = "") {
    return loaded_of(star(rate, "1us") +
                     "duration: 10ms\nhost: {driver: none}\ndscp: {10: {weight: 5}}\n"
                     "nic: {congestion_control: {algorithm: dcc, policy: proportional_int" +
                     more + "}}\ntraffic: [" + traffic + "]\n");
  };
  const auto step = [](const LoadedConfig& of) {
    return static_cast<double>(
        of.config.nic.congestion_control.of<DccParameters>("dcc").r_ai.bits_per_second);
  };
  const std::string one = "{kind: flow, from: 1, to: 0, dscp: 10}";
  const std::string forty = "{kind: incast, senders: 1..8, receiver: 0, dscp: 10, flows: 5}";
  const std::string key = "nic.congestion_control.r_ai";
  // A round trip over two links of 1 us takes 4 us and the times of two packets and two ACKs.
  for (const auto& [rate, name] : {std::pair(25e9, "25Gbps"), std::pair(400e9, "400Gbps")}) {
    const double trip = 4e-6 + 2 * (1082 + 84) * 8 / rate;
    const double all = rate / 20 + 1082 * 4 / trip;
    EXPECT_NEAR(step(loaded(name, forty)) * 200, all, 0.01 * all) << name;
    EXPECT_NEAR(step(loaded(name, one)) * 5, all, 0.01 * all) << name;
  }
  EXPECT_EQ(step(loaded("100Gbps", forty, ", r_ai: 60Mbps")), 60e6);
  EXPECT_EQ(step(loaded("100Gbps", "{kind: poisson, load: 0.5, sizes: websearch, dscp: 10}")),
            100e6);
  const LoadedConfig ruled = loaded("100Gbps", forty);
  EXPECT_NE(ruled.config.followed.at(key).find("weights of a port"), std::string::npos);
  EXPECT_EQ(loaded("100Gbps", forty, ", r_ai: 60Mbps").config.followed.count(key), 0u);
  EXPECT_EQ(ruled.config.port_weight, 0u) << "the scale of the law of marks";
}

TEST(FollowNetwork, TheRuleIsShownWithTheValueAndWrittenBesideIt) {
  const LoadedConfig loaded = loaded_of(star("100Gbps", "1us"));
  bool seen = false;
  for (const ParameterRow& row : list_parameters(loaded)) {
    if (row.path != "nic.congestion_control.r_ai") continue;
    seen = true;
    EXPECT_EQ(row.origin, "rule");
    EXPECT_NE(row.follows.find("1/125"), std::string::npos) << row.follows;
  }
  EXPECT_TRUE(seen);
  const std::string text = effective_yaml(loaded.config, RuleComments::kWritten);
  EXPECT_NE(text.find("kmin: 26168B  # follows: switch.ecn.rule dcqcn"), std::string::npos) << text;
  // The configuration that the program writes back contains every value, so no value follows the
  // network any more. Reading it again gives the same configuration.
  const LoadedConfig copy = loaded_of(text);
  EXPECT_TRUE(copy.config.followed.empty());
  EXPECT_EQ(effective_yaml(copy.config), effective_yaml(loaded.config));
}

// Regression test: the slowest link and the longest path of a wide area network would give ECN
// thresholds above the maximum of the fastest port.
TEST(FollowNetwork, ThresholdsFitTheFastestPortOfAWideAreaNetwork) {
  const LoadedConfig loaded = loaded_of(R"(
topology:
  kind: custom
  nodes: [{name: a}, {name: b}, {name: x, kind: switch}, {name: y, kind: switch}]
  links:
    - {from: a, to: x, rate: 400Gbps, delay: 5us}
    - {from: b, to: y, rate: 400Gbps, delay: 5us}
    - {from: x, to: y, rate: 10Gbps, delay: 30ms}
)");
  const EcnParameters& ecn = loaded.config.switch_.ecn;
  EXPECT_EQ(*ecn.reference_rate, BitRate(10'000'000'000));
  EXPECT_EQ(ecn.kmax, kMaxThreshold / 40);
  EXPECT_NEAR(static_cast<double>(ecn.kmax) / static_cast<double>(ecn.kmin), 4, 1e-6);
}

// Every value that a rule gives must lie in the range that a user may write.
TEST(FollowNetwork, RulesStayInRangeInEveryNetwork) {
  for (const auto& entry : Algorithms::all()) {
    if (entry.name == "program") continue;  // the transport `program` needs a program file
    for (const char* const rate : {"1Mbps", "1Gbps", "25Gbps", "800Gbps", "10Tbps"}) {
      for (const char* const delay : {"0ns", "1us", "1ms", "200ms"}) {
        const std::string text =
            star(rate, delay) + "nic: {congestion_control: {algorithm: " + entry.name + "}}\n";
        const std::string written = effective_yaml(loaded_of(text).config);
        EXPECT_EQ(effective_yaml(loaded_of(written).config), written) << text;
      }
    }
  }
}

/// The effective value of the parameter nic.congestion_control.KEY.
std::string of_algorithm(const std::string& name, const std::string& key, const std::string& rate,
                         const std::string& delay) {
  const LoadedConfig loaded =
      loaded_of(star(rate, delay) + "nic: {congestion_control: {algorithm: " + name + "}}\n");
  for (const ParameterRow& row : list_parameters(loaded)) {
    if (row.path == "nic.congestion_control." + key) return row.value;
  }
  return "none";
}

// At 25 Gb/s and 1 us of delay the bandwidth-delay product is 14.5 KB, or 13 packets of 1078 bytes.
TEST(FollowNetwork, StepsInPacketsAreSmallWhereARoundTripHoldsFewPackets) {
  EXPECT_NEAR(std::stod(of_algorithm("cdg", "growth", "25Gbps", "1us")), 14'500 / 48.0, 10);
  EXPECT_EQ(of_algorithm("cdg", "growth", "25Gbps", "5us"), "packet");
  EXPECT_EQ(of_algorithm("cdg", "growth", "100Gbps", "1us"), "packet");
  EXPECT_EQ(of_algorithm("dx", "growth", "25Gbps", "1us"), "265B");
  EXPECT_EQ(of_algorithm("dx", "growth", "25Gbps", "800ns"), "packet") << "11 packets";
  EXPECT_EQ(std::stod(of_algorithm("timely", "ewma", "25Gbps", "1us")), 1 / 8.0);
  EXPECT_EQ(std::stod(of_algorithm("timely", "ewma", "100Gbps", "1us")), 0.5);
  EXPECT_EQ(std::stod(of_algorithm("timely", "ewma", "1Gbps", "10ns")), 0.5);
}

// At 800 Gb/s and 1 us of delay the bandwidth-delay product is 402 KB.
TEST(FollowNetwork, StepsGrowWithTheProductWhereAWindowWouldTakeMillisecondsToGrowBack) {
  EXPECT_NEAR(std::stod(of_algorithm("cdg", "growth", "800Gbps", "1us")), 402'000 / 100.0, 10);
  EXPECT_EQ(of_algorithm("dx", "growth", "800Gbps", "1us"), "265B");
}

TEST(FollowNetwork, TheTimeoutDoesNotRunOutWhereNothingIsLost) {
  const auto timeout = [](const std::string& more) {
    return loaded_of(star("100Gbps", "1us") + more).config.nic.recovery.timeout;
  };
  const PicoSeconds usual = kNanoSecond * 67'108'864;
  EXPECT_EQ(timeout(""), usual);
  EXPECT_EQ(timeout("switch: {flow_control: credits}\n"), usual);
  // A buffer of 32 MiB drains at 100 Gb/s in 2.7 ms, which sets the retransmission timeout. With a
  // buffer of 1 MB the minimum timeout applies.
  EXPECT_EQ(timeout("switch: {pfc: {enabled: false}}\n"), kMicroSecond * 2'689);
  EXPECT_EQ(timeout("switch: {pfc: {enabled: false}, buffer: 1MB}\n"), kMicroSecond * 500);
  EXPECT_EQ(timeout("faults: [{kind: loss, probability: 0.1%}]\n"), kMicroSecond * 2'689);
  EXPECT_EQ(timeout("switch: {pfc: {priorities: [3]}}\n"
                    "traffic: [{kind: flow, from: 1, to: 0, bytes: 1MB}]\n"),
            kMicroSecond * 2'689);
  EXPECT_EQ(timeout("nic: {recovery: {timeout: 1ms}}\n"), kMilliSecond);
}

TEST(FollowNetwork, RecoveryOfAnEntryFollowsUnlessItOrNicWasWritten) {
  const auto recovery = [](const std::string& of_nic, const std::string& of_entry) {
    return loaded_of(star("100Gbps", "1us") + "nic: {recovery: {" + of_nic +
                     "}}\nnics: [{hosts: 1, recovery: {" + of_entry + "}}]\n")
        .config.nics[0]
        .recovery;
  };
  const PicoSeconds usual = kNanoSecond * 67'108'864;
  EXPECT_EQ(recovery("", "retries: 3").timeout, usual);
  EXPECT_EQ(recovery("timeout: 2ms", "retries: 3").timeout, kMilliSecond * 2);
  EXPECT_EQ(recovery("timeout: 2ms", "timeout: 1ms").timeout, kMilliSecond);
  EXPECT_EQ(recovery("", "retries: 3").reorder_window, 0u);
  EXPECT_EQ(recovery("", "kind: selective_repeat").reorder_window, 256u);
  EXPECT_EQ(recovery("reorder_window: 40", "kind: selective_repeat").reorder_window, 40u);
  EXPECT_EQ(recovery("kind: selective_repeat", "kind: go_back_n").reorder_window, 0u);
}

TEST(SchemeNeeds, EveryTransportWorksAlone) {
  for (const auto& entry : Transports::all()) {
    const LoadedConfig loaded =
        loaded_of(star("100Gbps", "1us") + "nic: {transport: {kind: " + entry.name + "}}\n");
    EXPECT_EQ(loaded.config.nic.transport.name(), entry.name);
    // Writing the configuration back a second time gives the same text, so the reader accepts the
    // written text.
    EXPECT_EQ(effective_yaml(loaded_of(effective_yaml(loaded.config)).config),
              effective_yaml(loaded.config))
        << entry.name;
  }
}

TEST(SchemeNeeds, AnAlgorithmThatNeedsLossesHasThem) {
  const std::string allegro = "nic: {congestion_control: {algorithm: allegro}";
  const LoadedConfig alone = loaded_of(star("100Gbps", "1us") + allegro + "}\n");
  EXPECT_FALSE(alone.config.switch_.pfc.enabled);
  EXPECT_TRUE(alone.config.nic.recovery.is_selective());
  EXPECT_EQ(alone.config.followed.at("switch.pfc.enabled"), "needed by algorithm allegro");
  const LoadedConfig written =
      loaded_of(star("100Gbps", "1us") + allegro +
                ", recovery: {kind: go_back_n}}\nswitch: {pfc: {enabled: true}}\n");
  EXPECT_TRUE(written.config.switch_.pfc.enabled);
  EXPECT_FALSE(written.config.nic.recovery.is_selective());
  EXPECT_TRUE(loaded_of(star("100Gbps", "1us") + "nic: {congestion_control: {algorithm: vivace}}\n")
                  .config.switch_.pfc.enabled);
}

TEST(SchemeNeeds, WhatIsWrittenAgainstItIsRefused) {
  const std::string ndp = "nic: {transport: {kind: ndp}";
  EXPECT_NE(refusal_of(ndp + "}\nswitch: {pfc: {enabled: true}}\n").find("without flow control"),
            std::string::npos);
  EXPECT_NE(refusal_of(ndp + ", congestion_control: {algorithm: dcqcn}}\n").find("algorithm: none"),
            std::string::npos);
  EXPECT_NE(refusal_of(ndp + "}\nhost: {driver: native}\n").find("driver: none"),
            std::string::npos);
}

}  // namespace
}  // namespace dcc::vp
