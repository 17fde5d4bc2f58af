#include "disturb/central_control.h"

#include <algorithm>
#include <functional>

#include "build/platform.h"
#include "build/ranks.h"

namespace dcc::vp {
namespace {

/// Returns the rates that flows requested from the subnet manager; null if no flow requested a
/// rate.
std::function<std::uint64_t(std::uint32_t)> goals_of(const Platform& p) {
  const auto asks = [](const TrafficSpec& t) { return t.guarantee.has_value(); };
  if (std::none_of(p.config.traffic.begin(), p.config.traffic.end(), asks)) return nullptr;
  return [&p](std::uint32_t flow) {
    const auto& guarantee = p.config.traffic[p.plan.flow(flow).spec.entry].guarantee;
    return guarantee ? guarantee->bits_per_second : std::uint64_t{0};
  };
}

std::unique_ptr<PlatformPart> make_flow_scheduler(Platform& p) {
  if (!p.config.switch_.routing.is_central()) return nullptr;
  std::unique_ptr<FlowScheduler> scheduler = p.config.switch_.routing.chosen()->make_scheduler(
      {p.scheduler, p.network.fabric(), p.config.seed, kFlowSchedulerRank, goals_of(p)});
  for (NodeId node = 0; node < static_cast<NodeId>(p.topology.nodes().size()); ++node) {
    if (model::SwitchModule* const module = p.network.switch_of(node)) {
      scheduler->add_switch(node, *module->device().flow_entries());
    }
  }
  return std::make_unique<FlowSchedulerPart>(std::move(scheduler));
}

std::unique_ptr<PlatformPart> make_transport_agent(Platform& p) {
  const TransportParameters* const transport = p.config.nic.transport.chosen();
  if (transport == nullptr || !transport->has_agent()) return nullptr;
  std::unique_ptr<TransportAgent> agent = transport->make_agent(p.scheduler, kTransportAgentRank);
  for (const auto& host : p.hosts) {
    NicDevice& nic = host->nic().device();
    agent->add_host(nic.transmitter(), nic.parameters().line_rate);
  }
  return std::make_unique<TransportAgentPart>(std::move(agent));
}

const PartKind kFlowSchedulerKind(PartKind::kFlowScheduler, make_flow_scheduler);
const PartKind kTransportAgentKind(PartKind::kTransportAgent, make_transport_agent);

}  // namespace
}  // namespace dcc::vp
