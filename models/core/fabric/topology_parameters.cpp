#include "fabric/topology_parameters.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace dcc {

namespace {
void link(ParameterVisitor& v, const char* key, LinkParameters& p, const char* meaning) {
  v.section(key, {meaning}, [&] { describe(v, p); });
}
}  // namespace

FatTreeParameters FatTreeParameters::sized() const {
  if (!k) return *this;
  FatTreeParameters tree = *this;
  tree.k.reset();
  tree.pods = *k;
  tree.racks_per_pod = tree.aggs_per_pod = *k / 2;
  tree.hosts_per_rack = *k / 2 * oversubscription;
  tree.cores = *k / 2 * (*k / 2);
  return tree;
}

std::uint64_t FatTreeParameters::hosts() const {
  const FatTreeParameters p = sized();
  return std::uint64_t{p.pods} * p.racks_per_pod * p.hosts_per_rack;
}

std::uint64_t FatTreeParameters::fabric_cables() const {
  const FatTreeParameters p = sized();
  return std::uint64_t{p.pods} * (std::uint64_t{p.racks_per_pod} * p.aggs_per_pod + p.cores);
}

std::uint64_t TorusParameters::routers() const {
  std::uint64_t product = 1;
  for (const unsigned size : dimensions) product *= size;
  return product;
}

void describe(ParameterVisitor& v, LinkParameters& p) {
  v.field("rate", p.rate, {"1Mbps", "10Tbps"}, {"bits on the wire"});
  v.field("delay", p.delay, {"0us", "1s"}, {"propagation, one way"});
  v.field("overhead", p.overhead, {"0B", "256B"},
          {"per packet: preamble, start delimiter, gap", "IEEE 802.3: 8 + 12 bytes"});
}

void describe(ParameterVisitor& v, FatTreeParameters& p) {
  v.field("k", p.k, "none", {"2", "256"},
          {"ports of a switch, from which the five below follow", "Al-Fares et al., SIGCOMM'08"});
  v.when(p.k.has_value(), "k: a number", [&] {
    v.field("oversubscription", p.oversubscription, {"1", "64"},
            {"ratio of hosts in a rack to ports that lead up"});
  });
  v.when(!p.k, "k: none", [&] {
    v.field("pods", p.pods, {"1", "64"}, {"groups of racks"});
    v.field("racks_per_pod", p.racks_per_pod, {"1", "64"}, {"rack switches in a pod"});
    v.field("aggs_per_pod", p.aggs_per_pod, {"1", "64"}, {"aggregation switches in a pod"});
    v.field("hosts_per_rack", p.hosts_per_rack, {"1", "256"}, {"hosts on a rack switch"});
    v.field("cores", p.cores, {"1", "1024"}, {"core switches, a multiple of aggs_per_pod"});
  });
  link(v, "host_link", p.host_link, "between host and rack switch");
  link(v, "fabric_link", p.fabric_link, "between switches");
}

void describe(ParameterVisitor& v, LeafSpineParameters& p) {
  v.field("leaves", p.leaves, {"1", "4096"}, {"switches with hosts"});
  v.field("hosts_per_leaf", p.hosts_per_leaf, {"1", "1024"}, {"hosts on a leaf"});
  v.field("spines", p.spines, {"1", "1024"}, {"switches that every leaf is cabled to"});
  link(v, "host_link", p.host_link, "between host and leaf");
  link(v, "fabric_link", p.fabric_link, "between leaf and spine");
}

void describe(ParameterVisitor& v, RailParameters& p) {
  v.field("units", p.units, {"1", "1024"}, {"groups of servers that share their rail switches"});
  v.field("rails", p.rails, {"1", "64"},
          {"network ports of a server, each on a switch of its own"});
  v.field("servers", p.servers, {"1", "1024"}, {"servers in a unit"});
  v.field("spines", p.spines, {"1", "1024"}, {"switches that every rail switch is cabled to"});
  link(v, "host_link", p.host_link, "between a server's port and its rail switch");
  link(v, "fabric_link", p.fabric_link, "between rail switch and spine");
}

