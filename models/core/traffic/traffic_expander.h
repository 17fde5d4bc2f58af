// From traffic patterns to single flows.
#pragma once

#include <vector>

#include "traffic/traffic_spec.h"

namespace dcc {

/// All flows of a run, by start, then in the order in which they were written, numbered from 0 in
/// that order. Random patterns draw from streams of their own entry and host, so one entry does not
/// change another's flows. Throws TrafficError.
std::vector<FlowSpec> expand_traffic(const std::vector<TrafficSpec>& specs,
                                     const TrafficContext& context);

}  // namespace dcc
