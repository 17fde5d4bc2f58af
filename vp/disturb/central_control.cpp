#include "disturb/central_control.h"

#include "build/platform.h"
#include "build/ranks.h"

namespace dcc::vp {
namespace {

std::unique_ptr<PlatformPart> make_flow_scheduler(Platform& p) {
  if (!p.config.switch_.routing.is_central()) return nullptr;
  std::unique_ptr<FlowScheduler> scheduler = p.config.switch_.routing.chosen()->make_scheduler(
      {p.scheduler, p.network.fabric(), p.config.seed, kFlowSchedulerRank});
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
