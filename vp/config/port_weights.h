// Sums the weights of the flows that share a port of a network.
#pragma once

#include <cstdint>

#include "config/platform_config.h"

namespace dcc::vp {

/// Fraction bits of a weight where weights are added up: weights are multiples of 1/65536.
constexpr int kWeightPlaces = 16;

/// The greatest sum of the weights of flows that leave one port of a host or switch, as a multiple
/// of 1/65536. The sum at a port that is n times as fast as the slowest link counts as 1/n of it,
/// because flows have n times the rate for a unit of weight there. Counts the flows whose two ends
/// the configuration names (`flow`, `incast` and `one_to_many`). Where a flow has several routes,
/// each of them carries an equal part. Finding the routes of a large network takes seconds.
/// Precondition: the topology has passed its check.
std::uint64_t greatest_weight_of_a_port(const PlatformConfig& config);

}  // namespace dcc::vp
