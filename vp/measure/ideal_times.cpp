#include "measure/ideal_times.h"

#include <algorithm>

#include "build/translate.h"
#include "nic/ideal_fct.h"
#include "wire/wire_size.h"

namespace dcc::vp {

// With several paths no exact time is known. Two lower limits hold for every choice of paths, and
// the greater one is close to the time:
// - the links of each hop joined to one link of their rates' sum, which is faster in every respect;
// - the fastest link of each hop, crossed by all packets if no hop is slower than the NIC (paths
// then cost no time; the last packet is not counted, since a shorter one may overtake), else by
//   one packet.
std::optional<PicoSeconds> IdealTimes::compute(const FlowSpec& spec, AckMode ack,
                                               bool by_software) const {
  IdealFlow flow;
  flow.bytes = spec.bytes;
  flow.framing = framing_of(config_.transport_of(spec.from));
  flow.message_bytes = flow.framing ? 0 : spec.message;
  flow.operation = spec.operation;
  flow.service = spec.service;
  // The application in sw/app numbers its messages in the immediate value.
  flow.with_immediate = by_software && spec.service != Service::kUd;
  if (spec.rate.bits_per_second != 0) flow.rate_cap = Rate::from(spec.rate);
  NicParameters nic = nic_parameters(config_, spec.from, network_.host_link(spec.from));
  nic.ack = ack;
  nic.mtu = config_.path_mtu(spec.from, spec.to);
  const Network::Ways there = network_.ways(spec.from, spec.to, spec.id);
  const Network::Ways back = network_.ways(spec.to, spec.from, spec.id);
  if (!there.several && !back.several) return ideal_fct(flow, nic, there.fastest, back.fastest);
  const std::optional<PicoSeconds> joined = ideal_fct(flow, nic, there.joined, back.joined);
  if (!joined) return joined;
  const auto mtu = static_cast<Bytes>(nic.mtu);
  const auto keeps_up = [&](const std::vector<LinkParameters>& links) {
    return std::all_of(links.begin(), links.end(), [&](const LinkParameters& link) {
      return link.rate.bits_per_second >= nic.line_rate.bits_per_second;
    });
  };
  const bool alike = keeps_up(there.fastest) && keeps_up(back.fastest);
  if (flow.bytes > mtu) flow.bytes = alike ? flow.bytes - flow.bytes % mtu : mtu;
  return std::max(joined, ideal_fct(flow, nic, there.fastest, back.fastest));
}

std::optional<PicoSeconds> IdealTimes::of(const FlowSpec& spec, AckMode ack,
                                          bool by_software) const {
  const std::uint64_t hosts = std::uint64_t{spec.from} << 32 | spec.to;
  const auto found = known_.find(hosts);
  if (found != known_.end()) {
    const Known& known = found->second;
    const FlowSpec& then = known.spec;
    if (then.bytes == spec.bytes && then.message == spec.message && then.rate == spec.rate &&
        then.operation == spec.operation && then.service == spec.service && known.ack == ack &&
        known.by_software == by_software) {
      return known.time;
    }
  }
  const std::optional<PicoSeconds> time = compute(spec, ack, by_software);
  if (found != known_.end()) {
    found->second = {spec, ack, by_software, time};
  } else if (known_.size() < kMaxKnown &&
             (!config_.switch_.routing.one_path_per_flow() ||
              (has_one_path(spec.from, spec.to) && has_one_path(spec.to, spec.from)))) {
    known_.emplace(hosts, Known{spec, ack, by_software, time});
  }
  return time;
}

bool IdealTimes::has_one_path(HostId from, HostId to) const {
  const Topology& topology = network_.topology();
  const NodeId destination = topology.node_of(to);
  for (NodeId here = topology.node_of(from); here != destination;) {
    const PortSet ports = network_.routing().ports(here, to);
    if (ports.size() != 1) return false;
    here = topology.peer(here, ports.front()).node;
  }
  return true;
}

PicoSeconds IdealTimes::of_reference(const PlannedFlow& flow) const {
  const FlowSpec& spec = flow.spec;
  const LinkParameters& link = network_.host_link(spec.from);
  const std::uint32_t mtu = config_.path_mtu(spec.from, spec.to);
  const Bytes full = roce::data_wire_bytes(mtu, false, false) + link.overhead;
  const auto packets_of = [mtu](Bytes message) { return (message + mtu - 1) / mtu; };
  const Bytes whole = spec.bytes / spec.message;
  // bytes of the flow's last message, which may be shorter
  const Bytes rest = spec.bytes % spec.message;
  const Bytes messages = whole + (rest != 0 ? 1 : 0);
  const Bytes packets = whole * packets_of(spec.message) + packets_of(rest);
  // Headers of every packet, a RETH for every message, and the payload.
  const Bytes wire = packets * (full - static_cast<Bytes>(mtu)) + spec.bytes +
                     messages * static_cast<Bytes>(roce::kReth);
  return flow.base_rtt +
         serialization_time(wire, network_.routing().slowest_link(spec.from, spec.to));
}

}  // namespace dcc::vp
