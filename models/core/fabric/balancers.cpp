#include "fabric/balancers.h"

#include "fabric/flow_scheduler.h"

namespace dcc {

std::unique_ptr<FlowScheduler> BalancerParameters::make_scheduler(
    const FlowSchedulerContext&) const {
  return nullptr;
}

}  // namespace dcc
