// The reader refuses settings that cannot be combined with fast_forward, with the line of the
// setting.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "config/yaml_reader.h"

namespace dcc::vp {
namespace {

std::string error_of(const std::string& line) {
  try {
    load_config_text(
        "host: {driver: none}\nfast_forward: {enabled: true}\ntopology: {kind: star, hosts: 4}\n" +
            line + "\n",
        "t");
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(FastForwardCheck, EachIsRefusedAtItsPlace) {
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"hosts: {2: {driver: native}}", "t:4:21: hosts.2.driver: "},
      {"nic: {transport: {kind: tcp}, congestion_control: {algorithm: none}}\n"
       "switch: {pfc: {enabled: false}}",
       "t:4:25: nic.transport.kind: "},
      {"nic: {pacer: {engine: model}}", "t:4:23: nic.pacer.engine: "},
      {"nics: [{hosts: 1, congestion_control: {algorithm: dcqcn}}]", "t:4:7: nics: "},
      {"routing: {kind: hedera}", "t:4:17: routing.kind: "},
      {"dcbx: {enabled: true}", "t:4:17: dcbx.enabled: "},
      {"faults: [{kind: loss, link: all, probability: 0.1}]", "t:4:9: faults: "},
      {"changes: [{at: 1ms, set: {switch.ecn.kmax: 300KB}}]", "t:4:10: changes: "},
      {"measure: {window: 1ms}", "t:4:19: measure.window: "},
      {"output: {delays: true}", "t:4:18: output.delays: "},
      {"output: {trace: {packets: [{ports: h0}]}}", "t:4:17: output.trace: "},
      {"output: {digest: {every: 1ms}}", "t:4:26: output.digest.every: "},
      {"traffic: [{kind: flow, from: 1, to: 0, bytes: 1MB, deadline: 1ms}]",
       "t:4:62: traffic.0.deadline: "},
      {"traffic: [{kind: flow, from: 1, to: 0, operation: read}]", "t:4:51: traffic.0.operation: "},
      {"traffic: [{kind: flow, from: 1, to: 0, service: uc}]", "t:4:49: traffic.0.service: "},
      {"traffic: [{kind: partition_aggregate, bytes: 1KB, receiver: 0, fan_out: [1, 2]}]",
       "t:4:73: traffic.0.fan_out: "},
      {"traffic: [{kind: collective, bytes: 1MB}]", "t:4:18: traffic.0.kind: "},
  };
  for (const auto& [line, error] : expected) {
    EXPECT_EQ(error_of(line).rfind(error + "does not go with fast_forward: ", 0) == 0 ||
                  error_of(line).rfind(error + "fast_forward skips", 0) == 0 ||
                  error_of(line).rfind(error + "software would notice skipped time", 0) == 0,
              true)
        << "expected " << error << "\n     got " << error_of(line);
  }
}

TEST(FastForwardCheck, WithSoftwareThatNobodyAskedForItIsItselfToBlame) {
  try {
    load_config_text("fast_forward: {enabled: true}\n", "t");
    FAIL() << "accepted";
  } catch (const ConfigError& e) {
    EXPECT_EQ(std::string(e.what()).rfind("t:1:25: fast_forward.enabled: ", 0), 0u) << e.what();
  }
}

TEST(FastForwardCheck, SwitchedOffItGoesWithEverything) {
  const LoadedConfig loaded = load_config_text(
      "fast_forward: {enabled: false}\nfaults: [{kind: loss, link: all, probability: 0.1}]\n", "t");
  EXPECT_FALSE(loaded.config.fast_forward.enabled);
  EXPECT_EQ(error_of("nic: {congestion_control: {algorithm: hpcc}}"), "accepted");
}

std::string memo_error_of(const std::string& line) {
  try {
    load_config_text("fast_forward: {memo: true}\nhost: {driver: none}\n" + line + "\n", "t");
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(MemoCheck, EachIsRefusedAtItsPlace) {
  const std::string series = "output: {series: {flows: none, queues: none, classes: false}}\n";
  const std::string good = "nic: {congestion_control: {algorithm: dctcp}}\n" + series;
  EXPECT_EQ(memo_error_of(good), "accepted");
  const std::vector<std::pair<std::string, std::string>> expected = {
      {series + "nic: {congestion_control: {algorithm: dcc}}",
       "t:4:39: nic.congestion_control.algorithm: "},
      {series + "nic: {congestion_control: {algorithm: swift}}",
       "t:4:39: nic.congestion_control.algorithm: "},
      {series + "nic: {congestion_control: {algorithm: none}, clock: {drift: 0.001}}",
       "nic.clock: "},
      {series + "nic: {congestion_control: {algorithm: none}, ack: none}", "nic.ack: "},
      {series + "nic: {congestion_control: {algorithm: dcqcn}, cnp: {scope: port}}",
       "nic.cnp.scope: "},
      {series + "nic: {congestion_control: {algorithm: dcqcn}, cnp: {delay: 1us}}",
       "nic.cnp.delay: "},
      {series + "nic: {transport: {kind: tcp}, congestion_control: {algorithm: none}}\n"
                "switch: {pfc: {enabled: false}}",
       "nic.transport.kind: "},
      {"nic: {congestion_control: {algorithm: none}}\noutput: {series: {flows: all}}",
       "output.series.flows: "},
      {"nic: {congestion_control: {algorithm: none}}\n"
       "output: {series: {flows: none, queues: all}}",
       "output.series.queues: "},
      {"nic: {congestion_control: {algorithm: none}}\n"
       "output: {series: {flows: none, queues: none, classes: true}}",
       "output.series.classes: "},
      {good + "routing: {kind: spray}", "routing.kind: "},
      {good + "switch: {scheduler: {kind: ets, weights: [1, 1, 1, 1, 1, 1, 1, 1]}}",
       "switch.scheduler.kind: "},
      {good + "faults: [{kind: loss, link: all, probability: 0.1}]", "faults: "},
      {good + "changes: [{at: 1ms, set: {switch.ecn.kmax: 300KB}}]", "changes: "},
      {good + "measure: {window: 1ms}", "measure.window: "},
      {good + "dcbx: {enabled: true}", "dcbx.enabled: "},
      {good + "traffic: [{kind: flow, from: 1, to: 0, bytes: 1MB, deadline: 1ms}]",
       "traffic.0.deadline: "},
      {good + "traffic: [{kind: flow, from: 1, to: 0, operation: read}]", "traffic.0.operation: "},
      {good + "traffic: [{kind: flow, from: 1, to: 0, service: uc}]", "traffic.0.service: "},
  };
  for (const auto& [line, error] : expected) {
    const std::string said = memo_error_of(line);
    EXPECT_NE(said.find(error + "does not go with fast_forward.memo: "), std::string::npos)
        << "expected " << error << "\n     got " << said;
  }
  // If the default value of a key conflicts with `memo`, the error message gives the line of
  // `memo`, since the user must add the missing key.
  for (const auto& [line, what] :
       {std::pair<std::string, std::string>{series, "write nic.congestion_control.algorithm: none"},
        {"nic: {congestion_control: {algorithm: none}}", "write output.series.flows: none"}}) {
    const std::string said = memo_error_of(line);
    EXPECT_EQ(said.rfind("t:1:22: fast_forward.memo: ", 0), 0u) << said;
    EXPECT_NE(said.find(what), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace dcc::vp
