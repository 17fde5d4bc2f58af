// Parameters of a topology: its shape and its cables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "describe/visitor.h"
#include "fabric/host_ports.h"
#include "units.h"
#include "wire/link.h"

namespace dcc {

constexpr LinkParameters kDefaultFabricLink{BitRate(400'000'000'000), kMicroSecond, 20};

/// Parameters of a fat tree. Host number = rack·hosts_per_rack + i; racks are numbered pod by pod.
struct FatTreeParameters {
  // number of ports of each switch of the fat tree; empty: the five sizes below define the tree
  std::optional<unsigned> k;
  unsigned oversubscription = 1;
  unsigned pods = 5;
  unsigned racks_per_pod = 4;
  unsigned aggs_per_pod = 4;
  unsigned hosts_per_rack = 16;
  unsigned cores = 16;
  LinkParameters host_link;
  LinkParameters fabric_link = kDefaultFabricLink;

  /// The sizes of the tree that an even k defines: k pods of k/2 racks with k/2 hosts times
  /// `oversubscription`, and (k/2)² core switches (Al-Fares, Loukissas, Vahdat, SIGCOMM'08).
  FatTreeParameters sized() const;
  std::uint64_t hosts() const;
  std::uint64_t fabric_cables() const;
};

struct LeafSpineParameters {
  unsigned leaves = 4;
  unsigned hosts_per_leaf = 16;
  unsigned spines = 4;
  LinkParameters host_link;
  LinkParameters fabric_link = kDefaultFabricLink;

  std::uint64_t hosts() const { return std::uint64_t{leaves} * hosts_per_leaf; }
  /// Number of cables between leaf and spine switches.
  std::uint64_t fabric_cables() const { return std::uint64_t{leaves} * spines; }
};

/// Parameters of a rail-optimised network: servers with one port on every rail. A unit has one
/// switch for each rail.
struct RailParameters {
  unsigned units = 2;
  unsigned rails = 8;
  unsigned servers = 8;  // number of servers in a unit of the rail network
  unsigned spines = 8;
  LinkParameters host_link;
  LinkParameters fabric_link = kDefaultFabricLink;

  std::uint64_t hosts() const { return std::uint64_t{units} * rails * servers; }
  std::uint64_t fabric_cables() const { return std::uint64_t{units} * rails * spines; }
};

struct TorusParameters {
  // sizes of the torus's one to three dimensions, in routers
  std::vector<unsigned> dimensions{4, 4, 4};
  bool wrap = true;  // true for a torus, false for a mesh
  unsigned hosts_per_router = 1;
  LinkParameters host_link;
  LinkParameters fabric_link = kDefaultFabricLink;

  std::uint64_t routers() const;
  std::uint64_t hosts() const { return routers() * hosts_per_router; }
  /// Upper limit of the number of cables between routers of the torus.
  std::uint64_t fabric_cables() const { return routers() * dimensions.size(); }
};

struct DragonflyParameters {
  unsigned groups = 9;
  unsigned routers = 4;  // number of routers in a group of the dragonfly
  unsigned hosts_per_router = 2;
  LinkParameters host_link;
  LinkParameters local_link = kDefaultFabricLink;
  LinkParameters global_link = kDefaultFabricLink;

  std::uint64_t hosts() const { return std::uint64_t{groups} * routers * hosts_per_router; }
  std::uint64_t fabric_cables() const {
    return std::uint64_t{groups} * (groups - 1) / 2 +
           std::uint64_t{groups} * routers * (routers - 1) / 2;
  }
};

enum class NodeKind : std::uint8_t { kHost, kSwitch };
DCC_ENUM_NAMES(NodeKind, {NodeKind::kHost, "host"}, {NodeKind::kSwitch, "switch"});
struct NodeParameters {
  std::string name;
  NodeKind kind = NodeKind::kHost;
  bool forwards = true;  // false for a switch that passes packets of its own hosts only
};
/// A cable of a custom topology; the link parameters hold for both directions.
struct CableParameters {
  std::string from;  // name of the node at the cable's first end
  std::string to;
  LinkParameters link;
};

enum class TopologyKind : std::uint8_t {
  kStar,
  kParkingLot,
  kFatTree,
  kLeafSpine,
  kRail,
  kTorus,
  kDragonfly,
  kCustom
};
DCC_ENUM_NAMES(TopologyKind, {TopologyKind::kStar, "star"},
               {TopologyKind::kParkingLot, "parking_lot"}, {TopologyKind::kFatTree, "fat_tree"},
               {TopologyKind::kLeafSpine, "leaf_spine"}, {TopologyKind::kRail, "rail"},
               {TopologyKind::kTorus, "torus"}, {TopologyKind::kDragonfly, "dragonfly"},
               {TopologyKind::kCustom, "custom"});

/// How the ports of hosts with several ports are cabled, in all kinds of topologies but kCustom.
enum class PortMode : std::uint8_t {
  kBond,       // all ports of a host lead to one switch
  kDualPlane,  // port i of every host is in network i; the networks are alike and not connected
};
DCC_ENUM_NAMES(PortMode, {PortMode::kBond, "bond"}, {PortMode::kDualPlane, "dual_plane"});

constexpr unsigned kMaxPortsOfHost = 8;

/// Parameters of a network's topology, from which Topology::of() builds the network.
struct TopologyParameters {
  TopologyKind kind = TopologyKind::kStar;
  unsigned hosts = 9;  // number of hosts of a kStar
  // number of hosts of each switch of a kParkingLot, in the order of the chain
  std::vector<unsigned> hosts_per_switch{3, 2};
  LinkParameters link;                              // link of each host
  LinkParameters fabric_link = kDefaultFabricLink;  // link between switches of a kParkingLot
  FatTreeParameters fat_tree;
  LeafSpineParameters leaf_spine;
  RailParameters rail;
  TorusParameters torus;
  DragonflyParameters dragonfly;
  std::vector<NodeParameters> nodes;  // nodes of kCustom; hosts are numbered in this order
  std::vector<CableParameters> links;
  PicoSeconds switch_latency{};  // time that a packet takes through a switch with empty queues
  // number of ports of every host; 1 with kCustom, where `links` tell the ports
  unsigned ports = 1;
  PortMode port_mode = PortMode::kBond;

  /// Throws ParameterError if values of the topology contradict each other, with an empty key if
  /// the error concerns the topology as a whole.
  void check() const;
  // Number of hosts of the topology, for every kind of topology.
  unsigned host_count() const;
  /// The ports of the hosts, for every kind of topology.
  HostPorts host_ports() const;
  /// Number of ports of all hosts together.
  unsigned port_count() const;
  /// Upper limit of the number of cables between switches.
  std::uint64_t fabric_cables() const;
  BitRate slowest_link() const;
  BitRate fastest_link() const;

 private:
  std::vector<BitRate> rates() const;
  std::uint64_t cables_of_plane() const;
  void check_custom() const;
};

void describe(ParameterVisitor& v, LinkParameters& p);
void describe(ParameterVisitor& v, FatTreeParameters& p);
void describe(ParameterVisitor& v, LeafSpineParameters& p);
void describe(ParameterVisitor& v, RailParameters& p);
void describe(ParameterVisitor& v, TorusParameters& p);
void describe(ParameterVisitor& v, DragonflyParameters& p);
void describe(ParameterVisitor& v, TopologyParameters& p);
/// Describes the ports of hosts, which a configuration names beside the other settings of NICs.
void describe_ports(ParameterVisitor& v, TopologyParameters& p);

}  // namespace dcc
