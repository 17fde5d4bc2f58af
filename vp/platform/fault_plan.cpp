#include "platform/fault_plan.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "config/yaml_reader.h"
#include "net/faults.h"
#include "platform/wire_selection.h"

namespace dcc::vp {

namespace {
Link::LossHook hook_of(const FaultConfig& fault, const PlatformConfig& config,
                       const Scheduler& scheduler, std::uint64_t link) {
  const FaultWindow window{fault.start, fault.stop.value_or(PicoSeconds::max())};
  switch (fault.kind) {
    case FaultKind::kLoss:
      return lose_randomly(scheduler, window, fault.probability.to_fixed(32), config.seed, link);
    case FaultKind::kCnpLoss:
      return lose_cnps(scheduler, window, fault.flow);
    case FaultKind::kLinkDown:
      break;
  }
  return cut(scheduler, window);
}
/// A lost CNP is lost wherever it is, so its fault needs no link.
bool is_everywhere(const FaultConfig& fault) {
  return fault.link == "all" || fault.kind == FaultKind::kCnpLoss;
}

bool has_wire(const Topology& topology, const std::string& name) {
  for (const Cable& cable : topology.cables()) {
    for (const CableEnd& end : cable.end) {
      if (topology.wire_name(end.node, end.port) == name) return true;
    }
  }
  return false;
}
}  // namespace

void check_faults(const PlatformConfig& config, const Topology& topology, std::size_t flows) {
  for (std::size_t f = 0; f < config.faults.size(); ++f) {
    const FaultConfig& fault = config.faults[f];
    if (fault.kind == FaultKind::kCnpLoss) {
      require_flow(fault.flow, flows, fmt::format("faults.{}.flow", f));
    }
    if (is_everywhere(fault) || has_wire(topology, fault.link)) continue;
    const CableEnd& first = topology.cables().front().end[0];
    throw SettingError(fmt::format("faults.{}.link", f),
                       fmt::format("there is no link '{}'; they are named as '{}'", fault.link,
                                   topology.wire_name(first.node, first.port)));
  }
}

void install_faults(const PlatformConfig& config, const Scheduler& scheduler, Network& network) {
  std::vector<std::vector<Link::LossHook>> hooks(network.wires().size());
  for (const FaultConfig& fault : config.faults) {
    for (std::size_t i = 0; i < hooks.size(); ++i) {
      if (!is_everywhere(fault) && network.wires()[i].name != fault.link) continue;
      hooks[i].push_back(hook_of(fault, config, scheduler, i));
    }
  }
  for (std::size_t i = 0; i < hooks.size(); ++i) {
    if (!hooks[i].empty()) {
      network.wires()[i].module->link().set_loss_hook(combine(std::move(hooks[i])));
    }
  }
}

}  // namespace dcc::vp
