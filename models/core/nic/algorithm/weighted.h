// Base of congestion-control algorithms that get the class weights of a configuration.
#pragma once

#include "nic/algorithm/algorithm.h"

namespace dcc {

/// An algorithm with weights: on_weight() is called for each configured class before the first flow
/// starts. Other algorithms get only the weights that software sets at run time.
class WeightedAlgorithm : public Algorithm {};

}  // namespace dcc
