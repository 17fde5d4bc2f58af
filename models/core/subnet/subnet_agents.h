// The management agents of all nodes, and the wires over which directed-route datagrams reach them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "fabric/topology.h"
#include "subnet/mad.h"
#include "switch/vl_arbitration.h"
#include "units.h"

namespace dcc {

/// Functions by which agents read and set properties of nodes. Ports have the topology's numbers,
/// from 0.
struct SubnetAccess {
  /// Function that returns the port by which a switch forwards to an address of a host; -1: none.
  std::function<int(NodeId node, HostId destination, unsigned address)> forwards;
  /// Function that returns true if the cable at a port is up.
  std::function<bool(NodeId node, int port)> is_up;
  /// Function that sets a port's tables of virtual lane arbitration; it returns false if the port
  /// has no such tables, or the tables have no weight above 0.
  std::function<bool(NodeId node, int port, const VlArbitrationParameters&)> set_tables;
};

/// Every node has one agent. A datagram passes from port to port along its directed route as on
/// virtual lane 15, which precedes all data and needs no credits. In this model a data packet that
/// is being sent does not delay the datagram. In management datagrams a switch numbers its ports
/// from 1, since port 0 is its own agent, and a host's port is port 1.
class SubnetAgents {
 public:
  /// `topology` must outlive the agents. `response`: time that an agent takes to answer.
  SubnetAgents(const Topology& topology, SubnetAccess access, PicoSeconds response);

  /// Carries a directed-route datagram from a host along its route, lets the last node answer, and
  /// carries the answer back. Adds the time of both directions and of the agent to `took`. The
  /// result is empty if the datagram is lost: a port on the route has no cable, or its cable is
  /// down.
  std::optional<Mad> carry(NodeId from, Mad request, PicoSeconds& took);

  /// Time that a datagram takes between a host and the node at the end of a route from this host;
  /// empty: the datagram is lost.
  std::optional<PicoSeconds> travel(NodeId from, const std::vector<std::uint8_t>& route) const;

  /// Wire bytes of a datagram: headers and checksums of an unreliable datagram, and its 256 bytes.
  static constexpr Bytes kWireBytes = 256 + 8 + 12 + 8 + 6;
  static constexpr std::uint64_t kFirstGuid = 0x0002'C903'0000'0001;
  static std::uint64_t guid_of(NodeId node) {
    return kFirstGuid + static_cast<std::uint64_t>(node);
  }
  static NodeId node_of(std::uint64_t guid) { return static_cast<NodeId>(guid - kFirstGuid); }

 private:
  std::optional<CableEnd> cross(CableEnd at, unsigned out, PicoSeconds& took) const;
  void answer(NodeId node, unsigned arrival, Mad& mad);
  Mad::Status get(NodeId node, unsigned arrival, Mad& mad) const;
  Mad::Status set(NodeId node, Mad& mad);
  Mad::Status port_info(NodeId node, unsigned port, Mad& mad) const;
  std::uint8_t forwarding(NodeId node, std::uint64_t lid) const;
  bool has_port(NodeId node, std::uint64_t port) const {
    return port >= 1 && port <= static_cast<std::uint64_t>(topology_.node(node).ports);
  }

  struct Address {
    std::uint16_t lid = 0;  // LID of the port; 0: the subnet manager has set none
    std::uint8_t lmc = 0;
  };
  const Topology& topology_;
  const SubnetAccess access_;
  const PicoSeconds response_;
  std::vector<Address> addresses_;  // addresses by node
  std::vector<NodeId> owners_;      // node that has each LID; -1: none
  // forwarding tables that a subnet manager has set, by node; other switches use their own routes
  std::map<NodeId, std::vector<std::uint8_t>> forwarding_;
  // low-priority arbitration tables set so far, by node and port
  std::map<std::pair<NodeId, int>, VlArbitrationParameters> tables_;
};

/// One block of VLArbitrationTable: 32 entries of two bytes, the lane and the weight.
constexpr unsigned kVlBlock = 32;
/// VLArbitrationTable's modifier: the block in the upper half (1 and 2: halves of the low-priority
/// table, the only table that is set), the port in the lower half.
constexpr std::uint32_t vl_modifier(unsigned block, unsigned port) { return block << 16 | port; }

}  // namespace dcc
