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

/// Computes the results. `results` holds all flows and computations; `spec_of` returns a flow's
/// properties; `openings` tells which event opened each gate, by gate number.
///
/// The critical path is found backwards from the flow or computation that ends last. The
/// predecessor of a flow or computation is the one whose event opened the gate in the run: the last
/// awaited event (`need: all`), or the first (`need: any`). If several events came at one instant,
/// the predecessor is the one that opened the gate. The predecessor of a computation that waited
/// for its processor is the previous computation on that processor.
DependencyResult dependency_results(const PlatformConfig& config, const Dependencies& dependencies,
                                    const std::vector<GateOpening>& openings,
                                    const RunResults& results,
                                    const std::function<const FlowSpec&(std::uint32_t)>& spec_of);

}  // namespace dcc::vp
