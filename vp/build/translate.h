// From the configuration's structs to the models' parameters: units and names, no decisions.
#pragma once

#include <optional>

#include "config/platform_config.h"
#include "driver/dcc_config.h"
#include "driver/nic_config.h"
#include "nic/nic_parameters.h"
#include "switch/switch_device.h"

namespace dcc::vp {

/// Bytes on the wire of a full packet and of its acknowledgement.
struct PacketSizes {
  Bytes full = 0;
  Bytes ack = 0;
};
PacketSizes packet_sizes(const PlatformConfig& config);
/// Of transports other than RoCE; empty: RoCE's.
std::optional<Framing> framing_of(const PlatformConfig& config);
SwitchParameters switch_parameters(const PlatformConfig& config);
/// The link at its slowest, for what must do for the worst case.
LinkParameters with_jitter(const PlatformConfig& config, LinkParameters link);
/// `link` is the host's own.
NicParameters nic_parameters(const PlatformConfig& config, HostId host, const LinkParameters& link);
/// What the driver programs into a controller behind a link of this rate.
dcc_config controller_program(const PlatformConfig& config, BitRate line_rate);
/// What it programs into a NIC, but for where rings and memory lie.
nic_config nic_program(const PlatformConfig& config);

}  // namespace dcc::vp
