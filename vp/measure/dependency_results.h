// What a run tells of flows and computations that wait for others: completion, critical path,
// exposed communication.
#pragma once

#include <functional>

#include "config/platform_config.h"
#include "measure/results.h"
#include "traffic/dependencies.h"

namespace dcc::vp {

/// `results` holds all flows and computations; `spec_of` returns a flow's properties.
///
/// The critical path goes back from the last end: to what opened the gate last (need: any: first),
/// or, if a computation waited for its processor, to the computation before.
DependencyResult dependency_results(const PlatformConfig& config, const Dependencies& dependencies,
                                    const RunResults& results,
                                    const std::function<const FlowSpec&(std::uint32_t)>& spec_of);

}  // namespace dcc::vp
