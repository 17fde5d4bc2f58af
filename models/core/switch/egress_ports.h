// The egress ports of a switch, all of one kind.
#pragma once

#include <vector>

#include "sim/state_digest.h"
#include "switch/discipline_port.h"
#include "switch/queueing_port.h"

namespace dcc {

/// The egress ports of one switch, either all QueueingPort or all DisciplinePort. Calls go to the
/// ports' kind by one predictable branch, so that no packet needs a virtual call.
class EgressPorts {
 public:
  /// Makes all egress ports of the kind that `parameters.discipline` names. Precondition: there are
  /// no ports yet.
  void build(PortContext& context, const SwitchParameters& parameters, int count,
             std::uint32_t rank);

  bool have_disciplines() const { return !disciplines_.empty(); }
  EgressPort& at(int port) {
    if (have_disciplines()) return disciplines_[index(port)];
    return queues_[index(port)];
  }
  const EgressPort& at(int port) const {
    if (have_disciplines()) return disciplines_[index(port)];
    return queues_[index(port)];
  }
  /// The egress port `port` as a port with its own queues. Precondition: have_disciplines() is
  /// false.
  QueueingPort& queueing(int port) { return queues_[index(port)]; }
  const QueueingPort& queueing(int port) const { return queues_[index(port)]; }
  /// The egress port `port` as a port with a discipline. Precondition: have_disciplines().
  DisciplinePort& discipline(int port) { return disciplines_[index(port)]; }

  /// Sends the port's next packet or frame now, or when the wire is free.
  void try_send(int port) {
    have_disciplines() ? discipline(port).try_send() : queueing(port).try_send();
  }
  void set_ecn(int port, const EcnParameters& ecn) {
    have_disciplines() ? discipline(port).set_ecn(ecn) : queueing(port).set_ecn(ecn);
  }
  /// Changes the rules of a port's queues, such as ECN marking. No effect on a discipline, which
  /// has rules of its own.
  void set_queues(int port, const PortSettings& settings) {
    have_disciplines() ? discipline(port).set_ecn(settings.queues[0].ecn)
                       : queueing(port).set_queues(settings);
  }
  /// Marks all packets of this priority at each output where a packet from input `input` waits.
  /// Outputs that their own neighbour stops are excepted, since these outputs do not cause the
  /// congestion. No effect on disciplines.
  void mark_beside(int input, int priority) {
    for (QueueingPort& port : queues_) {
      const bool stopped = (port.pfc().blocked() >> priority & 1) != 0;
      if (!stopped && port.holds_from(input, priority)) port.mark_all(priority);
    }
  }
  void evict_all(int port, PacketFifo& to) {
    have_disciplines() ? discipline(port).evict_all(to) : queueing(port).evict_all(to);
  }
  void prefetch(int port, int priority) const {
    have_disciplines() ? disciplines_[index(port)].prefetch() : queueing(port).prefetch(priority);
  }
  /// Bytes that a port has queued in one priority; 0 for a discipline, whose packets have no common
  /// order of priorities.
  Bytes bytes(int port, int priority) const {
    return have_disciplines() ? 0 : queueing(port).bytes(priority);
  }
  void add_state(StateDigest& d) const {
    for (const QueueingPort& port : queues_) d(port);
    for (const DisciplinePort& port : disciplines_) d(port);
  }

 private:
  static std::size_t index(int port) { return static_cast<std::size_t>(port); }

  // The egress ports; one of the two vectors is empty. Ports must not move in memory, since their
  // events point to them.
  std::vector<QueueingPort> queues_;
  std::vector<DisciplinePort> disciplines_;
};

}  // namespace dcc
