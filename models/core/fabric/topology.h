// Which hosts and switches there are and how they are cabled. A description only: it makes no
// devices.
#pragma once

#include <string>
#include <vector>

#include "fabric/route_table.h"
#include "fabric/topology_parameters.h"
#include "units.h"
#include "wire/link.h"
#include "wire/packet.h"

namespace dcc {

/// Index into Topology::nodes().
using NodeId = int;

struct TopologyNode {
  std::string name;
  bool is_host = false;
  HostId host = 0;    // hosts are numbered in the order in which they were added
  int switch_no = 0;  // and so are switches
  int ports = 0;      // numbered from 0 in the order in which cables were plugged in
};

struct CableEnd {
  NodeId node = 0;
  int port = 0;
};

/// A cable: one link each way with the same parameters.
struct Cable {
  CableEnd end[2];
  LinkParameters link;
};

/// What a regular shape knows without a search.
struct Structure {
  std::vector<RouteTable> routes;  // by TopologyNode::switch_no
  /// The longest way of the network, both ways together, is from one of them (to any host).
  std::vector<HostId> outermost;
};

/// Built with add_host, add_switch and connect, or by one of the named shapes, which do just that.
/// All of them throw std::invalid_argument with a sentence that names the node.
class Topology {
 public:
  NodeId add_host(const std::string& name);
  NodeId add_switch(const std::string& name);
  /// A host has one port and is cabled once. Two switches may have several cables.
  void connect(NodeId a, NodeId b, const LinkParameters& link);

  /// The shape that a user described. Precondition: TopologyParameters::check().
  static Topology of(const TopologyParameters& parameters);
  /// Every host on one switch: host h on its port h.
  static Topology star(int hosts, const LinkParameters& link);
  /// A chain of switches, switch s with hosts_per_switch[s] hosts, numbered along the chain. With
  /// {2, 4} the six servers of the InfiniBand bandwidth-partition paper, figure 2: A, B on the
  /// first and C to F on the second switch.
  static Topology parking_lot(const std::vector<int>& hosts_per_switch,
                              const LinkParameters& host_link, const LinkParameters& fabric_link);
  /// Host rack·hosts_per_rack + i on rack switch `rack`; racks pod by pod, every one cabled to all
  /// aggregation switches of its pod; aggregation switch i of each pod to the core switches
  /// i·c … i·c + c − 1 with c = cores / aggs_per_pod.
  static Topology fat_tree(const FatTreeParameters& parameters);
  /// Host leaf·hosts_per_leaf + i on switch leaf<leaf>, every leaf to every spine<s>.
  static Topology leaf_spine(const LeafSpineParameters& parameters);
  /// Host (unit·rails + rail)·servers + server is that server's port on the rail, at switch
  /// u<unit>_rail<rail>; every one of these to every spine<s>. What servers have inside between
  /// their ports is not modelled.
  static Topology rail(const RailParameters& parameters);
  /// Router r<x>_<y>_<z> and its hosts, numbered with x the fastest. Dimension order, the last
  /// dimension first; with `wrap` the shorter way round, both where they are alike.
  static Topology torus(const TorusParameters& parameters);
  /// Groups of fully connected routers g<group>_<router>, one cable between any two groups: the
  /// other groups in order are spread evenly over a group's routers in order. Minimal ways: to the
  /// router with the cable, across, to the destination's.
  static Topology dragonfly(const DragonflyParameters& parameters);

  /// Throws when there is no host, or a node cannot be reached from another.
  void check_connected() const;

  const std::vector<TopologyNode>& nodes() const { return nodes_; }
  const std::vector<Cable>& cables() const { return cables_; }
  const TopologyNode& node(NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  int hosts() const { return static_cast<int>(hosts_.size()); }
  int switches() const { return static_cast<int>(nodes_.size() - hosts_.size()); }
  NodeId node_of(HostId host) const { return hosts_[host]; }
  /// By name; -1 when there is none.
  NodeId find(const std::string& name) const;

  /// Null for networks that were cabled by hand, or changed after they were made.
  const Structure* structure() const { return structure_.routes.empty() ? nullptr : &structure_; }

  /// Index into cables() and the end that is plugged into a node's port.
  struct Plug {
    int cable = 0;
    int side = 0;
  };
  const Plug& plug(NodeId node, int port) const {
    return plugs_[static_cast<std::size_t>(node)][static_cast<std::size_t>(port)];
  }
  /// What is at the other end of a node's port.
  CableEnd peer(NodeId node, int port) const;
  const LinkParameters& link(NodeId node, int port) const;
  /// "s0->h3": the wire that leaves a node through a port; of several between the same two nodes
  /// the second is "s0->s1#1".
  std::string wire_name(NodeId node, int port) const;

 private:
  NodeId add(const std::string& name, bool is_host);
  int plug_in(NodeId node, int cable, int side);

  std::vector<TopologyNode> nodes_;
  std::vector<Cable> cables_;
  std::vector<NodeId> hosts_;             // by HostId
  std::vector<std::vector<Plug>> plugs_;  // by node and port
  Structure structure_;
};

}  // namespace dcc
