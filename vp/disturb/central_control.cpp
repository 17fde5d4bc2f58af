#include "disturb/central_control.h"

#include "build/platform.h"
#include "build/ranks.h"
#include "schemes/hedera/hedera_scheduler.h"
#include "schemes/lmc/lid_manager.h"

namespace dcc::vp {
namespace {

std::unique_ptr<PlatformPart> make_flow_scheduler(Platform& p) {
  const RoutingParameters& routes = p.config.switch_.routing;
  if (!routes.is_central()) return nullptr;
  std::unique_ptr<FlowScheduler> scheduler;
  if (routes.kind == RoutingParameters::Kind::kHedera) {
    scheduler = std::make_unique<HederaScheduler>(p.scheduler, p.network.fabric(), routes.hedera,
                                                  p.config.seed, kFlowSchedulerRank);
  } else {
    scheduler = std::make_unique<LidManager>(p.scheduler, p.network.fabric(), routes.lmc,
                                             routes.lid_manager, kFlowSchedulerRank);
  }
  for (NodeId node = 0; node < static_cast<NodeId>(p.topology.nodes().size()); ++node) {
    if (model::SwitchModule* const module = p.network.switch_of(node)) {
      scheduler->add_switch(node, *module->device().flow_entries());
    }
  }
  return std::make_unique<FlowSchedulerPart>(std::move(scheduler));
}

std::unique_ptr<PlatformPart> make_threshold_agent(Platform& p) {
  const TransportParameters* const transport = p.config.nic.transport.chosen();
  const ThresholdTuning* const tuning = transport == nullptr ? nullptr : transport->tuning();
  if (tuning == nullptr) return nullptr;
  NicParameters asked;
  transport->ask_nic(asked);
  auto agent = std::make_unique<ThresholdAgent>(p.scheduler, kThresholdAgentRank, *tuning,
                                                asked.demotion.size());
  for (const auto& host : p.hosts) {
    NicDevice& nic = host->nic().device();
    agent->add_host(nic.transmitter(), nic.parameters().line_rate);
  }
  return std::make_unique<ThresholdAgentPart>(std::move(agent));
}

const PartKind kFlowSchedulerKind(PartKind::kFlowScheduler, make_flow_scheduler);
const PartKind kThresholdAgentKind(PartKind::kThresholdAgent, make_threshold_agent);

}  // namespace
}  // namespace dcc::vp
