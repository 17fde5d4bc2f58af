// Checks that flows wait for ACKs only if NICs send ACKs.
#pragma once

#include "config/platform_config.h"
#include "traffic/dependencies.h"

namespace dcc::vp {

/// Throws TrafficError if a flow or computation waits for an ACK and NICs send none.
void check_waiting_for_acks(const PlatformConfig& config, const Dependencies& dependencies);

}  // namespace dcc::vp
