// The fabric: SystemC modules of links and switches for a topology, and the hosts' sockets to it.
#pragma once

#include <memory>
#include <string>
#include <systemc>
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

/// One direction of a cable, by where it starts.
struct Wire {
  std::unique_ptr<model::LinkModule> module;  // null: no sockets
  std::unique_ptr<Link> bare;                 // … but this
  std::string name;                           // "s0->h3"
  NodeId from = 0;
  int from_port = 0;
  NodeId to = 0;
  int to_port = 0;

  Link& link() { return module != nullptr ? module->link() : *bare; }
  const Link& link() const { return module != nullptr ? module->link() : *bare; }
};

/// An egress queue of a switch and its statistics.
struct EgressQueue {
  std::string port;  // name of the wire it feeds
  NodeId node = 0;
  int port_number = 0;
  SwitchDevice* device = nullptr;
  QueueStatistics statistics;
};

class Network final : public sc_core::sc_module {
 public:
  /// Topology and routing must outlive it. `sockets`: wires and ports have them; without, devices
  /// are joined as direct access would join them at the start, and nothing else differs.
  Network(const sc_core::sc_module_name& name, const PlatformConfig& config,
          const Topology& topology, const Routing& routing, Partitions& partitions,
          bool sockets = true);

  ~Network() override;

  const Topology& topology() const { return topology_; }
  const Routing& routing() const { return routing_; }
  /// The host's own link, as parameters.
  const LinkParameters& host_link(HostId host) const {
    return topology_.link(topology_.node_of(host), 0);
  }
  /// The links that packets of a flow cross from one host to another, in order, while all links
  /// are well. Where `routing` gives flows more than one way, the first of them.
  std::vector<LinkParameters> way(HostId from, HostId to, std::uint32_t flow) const;
  /// Ranks below this are taken by the links.
  std::uint32_t ranks_used() const { return ranks_; }

  bool has_sockets() const { return sockets_; }
  /// Joins a host's NIC with its two wires.
  void connect_host(HostId host, model::NicModule& nic);
  /// Once all hosts are connected.
  void bind_switches();

  FabricMap& fabric() { return fabric_; }
  /// Two a cable, in cable order.
  std::vector<Wire>& wires() { return wires_; }
  const std::vector<Wire>& wires() const { return wires_; }
  /// Null for hosts.
  model::SwitchModule* switch_of(NodeId node) {
    return switches_[static_cast<std::size_t>(node)].get();
  }
  const std::vector<std::unique_ptr<model::SwitchModule>>& switches() const { return switches_; }
  std::vector<std::unique_ptr<EgressQueue>>& queues() { return queues_; }
  const std::vector<std::unique_ptr<EgressQueue>>& queues() const { return queues_; }

 private:
  Wire& wire_from(NodeId node, int port);

  const Topology& topology_;
  const Routing& routing_;
  FabricMap fabric_;
  TieOrder ties_;
  const bool one_way_a_flow_;
  const bool sockets_;
  std::uint32_t ranks_ = 0;
  std::vector<std::unique_ptr<model::SwitchModule>> switches_;  // by node, null for hosts
  std::vector<Wire> wires_;                                     // two a cable, in cable order
  std::vector<std::unique_ptr<EgressQueue>> queues_;
};

}  // namespace dcc::vp
