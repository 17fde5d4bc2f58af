// Base of the algorithms that know the weights of a configuration.
#pragma once

#include "nic/algorithm/algorithm.h"

namespace dcc {

/// on_weight() is called for each configured class before the first flow starts. Other algorithms
/// get the weights that software sets at run time, and no others.
class WeightedAlgorithm : public Algorithm {};

}  // namespace dcc
