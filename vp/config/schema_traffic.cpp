// Parameters of what is sent, and of what goes wrong.
#include "config/schema.h"

namespace dcc::vp {

void describe_traffic(ParameterVisitor& v, TrafficConfig& c) {
  using Kind = TrafficKind;
  const auto is = [&](std::initializer_list<Kind> kinds) {
    for (const Kind kind : kinds) {
      if (c.kind == kind) return true;
    }
    return false;
  };
  v.choice("kind", c.kind, {"pattern", ""});
  const bool single = is({Kind::kFlow, Kind::kBackground});
  v.when(single, "kind: flow or background", [&] {
    v.field("from", c.from, {"0", "65535"}, {"sending host", ""});
    v.field("to", c.to, {"0", "65535"}, {"receiving host", ""});
  });
  v.when(is({Kind::kIncast, Kind::kPartitionAggregate}), "kind: incast or partition_aggregate",
         [&] {
           v.hosts("senders", c.senders, {"hosts that send; all: all but the receiver", ""});
           v.field("receiver", c.receiver, {"0", "65535"}, {"host that they send to", ""});
         });
  v.when(is({Kind::kOneToMany}), "kind: one_to_many", [&] {
    v.field("sender", c.sender, {"0", "65535"}, {"sending host", ""});
    v.hosts("receivers", c.receivers, {"hosts it sends to; all: all others", ""});
  });
  v.when(is({Kind::kPermutation, Kind::kAllToAll, Kind::kPoisson}),
         "kind: permutation, all_to_all or poisson", [&] {
           v.hosts("hosts", c.hosts, {"hosts that send to each other", ""});
         });
  v.when(is({Kind::kPartitionAggregate}), "kind: partition_aggregate", [&] {
    v.field("period", c.period, {"1us", "1000s"}, {"time between two queries", ""});
    v.field("rounds", c.rounds, {"1", "1000000"}, {"number of queries", ""});
  });
  v.when(is({Kind::kPoisson}), "kind: poisson", [&] {
    v.field("load", c.load, {"1/1000", "2"}, {"mean load of each host's link, as a share", ""});
    v.path("sizes", c.sizes, {"websearch", "fbhadoop"}, {"distribution of flow sizes", ""});
    v.field("flows_per_host", c.flows_per_host, {"1", "1000000"}, {"flows each host starts", ""});
  });
  v.when(is({Kind::kTrace}), "kind: trace", [&] {
    v.path("file", c.file, {}, {"list of flows, .gz or plain", ""});
    v.field("time_offset", c.time_offset, {}, {"subtracted from the file's times", ""});
    v.number_map("dscp_map", c.dscp_map, {"0", "63"}, {"0", "63"},
                 {"the file's priorities to DSCPs; unlisted: 0", ""});
  });
  const bool listed = is({Kind::kTrace});
  v.when(!listed, "kind: any but trace", [&] {
    v.field("dscp", c.dscp, {"0", "63"}, {"class of the flows", ""});
  });
  const bool sized = !is({Kind::kTrace, Kind::kPoisson, Kind::kBackground});
  v.when(sized, "kind: any but trace, poisson and background", [&] {
    v.field("bytes", c.bytes, "unlimited", {"1B", "1000GB"}, {"payload of a flow", ""});
    v.field("flows", c.flows, {"1", "16384"}, {"flows between each pair of hosts", ""});
    v.field("stagger", c.stagger, {}, {"each further flow starts this much later", ""});
    v.field("stop_stagger", c.stop_stagger, {}, {"... and stops this much later", ""});
    v.field("initial_rate", c.initial_rate, "algorithm", {"1Mbps", "10Tbps"},
            {"rate at which these flows start", ""});
  });
  v.when(is({Kind::kBackground}) || sized, "kind: any but trace and poisson", [&] {
    v.field("rate", c.rate, "unlimited", {"1kbps", "10Tbps"},
            {"the application offers no more than this (background: sends just this)", ""});
  });
  v.field("start", c.start, {}, {"when the first flow starts", ""});
  v.field("stop", c.stop, "end", {}, {"no new data after this", ""});
  v.field("message", c.message, {"1B", "1GiB"}, {"size of an RDMA message", ""});
}

void describe_fault(ParameterVisitor& v, FaultConfig& c) {
  v.choice("kind", c.kind, {"what goes wrong", ""});
  const bool cnp = c.kind == FaultKind::kCnpLoss;
  v.when(!cnp, "kind: loss or link_down", [&] {
    v.text("link", c.link, {"name as in metrics.json, or all", ""});
  });
  v.when(cnp, "kind: cnp_loss", [&] { v.field("flow", c.flow, {}, {"whose CNPs get lost", ""}); });
  v.when(c.kind == FaultKind::kLoss, "kind: loss", [&] {
    v.field("probability", c.probability, {"0", "1"}, {"that a packet gets lost", ""});
  });
  v.field("start", c.start, {}, {"from when", ""});
  v.field("stop", c.stop, "end", {}, {"until when", ""});
}

}  // namespace dcc::vp
