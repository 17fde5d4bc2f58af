// How a switch chooses among several equally good egress ports: the interface of a load balancer.
// Each load balancer is in a folder of its own below models/schemes; fabric/balancers.h names them.
#pragma once

#include <cstdint>

#include "fabric/route_table.h"
#include "sim/random.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

class FabricMap;
class FlowEntries;
class Scheduler;
class StateDigest;

/// State of its switch that a load balancer may read.
class PathView {
 public:
  virtual PicoSeconds now() const = 0;
  /// Wire bytes that must leave through a port before a new packet can leave: queued bytes, and the
  /// rest of the packet being sent.
  virtual Bytes backlog(int port) const = 0;
  /// The part of a port's backlog in bytes that leaves before a new packet of this priority, made
  /// up of packets of the same and of higher priorities.
  virtual Bytes drain(int port, int priority) const = 0;
  virtual BitRate rate(int port) const = 0;

 protected:
  ~PathView() = default;
};

/// Actions of the switch that a load balancer can request: detaining a packet, or sending a packet
/// that the load balancer makes.
class PathActions {
 public:
  virtual Scheduler& scheduler() = 0;
  /// Rank of the switch's events among the events of one instant.
  virtual std::uint32_t rank() const = 0;
  /// Keeps a packet that choose() was given; the shared buffer is charged as if the packet were
  /// queued for `port`, until release(). Returns false if the buffer has no room; the packet is
  /// then dropped.
  virtual bool detain(Packet* packet, int port) = 0;
  /// Queues a packet that detain() kept at the egress port `port`.
  virtual void release(Packet* packet, int port) = 0;
  /// Allocates a packet that the load balancer fills in and passes to send().
  virtual Packet* allocate() = 0;
  virtual void send(Packet* packet) = 0;
  /// Frees a packet that choose() was given and whose destination was this switch.
  virtual void consume(Packet* packet) = 0;

 protected:
  ~PathActions() = default;
};

/// Properties of the switch that a load balancer is made for.
struct PathContext {
  const PathView& view;
  int ports = 0;
  std::uint64_t hash_seed = 0;     // hash seed of this switch
  std::uint64_t seed = 0;          // seed of the run
  std::uint64_t index = 0;         // number of the switch
  PathActions* actions = nullptr;  // actions of the switch; null only in tests
  unsigned mtu = 1000;             // payload bytes of a NIC's full packet
};

/// The load balancer of one switch. The switch calls the load balancer only where a destination has
/// more than one port, unless needs() says otherwise. ECMP (a hash of the flow) is part of the
/// switch itself.
class PathChoice {
 public:
  /// Additional calls that a load balancer requests from its switch.
  struct Needs {
    // the switch calls choose() also for destinations that only one port leads to
    bool every_packet = false;
    bool departures = false;  // the switch calls departs(), and queues every packet before sending
  };

  virtual ~PathChoice() = default;
  virtual Needs needs() const { return {}; }
  /// Gives the load balancer the network and the switch's node in it, once before the first packet.
  /// A switch without a network never calls join(), since all ports of such a switch are alike and
  /// no host is attached.
  virtual void join(const FabricMap&, int /*self*/) {}
  /// Routes or rates of links have changed, so the load balancer must drop state that refers to
  /// ports.
  virtual void routes_changed() {}
  /// The flow table that a central scheduler reads and writes; null if the load balancer has none.
  virtual FlowEntries* flow_entries() { return nullptr; }

  /// Index among `ports` of the port that `packet` would take now. Changes no state.
  virtual std::uint32_t peek(const Packet& packet, PortSet ports) const = 0;
  /// Result of choose() for a packet that the switch must not queue now because it was detained,
  /// dropped or consumed (PathActions).
  static constexpr std::uint32_t kKept = 0xFFFFFFFF;
  /// Chooses the port that `packet` takes; returns its index among `ports`, or kKept. Updates the
  /// load balancer's state.
  virtual std::uint32_t choose(Packet& packet, PortSet ports) { return peek(packet, ports); }
  /// Called just before the switch sends a packet through `port`.
  virtual void departs(Packet&, int /*port*/) {}
  /// Adds every value of the load balancer's state that future choices depend on to a digest
  /// (sim/state_digest.h), except values that follow from the network.
  virtual void add_state(StateDigest& d) const = 0;

 protected:
  PathChoice() = default;
  PathChoice(const PathChoice&) = delete;
  PathChoice& operator=(const PathChoice&) = delete;
};

/// Maps a hash to a number below `choices`, using its upper bits.
inline std::uint32_t scaled_down(std::uint64_t hash, std::uint32_t choices) {
  return static_cast<std::uint32_t>((hash >> 32) * choices >> 32);
}

/// Hash of a flow in one direction: source, destination and flow number. Each seed selects a
/// different hash function.
inline std::uint64_t flow_hash(const Packet& packet, std::uint64_t seed) {
  const std::uint64_t pair = std::uint64_t{packet.source} << 32 | packet.destination;
  return mix64(mix64(pair ^ seed) ^ packet.flow);
}

}  // namespace dcc
