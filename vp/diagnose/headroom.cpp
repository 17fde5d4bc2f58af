#include "diagnose/headroom.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <limits>

#include "build/port_exceptions.h"
#include "build/translate.h"

namespace dcc::vp {

std::uint8_t priorities_in_use(const PlatformConfig& config) {
  unsigned used = 0;
  for (const TrafficSpec& entry : config.traffic) {
    used |= 1u << config.dscp_of(entry.dscp).priority;
    for (const auto& [from_file, dscp] : entry.dscp_map) {
      used |= 1u << config.dscp_of(dscp).priority;
    }
  }
  return static_cast<std::uint8_t>(used);
}

namespace {

/// Returns the settings of all switch ports, with the entries of `switches` applied.
class SwitchPorts {
 public:
  struct Port {
    LinkParameters link;
    PortSettings settings;
    /// Headroom of a port in bytes by priority; 0 for priorities that are lossy or unused.
    std::array<Bytes, kPriorities> headroom{};
    // mask of priorities: bit p is set if priority p is lossless and in use
    std::uint8_t lossless = 0;
  };

  explicit SwitchPorts(const Evidence& evidence)
      : config_(evidence.config()),
        topology_(evidence.topology()),
        parameters_(switch_parameters(config_)),
        exceptions_(port_exceptions(config_, topology_)),
        used_(priorities_in_use(config_)) {}

  const SwitchParameters& parameters() const { return parameters_; }

  Port at(NodeId node, int port) const {
    Port of{with_jitter(config_, topology_.link(node, port)), {}, {}, 0};
    of.settings =
        port_settings(parameters_, of.link.rate, exceptions_of(exceptions_, node, port), 0);
    of.lossless = static_cast<std::uint8_t>(of.settings.lossless & used_);
    for (std::size_t p = 0; p < kPriorities; ++p) {
      if ((of.lossless >> p & 1) == 0) continue;
      of.headroom[p] = of.settings.headroom[p].value_or(parameters_.headroom_of(of.link));
    }
    return of;
  }

  /// Calls `visit(node, port number, Port)` for each port of a switch.
  template <class Visit>
  void each(Visit&& visit) const {
    for (NodeId node = 0; node < static_cast<NodeId>(topology_.nodes().size()); ++node) {
      if (topology_.node(node).is_host) continue;
      for (int port = 0; port < topology_.node(node).ports; ++port)
        visit(node, port, at(node, port));
    }
  }

  /// Returns the configuration key that sets the headroom of a class.
  std::string key_of_headroom(NodeId node, int port, std::size_t priority) const {
    const auto sets = [priority](const PrioritySettings& all) {
      const auto found = all.find(static_cast<unsigned>(priority));
      return found != all.end() && found->second.headroom;
    };
    const std::string rest = ".priorities." + std::to_string(priority) + ".headroom";
    const auto& exceptions = exceptions_of(exceptions_, node, port);
    for (auto one = exceptions.rbegin(); one != exceptions.rend(); ++one) {
      if (sets((*one)->priorities)) {
        return "switches." + std::to_string(*one - config_.switches.data()) + rest;
      }
    }
    return sets(parameters_.priorities) ? "switch" + rest : "switch.pfc.headroom";
  }

 private:
  const PlatformConfig& config_;
  const Topology& topology_;
  SwitchParameters parameters_;
  ExceptionsByPort exceptions_;
  std::uint8_t used_;
};

/// Computes the headroom that a switch's inputs need, and the bytes that its buffer has for
/// headroom.
HeadroomNeed need_of(const Evidence& evidence, const SwitchPorts& ports, NodeId node) {
  const TopologyNode& of = evidence.topology().node(node);
  const SwitchParameters& parameters = ports.parameters();
  HeadroomNeed need;
  need.of = of.name;
  need.buffer = parameters.buffer;
  for (const PoolParameters& pool : parameters.pools) need.set_aside += pool.size;
  Bytes least = std::numeric_limits<Bytes>::max();
  for (int number = 0; number < of.ports; ++number) {
    const SwitchPorts::Port port = ports.at(node, number);
    Bytes sum = 0;
    for (const Bytes headroom : port.headroom) {
      sum += headroom;
      need.per_input = std::max(need.per_input, headroom);
    }
    for (const std::optional<ClassRules>& rules : port.settings.rules) {
      if (rules && rules->pool == 0) need.set_aside += rules->reserved;
    }
    if (port.lossless != 0) ++need.inputs;
    need.priorities =
        std::max(need.priorities, static_cast<int>(std::bitset<8>(port.lossless).count()));
    need.wanted += sum;
    least = std::min(least, sum);
  }
  // If a switch has several ports, the bytes of all inputs leave through one port, which is not an
  // input at the same time.
  if (of.ports > 1) {
    need.wanted -= least;
    if (need.inputs == of.ports) --need.inputs;
  }
  need.reserved = std::min(need.wanted, parameters.pfc.shared_headroom.value_or(need.wanted));
  return need;
}

}  // namespace

std::uint8_t lossless_in_use(const Evidence& evidence) {
  if (!evidence.config().switch_.pauses()) return 0;
  unsigned everywhere = priorities_in_use(evidence.config());
  SwitchPorts(evidence).each(
      [&](NodeId, int, const SwitchPorts::Port& port) { everywhere &= port.settings.lossless; });
  return static_cast<std::uint8_t>(everywhere);
}

HeadroomNeed greatest_headroom(const Evidence& evidence) {
  HeadroomNeed worst;
  if (!evidence.config().switch_.pauses()) return worst;
  const SwitchPorts ports(evidence);
  const Topology& topology = evidence.topology();
  for (NodeId node = 0; node < static_cast<NodeId>(topology.nodes().size()); ++node) {
    if (topology.node(node).is_host) continue;
    const HeadroomNeed need = need_of(evidence, ports, node);
    if (need.priorities == 0) continue;
    if (worst.of.empty() || need.missing() > worst.missing()) worst = need;
  }
  return worst;
}

HeadroomGap greatest_headroom_gap(const Evidence& evidence) {
  HeadroomGap worst;
  if (!evidence.config().switch_.pauses()) return worst;
  const SwitchPorts ports(evidence);
  const Topology& topology = evidence.topology();
  ports.each([&](NodeId node, int number, const SwitchPorts::Port& port) {
    const Bytes needed = ports.parameters().headroom_needed(port.link);
    for (std::size_t p = 0; p < kPriorities; ++p) {
      const Bytes set = port.headroom[p];
      if ((port.lossless >> p & 1) == 0 || needed - set <= worst.needed - worst.set) continue;
      const CableEnd peer = topology.peer(node, number);
      worst = {topology.wire_name(peer.node, peer.port), ports.key_of_headroom(node, number, p),
               set, needed};
    }
  });
  return worst;
}

}  // namespace dcc::vp
