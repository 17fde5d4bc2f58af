// InfiniBand's subnet manager, which discovers the fabric by directed-route datagrams, assigns
// addresses, and reads the switches' forwarding tables. So the manager knows the path to every
// address.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "subnet/mad.h"

namespace dcc {

/// The subnet manager, which knows only those facts about the fabric that agents answered. The
/// caller sends each datagram that next() returns and passes the answer, or nothing after a
/// timeout, to answered(), until next() returns nothing. A sweep has three phases. The first finds
/// nodes and links, breadth first. The second sets addresses, 2^lmc for each port of a host and one
/// for each switch. The third handles forwarding tables, which the first sweep reads and a later
/// sweep sets.
class SubnetManager {
 public:
  explicit SubnetManager(unsigned lmc) : lmc_(lmc) {}
  /// Begins a sweep at the node on which the subnet manager runs, and forgets the fabric known
  /// before.
  void begin();
  /// Function that returns the port by which a switch forwards to an address of a host, 0 up to
  /// 2^lmc - 1; Mad::kNoPort: none. Switch and host are given as indices in nodes().
  using Router = std::function<std::uint8_t(std::size_t at, std::size_t host, unsigned address)>;
  /// Begins a later sweep. Nodes keep their indices and addresses; nodes that are not found again
  /// count as absent. `route` is asked when the sweep has found the nodes and links.
  void begin_again(Router route);
  /// The next datagram of the sweep; empty: the sweep has ended.
  std::optional<Mad> next();
  /// Takes the answer to the last datagram of the sweep; empty: the datagram or its answer was
  /// lost.
  void answered(const std::optional<Mad>& mad);
  bool has_ended() const { return swept_; }

  struct Port {
    bool up = false;
    std::uint64_t rate = 0;  // rate of the port's link in bits per second
    // node at the other end of the port's cable, valid if `peer_port` is not 0
    std::size_t peer = 0;
    unsigned peer_port = 0;
  };
  struct Node {
    std::uint64_t guid = 0;
    bool is_switch = false;
    bool present = false;             // true if the last sweep found the node
    std::vector<std::uint8_t> route;  // ports of the directed route from the manager to the node
    std::vector<Port> ports;          // ports of the node by port number; entry 0 is unused
    std::uint16_t lid = 0;            // first LID of the node
    std::vector<std::uint8_t> forwarding;  // output port of the switch by LID
  };
  const std::vector<Node>& nodes() const { return nodes_; }
  /// Index of the node with this GUID in nodes(); empty: the sweep found no such node.
  std::optional<std::size_t> find(std::uint64_t guid) const;
  std::uint64_t links() const;
  std::uint64_t datagrams() const { return sent_; }
  unsigned lmc() const { return lmc_; }

  /// A wire: a node and the port through which data leaves it.
  struct Hop {
    std::size_t node = 0;
    unsigned port = 0;
    friend bool operator<(const Hop& a, const Hop& b) {
      return a.node != b.node ? a.node < b.node : a.port < b.port;
    }
  };
  /// The wires of the path from a host to one of the addresses of another host, by the forwarding
  /// tables. Empty if no path leads there.
  std::vector<Hop> path(std::size_t from, std::size_t to, unsigned address) const;
  const Port& port(const Hop& hop) const { return nodes_[hop.node].ports[hop.port]; }

  /// A datagram to a node over the directed route that discovery found.
  Mad to_node(std::size_t node, Mad::Method method, Mad::Attribute attribute,
              std::uint32_t modifier);

 private:
  /// A datagram that the sweep still has to send.
  struct Probe {
    Mad::Method method = Mad::kGet;
    Mad::Attribute attribute = Mad::kNodeInfo;
    std::size_t node = 0;  // node that is asked; for kNodeInfo the node before it on the route
    unsigned port = 0;   // port that is asked about; for kNodeInfo the port that leads to the node
    unsigned block = 0;  // number of the table block, for kLinearForwarding
  };
  void found(const Mad& mad);
  void ask_ports(std::size_t node);
  void give_addresses();
  void ask_tables();
  void route_by(std::size_t node, unsigned blocks);
  bool knows_peer(std::size_t node, unsigned port) const {
    return nodes_[node].ports[port].peer_port != 0;
  }

  const unsigned lmc_;
  bool swept_ = false;
  bool root_found_ = false;  // the sweep has found the node on which the manager runs
  Router route_;  // function that chooses ports; empty: the sweep reads the forwarding tables
  enum class Phase { kNodes, kAddresses, kTables } phase_ = Phase::kNodes;
  std::deque<Probe> probes_;
  Probe last_;
  std::vector<Node> nodes_;
  std::map<std::uint64_t, std::size_t> by_guid_;
  std::uint32_t first_free_lid_ = 1;
  std::uint64_t sent_ = 0;
  std::uint64_t transaction_ = 0;
};

}  // namespace dcc
