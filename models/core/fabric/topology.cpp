#include "fabric/topology.h"

#include <map>
#include <stdexcept>

#include "fabric/require_topology.h"

namespace dcc {

namespace {
constexpr int kMaxNodes = 1 << 21;  // up to RouteTable::kMaxHosts hosts, and their switches
}  // namespace

NodeId Topology::add(const std::string& name, bool is_host) {
  require_topology(!name.empty(), "a node has no name");
  require_topology(static_cast<int>(nodes_.size()) < kMaxNodes, "more than 2097152 nodes");
  structure_ = {};
  TopologyNode node;
  node.name = name;
  node.is_host = is_host;
  if (!is_host) node.switch_no = switches();
  nodes_.push_back(node);
  plugs_.emplace_back();
  return static_cast<NodeId>(nodes_.size() - 1);
}

NodeId Topology::add_host(const std::string& name) {
  const NodeId id = add(name, true);
  nodes_.back().host = static_cast<HostId>(hosts_.size());
  hosts_.push_back(id);
  return id;
}

NodeId Topology::add_switch(const std::string& name, bool forwards) {
  const NodeId id = add(name, false);
  nodes_.back().forwards = forwards;
  return id;
}

int Topology::plug_in(NodeId id, int cable, int side) {
  TopologyNode& node = nodes_[static_cast<std::size_t>(id)];
  require_topology(!node.is_host || node.ports == 0,
                   "host " + node.name + " has more than one cable");
  require_topology(node.ports < kMaxPorts, "switch " + node.name + " has more than 65535 ports");
  plugs_[static_cast<std::size_t>(id)].push_back({cable, side});
  return node.ports++;
}

void Topology::connect(NodeId a, NodeId b, const LinkParameters& link) {
  const auto exists = [this](NodeId n) { return n >= 0 && n < static_cast<int>(nodes_.size()); };
  require_topology(exists(a) && exists(b), "a cable ends at a node that does not exist");
  require_topology(a != b, "a cable connects " + node(a).name + " with itself");
  const std::string between = " between " + node(a).name + " and " + node(b).name;
  require_topology(link.rate.bits_per_second > 0, "the cable" + between + " has no rate");
  require_topology(link.delay.count >= 0, "the cable" + between + " has a negative delay");
  require_topology(link.overhead >= 0, "the cable" + between + " has a negative overhead");
  structure_ = {};
  const int index = static_cast<int>(cables_.size());
  Cable cable;
  cable.link = link;
  cable.end[0] = {a, plug_in(a, index, 0)};
  cable.end[1] = {b, plug_in(b, index, 1)};
  cables_.push_back(cable);
}

void Topology::check_connected() const {
  require_topology(!hosts_.empty(), "there is no host");
  std::vector<bool> seen(nodes_.size(), false);
  std::vector<NodeId> reached{0};
  seen[0] = true;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (int port = 0; port < node(reached[i]).ports; ++port) {
      const NodeId next = peer(reached[i], port).node;
      if (seen[static_cast<std::size_t>(next)]) continue;
      seen[static_cast<std::size_t>(next)] = true;
      reached.push_back(next);
    }
  }
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    require_topology(seen[n], "there is no way from " + nodes_[0].name + " to " + nodes_[n].name);
  }
}

NodeId Topology::find(const std::string& name) const {
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (nodes_[n].name == name) return static_cast<NodeId>(n);
  }
  return -1;
}

CableEnd Topology::peer(NodeId id, int port) const {
  const Plug& p = plug(id, port);
  return cables_[static_cast<std::size_t>(p.cable)].end[1 - p.side];
}

const LinkParameters& Topology::link(NodeId id, int port) const {
  return cables_[static_cast<std::size_t>(plug(id, port).cable)].link;
}

std::string Topology::wire_name(NodeId id, int port) const {
  const NodeId to = peer(id, port).node;
  int parallel = 0;
  const bool may_be_parallel = !node(id).is_host && !node(to).is_host;  // a host has one cable
  for (int other = 0; may_be_parallel && other < port; ++other) {
    if (peer(id, other).node == to) ++parallel;
  }
  const std::string name = node(id).name + "->" + node(to).name;
  return parallel == 0 ? name : name + "#" + std::to_string(parallel);
}

void Topology::add_switch_latency(PicoSeconds latency) {
  for (Cable& cable : cables_) {
    for (const CableEnd& end : cable.end) {
      const TopologyNode& of = node(end.node);
      if (!of.is_host && of.forwards) cable.link.delay += PicoSeconds(latency.count / 2);
    }
  }
}

Topology Topology::of(const TopologyParameters& p) {
  Topology topology = without_latency(p);
  topology.add_switch_latency(p.switch_latency);
  return topology;
}

Topology Topology::without_latency(const TopologyParameters& p) {
  switch (p.kind) {
    case TopologyKind::kStar:
      return star(static_cast<int>(p.hosts), p.link);
    case TopologyKind::kParkingLot:
      return parking_lot({p.hosts_per_switch.begin(), p.hosts_per_switch.end()}, p.link,
                         p.fabric_link);
    case TopologyKind::kFatTree:
      return fat_tree(p.fat_tree);
    case TopologyKind::kLeafSpine:
      return leaf_spine(p.leaf_spine);
    case TopologyKind::kRail:
      return rail(p.rail);
    case TopologyKind::kTorus:
      return torus(p.torus);
    case TopologyKind::kDragonfly:
      return dragonfly(p.dragonfly);
    case TopologyKind::kCustom:
      break;
  }
  Topology topology;
  std::map<std::string, NodeId> node_of;
  for (const NodeParameters& node : p.nodes) {
    node_of[node.name] = node.kind == NodeKind::kHost
                             ? topology.add_host(node.name)
                             : topology.add_switch(node.name, node.forwards);
  }
  for (const CableParameters& cable : p.links) {
    topology.connect(node_of.at(cable.from), node_of.at(cable.to), cable.link);
  }
  topology.check_connected();
  return topology;
}

}  // namespace dcc
