// How one egress port of a switch keeps, serves, cuts and drops packets: the seam for disciplines
// other than the switch's own queues. What stands behind it is in this folder, a file each.
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

/// Of one port. The memory it takes is its own: the shared buffer, flow control, marking and the
/// choice among priorities are those of the switch's own queues, and not asked.
class PortDiscipline {
 public:
  /// What became of an arrival and of those it met.
  struct Verdict {
    PacketFifo dropped;
    Packet* returned = nullptr;  // turned round: to be sent where it now says
    std::uint64_t trimmed = 0;   // packets that lost their payload …
    Bytes cut = 0;               // … and so many bytes with it
    std::uint64_t marked = 0;    // packets that got CE

    /// The packet has no payload any more: its header is left, so long on the wire.
    void cut_payload(Packet& packet, Bytes header) {
      ++trimmed;
      cut += packet.payload_bytes;
      packet.kind = PacketKind::kTrimmed;
      packet.payload_bytes = 0;
      packet.wire_bytes = std::min(packet.wire_bytes, static_cast<std::uint32_t>(header));
    }
  };

  virtual ~PortDiscipline() = default;
  /// The wire it sends on. Before the first packet.
  virtual void attach(const LinkParameters&) {}
  /// Otherwise a packet that finds the port free passes it by.
  virtual bool wants_every_packet() const { return false; }
  /// Otherwise it is not told of what comes back.
  virtual bool wants_the_way_back() const { return false; }
  /// Takes the packet.
  virtual Verdict enqueue(Packet* packet) = 0;
  /// A packet has come from the other end of this port's link, and is still to be queued for where
  /// it goes.
  virtual void came_back(const Packet&) {}
  /// The next to send; null: none may leave before ready_at(). Precondition: not empty().
  virtual Packet* dequeue() = 0;
  /// The next to take elsewhere, whether it may leave or not. Precondition: not empty().
  virtual Packet* evict() { return dequeue(); }
  /// When the next may leave. After dequeue() returned null.
  virtual PicoSeconds ready_at() const { return {}; }
  virtual bool empty() const = 0;
  /// Wire bytes it holds.
  virtual Bytes bytes() const = 0;
  /// What decides what it will do (sim/state_digest.h), what waits among it; not the switch's
  /// random numbers.
  virtual void add_state(StateDigest& d) const = 0;
  /// Packets that got CE as they left, since this was asked.
  std::uint64_t take_marked() { return std::exchange(marked_leaving_, 0); }
  /// Packets that dequeue() dropped; the caller removes and frees them.
  PacketFifo& dropped_leaving() { return dropped_leaving_; }

 protected:
  std::uint64_t marked_leaving_ = 0;
  PacketFifo dropped_leaving_;

  PortDiscipline() = default;
  PortDiscipline(const PortDiscipline&) = delete;
  PortDiscipline& operator=(const PortDiscipline&) = delete;
};

struct DisciplineParameters {
  virtual ~DisciplineParameters() = default;
  virtual void describe(ParameterVisitor& v) = 0;
  /// Throws ParameterError when values do not go together.
  virtual void check() const {}
  /// Name of a discipline that this one may replace: a transport made for that discipline works
  /// with this one too. Empty: none.
  virtual const char* replaces() const { return ""; }

 protected:
  DisciplineParameters() = default;
  DisciplineParameters(const DisciplineParameters&) = default;
  DisciplineParameters& operator=(const DisciplineParameters&) = default;
};

struct DisciplineContext {
  RandomStream& random;  // the switch's
  const Scheduler& clock;
};

struct DisciplineSeam {
  using Parameters = DisciplineParameters;
  using Product = PortDiscipline;
  using Context = DisciplineContext;
  static constexpr const char* kSection = "switch.discipline";
  static constexpr const char* kKey = "kind";
  static constexpr const char* kDefault = "auto";
  static std::vector<std::pair<std::string, std::string>> built_in() {
    return {{"auto", "what the transport asks for"},
            {"fifo", "the switch's own queues, by priority, in a shared buffer"}};
  }
};
using Disciplines = Named<DisciplineSeam>;
using DisciplineChoice = Disciplines::Choice;

}  // namespace dcc
