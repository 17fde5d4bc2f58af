// Connects a transmitter with a pacer block. The port has the block's clock, FIFOs before the
// block's inputs, and the decisions that wait for the wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "nic/pacer/pacer_engine.h"
#include "sim/scheduler.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// The transmitter's functions that the port calls.
class PacerUser {
 public:
  /// The port calls this function after a decision of the block, when PacerPort::take() has a
  /// packet.
  virtual void decided() = 0;
  /// Time at which the wire is free: the last packet that was taken so far has left by then.
  virtual PicoSeconds wire_free() const = 0;
  /// True if a packet may be taken before the wire is free, so that its payload can be fetched.
  virtual bool takes_ahead() const = 0;
  /// Serialisation time of a number of bytes on the wire.
  virtual PicoSeconds wire_time(std::uint32_t bytes) const = 0;

 protected:
  ~PacerUser() = default;
};

/// The port between a transmitter and a pacer block. It binds a queue pair to a flow of the block
/// at the queue pair's first post. Cycle n of the block receives the inputs that were given before
/// n clock periods, or at that time before the cycle ran. Cycles in which the block cannot decide
/// are run later, all at once.
class PacerPort {
 public:
  struct Clock {
    PicoSeconds period{};
    bool ahead = false;  // the port requests decisions whenever PacerUser::takes_ahead() is true
  };
  /// The next decision is requested this number of cycles before the wire has sent all decided
  /// packets.
  static constexpr unsigned kLookAhead = 4;

  PacerPort(Scheduler& scheduler, std::uint32_t rank, PacerEngine& engine, PacerUser& user,
            const PacerShape& shape, const Clock& clock);

  /// Number of packets of the queue pair that were posted and not yet taken.
  std::uint32_t posted(Qpn qpn) const {
    return qpn < slots_of_.size() && slots_of_[qpn] != kNone ? slots_[slots_of_[qpn]].posted : 0;
  }
  std::uint32_t depth() const { return shape_.depth; }
  bool is_bound(Qpn qpn) const { return qpn < slots_of_.size() && slots_of_[qpn] != kNone; }
  /// Assigns one of the pacer block's flow numbers to the queue pair. Throws std::runtime_error if
  /// all numbers are in use.
  void bind(Qpn qpn, std::uint32_t flow, Rate rate, std::uint8_t priority);
  /// Must be called when the queue pair ends. Another queue pair can get the block's flow number
  /// once the NIC has taken the block's last decision for this queue pair.
  void release(Qpn qpn);
  /// Posts a packet of `bytes` bytes of a queue pair. Precondition: is_bound(qpn), posted(qpn) <
  /// depth().
  void post(Qpn qpn, std::uint32_t bytes);
  /// Sets the rate and priority of a queue pair; does nothing if the queue pair is not bound.
  void set_rate(Qpn qpn, Rate rate, std::uint8_t priority);
  /// Pauses exactly the priorities in the mask at the block.
  void set_paused(unsigned priorities);

  /// True if a block's decision of an allowed priority waits to be taken.
  bool has_decision(unsigned allowed) const;
  /// Removes the block's oldest decision whose priority is in the mask `allowed`, and returns the
  /// queue pair that is to send. Returns kNone if there is no such decision, or if the queue pair
  /// no longer exists.
  Qpn take(unsigned allowed);
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  /// Must be called when the wire or the transmitter's room may have changed. Schedules the next
  /// cycle in which the block can decide.
  void arm();

 private:
  struct Slot {
    // queue pair of the flow; kNone: the flow is free, or its decisions wait to be taken
    Qpn qpn = kNone;
    std::uint32_t posted = 0;
    Rate rate;
    std::uint8_t priority = 0;
    bool rate_waits = false;
    bool leaves = false;  // true: the block's flow is freed after its last post
  };
  struct Post {
    PacerFlow flow;
    std::uint16_t bytes;
  };

  PicoSeconds time_of(std::int64_t cycle) const { return clock_.period * cycle; }
  std::int64_t edge_at(PicoSeconds t) const;
  PicoSeconds wanted_from() const;
  void catch_up();
  void run(bool want);
  void tick();
  void free_if_over(PacerFlow flow);

  Scheduler& scheduler_;
  PacerEngine& engine_;
  PacerUser& user_;
  PacerShape shape_;
  Clock clock_;
  Event tick_;

  std::int64_t cycles_ = 0;  // number of the block's cycles that have run
  PacerAnswer answer_;
  std::uint8_t paused_ = 0;
  std::vector<Slot> slots_;              // queue pairs, indexed by the block's flow
  std::vector<std::uint32_t> slots_of_;  // flow of the block for each queue pair
  std::vector<PacerFlow> free_;
  std::deque<Post> posts_;
  std::deque<PacerFlow> rates_;
  // number of packets in FIFO and block that are posted but not yet decided
  std::uint64_t in_block_ = 0;
  bool asked_ = false;            // true: a decision was requested and may be under way
  std::uint32_t last_bytes_ = 0;  // bytes of the last decision
  std::deque<Post> decided_;      // decisions not yet taken, oldest first
};

}  // namespace dcc
