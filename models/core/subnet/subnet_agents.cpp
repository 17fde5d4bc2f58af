#include "subnet/subnet_agents.h"

#include <algorithm>
#include <utility>

namespace dcc {

SubnetAgents::SubnetAgents(const Topology& topology, SubnetAccess access, PicoSeconds response)
    : topology_(topology),
      access_(std::move(access)),
      response_(response),
      addresses_(topology.nodes().size()) {}

/// Returns the cable end at which a datagram arrives that leaves `at.node` through a port; empty:
/// the datagram is lost.
std::optional<CableEnd> SubnetAgents::cross(CableEnd at, unsigned out, PicoSeconds& took) const {
  if (!has_port(at.node, out)) return std::nullopt;
  const int port = static_cast<int>(out) - 1;
  if (!access_.is_up(at.node, port)) return std::nullopt;
  const LinkParameters& link = topology_.link(at.node, port);
  took += link.delay + serialization_time(kWireBytes, link.rate);
  return topology_.peer(at.node, port);
}

std::optional<Mad> SubnetAgents::carry(NodeId from, Mad mad, PicoSeconds& took) {
  const unsigned hops = mad.hop_count();
  if (hops > Mad::kMaxHops) return std::nullopt;
  CableEnd at{from, 0};
  for (unsigned hop = 1; hop <= hops; ++hop) {
    mad.set_hop_pointer(hop);
    // Hosts do not forward datagrams, so only the first hop may begin at a host.
    if (hop > 1 && topology_.node(at.node).is_host) return std::nullopt;
    const std::optional<CableEnd> next = cross(at, mad.initial_path(hop), took);
    if (!next) return std::nullopt;
    at = *next;
    mad.set_return_path(hop, static_cast<std::uint8_t>(at.port + 1));
  }
  answer(at.node, hops == 0 ? 1u : mad.return_path(hops), mad);
  took += response_;
  for (unsigned hop = hops; hop > 0; --hop) {
    mad.set_hop_pointer(hop - 1);
    const std::optional<CableEnd> next = cross(at, mad.return_path(hop), took);
    if (!next) return std::nullopt;
    at = *next;
  }
  return mad;
}

std::optional<PicoSeconds> SubnetAgents::travel(NodeId from,
                                                const std::vector<std::uint8_t>& route) const {
  PicoSeconds took{};
  CableEnd at{from, 0};
  for (const std::uint8_t out : route) {
    const std::optional<CableEnd> next = cross(at, out, took);
    if (!next) return std::nullopt;
    at = *next;
  }
  return took;
}

void SubnetAgents::answer(NodeId node, unsigned arrival, Mad& mad) {
  Mad::Status status = Mad::kUnsupported;
  if (mad.method() == Mad::kGet) status = get(node, arrival, mad);
  if (mad.method() == Mad::kSet) status = set(node, mad);
  mad.answer(status);
}

Mad::Status SubnetAgents::get(NodeId node, unsigned arrival, Mad& mad) const {
  const TopologyNode& about = topology_.node(node);
  switch (mad.attribute()) {
    case Mad::kNodeInfo:
      mad.put(Mad::kSmpData, 1, 1);
      mad.put(Mad::kSmpData + 1, 1, 1);
      mad.put(Mad::kSmpData + 2, 1, about.is_host ? Mad::kTypeHost : Mad::kTypeSwitch);
      mad.put(Mad::kSmpData + 3, 1, static_cast<std::uint64_t>(about.ports));
      for (const std::size_t place : {4u, 12u, 20u})
        mad.put(Mad::kSmpData + place, 8, guid_of(node));
      mad.put(Mad::kSmpData + 36, 1, arrival);
      return Mad::kOk;
    case Mad::kPortInfo:
      return port_info(node, mad.modifier(), mad);
    case Mad::kLinkRate:
      if (!has_port(node, mad.modifier())) return Mad::kInvalidField;
      mad.put(Mad::kSmpData, 8,
              topology_.link(node, static_cast<int>(mad.modifier()) - 1).rate.bits_per_second);
      return Mad::kOk;
    case Mad::kLinearForwarding:
      if (about.is_host) return Mad::kUnsupported;
      for (unsigned i = 0; i < Mad::kForwardingBlock; ++i) {
        const std::uint64_t lid = std::uint64_t{mad.modifier()} * Mad::kForwardingBlock + i;
        mad.put(Mad::kSmpData + i, 1, forwarding(node, lid));
      }
      return Mad::kOk;
    default:
      return Mad::kUnsupported;
  }
}

Mad::Status SubnetAgents::port_info(NodeId node, unsigned port, Mad& mad) const {
  const TopologyNode& about = topology_.node(node);
  const bool own = !about.is_host && port == 0;  // port 0 of a switch is its agent
  if (!own && !has_port(node, port)) return Mad::kInvalidField;
  const Address& address = addresses_[static_cast<std::size_t>(node)];
  const bool up = own || access_.is_up(node, static_cast<int>(port) - 1);
  const bool has_lid = own || about.is_host;
  mad.put(Mad::kSmpData + 16, 2, has_lid ? address.lid : 0u);
  mad.put(Mad::kSmpData + 28, 1, port);
  mad.put(Mad::kSmpData + 32, 1, up ? Mad::kPortActive : Mad::kPortDown);
  mad.put(Mad::kSmpData + 34, 1, has_lid ? address.lmc : 0u);
  return Mad::kOk;
}

/// Output port for a LID as a switch numbers its ports; Mad::kNoPort: none.
std::uint8_t SubnetAgents::forwarding(NodeId node, std::uint64_t lid) const {
  const auto set = forwarding_.find(node);
  if (set != forwarding_.end()) {
    return lid < set->second.size() ? set->second[lid] : Mad::kNoPort;
  }
  if (lid >= owners_.size() || owners_[lid] < 0) return Mad::kNoPort;
  const NodeId owner = owners_[lid];
  const TopologyNode& about = topology_.node(owner);
  if (!about.is_host) return owner == node ? 0 : Mad::kNoPort;
  const std::uint64_t base = addresses_[static_cast<std::size_t>(owner)].lid;
  const int port = access_.forwards(node, about.host, static_cast<unsigned>(lid - base));
  return port < 0 ? Mad::kNoPort : static_cast<std::uint8_t>(port + 1);
}

Mad::Status SubnetAgents::set(NodeId node, Mad& mad) {
  const TopologyNode& about = topology_.node(node);
  if (mad.attribute() == Mad::kPortInfo) {
    if (mad.modifier() != (about.is_host ? 1u : 0u)) return Mad::kInvalidField;
    const std::uint64_t lid = mad.get(Mad::kSmpData + 16, 2),
                        lmc = mad.get(Mad::kSmpData + 34, 1) & 7;
    if (lid == 0 || lid + (1u << lmc) > Mad::kAddressesEnd) return Mad::kInvalidField;
    Address& address = addresses_[static_cast<std::size_t>(node)];
    address = {static_cast<std::uint16_t>(lid), static_cast<std::uint8_t>(lmc)};
    std::replace(owners_.begin(), owners_.end(), node, -1);
    if (owners_.size() < lid + (1u << lmc)) owners_.resize(lid + (1u << lmc), -1);
    std::fill_n(owners_.begin() + static_cast<std::ptrdiff_t>(lid), 1u << lmc, node);
    return Mad::kOk;
  }
  if (mad.attribute() == Mad::kLinearForwarding) {
    if (about.is_host) return Mad::kUnsupported;
    const std::size_t from = std::size_t{mad.modifier()} * Mad::kForwardingBlock;
    if (from >= Mad::kAddressesEnd) return Mad::kInvalidField;
    std::vector<std::uint8_t>& table = forwarding_[node];
    if (table.size() < from + Mad::kForwardingBlock) {
      table.resize(from + Mad::kForwardingBlock, Mad::kNoPort);
    }
    for (unsigned i = 0; i < Mad::kForwardingBlock; ++i) {
      table[from + i] = static_cast<std::uint8_t>(mad.get(Mad::kSmpData + i, 1));
    }
    return Mad::kOk;
  }
  if (mad.attribute() != Mad::kVlArbitration) return Mad::kUnsupported;
  const unsigned block = mad.modifier() >> 16, port = mad.modifier() & 0xFFFF;
  if (!has_port(node, port) || block < 1 || block > 2) return Mad::kInvalidField;
  const int number = static_cast<int>(port) - 1;
  VlArbitrationParameters& tables = tables_[{node, number}];
  tables.low.resize(std::size_t{2} * kVlBlock);
  for (std::size_t i = 0; i < kVlBlock; ++i) {
    tables.low[(block - 1) * kVlBlock + i] = {
        static_cast<unsigned>(mad.get(Mad::kSmpData + 2 * i, 1) & 0x0F),
        static_cast<unsigned>(mad.get(Mad::kSmpData + 2 * i + 1, 1))};
  }
  return access_.set_tables(node, number, tables) ? Mad::kOk : Mad::kInvalidField;
}

}  // namespace dcc
