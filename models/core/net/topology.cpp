#include "net/topology.h"

#include <stdexcept>

namespace dcc {

namespace {
constexpr int kMostNodes = 1 << 20;

void require(bool condition, const std::string& sentence) {
  if (!condition) throw std::invalid_argument("topology: " + sentence);
}
}  // namespace

NodeId Topology::add(const std::string& name, bool is_host) {
  require(!name.empty(), "a node has no name");
  require(static_cast<int>(nodes_.size()) < kMostNodes, "more than 1048576 nodes");
  TopologyNode node;
  node.name = name;
  node.is_host = is_host;
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

NodeId Topology::add_switch(const std::string& name) { return add(name, false); }

int Topology::plug_in(NodeId id, int cable, int side) {
  TopologyNode& node = nodes_[static_cast<std::size_t>(id)];
  require(!node.is_host || node.ports == 0, "host " + node.name + " has more than one cable");
  require(node.ports < kMostPorts, "switch " + node.name + " has more than 65535 ports");
  plugs_[static_cast<std::size_t>(id)].push_back({cable, side});
  return node.ports++;
}

void Topology::connect(NodeId a, NodeId b, const LinkParameters& link) {
  const auto exists = [this](NodeId n) { return n >= 0 && n < static_cast<int>(nodes_.size()); };
  require(exists(a) && exists(b), "a cable ends at a node that does not exist");
  require(a != b, "a cable connects " + node(a).name + " with itself");
  const std::string between = " between " + node(a).name + " and " + node(b).name;
  require(link.rate.bits_per_second > 0, "the cable" + between + " has no rate");
  require(link.delay.count >= 0, "the cable" + between + " has a negative delay");
  require(link.overhead >= 0, "the cable" + between + " has a negative overhead");
  const int index = static_cast<int>(cables_.size());
  Cable cable;
  cable.link = link;
  cable.end[0] = {a, plug_in(a, index, 0)};
  cable.end[1] = {b, plug_in(b, index, 1)};
  cables_.push_back(cable);
}

Topology Topology::star(int hosts, const LinkParameters& link) {
  require(hosts >= 1, "a star needs at least one host");
  Topology topology;
  for (int h = 0; h < hosts; ++h) topology.add_host("h" + std::to_string(h));
  const NodeId center = topology.add_switch("s0");
  for (int h = 0; h < hosts; ++h) {
    topology.connect(topology.node_of(static_cast<HostId>(h)), center, link);
  }
  return topology;
}

Topology Topology::parking_lot(const std::vector<int>& hosts_per_switch,
                               const LinkParameters& host_link, const LinkParameters& fabric_link) {
  require(!hosts_per_switch.empty(), "a parking lot needs at least one switch");
  Topology topology;
  std::vector<NodeId> chain;
  int hosts = 0;
  for (std::size_t s = 0; s < hosts_per_switch.size(); ++s) {
    require(hosts_per_switch[s] >= 0, "a switch has a negative number of hosts");
    chain.push_back(topology.add_switch("s" + std::to_string(s)));
    for (int i = 0; i < hosts_per_switch[s]; ++i) {
      topology.connect(topology.add_host("h" + std::to_string(hosts++)), chain[s], host_link);
    }
  }
  for (std::size_t s = 1; s < chain.size(); ++s) {
    topology.connect(chain[s - 1], chain[s], fabric_link);
  }
  topology.check_connected();
  return topology;
}

Topology Topology::fat_tree(const FatTreeParameters& p) {
  require(p.pods >= 1 && p.racks_per_pod >= 1 && p.aggs_per_pod >= 1 && p.hosts_per_rack >= 1,
          "a fat tree needs at least one pod, rack, aggregation switch and host");
  require(p.cores >= 0 && p.cores % p.aggs_per_pod == 0,
          "the core switches of a fat tree must divide evenly among the " +
              std::to_string(p.aggs_per_pod) + " aggregation switches of a pod");
  require(p.pods == 1 || p.cores > 0, "a fat tree of several pods needs core switches");
  Topology topology;
  const int racks = p.pods * p.racks_per_pod;
  std::vector<NodeId> rack, agg, core;
  for (int r = 0; r < racks; ++r) {
    rack.push_back(topology.add_switch("rack" + std::to_string(r)));
    for (int i = 0; i < p.hosts_per_rack; ++i) {
      const std::string name = "h" + std::to_string(r * p.hosts_per_rack + i);
      topology.connect(topology.add_host(name), rack.back(), p.host_link);
    }
  }
  for (int a = 0; a < p.pods * p.aggs_per_pod; ++a) {
    agg.push_back(topology.add_switch("agg" + std::to_string(a)));
  }
  for (int c = 0; c < p.cores; ++c) {
    core.push_back(topology.add_switch("core" + std::to_string(c)));
  }
  for (int r = 0; r < racks; ++r) {
    const int pod = r / p.racks_per_pod;
    for (int i = 0; i < p.aggs_per_pod; ++i) {
      topology.connect(rack[static_cast<std::size_t>(r)],
                       agg[static_cast<std::size_t>(pod * p.aggs_per_pod + i)], p.fabric_link);
    }
  }
  const int cores_each = p.cores / p.aggs_per_pod;
  for (int pod = 0; pod < p.pods; ++pod) {
    for (int i = 0; i < p.aggs_per_pod; ++i) {
      for (int j = 0; j < cores_each; ++j) {
        topology.connect(agg[static_cast<std::size_t>(pod * p.aggs_per_pod + i)],
                         core[static_cast<std::size_t>(i * cores_each + j)], p.fabric_link);
      }
    }
  }
  return topology;
}

void Topology::check_connected() const {
  require(!hosts_.empty(), "there is no host");
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
    require(seen[n], "there is no way from " + nodes_[0].name + " to " + nodes_[n].name);
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
  for (int other = 0; other < port; ++other) {
    if (peer(id, other).node == to) ++parallel;
  }
  const std::string name = node(id).name + "->" + node(to).name;
  return parallel == 0 ? name : name + "#" + std::to_string(parallel);
}

}  // namespace dcc
