// Computes results for flows and computations that wait for others: completion, critical path,
// exposed communication.
#pragma once

#include <functional>
#include <vector>

#include "config/platform_config.h"
#include "measure/results.h"
#include "traffic/dependencies.h"
#include "traffic/gate_opening.h"

namespace dcc::vp {

/// `results` holds all flows and computations; `spec_of` returns a flow's properties; `openings`
/// tells which event opened each gate, by gate number.
///
/// The critical path is found backwards from the flow or computation that ends last. Its
/// predecessor is the flow or computation whose event opened its gate in the run: the last event
/// that it needed (`need: all`), or the first one (`need: any`). If several came at one instant, it
/// is the one that counted. The predecessor of a computation that waited for its processor is the
/// computation before it on that processor.
DependencyResult dependency_results(const PlatformConfig& config, const Dependencies& dependencies,
                                    const std::vector<GateOpening>& openings,
                                    const RunResults& results,
                                    const std::function<const FlowSpec&(std::uint32_t)>& spec_of);

}  // namespace dcc::vp
