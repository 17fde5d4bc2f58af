// Translates the configuration's structs into the models' parameters: converts units and names,
// makes no decisions.
#pragma once

#include <optional>
#include <vector>

#include "config/platform_config.h"
#include "driver/dcc_config.h"
#include "driver/nic_config.h"
#include "nic/nic_parameters.h"
#include "switch/switch_device.h"

namespace dcc::vp {

/// Wire bytes of a full data packet and of its acknowledgement.
struct PacketSizes {
  Bytes full = 0;  // packet between hosts with the greatest path MTU
  Bytes ack = 0;
  std::optional<Framing> framing;          // packet sizes of the transport; empty: those of RoCE
  std::vector<std::uint32_t> mtu_by_host;  // MTU of each host; empty: all hosts have the same MTU

  /// A full data packet between two hosts.
  Bytes full_between(HostId a, HostId b) const;
};
PacketSizes packet_sizes(const PlatformConfig& config);
/// The framing of a transport other than RoCE; empty for RoCE.
std::optional<Framing> framing_of(const TransportChoice& choice);
SwitchParameters switch_parameters(const PlatformConfig& config);
/// Parameters of a link at its slowest rate under clock jitter, for values that must cover the
/// worst case.
LinkParameters with_jitter(const PlatformConfig& config, LinkParameters link);
/// The parameters of a NIC; `link` is the host's own link.
NicParameters nic_parameters(const PlatformConfig& config, HostId host, const LinkParameters& link);
/// Returns the settings that the driver of `host` programs into the host's controller. `line_rate`
/// is the rate of the host's link.
dcc_config controller_program(const PlatformConfig& config, HostId host, BitRate line_rate);
/// Returns the greatest f_dec of a class that has at least twice the least weight in use, in the
/// factor table of `host`; 0 if there is no such class, or if software chooses weights during the
/// run (QoS manager, weight_at_end).
std::uint32_t heavy_factor(const PlatformConfig& config, HostId host, BitRate line_rate);
/// The settings that the driver programs into a host's NIC, without the addresses of rings and
/// memory.
nic_config nic_program(const PlatformConfig& config, HostId host);

}  // namespace dcc::vp
