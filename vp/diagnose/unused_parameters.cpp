// Diagnosis `unused_parameters`: the user set parameters that the run does not use.
#include <fmt/format.h>

#include <algorithm>

#include "config/controller_hosts.h"
#include "config/parameter_list.h"
#include "controller/dcc.h"
#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

/// A rule: parameters below `section` have an effect only if `used` returns true.
struct Rule {
  const char* section;
  bool (*used)(const PlatformConfig&);
  const char* because;
};

bool runs_firmware(const PlatformConfig& c) {
  return c.host.driver == DriverKind::kFirmware ||
         std::any_of(c.hosts.begin(), c.hosts.end(),
                     [](const auto& host) { return host.second.driver == DriverKind::kFirmware; });
}
bool runs_controller(const PlatformConfig& c) { return !controllers(c).empty(); }
bool is_roce(const PlatformConfig& c) {
  const auto all = c.transports();
  return std::any_of(all.begin(), all.end(), [](const TransportChoice* choice) {
    return choice->chosen() == nullptr || choice->chosen()->on_roce();
  });
}
bool recovers(const PlatformConfig& c) {
  return is_roce(c) && (c.nic.recovery.is_on() ||
                        std::any_of(c.nics.begin(), c.nics.end(),
                                    [](const OtherNics& one) { return one.recovery.is_on(); }));
}
/// False if the law of algorithm dcc does not use this parameter of nic.congestion_control.
bool law_uses(const PlatformConfig& c, const char* key) {
  const auto* const dcc = c.nic.congestion_control.chosen<DccParameters>();
  if (dcc == nullptr || dcc->rules().law() == nullptr) return true;
  const std::vector<std::string> unused = dcc->rules().law()->unused_keys();
  return std::find(unused.begin(), unused.end(), key) == unused.end();
}
bool pauses(const PlatformConfig& c) { return c.switch_.pauses(); }

// The first rule that matches a parameter applies. Some parameters are left out on purpose:
// parameters of a scenario that files share between algorithms (switch.ecn, dscp weights, series),
// and parameters whose default follows the network or the algorithm (nic.cnp,
// nic.recovery.timeout, times and byte counter of dcc), because an effective configuration has them
// written.
constexpr const char* kLaw = "nic.congestion_control.policy does not use it";
const Rule kRules[] = {
    {"nic.dma", [](const PlatformConfig& c) { return c.nic.real_payload(); },
     "nic.payload is virtual, so no DMA moves payload"},
    {"nic.congestion_control.silence",
     [](const PlatformConfig& c) { return law_uses(c, "silence"); }, kLaw},
    {"nic.congestion_control.brisk", [](const PlatformConfig& c) { return law_uses(c, "brisk"); },
     kLaw},
    {"nic.congestion_control.initial_alpha",
     [](const PlatformConfig& c) { return law_uses(c, "initial_alpha"); }, kLaw},
    {"nic.congestion_control.clamp_target",
     [](const PlatformConfig& c) { return law_uses(c, "clamp_target"); }, kLaw},
    {"nic.controller", runs_controller, "no host runs algorithm: dcc"},
    {"nic.window.bytes",
     [](const PlatformConfig& c) { return c.nic.window.limit == WindowParameters::Limit::kBytes; },
     "nic.window.limit is not bytes"},
    {"nic.window.follows_rate",
     [](const PlatformConfig& c) { return c.nic.window.limit != WindowParameters::Limit::kNone; },
     "nic.window.limit is none"},
    {"nic.window", is_roce, "no host sends by RoCE"},
    {"nic.port_failover", [](const PlatformConfig& c) { return c.topology.host_ports().several(); },
     "every host has one port"},
    {"nic.port_failover.comes_back",
     [](const PlatformConfig& c) { return c.nic.port_failover.detection.has_value(); },
     "nic.port_failover.detection is off"},
    {"nic.message_rate", is_roce, "no host sends by RoCE"},
    {"nic.ack_every", is_roce, "no host sends by RoCE"},
    {"nic.recovery.reorder_window", recovers, "nothing is recovered by RoCE"},
    {"nic.recovery.adaptive", recovers, "nothing is recovered by RoCE's timer"},
    {"nic.recovery.least_timeout", [](const PlatformConfig& c) { return c.nic.recovery.adaptive; },
     "nic.recovery.adaptive is false"},
    {"nic.recovery.retries", recovers, "nothing is recovered by RoCE's timer"},
    {"switch.pfc.alpha", pauses, "no switch pauses (switch.pfc.enabled, switch.flow_control)"},
    {"switch.pfc.headroom", pauses, "no switch pauses (switch.pfc.enabled, switch.flow_control)"},
    {"switch.pfc.resume_below", pauses,
     "no switch pauses (switch.pfc.enabled, switch.flow_control)"},
    {"switch.pfc.quanta", pauses, "no switch pauses (switch.pfc.enabled, switch.flow_control)"},
    {"switch.ecn.draw", [](const PlatformConfig& c) { return c.switch_.ecn.enabled; },
     "switch.ecn.enabled is false"},
    {"switch.credits", [](const PlatformConfig& c) { return c.switch_.has_credits(); },
     "switch.flow_control is pfc"},
    {"measure.settle", [](const PlatformConfig& c) { return c.measure.window.has_value(); },
     "measure.window is not set"},
    {"qos", [](const PlatformConfig& c) { return c.qos.manager.has_value(); },
     "qos.manager is not set"},
    {"host.ram", [](const PlatformConfig& c) { return c.host.driver != DriverKind::kNone; },
     "host.driver is none"},
    {"host.elf", runs_firmware, "no host runs firmware (host.driver)"},
    {"host.harts", runs_firmware, "no host runs firmware (host.driver)"},
    {"host.race_check", runs_firmware, "no host runs firmware (host.driver)"},
    {"host.clock", runs_firmware, "no host runs firmware (host.driver)"},
    {"host.cpi", runs_firmware, "no host runs firmware (host.driver)"},
    {"host.keeps_accounts", runs_firmware, "no host runs firmware (host.driver)"},
    {"host.misaligned_done", runs_firmware, "no host runs firmware (host.driver)"},
};

bool is_below(const std::string& path, const std::string& section) {
  return path.compare(0, section.size(), section) == 0 &&
         (path.size() == section.size() || path[section.size()] == '.');
}

class UnusedParameters final : public Diagnosis {
  static constexpr std::size_t kNamed = 4;

 public:
  Found before(const Evidence& evidence) const override {
    std::string text;
    std::string first;
    std::size_t count = 0;
    for (const ParameterRow& row : list_parameters(evidence.loaded())) {
      // A value equal to the default has no effect even where it is used, and effective
      // configurations write all values.
      if (!evidence.wrote(row.path) || row.value == row.fallback) continue;
      for (const Rule& rule : kRules) {
        if (!is_below(row.path, rule.section)) continue;
        if (rule.used(evidence.config())) break;
        if (++count <= kNamed) {
          text += fmt::format("{}{} ({}): {}", text.empty() ? "" : "; ", row.path, row.value,
                              rule.because);
        }
        if (first.empty()) first = row.path;
        break;
      }
    }
    if (count == 0) return std::nullopt;
    if (count > kNamed) text += fmt::format("; and {} more", count - kNamed);
    return Observation{"Without effect: " + text, {{"parameters", count}, {"first", first}}};
  }
};

const RegisteredDiagnosis<UnusedParameters> kUnusedParameters{
    "unused_parameters", "Values were set that nothing in this configuration reads",
    "Remove them, or switch on what reads them; the text names it"};

}  // namespace
}  // namespace dcc::vp
