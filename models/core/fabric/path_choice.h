// How one of several equally good ports is chosen for a packet: the seam for load balancing.
// What stands behind it is in net/balancing, a file each.
#pragma once

#include <cstdint>
#include <memory>

#include "fabric/route_table.h"
#include "sim/random.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

class FabricMap;
class FlowEntries;
class Scheduler;
class StateDigest;
struct RoutingParameters;

/// What a choice may ask of its switch.
class PathView {
 public:
  virtual PicoSeconds now() const = 0;
  /// Bytes that a packet for this port would wait for: queued, and left of the one being sent.
  virtual Bytes backlog(int port) const = 0;
  /// Of what is queued for the port, the bytes that go before another packet of this priority:
  /// those of it and of higher ones.
  virtual Bytes drain(int port, int priority) const = 0;
  virtual BitRate rate(int port) const = 0;

 protected:
  ~PathView() = default;
};

/// What a choice that holds packets back, or has some of its own, may have its switch do.
class PathActions {
 public:
  virtual Scheduler& scheduler() = 0;
  virtual std::uint32_t rank() const = 0;  // of the switch's events
  /// A packet that choose() was given is charged to the buffer as if it were queued, until it is
  /// let go. False: there was no room, and it is lost.
  virtual bool hold(Packet* packet, int port) = 0;
  /// A packet that was held goes on its way through `port`.
  virtual void let_go(Packet* packet, int port) = 0;
  /// One for it to fill in, and send().
  virtual Packet* make() = 0;
  virtual void send(Packet* packet) = 0;
  /// One that choose() was given has come where it was to go.
  virtual void take(Packet* packet) = 0;

 protected:
  ~PathActions() = default;
};

/// The switch that a choice is for.
struct PathContext {
  const PathView& view;
  int ports = 0;
  std::uint64_t hash_seed = 0;
  std::uint64_t seed = 0;          // of the run
  std::uint64_t index = 0;         // tells switches apart
  PathActions* actions = nullptr;  // always there in a switch
};

/// Of one switch, which asks it only where there is a choice. Hashing a flow onto one path (ECMP)
/// is the switch's own; everything else stands behind this.
class PathChoice {
 public:
  /// What it wants to be told besides.
  struct Wishes {
    bool every_packet = false;  // choose() where there is one port only, too
    bool departures = false;    // departs(); then no packet leaves without having been queued
  };

  virtual ~PathChoice() = default;
  virtual Wishes wishes() const { return {}; }
  /// Before the first packet: the network, and which of its nodes the switch is. Not every switch
  /// is in one; then all ports are alike and everybody is somewhere else.
  virtual void join(const FabricMap&, int /*self*/) {}
  /// What was remembered of ports may be wrong now.
  virtual void routes_changed() {}
  /// Where a central scheduler of flows has its hand; null: nowhere.
  virtual FlowEntries* flow_entries() { return nullptr; }

  /// Index of the port that `packet` would take if it came now.
  virtual std::uint32_t peek(const Packet& packet, PortSet ports) const = 0;
  static constexpr std::uint32_t kKept = 0xFFFFFFFF;
  /// The same for a packet that did come, with what is to be remembered of it. kKept: it goes
  /// nowhere now, being held, lost or taken (PathActions).
  virtual std::uint32_t choose(Packet& packet, PortSet ports) { return peek(packet, ports); }
  /// The packet is about to be sent through a port.
  virtual void departs(Packet&, int /*port*/) {}
  /// What decides what it will choose (sim/state_digest.h), but for what follows from the network.
  virtual void add_state(StateDigest& d) const = 0;

 protected:
  PathChoice() = default;
  PathChoice(const PathChoice&) = delete;
  PathChoice& operator=(const PathChoice&) = delete;
};

/// Null for ECMP.
std::unique_ptr<PathChoice> make_path_choice(const RoutingParameters& parameters,
                                             const PathContext& context);

/// A number below `choices` from a hash: the upper bits, scaled.
inline std::uint32_t scaled_down(std::uint64_t hash, std::uint32_t choices) {
  return static_cast<std::uint32_t>((hash >> 32) * choices >> 32);
}

/// Of what tells a flow's packets in one direction from others; another function for each seed.
inline std::uint64_t flow_hash(const Packet& packet, std::uint64_t seed) {
  const std::uint64_t pair = std::uint64_t{packet.source} << 32 | packet.destination;
  return mix64(mix64(pair ^ seed) ^ packet.flow);
}

/// InfiniBand has three bits for it.
constexpr unsigned kMaxLmc = 7;
/// The path that a flow takes if nobody says otherwise.
inline unsigned own_path(std::uint32_t flow, unsigned lmc) { return flow & ((1u << lmc) - 1u); }
/// Where a switch sends what is for one of a host's addresses: those of a host take different ways
/// while there are as many.
inline std::uint32_t index_by_address(std::uint64_t hash_seed, HostId destination, unsigned path,
                                      std::uint32_t choices) {
  return (scaled_down(mix64(hash_seed ^ std::uint64_t{destination} << 8), choices) + path) %
         choices;
}

// One kind each.
std::unique_ptr<PathChoice> make_wcmp(const PathContext& context);
std::unique_ptr<PathChoice> make_per_flow();
std::unique_ptr<PathChoice> make_spray();
std::unique_ptr<PathChoice> make_rps(const PathContext& context);
std::unique_ptr<PathChoice> make_permutation(const PathContext& context);
/// By destination and path (InfiniBand's LID mask control: a port has 2^lmc addresses, each with
/// one way through the fabric). `managed`: a manager may change a flow's path. lmc above
/// kMaxLmc: std::invalid_argument.
std::unique_ptr<PathChoice> make_lmc(unsigned lmc, std::uint64_t hash_seed, bool managed = false);
std::unique_ptr<PathChoice> make_symmetric(std::uint64_t seed);
std::unique_ptr<PathChoice> make_source(const PathContext& context);
std::unique_ptr<PathChoice> make_letflow(const RoutingParameters& parameters,
                                         const PathContext& context);
std::unique_ptr<PathChoice> make_drill(const RoutingParameters& parameters,
                                       const PathContext& context);
std::unique_ptr<PathChoice> make_detail(const RoutingParameters& parameters,
                                        const PathContext& context);
std::unique_ptr<PathChoice> make_conga(const RoutingParameters& parameters,
                                       const PathContext& context);
std::unique_ptr<PathChoice> make_presto(const RoutingParameters& parameters,
                                        const PathContext& context);
std::unique_ptr<PathChoice> make_hedera(const PathContext& context);
std::unique_ptr<PathChoice> make_hermes(const RoutingParameters& parameters,
                                        const PathContext& context);
std::unique_ptr<PathChoice> make_conweave(const RoutingParameters& parameters,
                                          const PathContext& context);
std::unique_ptr<PathChoice> make_reps(const RoutingParameters& parameters,
                                      const PathContext& context);

}  // namespace dcc
