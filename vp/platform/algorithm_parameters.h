// From the configuration's structs to the algorithms' parameters: units and names, no decisions.
#pragma once

#include "cc/dcqcn.h"
#include "cc/dctcp.h"
#include "cc/hpcc.h"
#include "cc/timely.h"
#include "config/platform_config.h"

namespace dcc::vp {

/// `longest_base_rtt`: of the topology, a full packet there and its ACK back.
DctcpParameters dctcp_parameters(const NicConfig& nic, PicoSeconds longest_base_rtt);
HpccParameters hpcc_parameters(const HpccConfig& config, PicoSeconds longest_base_rtt);
TimelyParameters timely_parameters(const TimelyConfig& config);

}  // namespace dcc::vp
