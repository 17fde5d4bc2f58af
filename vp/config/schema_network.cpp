// Parameters of the topology, and how those of NIC and controller lie in a configuration.
#include "config/schema.h"

namespace dcc::vp {

void describe_topology(ParameterVisitor& v, TopologyConfig& c) {
  const auto link = [&](const char* key, LinkParameters& member, const char* meaning) {
    v.section(key, {meaning, ""}, [&] { describe(v, member); });
  };
  v.choice("kind", c.kind, {"shape of the network", ""});
  const bool lot = c.kind == TopologyKind::kParkingLot;
  const bool tree = c.kind == TopologyKind::kFatTree;
  const bool star = c.kind == TopologyKind::kStar;
  v.when(star, "kind: star", [&] {
    v.field("hosts", c.hosts, {"2", "4096"}, {"hosts on the one switch", ""});
  });
  v.when(lot, "kind: parking_lot", [&] {
    v.numbers("hosts_per_switch", c.hosts_per_switch, 2, 64, {"0", "256"},
              {"hosts on each switch of the chain, numbered along it", ""});
  });
  v.when(star || lot, "kind: star or parking_lot",
         [&] { link("link", c.link, "between host and switch"); });
  v.when(tree, "kind: fat_tree", [&] {
    v.field("k", c.k, "none", {"2", "256"},
            {"ports of a switch, from which the five below follow", "Al-Fares et al., SIGCOMM'08"});
  });
  v.when(tree && c.k.has_value(), "kind: fat_tree, k", [&] {
    v.field("oversubscription", c.oversubscription, {"1", "64"},
            {"times as many hosts in a rack as ports lead up", ""});
  });
  v.when(tree && !c.k, "kind: fat_tree, k: none", [&] {
    v.field("pods", c.pods, {"1", "64"}, {"groups of racks", ""});
    v.field("racks_per_pod", c.racks_per_pod, {"1", "64"}, {"rack switches in a pod", ""});
    v.field("aggs_per_pod", c.aggs_per_pod, {"1", "64"}, {"aggregation switches in a pod", ""});
    v.field("hosts_per_rack", c.hosts_per_rack, {"1", "256"}, {"hosts on a rack switch", ""});
    v.field("cores", c.cores, {"1", "1024"}, {"core switches, a multiple of aggs_per_pod", ""});
  });
  v.when(tree, "kind: fat_tree",
         [&] { link("host_link", c.host_link, "between host and rack switch"); });
  v.when(tree || lot, "kind: fat_tree or parking_lot",
         [&] { link("fabric_link", c.fabric_link, "between switches"); });
  v.when(c.kind == TopologyKind::kLeafSpine, "kind: leaf_spine",
         [&] { describe(v, c.leaf_spine); });
  v.when(c.kind == TopologyKind::kRail, "kind: rail", [&] { describe(v, c.rail); });
  v.when(c.kind == TopologyKind::kTorus, "kind: torus", [&] { describe(v, c.torus); });
  v.when(c.kind == TopologyKind::kDragonfly, "kind: dragonfly", [&] { describe(v, c.dragonfly); });
  v.when(c.kind == TopologyKind::kCustom, "kind: custom", [&] {
    v.list("nodes", c.nodes, {"hosts (numbered in this order) and switches", ""},
           [&](NodeConfig& node) {
             v.text("name", node.name, {"referred to by `links`", ""});
             v.choice("kind", node.kind, {"host or switch", ""});
           });
    v.list("links", c.links, {"cables, both directions", ""}, [&](CableConfig& cable) {
      v.text("from", cable.from, {"name of a node", ""});
      v.text("to", cable.to, {"name of a node", ""});
      describe(v, cable.link);
    });
  });
}

void describe_nic(ParameterVisitor& v, NicConfig& c) {
  c.describe(v);
  v.choice("telemetry", c.telemetry,
           {"in-band telemetry; auto: when the algorithm asks for it", "HPCC, SIGCOMM'19"});
  v.section("congestion_control", {"algorithm and its parameters", ""},
            [&] { c.congestion_control.describe(v, c.cnp); });
  v.section("cnp", {"notification packets, made by receivers", "DCQCN, SIGCOMM'15"},
            [&] { c.cnp.describe(v); });
  v.section("controller", {"the hardware block", ""}, [&] {
    c.controller.describe(v);
    v.choice("timer", c.controller.timer, {"what drives the timing wheel", ""});
    v.choice("rate_lut", c.controller.rate_lut, {"what computes the rates", ""});
  });
}

}  // namespace dcc::vp
