// Binds flows to the ports of their hosts, if hosts have several ports.
#pragma once

#include <cstdint>

#include "config/platform_config.h"
#include "fabric/routing.h"
#include "fabric/topology.h"
#include "traffic/port_outages.h"
#include "traffic/traffic_spec.h"

namespace dcc::vp {

/// Chooses the port at each end of every flow. A flow keeps its ports, as a queue pair does.
///
/// A flow gets the pair of ports with the fastest path, by the path's slowest link. Among equally
/// fast pairs, a pair with the fewest links wins. Among those pairs, a hash of the flow's id and
/// the run's seed chooses first the sending port, then the receiving port. The path of a pair is
/// the first of its shortest paths. Ports whose cable has visibly failed (faults link_failure and
/// link_flap) when the flow starts are excluded, unless no other pair is left.
class PortBinding {
 public:
  /// Prepares the binding. `topology` and `routing` must outlive this object. Throws SettingError
  /// if a fault names a link that does not exist.
  PortBinding(const PlatformConfig& config, const Topology& topology, const Routing& routing);

  /// Replaces the hosts `from` and `to` of a flow by ports. Does nothing if every host has one
  /// port.
  void bind(FlowSpec& flow) const {
    if (topology_->host_ports().several()) choose(flow);
  }
  /// The first port of a host, at which events of the host itself take place.
  HostId first_port(HostId host) const { return topology_->host_ports().first_port(host); }

 private:
  void choose(FlowSpec& flow) const;

  const Topology* topology_;
  const Routing* routing_;
  std::uint64_t seed_;
  PortOutages outages_;
};

}  // namespace dcc::vp
