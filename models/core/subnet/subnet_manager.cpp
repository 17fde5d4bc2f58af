#include "subnet/subnet_manager.h"

#include <algorithm>
#include <utility>

namespace dcc {

void SubnetManager::begin() {
  nodes_.clear();
  by_guid_.clear();
  probes_.clear();
  swept_ = false;
  phase_ = Phase::kNodes;
  first_free_lid_ = 1;
  root_found_ = false;
  route_ = nullptr;
  probes_.push_back({});  // probe of the node on which the manager runs
}

void SubnetManager::begin_again(Router route) {
  for (Node& node : nodes_) {
    node.present = false;
    node.route.clear();
    std::fill(node.ports.begin(), node.ports.end(), Port{});
  }
  probes_.clear();
  swept_ = false;
  phase_ = Phase::kNodes;
  root_found_ = false;
  route_ = std::move(route);
  probes_.push_back({});
}

Mad SubnetManager::to_node(std::size_t node, Mad::Method method, Mad::Attribute attribute,
                           std::uint32_t modifier) {
  Mad mad(Mad::kDirectedRoute, method, attribute, modifier);
  const std::vector<std::uint8_t>& route = nodes_[node].route;
  mad.set_hop_count(static_cast<unsigned>(route.size()));
  for (std::size_t i = 0; i < route.size(); ++i) {
    mad.set_initial_path(static_cast<unsigned>(i + 1), route[i]);
  }
  mad.set_transaction(++transaction_);
  return mad;
}

std::optional<Mad> SubnetManager::next() {
  if (probes_.empty() && phase_ == Phase::kNodes) {
    phase_ = Phase::kAddresses;
    give_addresses();
  }
  if (probes_.empty() && phase_ == Phase::kAddresses) {
    phase_ = Phase::kTables;
    ask_tables();
  }
  if (probes_.empty()) {
    swept_ = true;
    return std::nullopt;
  }
  last_ = probes_.front();
  probes_.pop_front();
  // The far end of a cable may have been reached over another cable meanwhile.
  const bool first = !root_found_;
  if (last_.attribute == Mad::kNodeInfo && !first && knows_peer(last_.node, last_.port)) {
    return next();
  }
  ++sent_;
  if (last_.attribute != Mad::kNodeInfo) {
    const std::uint32_t modifier =
        last_.attribute == Mad::kLinearForwarding ? last_.block : last_.port;
    Mad mad = to_node(last_.node, last_.method, last_.attribute, modifier);
    if (last_.method == Mad::kSet && last_.attribute == Mad::kLinearForwarding) {
      for (unsigned i = 0; i < Mad::kForwardingBlock; ++i) {
        mad.put(Mad::kSmpData + i, 1,
                nodes_[last_.node].forwarding[last_.block * Mad::kForwardingBlock + i]);
      }
    } else if (last_.method == Mad::kSet) {
      mad.put(Mad::kSmpData + 16, 2, nodes_[last_.node].lid);
      mad.put(Mad::kSmpData + 34, 1, nodes_[last_.node].is_switch ? 0u : lmc_);
    }
    return mad;
  }
  Mad mad(Mad::kDirectedRoute, Mad::kGet, Mad::kNodeInfo, 0);
  mad.set_transaction(++transaction_);
  if (first) return mad;
  mad = to_node(last_.node, Mad::kGet, Mad::kNodeInfo, 0);
  const unsigned hop = mad.hop_count() + 1;
  mad.set_hop_count(hop);
  mad.set_initial_path(hop, static_cast<std::uint8_t>(last_.port));
  return mad;
}

void SubnetManager::answered(const std::optional<Mad>& mad) {
  // without an answer there is no node behind the port
  if (!mad || mad->status() != Mad::kOk) return;
  switch (last_.attribute) {
    case Mad::kNodeInfo:
      found(*mad);
      break;
    case Mad::kPortInfo: {
      if (last_.method == Mad::kSet) break;
      Port& port = nodes_[last_.node].ports[last_.port];
      port.up = (mad->get(Mad::kSmpData + 32, 1) & 0x0F) == Mad::kPortActive;
      if (port.up && nodes_[last_.node].route.size() < Mad::kMaxHops) {
        probes_.push_back({Mad::kGet, Mad::kLinkRate, last_.node, last_.port, 0});
        probes_.push_back({Mad::kGet, Mad::kNodeInfo, last_.node, last_.port, 0});
      }
      break;
    }
    case Mad::kLinkRate:
      nodes_[last_.node].ports[last_.port].rate = mad->get(Mad::kSmpData, 8);
      break;
    case Mad::kLinearForwarding:
      if (last_.method == Mad::kSet) break;
      for (unsigned i = 0; i < Mad::kForwardingBlock; ++i) {
        nodes_[last_.node].forwarding.push_back(
            static_cast<std::uint8_t>(mad->get(Mad::kSmpData + i, 1)));
      }
      break;
    default:
      break;
  }
}

/// Handles an answer with NodeInfo: notes the cable over which the datagram came, and asks about
/// the ports of a new node.
void SubnetManager::found(const Mad& mad) {
  const bool first = !root_found_;
  root_found_ = true;
  const std::uint64_t guid = mad.get(Mad::kSmpData + 12, 8);
  const auto arrival = static_cast<unsigned>(mad.get(Mad::kSmpData + 36, 1));
  const auto known = by_guid_.find(guid);
  const std::size_t index = known == by_guid_.end() ? nodes_.size() : known->second;
  if (known == by_guid_.end()) {
    Node node;
    node.guid = guid;
    node.is_switch = mad.get(Mad::kSmpData + 2, 1) == Mad::kTypeSwitch;
    node.ports.resize(mad.get(Mad::kSmpData + 3, 1) + 1);
    nodes_.push_back(std::move(node));
    by_guid_[guid] = index;
  }
  const bool found_now = !std::exchange(nodes_[index].present, true);
  for (unsigned hop = 1; found_now && hop <= mad.hop_count(); ++hop) {
    nodes_[index].route.push_back(mad.initial_path(hop));
  }
  if (!first && arrival < nodes_[index].ports.size()) {
    Port& here = nodes_[last_.node].ports[last_.port];
    here.peer = index;
    here.peer_port = arrival;
    Port& there = nodes_[index].ports[arrival];
    there.peer = last_.node;
    there.peer_port = last_.port;
  }
  if (found_now) ask_ports(index);
}

void SubnetManager::ask_ports(std::size_t node) {
  // A host forwards no datagram, so the sweep does not continue behind a host, except at the
  // manager's own host, where the sweep begins.
  for (unsigned port = 1; port < nodes_[node].ports.size(); ++port) {
    probes_.push_back({Mad::kGet, Mad::kPortInfo, node, port, 0});
  }
}

void SubnetManager::give_addresses() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].present) continue;
    if (nodes_[i].lid != 0) {
      probes_.push_back({Mad::kSet, Mad::kPortInfo, i, nodes_[i].is_switch ? 0u : 1u, 0});
      continue;
    }
    const unsigned lmc = nodes_[i].is_switch ? 0 : lmc_;
    const std::uint32_t count = 1u << lmc;
    // The addresses of a port agree in all bits but the lowest `lmc`.
    const std::uint32_t lid = (first_free_lid_ + count - 1) / count * count;
    if (lid + count > Mad::kAddressesEnd) continue;
    nodes_[i].lid = static_cast<std::uint16_t>(lid);
    first_free_lid_ = lid + count;
    probes_.push_back({Mad::kSet, Mad::kPortInfo, i, nodes_[i].is_switch ? 0u : 1u, 0});
  }
}

