// Tells whether ECN can act before PFC does or the buffer is full: arithmetic on a configuration.
#pragma once

#include <string>
#include <vector>

#include "config/platform_config.h"

namespace dcc::vp {

/// Returns a warning when the algorithm goes by CE marks and no queue can grow to `switch.ecn.kmin`
/// before PFC pauses everything that fills the queue (or, without PFC, before the buffer is full),
/// even when all other ports share the buffer evenly, which lets the queue grow furthest. The
/// warning names the worst port, shows the arithmetic and gives a threshold that works. Empty when
/// no port is affected.
std::vector<std::string> ecn_notes(const PlatformConfig& config);

}  // namespace dcc::vp
