// Settings that the NICs of one network exchange at connection setup.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "units.h"

namespace dcc {

/// Settings of all NICs of a network that both ends of a queue pair must know, by host number. A
/// host that does not exist counts as equal to the NIC that asks.
struct PeerNics {
  /// Hosts that do not use selective repeat. Empty: all hosts use the same loss recovery.
  std::vector<bool> going_back;
  /// Payload bytes of each host's full packet. Empty: all hosts have the same MTU.
  std::vector<std::uint32_t> mtu;

  bool differ() const { return !going_back.empty() || !mtu.empty(); }
  bool goes_back(HostId host) const { return host < going_back.size() && going_back[host]; }
  /// Path MTU of a queue pair between `host` and a host whose MTU is `own`: the smaller of the two
  /// MTUs.
  std::uint32_t path_mtu(std::uint32_t own, HostId host) const {
    return host < mtu.size() ? std::min(own, mtu[host]) : own;
  }
};

}  // namespace dcc