void describe(ParameterVisitor& v, TorusParameters& p) {
  v.numbers("dimensions", p.dimensions, 1, 3, {"2", "256"}, {"routers along x, y and z"});
  v.field("wrap", p.wrap, {}, {"the last router is cabled to the first; false: a mesh"});
  v.field("hosts_per_router", p.hosts_per_router, {"1", "64"}, {"hosts on a router"});
  link(v, "host_link", p.host_link, "between host and router");
  link(v, "fabric_link", p.fabric_link, "between routers");
}

void describe(ParameterVisitor& v, DragonflyParameters& p) {
  v.field("groups", p.groups, {"2", "1024"},
          {"groups, one cable between any two", "Kim et al., ISCA'08"});
  v.field("routers", p.routers, {"1", "256"}, {"routers in a group, all cabled to each other"});
  v.field("hosts_per_router", p.hosts_per_router, {"1", "64"}, {"hosts on a router"});
  link(v, "host_link", p.host_link, "between host and router");
  link(v, "local_link", p.local_link, "between routers of a group");
  link(v, "global_link", p.global_link, "between groups");
}

void describe_ports(ParameterVisitor& v, TopologyParameters& p) {
  v.field(
      "ports", p.ports, {"1", kMaxPortsOfHost},
      {"ports of every host, each a NIC of its own; a flow uses one port at each end. In a custom "
       "topology the links of a host are its ports"});
  v.when(p.ports > 1, "ports: 2 or more", [&] {
    v.choice(
        "port_mode", p.port_mode,
        {"bond: all ports of a host at one switch, flows spread over them by hash; dual_plane: "
         "port i of every host in network i, which is not connected to the others"});
  });
}

void describe(ParameterVisitor& v, TopologyParameters& p) {
  v.choice("kind", p.kind, {"shape of the network"});
  const bool lot = p.kind == TopologyKind::kParkingLot;
  const bool star = p.kind == TopologyKind::kStar;
  v.when(star, "kind: star", [&] {
    v.field("hosts", p.hosts, {"2", "4096"}, {"hosts on the one switch"});
  });
  v.when(lot, "kind: parking_lot", [&] {
    v.numbers("hosts_per_switch", p.hosts_per_switch, 2, 64, {"0", "256"},
              {"hosts on each switch along the chain"});
  });
  v.when(star || lot, "kind: star or parking_lot",
         [&] { link(v, "link", p.link, "between host and switch"); });
  v.when(lot, "kind: parking_lot",
         [&] { link(v, "fabric_link", p.fabric_link, "between switches"); });
  v.when(p.kind == TopologyKind::kFatTree, "kind: fat_tree", [&] { describe(v, p.fat_tree); });
  v.when(p.kind == TopologyKind::kLeafSpine, "kind: leaf_spine",
         [&] { describe(v, p.leaf_spine); });
  v.when(p.kind == TopologyKind::kRail, "kind: rail", [&] { describe(v, p.rail); });
  v.when(p.kind == TopologyKind::kTorus, "kind: torus", [&] { describe(v, p.torus); });
  v.when(p.kind == TopologyKind::kDragonfly, "kind: dragonfly", [&] { describe(v, p.dragonfly); });
  v.when(p.kind == TopologyKind::kCustom, "kind: custom", [&] {
    v.list("nodes", p.nodes, {"hosts (numbered in this order) and switches"},
           [&](NodeParameters& node) {
             v.text("name", node.name, {"referred to by `links`"});
             v.choice("kind", node.kind, {"host or switch"});
             v.field("forwards", node.forwards, {},
                     {"false: the switch passes only packets from and to its own hosts, as "
                      "the ports of a host do"});
           });
    v.list("links", p.links, {"cables, both directions"}, [&](CableParameters& cable) {
      v.text("from", cable.from, {"name of a node"});
      v.text("to", cable.to, {"name of a node"});
      describe(v, cable.link);
    });
  });
  v.field(
      "switch_latency", p.switch_latency, {"0ns", "1ms"},
      {"time of a packet through an idle switch, half of it at each of the switch's cables, where "
       "it adds to the delay"});
}

