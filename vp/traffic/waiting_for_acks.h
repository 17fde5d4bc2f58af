// Flows that wait for the ACKs of others need NICs that send ACKs.
#pragma once

#include "config/platform_config.h"
#include "traffic/dependencies.h"

namespace dcc::vp {

/// Throws TrafficError if something waits for an ACK and NICs send none.
void check_waiting_for_acks(const PlatformConfig& config, const Dependencies& dependencies);

}  // namespace dcc::vp
