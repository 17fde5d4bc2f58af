// Map between hosts and their network ports.
#pragma once

#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "wire/packet.h"

namespace dcc {

/// The ports of hosts. Each port is an end of the network with a NIC function of its own, so a
/// Topology, its routes and its packets know ports alone and call each of them a host. Ports are
/// numbered host by host. Where every host has one port, port and host have the same number.
class HostPorts {
 public:
  /// Makes a map in which every host has one port.
  HostPorts() = default;
  /// Makes a map from the number of ports of each host, at least 1.
  explicit HostPorts(const std::vector<unsigned>& counts) {
    const std::size_t ports = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    if (ports == counts.size()) return;
    first_.reserve(counts.size() + 1);
    host_of_.reserve(ports);
    for (const unsigned count : counts) {
      first_.push_back(static_cast<HostId>(host_of_.size()));
      host_of_.insert(host_of_.end(), count, static_cast<HostId>(first_.size() - 1));
    }
    first_.push_back(static_cast<HostId>(host_of_.size()));
  }

  /// True if at least one host has several ports.
  bool several() const { return !first_.empty(); }
  /// Number of hosts and of ports. Precondition: several().
  HostId hosts() const { return static_cast<HostId>(first_.size() - 1); }
  HostId ports() const { return static_cast<HostId>(host_of_.size()); }

  HostId host_of(HostId port) const { return several() ? host_of_[port] : port; }
  HostId first_port(HostId host) const { return several() ? first_[host] : host; }
  HostId ports_of(HostId host) const { return several() ? first_[host + 1] - first_[host] : 1; }
  /// Label of a port: the number of its host, followed by the number of the port within the host if
  /// the host has several ports, such as "3.1".
  std::string label(HostId port) const {
    const HostId host = host_of(port);
    const std::string number = std::to_string(host);
    return ports_of(host) == 1 ? number : number + "." + std::to_string(port - first_port(host));
  }

 private:
  // first port of each host, and the number of ports at the end; empty: every host has one port
  std::vector<HostId> first_;
  std::vector<HostId> host_of_;  // host of each port
};

}  // namespace dcc
