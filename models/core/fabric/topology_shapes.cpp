// The named network shapes: their cables and their routes.

#include "fabric/require_topology.h"
#include "fabric/topology.h"

namespace dcc {

namespace {

/// Order of the ports of a switch in a chain: hosts, previous switch, next switch.
Structure chain_structure(const std::vector<int>& hosts_per_switch, int all_hosts) {
  Structure structure;
  const std::size_t switches = hosts_per_switch.size();
  HostId low = 0;
  for (std::size_t s = 0; s < switches; ++s) {
    const auto own = static_cast<std::uint32_t>(hosts_per_switch[s]);
    RouteTable routes(static_cast<HostId>(all_hosts));
    std::uint32_t next = own;
    if (low > 0) routes.from(0, PortSet::consecutive(next, 1));
    if (s > 0) ++next;
    const HostId high = low + own;
    if (s + 1 < switches && high < static_cast<HostId>(all_hosts)) {
      routes.from(high, PortSet::consecutive(next, 1));
    }
    if (own > 0) {
      routes.set_block(low, own, 1, 0);
      structure.outermost.push_back(low);
    }
    structure.routes.push_back(std::move(routes));
    low = high;
  }
  return structure;
}

/// Routes of a tree: one path leads down to a host, and every uplink is equally good.
Structure tree_structure(const FatTreeParameters& p) {
  const unsigned racks = p.pods * p.racks_per_pod;
  const unsigned in_pod = p.racks_per_pod * p.hosts_per_rack;
  const unsigned hosts = racks * p.hosts_per_rack;
  Structure structure;
  structure.outermost = {0};
  for (unsigned r = 0; r < racks; ++r) {
    RouteTable& rack = structure.routes.emplace_back(hosts);
    rack.from(0, PortSet::consecutive(p.hosts_per_rack, p.aggs_per_pod));
    rack.set_block(r * p.hosts_per_rack, p.hosts_per_rack, 1, 0);
  }
  for (unsigned a = 0; a < p.pods * p.aggs_per_pod; ++a) {
    RouteTable& agg = structure.routes.emplace_back(hosts);
    agg.from(0, PortSet::consecutive(p.racks_per_pod, p.cores / p.aggs_per_pod));
    agg.set_block(a / p.aggs_per_pod * in_pod, p.racks_per_pod, p.hosts_per_rack, 0);
  }
  for (unsigned c = 0; c < p.cores; ++c) {
    RouteTable& core = structure.routes.emplace_back(hosts);
    core.set_block(0, p.pods, in_pod, 0);
  }
  return structure;
}

/// Routes of a leaf-spine network: every leaf has per_leaf hosts and one cable to each spine.
Structure two_layers(int leaves, int per_leaf, int spines) {
  const auto u32 = [](int n) { return static_cast<std::uint32_t>(n); };
  const std::uint32_t hosts = u32(leaves * per_leaf);
  Structure structure;
  structure.outermost = {0};
  for (int l = 0; l < leaves; ++l) {
    RouteTable& leaf = structure.routes.emplace_back(hosts);
    leaf.from(0, PortSet::consecutive(u32(per_leaf), u32(spines)));
    leaf.set_block(u32(l * per_leaf), u32(per_leaf), 1, 0);
  }
  for (int s = 0; s < spines; ++s) {
    structure.routes.emplace_back(hosts).set_block(0, u32(leaves), u32(per_leaf), 0);
  }
  return structure;
}

/// Adds hosts to a switch, on its first ports.
void add_hosts(Topology& topology, NodeId node, int count, const LinkParameters& link) {
  for (int i = 0; i < count; ++i) {
    topology.connect(topology.add_host("h" + std::to_string(topology.hosts())), node, link);
  }
}

/// Adds leaves with their hosts, then spines, then the cables between them, leaf by leaf.
void build_two_layers(Topology& topology, const std::vector<std::string>& leaf_names, int per_leaf,
                      int spines, const LinkParameters& host_link,
                      const LinkParameters& fabric_link) {
  std::vector<NodeId> leaf;
  std::vector<NodeId> spine;
  for (const std::string& name : leaf_names) {
    leaf.push_back(topology.add_switch(name));
    add_hosts(topology, leaf.back(), per_leaf, host_link);
  }
  spine.reserve(static_cast<std::size_t>(spines));
  for (int s = 0; s < spines; ++s) {
    spine.push_back(topology.add_switch("spine" + std::to_string(s)));
  }
  for (const NodeId l : leaf) {
    for (const NodeId s : spine) topology.connect(l, s, fabric_link);
  }
}

}  // namespace

Topology Topology::star(int hosts, const LinkParameters& link) {
  require_topology(hosts >= 1, "a star needs at least one host");
  Topology topology;
  for (int h = 0; h < hosts; ++h) topology.add_host("h" + std::to_string(h));
  const NodeId center = topology.add_switch("s0");
  for (int h = 0; h < hosts; ++h) {
    topology.connect(topology.node_of(static_cast<HostId>(h)), center, link);
  }
  RouteTable routes(static_cast<HostId>(hosts));
  routes.set_block(0, static_cast<std::uint32_t>(hosts), 1, 0);
  topology.structure_ = {{std::move(routes)}, {0}};
  return topology;
}

Topology Topology::parking_lot(const std::vector<int>& hosts_per_switch,
                               const LinkParameters& host_link, const LinkParameters& fabric_link) {
  require_topology(!hosts_per_switch.empty(), "a parking lot needs at least one switch");
  Topology topology;
  std::vector<NodeId> chain;
  int hosts = 0;
  for (std::size_t s = 0; s < hosts_per_switch.size(); ++s) {
    require_topology(hosts_per_switch[s] >= 0, "a switch has a negative number of hosts");
    chain.push_back(topology.add_switch("s" + std::to_string(s)));
    for (int i = 0; i < hosts_per_switch[s]; ++i) {
      topology.connect(topology.add_host("h" + std::to_string(hosts++)), chain[s], host_link);
    }
  }
  for (std::size_t s = 1; s < chain.size(); ++s) {
    topology.connect(chain[s - 1], chain[s], fabric_link);
  }
  topology.check_connected();
  topology.structure_ = chain_structure(hosts_per_switch, hosts);
  return topology;
}

Topology Topology::fat_tree(const FatTreeParameters& parameters) {
  const FatTreeParameters p = parameters.sized();
  require_topology(
      p.pods >= 1 && p.racks_per_pod >= 1 && p.aggs_per_pod >= 1 && p.hosts_per_rack >= 1,
      "a fat tree needs at least one pod, rack, aggregation switch and host");
  require_topology(p.cores % p.aggs_per_pod == 0,
                   "the core switches of a fat tree must divide evenly among the " +
                       std::to_string(p.aggs_per_pod) + " aggregation switches of a pod");
  require_topology(p.pods == 1 || p.cores > 0, "a fat tree of several pods needs core switches");
  Topology topology;
  const unsigned racks = p.pods * p.racks_per_pod;
  std::vector<NodeId> rack, agg, core;
  for (unsigned r = 0; r < racks; ++r) {
    rack.push_back(topology.add_switch("rack" + std::to_string(r)));
    add_hosts(topology, rack.back(), static_cast<int>(p.hosts_per_rack), p.host_link);
  }
  for (unsigned a = 0; a < p.pods * p.aggs_per_pod; ++a) {
    agg.push_back(topology.add_switch("agg" + std::to_string(a)));
  }
  for (unsigned c = 0; c < p.cores; ++c) {
    core.push_back(topology.add_switch("core" + std::to_string(c)));
  }
  for (unsigned r = 0; r < racks; ++r) {
    const unsigned first = r / p.racks_per_pod * p.aggs_per_pod;
    for (unsigned i = 0; i < p.aggs_per_pod; ++i) {
      topology.connect(rack[r], agg[first + i], p.fabric_link);
    }
  }
  const unsigned cores_each = p.cores / p.aggs_per_pod;
  for (unsigned a = 0; a < agg.size(); ++a) {
    for (unsigned j = 0; j < cores_each; ++j) {
      topology.connect(agg[a], core[a % p.aggs_per_pod * cores_each + j], p.fabric_link);
    }
  }
  topology.structure_ = tree_structure(p);
  return topology;
}

Topology Topology::leaf_spine(const LeafSpineParameters& p) {
  require_topology(p.leaves >= 1 && p.hosts_per_leaf >= 1 && p.spines >= 1,
                   "a leaf-spine network needs at least one leaf, host and spine");
  const int hosts = static_cast<int>(p.hosts_per_leaf);
  const int spines = static_cast<int>(p.spines);
  Topology topology;
  std::vector<std::string> names;
  for (unsigned l = 0; l < p.leaves; ++l) names.push_back("leaf" + std::to_string(l));
  build_two_layers(topology, names, hosts, spines, p.host_link, p.fabric_link);
  topology.structure_ = two_layers(static_cast<int>(names.size()), hosts, spines);
  return topology;
}

Topology Topology::rail(const RailParameters& p) {
  require_topology(p.units >= 1 && p.rails >= 1 && p.servers >= 1 && p.spines >= 1,
                   "a rail network needs at least one unit, rail, server and spine");
  const int servers = static_cast<int>(p.servers);
  const int spines = static_cast<int>(p.spines);
  Topology topology;
  std::vector<std::string> names;
  for (unsigned u = 0; u < p.units; ++u) {
    for (unsigned r = 0; r < p.rails; ++r) {
      names.push_back("u" + std::to_string(u) + "_rail" + std::to_string(r));
    }
  }
  build_two_layers(topology, names, servers, spines, p.host_link, p.fabric_link);
  topology.structure_ = two_layers(static_cast<int>(names.size()), servers, spines);
  return topology;
}

}  // namespace dcc
