// Whether ECN can act before PFC or the end of the buffer does: arithmetic on a configuration.
#pragma once

#include <string>
#include <vector>

#include "config/platform_config.h"

namespace dcc::vp {

/// A sentence, with the arithmetic and the threshold that would do, when the algorithm goes by
/// marks and a queue cannot grow to `switch.ecn.kmin` before all who fill it are paused (or before
/// the buffer is full, where nobody is): even then not when all other ports fill it evenly, which
/// lets it grow furthest. Of the port where it is worst; empty when there is none.
std::vector<std::string> ecn_notes(const PlatformConfig& config);

}  // namespace dcc::vp
