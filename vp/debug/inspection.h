// Names all values of a paused platform that can be read: modules, registers, slots, flows, queues.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "build/host.h"
#include "build/network.h"
#include "cpu/debug_registry.h"
#include "traffic/flow_plan.h"

namespace dcc::vp {

/// Fills `registry` with readable values: "host1.dcc.CTRL" and "host1.nic.CTRL" (registers, read
/// without side effects), "host1.slot[3]", "host1.slots_in_use", "host1.timer_lag", "flow[2]",
/// "queue[0]". All arguments must outlive `registry`.
void describe_platform(model::DebugRegistry& registry, std::vector<std::unique_ptr<Host>>& hosts,
                       const Network& network, const FlowPlan& plan);

}  // namespace dcc::vp
