#include "fabric/topology.h"

#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "fabric/require_topology.h"

namespace dcc {

namespace {
constexpr int kMaxNodes = 1 << 21;  // up to RouteTable::kMaxHosts hosts, and their switches

/// The name of a port of the host with this name.
std::string name_of_port(const std::string& host, HostId port, const HostPorts& ports) {
  const std::string label = ports.label(port);
  const std::size_t dot = label.find('.');
  return dot == std::string::npos ? host : host + label.substr(dot);
}

/// The same shape in which each port of a host is a host of its own; the ports of a host have
/// consecutive numbers.
TopologyParameters with_a_host_for_each_port(const TopologyParameters& p) {
  TopologyParameters to = p;
  to.ports = 1;
  to.hosts *= p.ports;
  for (unsigned& hosts : to.hosts_per_switch) hosts *= p.ports;
  to.fat_tree = p.fat_tree.sized();
  to.fat_tree.hosts_per_rack *= p.ports;
  to.leaf_spine.hosts_per_leaf *= p.ports;
  to.rail.servers *= p.ports;
  to.torus.hosts_per_router *= p.ports;
  to.dragonfly.hosts_per_router *= p.ports;
  return to;
}
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
                   "host " + node.name + " has more than one cable at a port");
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
  const auto reach = [&](NodeId next) {
    if (seen[static_cast<std::size_t>(next)]) return;
    seen[static_cast<std::size_t>(next)] = true;
    reached.push_back(next);
  };
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const TopologyNode& here = node(reached[i]);
    for (int port = 0; port < here.ports; ++port) reach(peer(reached[i], port).node);
    if (!here.is_host || !ports_.several()) continue;
    const HostId owner = ports_.host_of(here.host);
    for (HostId p = 0; p < ports_.ports_of(owner); ++p) {
      reach(node_of(ports_.first_port(owner) + p));
    }
  }
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    require_topology(seen[n], "there is no way from " + nodes_[0].name + " to " + nodes_[n].name);
  }
}

// Without circles, each cable joins two networks that were separate before.
bool Topology::has_one_way() const {
  std::vector<NodeId> root(nodes_.size());
  std::iota(root.begin(), root.end(), 0);
  const auto root_of = [&root](NodeId id) {
    while (root[static_cast<std::size_t>(id)] != id) {
      NodeId& above = root[static_cast<std::size_t>(id)];
      above = root[static_cast<std::size_t>(above)];
      id = above;
    }
    return id;
  };
  for (const Cable& cable : cables_) {
    const NodeId a = root_of(cable.end[0].node);
    const NodeId b = root_of(cable.end[1].node);
    if (a == b) return false;
    root[static_cast<std::size_t>(a)] = b;
  }
  return true;
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
  // A port of a host has one cable.
  const bool may_be_parallel = !node(id).is_host && !node(to).is_host;
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
  if (p.kind == TopologyKind::kCustom) return custom(p);
  if (p.ports < 2) return named_shape(p);
  if (p.port_mode == PortMode::kDualPlane) return planes(named_shape(p), p.host_ports());
  Topology bonded = named_shape(with_a_host_for_each_port(p));
  bonded.name_ports(p.host_ports());
  return bonded;
}

void Topology::name_ports(HostPorts ports) {
  ports_ = std::move(ports);
  if (!ports_.several()) return;
  for (HostId port = 0; port < ports_.ports(); ++port) {
    nodes_[static_cast<std::size_t>(node_of(port))].name =
        name_of_port("h" + std::to_string(ports_.host_of(port)), port, ports_);
  }
}

Topology Topology::planes(const Topology& plane, HostPorts ports) {
  Topology topology;
  const HostId count = ports.ports_of(0);
  for (HostId host = 0; host < static_cast<HostId>(plane.hosts()); ++host) {
    for (HostId p = 0; p < count; ++p) topology.add_host(plane.node(plane.node_of(host)).name);
  }
  topology.name_ports(std::move(ports));
  for (HostId p = 0; p < count; ++p) {
    std::vector<NodeId> copy_of;
    for (const TopologyNode& node : plane.nodes()) {
      copy_of.push_back(
          node.is_host
              ? topology.node_of(node.host * count + p)
              : topology.add_switch("p" + std::to_string(p) + "_" + node.name, node.forwards));
    }
    for (const Cable& cable : plane.cables()) {
      topology.connect(copy_of[static_cast<std::size_t>(cable.end[0].node)],
                       copy_of[static_cast<std::size_t>(cable.end[1].node)], cable.link);
    }
  }
  Structure structure;
  for (HostId p = 0; p < count; ++p) {
    const auto hosts = static_cast<HostId>(plane.hosts());
    auto places = std::make_shared<std::vector<HostId>>(std::size_t{hosts} * count, hosts);
    for (HostId host = 0; host < hosts; ++host) (*places)[host * count + p] = host;
    const std::shared_ptr<const std::vector<HostId>> shared = std::move(places);
    for (const RouteTable& table : plane.structure_.routes) {
      structure.routes.push_back(table.among(shared));
    }
  }
  for (const HostId host : plane.structure_.outermost) {
    structure.outermost.push_back(host * count);
  }
  topology.structure_ = std::move(structure);
  return topology;
}

Topology Topology::named_shape(const TopologyParameters& p) {
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
  return {};
}

Topology Topology::custom(const TopologyParameters& p) {
  Topology topology;
  topology.ports_ = p.host_ports();
  const HostPorts& ports = topology.ports_;
  struct Ends {
    NodeId next;           // node at which the next cable of the name ends
    bool is_host = false;  // true if each cable ends at a node of its own
  };
  std::map<std::string, Ends> ends_of;
  HostId host = 0;
  for (const NodeParameters& node : p.nodes) {
    if (node.kind == NodeKind::kSwitch) {
      ends_of[node.name] = {topology.add_switch(node.name, node.forwards)};
      continue;
    }
    ends_of[node.name] = {static_cast<NodeId>(topology.nodes_.size()), true};
    for (HostId number = 0; number < ports.ports_of(host); ++number) {
      topology.add_host(name_of_port(node.name, ports.first_port(host) + number, ports));
    }
    ++host;
  }
  const auto plug = [&](const std::string& name) {
    Ends& ends = ends_of.at(name);
    return ends.is_host ? ends.next++ : ends.next;
  };
  for (const CableParameters& cable : p.links) {
    const NodeId from = plug(cable.from);
    topology.connect(from, plug(cable.to), cable.link);
  }
  topology.check_connected();
  return topology;
}

}  // namespace dcc
