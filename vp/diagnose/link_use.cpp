#include "diagnose/link_use.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

#include "wire/wire_size.h"

namespace dcc::vp {

namespace {
/// Returns the longest time of a full packet on a link: delay and serialization.
PicoSeconds slowest_link(const Evidence& evidence) {
  const Bytes packet = roce::data_wire_bytes(evidence.config().largest_mtu(), true, true);
  PicoSeconds slowest{};
  for (const Cable& cable : evidence.topology().cables()) {
    slowest = std::max(slowest, cable.link.delay + serialization_time(packet + cable.link.overhead,
                                                                      cable.link.rate));
  }
  return slowest;
}
}  // namespace

PicoSeconds round_trip_bound(const Evidence& evidence) { return slowest_link(evidence) * 12; }

PicoSeconds round_trip_of_neighbours(const Evidence& evidence) {
  return slowest_link(evidence) * 4;
}

// Without a list of flows all packets count as packets of nic.mtu.
std::uint64_t full_packets_delivered(const Evidence& evidence) {
  if (evidence.results()->flows.empty()) {
    const Bytes delivered = census_of(*evidence.results()).delivered_measured;
    return static_cast<std::uint64_t>(delivered) / evidence.config().nic.mtu;
  }
  std::map<std::uint32_t, Bytes> by_mtu;
  for (const FlowResult& flow : evidence.results()->flows) {
    by_mtu[evidence.config().path_mtu(flow.from, flow.to)] += flow.delivered_measured;
  }
  std::uint64_t packets = 0;
  for (const auto& [mtu, bytes] : by_mtu) packets += static_cast<std::uint64_t>(bytes) / mtu;
  return packets;
}

LinkUse::LinkUse(const Evidence& evidence)
    : evidence_(evidence),
      window_(static_cast<double>(
          (evidence.results()->measured_to - evidence.results()->measured_from).count)) {
  const Topology& topology = evidence.topology();
  std::unordered_map<std::string_view, const LinkResult*> by_name;
  for (const LinkResult& link : evidence.results()->links) {
    by_name.emplace(link.name, &link);
    if (window_ > 0) {
      paused_ = std::max(paused_, static_cast<double>(link.pause.count) / window_);
    }
  }
  const auto find = [&](NodeId node, int port) -> const LinkResult* {
    const auto found = by_name.find(topology.wire_name(node, port));
    return found == by_name.end() ? nullptr : found->second;
  };
  for (HostId host = 0; host < static_cast<HostId>(topology.hosts()); ++host) {
    const NodeId node = topology.node_of(host);
    const CableEnd peer = topology.peer(node, 0);
    from_port_.push_back(find(node, 0));
    to_port_.push_back(find(peer.node, peer.port));
  }
  for (const Cable& cable : topology.cables()) {
    if (topology.node(cable.end[0].node).is_host || topology.node(cable.end[1].node).is_host) {
      continue;
    }
    for (const CableEnd& end : cable.end) {
      const LinkResult* const link = find(end.node, end.port);
      if (link != nullptr) of_fabric_ = std::max(of_fabric_, of(*link));
    }
  }
}

double LinkUse::of(const LinkResult& link) const {
  return window_ > 0 ? static_cast<double>(link.busy.count) / window_ : 0;
}

bool LinkUse::are_neighbours(const FlowResult& flow) const {
  const Topology& topology = evidence_.topology();
  const NodeId node_a = topology.node_of(port(sending_end(flow)));
  const NodeId node_b = topology.node_of(port(receiving_end(flow)));
  const NodeId next = topology.peer(node_a, 0).node;
  return next == node_b || next == topology.peer(node_b, 0).node;
}

}  // namespace dcc::vp
