#include "config/port_weights.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "fabric/host_ports.h"
#include "fabric/routing.h"
#include "fabric/topology.h"
#include "traffic/traffic_spec.h"

namespace dcc::vp {

namespace {
/// True if the flows of a host, numbered as the topology numbers ports, share by weight.
bool shares_by_weight(const PlatformConfig& config, HostId port) {
  const auto* const dcc = config.congestion_control_of(port).chosen<DccParameters>();
  return dcc != nullptr && dcc->shares_by_weight();
}

class PortWeights {
 public:
  explicit PortWeights(const PlatformConfig& config)
      : config_(config),
        ports_(config.topology.host_ports()),
        topology_(Topology::of(config.topology)),
        routing_(topology_),
        slowest_(config.topology.slowest_link()) {}

  /// Adds flows of an entry of `traffic` between two hosts, as `traffic` numbers hosts.
  void add(const TrafficSpec& spec, HostId from, HostId to) {
    if (expects_response(spec.operation)) std::swap(from, to);  // the data of a READ goes back
    const HostId hosts = hosts_there();
    if (from >= hosts || to >= hosts || from == to) return;  // a check refuses such entries later
    const HostId sender = ports_.first_port(from);
    if (!shares_by_weight(config_, sender)) return;
    const double weight = static_cast<double>(weight_of(spec)) * static_cast<double>(spec.flows);
    send(topology_.node_of(sender), ports_.first_port(to), weight);
  }

  HostId hosts_there() const {
    return ports_.several() ? ports_.hosts() : static_cast<HostId>(topology_.hosts());
  }

  std::uint64_t greatest() const {
    double found = 0;
    for (const auto& [port, weight] : weights_) found = std::max(found, weight);
    return static_cast<std::uint64_t>(std::llround(found));
  }

 private:
  std::uint64_t weight_of(const TrafficSpec& spec) const {
    const auto of = [&](unsigned dscp) {
      return config_.dscp_of(dscp).weight.to_fixed(kWeightPlaces);
    };
    return std::max(of(spec.dscp), spec.new_dscp ? of(*spec.new_dscp) : 0);
  }

  void send(NodeId at, HostId to, double weight) {
    const PortSet ways = routing_.ports(at, to);
    for (const int port : ways) {
      const double part = weight / ways.size();
      const BitRate rate = topology_.link(at, port).rate;
      weights_[{at, port}] += part * static_cast<double>(slowest_.bits_per_second) /
                              static_cast<double>(rate.bits_per_second);
      const NodeId next = topology_.peer(at, port).node;
      if (!topology_.node(next).is_host) send(next, to, part);
    }
  }

  const PlatformConfig& config_;
  HostPorts ports_;
  Topology topology_;
  Routing routing_;
  BitRate slowest_;
  std::map<std::pair<NodeId, int>, double> weights_;
};
/// Calls `pair` with the sender and the receiver of each pair of hosts that an entry of `traffic`
/// names. `hosts`: number of hosts, for lists that are empty and so stand for all of them.
template <class Pair>
void for_named_pairs(const TrafficSpec& spec, HostId hosts, const Pair& pair) {
  const auto or_all = [&](const HostList& list) {
    if (!list.empty()) return list;
    HostList all(hosts);
    std::iota(all.begin(), all.end(), HostId{0});
    return all;
  };
  switch (spec.pattern) {
    case TrafficPattern::kFlow:
      pair(spec.from, spec.to);
      break;
    case TrafficPattern::kIncast:
      if (!spec.receiver) break;
      for (const HostId sender : or_all(spec.senders)) pair(sender, *spec.receiver);
      break;
    case TrafficPattern::kOneToMany:
      for (const HostId receiver : or_all(spec.receivers)) pair(spec.sender, receiver);
      break;
    default:
      break;
  }
}
}  // namespace

std::uint64_t greatest_weight_of_a_port(const PlatformConfig& config) {
  PortWeights weights(config);
  for (const TrafficSpec& spec : config.traffic) {
    for_named_pairs(spec, weights.hosts_there(),
                    [&](HostId from, HostId to) { weights.add(spec, from, to); });
  }
  return weights.greatest();
}

std::uint64_t endless_flows_to_a_host(const PlatformConfig& config) {
  const HostPorts ports = config.topology.host_ports();
  const HostId hosts =
      ports.several() ? ports.hosts() : static_cast<HostId>(config.topology.host_count());
  std::map<HostId, std::uint64_t> to_host;
  for (const TrafficSpec& spec : config.traffic) {
    if (spec.bytes || expects_response(spec.operation)) continue;
    for_named_pairs(spec, hosts, [&](HostId from, HostId to) {
      if (from >= hosts || to >= hosts || from == to) return;  // a check refuses such entries later
      if (shares_by_weight(config, ports.first_port(from))) to_host[to] += spec.flows;
    });
  }
  std::uint64_t found = 0;
  for (const auto& [host, flows] : to_host) found = std::max(found, flows);
  return found;
}

}  // namespace dcc::vp
