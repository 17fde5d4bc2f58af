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
class PortWeights {
 public:
  PortWeights(const PlatformConfig& config, bool (*counts)(const DccParameters&))
      : config_(config),
        counts_(counts),
        ports_(config.topology.host_ports()),
        topology_(Topology::of(config.topology)),
        routing_(topology_),
        slowest_(config.topology.slowest_link()) {}

  /// Adds flows of an entry of `traffic` between two hosts, as `traffic` numbers hosts.
  void add(const TrafficSpec& spec, HostId from, HostId to) {
    // the responder sends the data of a READ
    if (expects_response(spec.operation)) std::swap(from, to);
    const HostId hosts = hosts_there();
    if (from >= hosts || to >= hosts || from == to) return;  // a check refuses such entries later
    const HostId sender = ports_.first_port(from);
    const auto* const dcc = config_.congestion_control_of(sender).chosen<DccParameters>();
    if (dcc == nullptr || !counts_(*dcc)) return;
    const double weight = static_cast<double>(weight_of(spec)) * static_cast<double>(spec.flows);
    send(topology_.node_of(sender), ports_.first_port(to), weight);
  }

  /// Converts a list of hosts; an empty list stands for all hosts.
  HostList or_all(const HostList& list) const {
    if (!list.empty()) return list;
    HostList all(hosts_there());
    std::iota(all.begin(), all.end(), HostId{0});
    return all;
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
  bool (*counts_)(const DccParameters&);  // true for the controller of a host whose flows count
  HostPorts ports_;
  Topology topology_;
  Routing routing_;
  BitRate slowest_;
  std::map<std::pair<NodeId, int>, double> weights_;
};
}  // namespace

std::uint64_t greatest_weight_of_a_port(const PlatformConfig& config,
                                        bool (*counts)(const DccParameters&)) {
  PortWeights weights(config, counts);
  for (const TrafficSpec& spec : config.traffic) {
    switch (spec.pattern) {
      case TrafficPattern::kFlow:
        weights.add(spec, spec.from, spec.to);
        break;
      case TrafficPattern::kIncast:
        if (!spec.receiver) break;
        for (const HostId sender : weights.or_all(spec.senders)) {
          weights.add(spec, sender, *spec.receiver);
        }
        break;
      case TrafficPattern::kOneToMany:
        for (const HostId receiver : weights.or_all(spec.receivers)) {
          weights.add(spec, spec.sender, receiver);
        }
        break;
      default:
        break;
    }
  }
  return weights.greatest();
}

}  // namespace dcc::vp