unsigned TopologyParameters::host_count() const {
  switch (kind) {
    case TopologyKind::kStar:
      return hosts;
    case TopologyKind::kParkingLot:
      return std::accumulate(hosts_per_switch.begin(), hosts_per_switch.end(), 0u);
    case TopologyKind::kFatTree:
      return static_cast<unsigned>(fat_tree.hosts());
    case TopologyKind::kLeafSpine:
      return static_cast<unsigned>(leaf_spine.hosts());
    case TopologyKind::kRail:
      return static_cast<unsigned>(rail.hosts());
    case TopologyKind::kTorus:
      return static_cast<unsigned>(torus.hosts());
    case TopologyKind::kDragonfly:
      return static_cast<unsigned>(dragonfly.hosts());
    case TopologyKind::kCustom:
      break;
  }
  return static_cast<unsigned>(
      std::count_if(nodes.begin(), nodes.end(),
                    [](const NodeParameters& node) { return node.kind == NodeKind::kHost; }));
}

HostPorts TopologyParameters::host_ports() const {
  if (kind != TopologyKind::kCustom) {
    return ports < 2 ? HostPorts() : HostPorts(std::vector<unsigned>(host_count(), ports));
  }
  std::map<std::string, std::size_t> host_of;
  for (const NodeParameters& node : nodes) {
    if (node.kind == NodeKind::kHost) host_of.emplace(node.name, host_of.size());
  }
  std::vector<unsigned> counts(host_of.size());
  for (const CableParameters& cable : links) {
    for (const std::string* const name : {&cable.from, &cable.to}) {
      const auto host = host_of.find(*name);
      if (host != host_of.end()) ++counts[host->second];
    }
  }
  return HostPorts(counts);
}

unsigned TopologyParameters::port_count() const {
  const HostPorts all = host_ports();
  return all.several() ? all.ports() : host_count();
}

std::uint64_t TopologyParameters::fabric_cables() const {
  const std::uint64_t planes = port_mode == PortMode::kDualPlane ? ports : 1;
  return planes * cables_of_plane();
}

/// Upper limit of the number of cables between the switches of one plane.
std::uint64_t TopologyParameters::cables_of_plane() const {
  switch (kind) {
    case TopologyKind::kFatTree:
      return fat_tree.fabric_cables();
    case TopologyKind::kLeafSpine:
      return leaf_spine.fabric_cables();
    case TopologyKind::kRail:
      return rail.fabric_cables();
    case TopologyKind::kTorus:
      return torus.fabric_cables();
    case TopologyKind::kDragonfly:
      return dragonfly.fabric_cables();
    case TopologyKind::kStar:
    case TopologyKind::kParkingLot:
      return hosts_per_switch.size();
    case TopologyKind::kCustom:
      break;
  }
  return links.size();
}

/// Rates of the links of the network, each value once.
std::vector<BitRate> TopologyParameters::rates() const {
  switch (kind) {
    case TopologyKind::kStar:
      return {link.rate};
    case TopologyKind::kParkingLot:
      return {link.rate, fabric_link.rate};
    case TopologyKind::kFatTree:
      return {fat_tree.host_link.rate, fat_tree.fabric_link.rate};
    case TopologyKind::kLeafSpine:
      return {leaf_spine.host_link.rate, leaf_spine.fabric_link.rate};
    case TopologyKind::kRail:
      return {rail.host_link.rate, rail.fabric_link.rate};
    case TopologyKind::kTorus:
      return {torus.host_link.rate, torus.fabric_link.rate};
    case TopologyKind::kDragonfly:
      return {dragonfly.host_link.rate, dragonfly.local_link.rate, dragonfly.global_link.rate};
    case TopologyKind::kCustom:
      break;
  }
  // rates of the links; not empty, because two hosts or more need a link
  std::vector<BitRate> rates;
  for (const CableParameters& cable : links) rates.push_back(cable.link.rate);
  return rates;
}

BitRate TopologyParameters::slowest_link() const {
  const std::vector<BitRate> all = rates();
  return *std::min_element(all.begin(), all.end());
}

BitRate TopologyParameters::fastest_link() const {
  const std::vector<BitRate> all = rates();
  return *std::max_element(all.begin(), all.end());
}

}  // namespace dcc
