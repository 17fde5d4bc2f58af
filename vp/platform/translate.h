// From the configuration's structs to the models' parameters: units and names, no decisions.
#pragma once

#include "config/platform_config.h"
#include "driver/dcc_config.h"
#include "net/switch_device.h"
#include "nic/nic_parameters.h"

namespace dcc::vp {

SwitchParameters switch_parameters(const PlatformConfig& config);
/// `link` is the host's own.
NicParameters nic_parameters(const PlatformConfig& config, HostId host, const LinkParameters& link);
/// What the driver programs into a controller behind a link of this rate.
dcc_config controller_programme(const PlatformConfig& config, BitRate line_rate);

}  // namespace dcc::vp
