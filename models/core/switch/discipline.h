// The interface of a queueing discipline: how one egress port of a switch queues, serves, trims and
// drops packets in place of the switch's own queues. Implementations stand in models/schemes, and
// one stands in drop_tail.h.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "describe/named_choice.h"
#include "sim/random.h"
#include "sim/scheduler.h"
#include "units.h"
#include "wire/link.h"
#include "wire/packet.h"

namespace dcc {

class StateDigest;

/// The discipline of one egress port. A discipline has memory of its own and does not use the
/// switch's shared buffer, flow control, ECN marking and choice among priorities.
class PortDiscipline {
 public:
  /// The effects of enqueue() on the arriving packet and on packets that were queued before.
  struct EnqueueResult {
    PacketFifo dropped;
    // trimmed header that the switch returns to the packet's sender; null: none
    Packet* returned = nullptr;
    std::uint64_t trimmed = 0;  // number of packets whose payload was trimmed
    Bytes trimmed_bytes = 0;    // payload bytes removed from the trimmed packets
    std::uint64_t marked = 0;   // number of packets that were marked CE

    /// Removes the payload of a packet, so that a header of at most `header` wire bytes remains.
    void trim(Packet& packet, Bytes header) {
      ++trimmed;
      trimmed_bytes += packet.payload_bytes;
      packet.kind = PacketKind::kTrimmed;
      packet.payload_bytes = 0;
      packet.wire_bytes = std::min(packet.wire_bytes, static_cast<std::uint32_t>(header));
    }
  };

  /// A pause message to the neighbour at an input of the switch. With whole_link the message pauses
  /// a priority of the link as PFC does, otherwise the packets to one host.
  struct NeighbourPause {
    std::uint16_t input = 0;
    bool stop = false;  // true: the neighbour must stop; false: it may send again
    bool whole_link = false;
    std::uint8_t priority = 0;  // paused priority, used with whole_link
    HostId host = 0;            // destination whose packets are paused, used without whole_link
  };

  virtual ~PortDiscipline() = default;
  /// Sets the link that the port sends on. The switch calls this function before the first packet.
  virtual void attach(const LinkParameters&) {}
  /// True if the discipline must see every packet. If false, a packet that finds the port idle is
  /// sent without an enqueue().
  virtual bool needs_every_packet() const { return false; }
  /// True if the switch must call reverse_packet().
  virtual bool needs_reverse_packets() const { return false; }
  /// Queues or drops a packet. The discipline takes ownership of the packet.
  virtual EnqueueResult enqueue(Packet* packet) = 0;
  /// Shows a packet that arrived from the far end of this port's link, before the switch queues the
  /// packet at its own egress port.
  virtual void reverse_packet(const Packet&) {}
  /// True if this port keeps a packet that arrived from the far end of its link, and passes the
  /// packet on to the packet's egress port only after may_release(). Called after reverse_packet()
  /// for the same packet. `others`: number of packets that this port keeps already.
  virtual bool holds(const Packet&, std::size_t /*others*/) const { return false; }
  /// True if one packet kept by holds() may be released. Called each time a packet leaves, and once
  /// a packet time while nothing can leave.
  virtual bool may_release() const { return true; }
  /// The far end of this port's link stops the packets to one host, or lets these packets leave
  /// again.
  virtual void receive_flow_pause(HostId /*host*/, bool /*stop*/) {}
  /// The carrier of this port's link was lost or has come back, which ends all pauses in force.
  virtual void carrier_changed() {}
  /// The carrier of the link at input `input` was lost or has come back, which ends the pauses sent
  /// there.
  virtual void input_carrier_changed(int /*input*/) {}
  /// Removes and returns the next packet to send, or null if no packet may leave before ready_at().
  /// Precondition: not empty().
  virtual Packet* dequeue() = 0;
  /// Removes and returns the next packet, whether the packet may leave now or not, so that the
  /// switch can route the packet to another port. Precondition: not empty().
  virtual Packet* evict() { return dequeue(); }
  /// Earliest time at which a queued packet may leave; max(): a packet may leave only after
  /// receive_flow_pause(). Valid after dequeue() returned null.
  virtual PicoSeconds ready_at() const { return {}; }
  virtual bool empty() const = 0;
  /// Wire bytes of all packets that the discipline has queued.
  virtual Bytes bytes() const = 0;
  /// Adds all state of the discipline that decides its future behaviour to a digest
  /// (sim/state_digest.h), including queued packets but not the switch's random numbers.
  virtual void add_state(StateDigest& d) const = 0;
  /// Number of packets that the discipline marked CE at departure since the previous call.
  std::uint64_t consume_departure_marks() { return std::exchange(departure_marks_, 0); }
  /// Packets that dequeue() dropped; the caller removes and frees them.
  PacketFifo& departure_drops() { return departure_drops_; }
  /// Pause messages that are due to neighbours; the caller sends and removes them.
  std::vector<NeighbourPause>& neighbour_pauses() { return neighbour_pauses_; }
  /// Number of flows to which the discipline refused a queue of their own since the previous call.
  std::uint64_t consume_refusals() { return std::exchange(refusals_, 0); }

 protected:
  std::uint64_t departure_marks_ = 0;
  PacketFifo departure_drops_;
  std::vector<NeighbourPause> neighbour_pauses_;
  std::uint64_t refusals_ = 0;

  PortDiscipline() = default;
  PortDiscipline(const PortDiscipline&) = delete;
  PortDiscipline& operator=(const PortDiscipline&) = delete;
};

struct DisciplineParameters {
  virtual ~DisciplineParameters() = default;
  virtual void describe(ParameterVisitor& v) = 0;
  /// Throws ParameterError if values of the discipline's parameters contradict each other.
  virtual void check() const {}
  /// Name of a discipline that this one may replace, so that a transport made for that discipline
  /// also works with this one. "fifo" stands for RoCE with NICs that obey NeighbourPause. Empty:
  /// none.
  virtual const char* replaces() const { return ""; }

 protected:
  DisciplineParameters() = default;
  DisciplineParameters(const DisciplineParameters&) = default;
  DisciplineParameters& operator=(const DisciplineParameters&) = default;
};

struct DisciplineContext {
  RandomStream& random;    // source of the switch's random numbers
  const Scheduler& clock;  // simulated time
};

struct DisciplineSeam {
  using Parameters = DisciplineParameters;
  using Product = PortDiscipline;
  using Context = DisciplineContext;
  static constexpr const char* kSection = "switch.discipline";
  static constexpr const char* kKey = "kind";
  static constexpr const char* kDefault = "auto";
  static std::vector<std::pair<std::string, std::string>> built_in() {
    return {{"auto", "the discipline that the transport requires, else fifo"},
            {"fifo", "queues by priority in the switch's shared buffer"}};
  }
};
using Disciplines = Named<DisciplineSeam>;
using DisciplineChoice = Disciplines::Choice;

}  // namespace dcc
