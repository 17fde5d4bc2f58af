#include "diagnose/headroom.h"

#include <algorithm>
#include <bitset>

#include "build/translate.h"
#include "switch/pfc.h"

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

std::uint8_t lossless_in_use(const PlatformConfig& config) {
  if (!config.switch_.pauses()) return 0;
  return static_cast<std::uint8_t>(priorities_in_use(config) &
                                   config.switch_.lossless_priorities());
}

namespace {
/// Headroom of all lossless priorities in use at one input, without the entries of `switches`.
Bytes headroom_of_port(const SwitchParameters& parameters, const LinkParameters& link,
                       std::uint8_t used) {
  const PortSettings settings = port_settings(parameters, link.rate, {}, 0);
  Bytes sum = 0;
  for (std::size_t p = 0; p < kPriorities; ++p) {
    if ((used >> p & 1) != 0) sum += settings.headroom[p].value_or(parameters.headroom_of(link));
  }
  return sum;
}
}  // namespace

HeadroomNeed greatest_headroom(const Evidence& evidence) {
  HeadroomNeed worst;
  const PlatformConfig& config = evidence.config();
  const std::uint8_t used = lossless_in_use(config);
  const auto priorities = static_cast<int>(std::bitset<8>(used).count());
  if (priorities == 0) return worst;
  const SwitchParameters parameters = switch_parameters(config);
  const Topology& topology = evidence.topology();
  for (NodeId node = 0; node < static_cast<NodeId>(topology.nodes().size()); ++node) {
    const TopologyNode& of = topology.node(node);
    if (of.is_host) continue;
    HeadroomNeed need{of.name, parameters.buffer, 0, 0, std::max(of.ports - 1, 1), priorities};
    Bytes least = parameters.buffer * priorities;
    for (int port = 0; port < of.ports; ++port) {
      const LinkParameters link = with_jitter(config, topology.link(node, port));
      const Bytes headroom = headroom_of_port(parameters, link, used);
      need.reserved += headroom;
      need.per_input = std::max(need.per_input, headroom / priorities);
      least = std::min(least, headroom);
    }
    // If a switch has several ports, the bytes of all inputs leave through one port, which is not
    // an input at the same time.
    if (of.ports > 1) need.reserved -= least;
    if (parameters.pfc.shared_headroom) {
      need.reserved = std::min(need.reserved, *parameters.pfc.shared_headroom);
    }
    if (worst.of.empty() || need.reserved > worst.reserved) worst = need;
  }
  return worst;
}

HeadroomGap greatest_headroom_gap(const Evidence& evidence) {
  HeadroomGap worst;
  const PlatformConfig& config = evidence.config();
  if (lossless_in_use(config) == 0 || !config.switch_.pfc.headroom) return worst;
  const SwitchParameters parameters = switch_parameters(config);
  const Topology& topology = evidence.topology();
  for (NodeId node = 0; node < static_cast<NodeId>(topology.nodes().size()); ++node) {
    if (topology.node(node).is_host) continue;
    for (int port = 0; port < topology.node(node).ports; ++port) {
      const LinkParameters link = with_jitter(config, topology.link(node, port));
      const Bytes needed = parameters.headroom_needed(link);
      const Bytes set = *parameters.pfc.headroom;
      if (set >= needed || needed - set <= worst.needed - worst.set) continue;
      const CableEnd peer = topology.peer(node, port);
      worst = {topology.wire_name(peer.node, peer.port), set, needed};
    }
  }
  return worst;
}

}  // namespace dcc::vp
