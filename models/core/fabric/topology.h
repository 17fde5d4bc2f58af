// The hosts and switches of a network and their cables. A topology creates no devices.
#pragma once

#include <string>
#include <vector>

#include "fabric/host_ports.h"
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
  HostId host = 0;    // number of a host, in the order of add_host()
  int switch_no = 0;  // number of a switch, in the order of add_switch()
  int ports = 0;      // number of ports of the node; ports are numbered in the order of connect()
  bool forwards = true;  // whether routes between other nodes may lead through the switch
};

struct CableEnd {
  NodeId node = 0;
  int port = 0;
};

/// A cable: one link in each direction, both with the same parameters.
struct Cable {
  CableEnd end[2];
  LinkParameters link;
};

/// Routes of a regular topology shape, computed without a search.
struct Structure {
  std::vector<RouteTable> routes;  // route table of each switch, indexed by TopologyNode::switch_no
  /// A set of hosts that contains an end of the network's longest round trip.
  std::vector<HostId> outermost;
};

/// A topology, built with add_host(), add_switch() and connect(), or by one of the named shapes.
/// All functions throw std::invalid_argument with a sentence that names the node.
///
/// A Topology counts ports as hosts: a host with three ports appears as three hosts with
/// consecutive numbers. host_ports() says which numbers belong to one host.
class Topology {
 public:
  NodeId add_host(const std::string& name);
  /// Adds a switch. `forwards`: false if the switch passes only packets from and to its own hosts.
  NodeId add_switch(const std::string& name, bool forwards = true);
  /// Connects two nodes. A port of a host has one cable; two switches may have several cables
  /// between them.
  void connect(NodeId a, NodeId b, const LinkParameters& link);

  /// Builds the network that the parameters describe. Precondition: TopologyParameters::check()
  /// passed.
  static Topology of(const TopologyParameters& parameters);
  /// Builds a star: all hosts on one switch, host h on port h.
  static Topology star(int hosts, const LinkParameters& link);
  /// Builds a chain of switches; switch s has hosts_per_switch[s] hosts, numbered along the chain.
  /// {2, 4} gives the six servers of figure 2 of the InfiniBand bandwidth-partition paper: A and B
  /// on the first switch, C to F on the second.
  static Topology parking_lot(const std::vector<int>& hosts_per_switch,
                              const LinkParameters& host_link, const LinkParameters& fabric_link);
  /// Builds a fat tree. Host rack·hosts_per_rack + i is on rack switch `rack`. Racks are numbered
  /// pod by pod; each rack switch has a cable to all aggregation switches of its pod. Aggregation
  /// switch i of each pod has cables to the core switches i·c … i·c + c − 1 with c = cores /
  /// aggs_per_pod.
  static Topology fat_tree(const FatTreeParameters& parameters);
  /// Builds a leaf-spine network. Host leaf·hosts_per_leaf + i is on switch leaf<leaf>; every leaf
  /// has a cable to every spine<s>.
  static Topology leaf_spine(const LeafSpineParameters& parameters);
  /// Builds a rail-optimised network. Host (unit·rails + rail)·servers + server is that server's
  /// port on the rail, at switch u<unit>_rail<rail>; every rail switch has a cable to every
  /// spine<s>. Links inside a server between its ports are not modelled.
  static Topology rail(const RailParameters& parameters);
  /// Builds a torus or mesh of routers r<x>_<y>_<z> with hosts, numbered with x the fastest. Routes
  /// go in dimension order, the last dimension first; with `wrap` a route takes the shorter
  /// direction, or both if they are equally long.
  static Topology torus(const TorusParameters& parameters);
  /// Builds a dragonfly: groups of fully connected routers g<group>_<router> with one cable between
  /// any two groups. The cables of a group are spread evenly over its routers, in the order of the
  /// other groups. Routes are minimal: to the router with the cable, over the cable, to the
  /// destination's router.
  static Topology dragonfly(const DragonflyParameters& parameters);

  /// Throws if there is no host, or if the network is not connected. The ports of a host connect
  /// the networks that they belong to, although no packet passes from one to the other.
  void check_connected() const;
  /// True if there is at most one path between any two nodes.
  bool has_one_way() const;

  const std::vector<TopologyNode>& nodes() const { return nodes_; }
  const std::vector<Cable>& cables() const { return cables_; }
  const TopologyNode& node(NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  int hosts() const { return static_cast<int>(hosts_.size()); }
  int switches() const { return static_cast<int>(nodes_.size() - hosts_.size()); }
  NodeId node_of(HostId host) const { return hosts_[host]; }
  /// Groups hosts of the topology that are ports of one user's host. Port p of a host "a" with
  /// several ports is named "a.p".
  const HostPorts& host_ports() const { return ports_; }
  /// Number of hosts as the user counts them, each with all its ports.
  int user_hosts() const { return ports_.several() ? static_cast<int>(ports_.hosts()) : hosts(); }
  /// The node with this name; −1 if no node has the name.
  NodeId find(const std::string& name) const;

  /// Routes of a named shape; null for networks built by hand, or changed after a named shape built
  /// them.
  const Structure* structure() const { return structure_.routes.empty() ? nullptr : &structure_; }

  /// The end of a cable at a node's port: the cable's index in cables(), and which end is plugged
  /// in.
  struct Plug {
    int cable = 0;
    int side = 0;
  };
  const Plug& plug(NodeId node, int port) const {
    return plugs_[static_cast<std::size_t>(node)][static_cast<std::size_t>(port)];
  }
  /// Node and port at the other end of the cable at a node's port.
  CableEnd peer(NodeId node, int port) const;
  const LinkParameters& link(NodeId node, int port) const;
  /// Name of the wire that leaves a node through a port: "s0->h3"; the second of parallel wires is
  /// "s0->s1#1".
  std::string wire_name(NodeId node, int port) const;

 private:
  NodeId add(const std::string& name, bool is_host);
  static Topology custom(const TopologyParameters& parameters);
  static Topology named_shape(const TopologyParameters& parameters);
  /// Renames the hosts of the topology as ports of the user's hosts. Precondition: no host has
  /// several ports yet.
  void name_ports(HostPorts ports);
  /// Returns as many copies of the network `plane` as a host has ports; port i of all hosts is in
  /// copy i.
  static Topology planes(const Topology& plane, HostPorts ports);
  int plug_in(NodeId node, int cable, int side);
  static Topology without_latency(const TopologyParameters& parameters);
  /// Adds half of the switch latency to each direction of a switch's cables, so that a packet
  /// through the switch is delayed by one switch latency.
  void add_switch_latency(PicoSeconds latency);

  std::vector<TopologyNode> nodes_;
  std::vector<Cable> cables_;
  std::vector<NodeId> hosts_;  // node of each host, indexed by HostId
  HostPorts ports_;
  std::vector<std::vector<Plug>> plugs_;  // cable ends by node and port
  Structure structure_;
};

}  // namespace dcc