void SubnetManager::ask_tables() {
  const unsigned blocks = (first_free_lid_ + Mad::kForwardingBlock - 1) / Mad::kForwardingBlock;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].is_switch || !nodes_[i].present) continue;
    if (route_ != nullptr) route_by(i, blocks);
    for (unsigned block = 0; block < blocks; ++block) {
      probes_.push_back(
          {route_ == nullptr ? Mad::kGet : Mad::kSet, Mad::kLinearForwarding, i, 0, block});
    }
  }
}

/// Makes the forwarding table of a switch anew. Packets to the switch itself go to its port 0; no
/// path leads to the addresses of other switches.
void SubnetManager::route_by(std::size_t node, unsigned blocks) {
  std::vector<std::uint8_t>& table = nodes_[node].forwarding;
  table.assign(std::size_t{blocks} * Mad::kForwardingBlock, Mad::kNoPort);
  if (nodes_[node].lid != 0) table[nodes_[node].lid] = 0;
  for (std::size_t host = 0; host < nodes_.size(); ++host) {
    if (nodes_[host].is_switch || nodes_[host].lid == 0) continue;
    for (unsigned address = 0; address < 1u << lmc_; ++address) {
      table[nodes_[host].lid + address] = route_(node, host, address);
    }
  }
}

std::optional<std::size_t> SubnetManager::find(std::uint64_t guid) const {
  const auto at = by_guid_.find(guid);
  if (at == by_guid_.end()) return std::nullopt;
  return at->second;
}

std::uint64_t SubnetManager::links() const {
  std::uint64_t ends = 0;
  for (const Node& node : nodes_) {
    for (const Port& port : node.ports) ends += port.peer_port != 0 ? 1 : 0;
  }
  return ends / 2;
}

std::vector<SubnetManager::Hop> SubnetManager::path(std::size_t from, std::size_t to,
                                                    unsigned address) const {
  std::vector<Hop> path;
  const std::size_t lid = std::size_t{nodes_[to].lid} + address;
  std::size_t at = from;
  while (at != to) {
    const Node& node = nodes_[at];
    const bool listed = node.is_switch && lid < node.forwarding.size();
    const unsigned port = node.is_switch ? (listed ? node.forwarding[lid] : Mad::kNoPort) : 1u;
    const bool leads = port != 0 && port < node.ports.size() && node.ports[port].peer_port != 0;
    // A path that is longer than the number of nodes goes in a circle.
    if (!leads || path.size() > nodes_.size() || (at != from && !node.is_switch)) return {};
    path.push_back({at, port});
    at = node.ports[port].peer;
  }
  return path;
}

}  // namespace dcc
