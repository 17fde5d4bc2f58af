// From the configuration's structs to the algorithms' parameters: units and names, no decisions.
#pragma once

#include "cc/dcqcn.h"
#include "cc/dctcp.h"
#include "cc/hpcc.h"
#include "cc/ibcc.h"
#include "cc/qcn.h"
#include "cc/timely.h"
#include "config/platform_config.h"
#include "net/switch_device.h"

namespace dcc::vp {

/// `longest_base_rtt`: of the topology, a full packet there and its ACK back.
DctcpParameters dctcp_parameters(const NicConfig& nic, PicoSeconds longest_base_rtt);
HpccParameters hpcc_parameters(const HpccConfig& config, PicoSeconds longest_base_rtt);
TimelyParameters timely_parameters(const TimelyConfig& config);
IbccParameters ibcc_parameters(const IbccConfig& config);
QcnParameters qcn_parameters(const QcnConfig& config);

/// What the algorithm asks of the switches. ibcc: marking as InfiniBand's Threshold and
/// Marking_Rate say, instead of switch.ecn. qcn: a congestion point at every queue.
void congestion_point(const CongestionControlConfig& config, SwitchParameters& parameters);

}  // namespace dcc::vp
