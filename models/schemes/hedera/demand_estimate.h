// What flows would send if nothing but their hosts' links held them (Hedera, NSDI'10, 4.1).
#pragma once

#include <cstdint>
#include <vector>

#include "wire/packet.h"

namespace dcc {

struct FlowDemand {
  HostId source = 0;
  HostId destination = 0;
  std::uint64_t rate = 0;  // bits a second; what estimate_demands() finds
};

/// Max-min fair shares of links out of and into hosts: senders divide theirs among their flows,
/// receivers that are asked for too much hold the largest down, and what these leave free their
/// senders give to others, until nothing changes. `rate_of` is a host's link in bits a second, by
/// HostId.
void estimate_demands(std::vector<FlowDemand>& flows, const std::vector<std::uint64_t>& rate_of);

}  // namespace dcc
