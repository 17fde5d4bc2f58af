// The fabric: SystemC modules of links and switches for a topology, and the hosts' sockets to it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "config/platform_config.h"
#include "fabric/fabric_map.h"
#include "fabric/routing.h"
#include "fabric/topology.h"
#include "link_module.h"
#include "nic_module.h"
#include "parallel/partitions.h"
#include "stats/queue_statistics.h"
#include "switch_module.h"

namespace dcc::vp {

/// Stores links contiguously in memory. A link that is allocated alone takes a third more memory,
/// because it is aligned to a cache line.
class LinkStore {
 public:
  LinkStore() = default;
  LinkStore(const LinkStore&) = delete;
  LinkStore& operator=(const LinkStore&) = delete;
  ~LinkStore();
  /// Reserves memory for `most` links. Call once, before add().
  void reserve(std::size_t most);
  template <class... Arguments>
  Link& add(Arguments&&... arguments) {
    return *new (links_ + size_++) Link(std::forward<Arguments>(arguments)...);
  }

 private:
  Link* links_ = nullptr;
  std::size_t size_ = 0;
  std::size_t most_ = 0;
};

/// One direction of a cable, identified by the end at which the direction begins.
struct Wire {
  // SystemC module of the link; null if the network has no sockets
  std::unique_ptr<model::LinkModule> module;
  Link* bare = nullptr;  // the link itself if the network has no sockets
  NodeId from = 0;
  int from_port = 0;
  NodeId to = 0;
  int to_port = 0;

  Link& link() { return module != nullptr ? module->link() : *bare; }
  const Link& link() const { return module != nullptr ? module->link() : *bare; }
};

/// An egress queue of a switch and its statistics.
struct EgressQueue {
  NodeId node = 0;
  int port_number = 0;
  SwitchDevice* device = nullptr;  // null: see Network::has_ports()
  QueueStatistics& statistics;
};

class Network final : public sc_core::sc_module {
 public:
  /// Topology and routing must outlive the network. If `sockets` is false, devices are joined by
  /// pointers from the beginning; with sockets, direct access joins devices likewise at the start
  /// of the run. Results are the same.
  Network(const sc_core::sc_module_name& name, const PlatformConfig& config,
          const Topology& topology, const Routing& routing, Partitions& partitions,
          bool sockets = true);

  ~Network() override;

  const Topology& topology() const { return topology_; }
  const Routing& routing() const { return routing_; }
  /// Parameters of the link that connects a host to the network.
  const LinkParameters& host_link(HostId host) const {
    return topology_.link(topology_.node_of(host), 0);
  }
  /// The links on the path of a flow between two hosts, hop by hop, while no link has failed.
  struct Ways {
    bool several = false;  // true if `routing` gives the flow several paths
    // highest rate among the parallel links of each hop, with the least delay of these links
    std::vector<LinkParameters> fastest;
    // sum of the rates of the parallel links of each hop; valid if `several`
    std::vector<LinkParameters> joined;
  };
  Ways ways(HostId from, HostId to, std::uint32_t flow) const;
  /// The number of event ranks that links take; the ranks of links begin at 0.
  std::uint32_t ranks_used() const { return ranks_; }

  bool has_sockets() const { return sockets_; }
  /// Connects the NIC of a host to the two wires of the host's link, one for each direction.
  void connect_host(HostId host, model::NicModule& nic);
  /// Binds the switches' sockets. Call once all hosts are connected.
  void bind_switches();

  FabricMap& fabric() { return fabric_; }
  /// All wires in cable order, two for each cable.
  std::vector<Wire>& wires() { return wires_; }
  const std::vector<Wire>& wires() const { return wires_; }
  /// Name of a wire, such as "s0->h3"; a queue has the name of the wire that it feeds.
  std::string name_of(const Wire& wire) const {
    return topology_.wire_name(wire.from, wire.from_port);
  }
  std::string name_of(const EgressQueue& queue) const {
    return topology_.wire_name(queue.node, queue.port_number);
  }
  /// The switch at a node; null if the node is a host.
  model::SwitchModule* switch_of(NodeId node) {
    return switches_[static_cast<std::size_t>(node)].get();
  }
  const std::vector<std::unique_ptr<model::SwitchModule>>& switches() const { return switches_; }
  /// False if another process simulates the switch at a node, so that this process built the switch
  /// without its ports, which take most of a large network's memory. Such a switch only knows its
  /// routes. True for hosts.
  bool has_ports(NodeId node) const {
    return all_have_ports_ || partitions_.is_here(node) || topology_.node(node).is_host;
  }
  /// The egress queues of all switches, in the order of the wires that they feed.
  const std::vector<EgressQueue>& queues() const { return queues_; }

 private:
  Wire& wire_from(NodeId node, int port);
  Ways all_ways(HostId from, HostId to) const;

  const Topology& topology_;
  const Routing& routing_;
  const Partitions& partitions_;
  FabricMap fabric_;
  TieOrder ties_;
  const bool one_way_a_flow_;
  const bool sockets_;
  const bool all_have_ports_;
  std::uint32_t ranks_ = 0;
  // switch module of each node; null for hosts
  std::vector<std::unique_ptr<model::SwitchModule>> switches_;
  LinkStore links_;                                // links of wires without sockets
  std::vector<Wire> wires_;                        // all wires: two for each cable, in cable order
  std::vector<QueueStatistics> queue_statistics_;  // length statistics of each egress queue
  std::vector<EgressQueue> queues_;
};

}  // namespace dcc::vp
