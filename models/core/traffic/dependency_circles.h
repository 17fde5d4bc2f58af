// Finds flows and computations that wait for themselves, directly or through others.
#pragma once

#include <vector>

#include "traffic/dependencies.h"

namespace dcc {

/// Throws TrafficError if a flow or computation waits for itself, directly or through others.
/// `flows` are all flows of `specs`, by id.
void check_circles(const Dependencies& dependencies, const std::vector<FlowSpec>& flows,
                   const std::vector<TrafficSpec>& specs);

}  // namespace dcc
