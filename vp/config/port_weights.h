// Sums the weights of the flows that share a port of a network.
#pragma once

#include <cstdint>

#include "config/platform_config.h"
#include "controller/dcc.h"

namespace dcc::vp {

/// Number of fraction bits of summed weights: weights are multiples of 1/65536.
constexpr int kWeightPlaces = 16;

/// Returns the greatest sum of the weights of flows that leave one port of a host or switch, as a
/// multiple of 1/65536. At a port n times as fast as the slowest link, the sum is divided by n,
/// because there a unit of weight stands for n times the rate. The sum counts the flows whose two
/// ends the configuration names (`flow`, `incast` and `one_to_many`). Several routes of a flow
/// carry equal parts. `counts` tells whether flows of a host with a congestion controller count.
/// Finding the routes of a large network takes seconds. Precondition: the topology has passed its
/// check.
std::uint64_t greatest_weight_of_a_port(const PlatformConfig& config,
                                        bool (*counts)(const DccParameters&));

}  // namespace dcc::vp
