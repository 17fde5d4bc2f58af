// Parameters of topology, switches and NICs.
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

void describe_switch(ParameterVisitor& v, SwitchConfig& c) {
  v.field("buffer", c.buffer, {"16KB", "64GiB"}, {"shared by all ports", ""});
  v.section("ecn", {"marking of congested packets", "RFC 3168; DCQCN, SIGCOMM'15, fig. 5"}, [&] {
    v.field("enabled", c.ecn.enabled, {}, {"mark at all", ""});
    v.field("kmin", c.ecn.kmin, {"0B", "64GiB"}, {"no marks up to this length", "SIGCOMM'15"});
    v.field("kmax", c.ecn.kmax, {"0B", "64GiB"}, {"all marked above this length", "SIGCOMM'15"});
    v.field("pmax", c.ecn.pmax, {"0", "1"}, {"share marked at kmax", "SIGCOMM'15"});
    v.choice("mark_at", c.ecn.mark_at, {"when the length is looked at", ""});
    v.choice("per", c.ecn.per, {"whose length counts", ""});
    v.field("reference_rate", c.ecn.reference_rate, "none", {"1Mbps", "10Tbps"},
            {"kmin and kmax are for a port of this rate, in proportion for others", ""});
    v.field("phantom_drain", c.ecn.phantom_drain, {"0", "1"},
            {"drain of a phantom queue, share of the port's rate; 0: none", "HULL, NSDI'12"});
    v.field("phantom_threshold", c.ecn.phantom_threshold, {"0B", "1GB"},
            {"phantom queue above which all is marked", "HULL, NSDI'12"});
  });
  v.section("pfc", {"pause by priority", "IEEE 802.1Qbb"}, [&] {
    v.field("enabled", c.pfc.enabled, {}, {"pause instead of dropping", ""});
    v.field("alpha", c.pfc.alpha, {"1/1024", "64"},
            {"pause above alpha x free buffer", "dynamic threshold, Choudhury and Hahne"});
    v.field("reference_rate", c.pfc.reference_rate, "none", {"1Mbps", "10Tbps"},
            {"alpha is for a port of this rate, in proportion for others", ""});
    v.field("headroom", c.pfc.headroom, "auto", {"0B", "1GiB"},
            {"kept per port and priority for what is under way", ""});
    v.field("resume_below", c.pfc.resume_below, {"0B", "1GiB"},
            {"resume this far under the threshold", ""});
  });
  v.section("scheduler", {"choice among the priorities of a port", ""}, [&] {
    v.choice("kind", c.scheduler.kind, {"arrival order, highest first, or by weight", ""});
    v.when(c.scheduler.kind == EgressSchedulerKind::kEts, "kind: ets", [&] {
      v.numbers("weights", c.scheduler.weights, 8, 8, {"0", "100"},
                {"of priorities 0 to 7; 0: strict, before the others", "IEEE 802.1Qaz"});
    });
  });
  v.choice("arbitration", c.arbitration,
           {"order within a queue: arrival, or input ports in turn", ""});
}

void describe_nic(ParameterVisitor& v, NicConfig& c) {
  v.field("mtu", c.mtu, {"64B", "9000B"}, {"payload bytes of a packet", ""});
  v.choice("payload", c.payload,
           {"virtual: lengths only; real: bytes moved by DMA, ICRC computed, checked", ""});
  v.choice("ack", c.ack, {"when a receiver acknowledges", ""});
  v.field("ack_priority", c.ack_priority, "data", {"0", "7"},
          {"802.1p priority of ACKs; data: that of what they acknowledge", ""});
  v.choice("telemetry", c.telemetry,
           {"in-band telemetry; auto: when the algorithm asks for it", "HPCC, SIGCOMM'19"});
  v.section("recovery", {"of lost packets", ""}, [&] {
    v.choice(
        "kind", c.recovery.kind,
        {"what a NAK or a timeout does; none: nothing, and a flow that loses a packet never ends",
         "InfiniBand RC"});
    v.field("timeout", c.recovery.timeout, {"1us", "10s"},
            {"repeat when nothing was acknowledged for so long", ""});
  });
  v.section("dma", {"link to the host: descriptors, payload, completions", ""},
            [&] { c.dma.describe(v); });
  v.section("congestion_control", {"algorithm and its parameters", ""},
            [&] { c.congestion_control.describe(v, c.cnp); });
  v.section("cnp", {"notification packets, made by receivers", "DCQCN, SIGCOMM'15"},
            [&] { c.cnp.describe(v); });
  v.section("controller", {"the hardware block", ""}, [&] {
    v.field("slots", c.controller.slots, {"1", "16384"}, {"flows controlled at a time", ""});
    v.field("clock", c.controller.clock, {"1MHz", "5GHz"}, {"of the controller", ""});
    v.field("tick", c.controller.tick, {"10ns", "1ms"}, {"unit of the timing engine", ""});
    v.field("latency", c.controller.latency, {"1", "100000"},
            {"cycles from an input to its answer", ""});
    v.numbers("split", c.controller.split, {"1", "14"},
              {"bits of the three levels of the timing wheel; sum 16", ""});
    v.choice("timer", c.controller.timer, {"what drives the timing wheel", ""});
    v.choice("rate_lut", c.controller.rate_lut, {"what computes the rates", ""});
  });
}

}  // namespace dcc::vp
