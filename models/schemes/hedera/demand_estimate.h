// Estimates the rates that flows would reach if only their hosts' links limited them (Hedera,
// NSDI'10, section 4.1).
#pragma once

#include <cstdint>
#include <vector>

#include "wire/packet.h"

namespace dcc {

struct FlowDemand {
  HostId source = 0;
  HostId destination = 0;
  // estimated rate of the flow in bits per second; result of estimate_demands()
  std::uint64_t rate = 0;
};

/// Sets every flow's rate to its max-min fair share of the hosts' links: senders divide their links
/// equally, receivers with too much demand limit their largest flows, and the senders of these
/// flows give the rest to other flows, until nothing changes. `rate_of`: link rates in bits per
/// second, by HostId.
void estimate_demands(std::vector<FlowDemand>& flows, const std::vector<std::uint64_t>& rate_of);

}  // namespace dcc
