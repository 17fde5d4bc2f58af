// Chooses the flow that sends next: a paced flow waits for its send time, and ready flows take
// turns.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/state_digest.h"
#include "stats/numbered_table.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// Scheduler of paced flows. A flow is in one of three places: *off* (nothing to send, or its
/// window is full), *waiting* for its next send time (in a heap), or *ready* in the ring of its
/// priority. pick() takes the flow that has been ready longest among the allowed priorities. This
/// is round robin among ready flows, and the wire never idles while a flow is ready. Each step
/// takes O(log waiting) time or less.
class PacingScheduler {
 public:
  using FlowIndex = std::uint32_t;
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  /// Adds a flow, switched off, to a priority. Flow numbers are small and dense.
  void add_flow(FlowIndex flow, int priority);
  /// Moves a flow to another priority: a ready flow goes to the end of the new priority's ring.
  /// Setting the same priority again changes nothing.
  void set_priority(FlowIndex flow, int priority);
  /// Frees the scheduler's state of a flow. The caller has switched the flow off by deactivate().
  void release(FlowIndex flow) { flows_.drop(flow); }
  /// Lets a flow send from `when` on, or at once if `when` has passed.
  void activate(FlowIndex flow, PicoSeconds when);
  /// Switches a flow off, so that it is not picked.
  void deactivate(FlowIndex flow);
  bool is_active(FlowIndex flow) const { return flows_[flow].place != Place::kOff; }
  bool is_waiting(FlowIndex flow) const { return flows_[flow].place == Place::kWaiting; }

  /// Returns the flow to send now and switches it off; kNone if no flow of an allowed priority is
  /// ready. Bit p of `allowed` lets priority p send.
  FlowIndex pick(PicoSeconds now, unsigned allowed);
  /// Like pick(), but a ready flow of a higher priority always comes before those of lower
  /// priorities.
  FlowIndex pick_strictly(PicoSeconds now, unsigned allowed);
  /// True if no flow of any priority is ready at `now`.
  bool is_idle(PicoSeconds now) const { return non_empty_ == 0 && none_due(now); }
  /// Time at which the first waiting flow becomes ready; max() if no flow waits.
  PicoSeconds next_ready() const;
  /// The waiting flow that becomes ready first; kNone if no flow waits.
  FlowIndex first_waiting() const { return waiting_.empty() ? kNone : waiting_[0].flow; }
  /// True if a flow of an allowed priority was ready at the last pick() and was not picked.
  bool has_ready(unsigned allowed) const { return (non_empty_ & allowed) != 0; }
  void add_state(StateDigest& d) const {
    d(order_, non_empty_);
    flows_.every([&](const Flow& flow) { d(flow.place, flow.priority, flow.ready_order); });
    for (const Waiting& one : waiting_) d(one.when, one.flow);
  }

 private:
  enum class Place : std::uint8_t { kOff, kWaiting, kReady };
  struct Flow {
    Place place = Place::kOff;
    std::uint8_t priority = 0;
    std::uint32_t position = 0;  // index of the flow in the heap; valid while the flow waits
    FlowIndex before = kNone;  // neighbours of the flow in its ring; valid while the flow is ready
    FlowIndex after = kNone;
    // number of times that a flow became ready, to order flows by age
    std::uint64_t ready_order = 0;
  };
  struct Waiting {
    PicoSeconds when;
    FlowIndex flow;
    bool before(const Waiting& o) const {
      return when < o.when || (when == o.when && flow < o.flow);
    }
  };
  struct Ring {
    FlowIndex head = kNone;
    FlowIndex tail = kNone;
  };

  bool none_due(PicoSeconds now) const { return waiting_.empty() || now < waiting_[0].when; }
  FlowIndex pick_only(PicoSeconds now, unsigned allowed);
  void make_ready(FlowIndex flow);
  void leave_ring(Flow& flow);
  void make_due_ready(PicoSeconds now);
  void put(std::uint32_t position, const Waiting& entry);
  void sift_up(std::uint32_t position, const Waiting& entry);
  void sift_down(std::uint32_t position, const Waiting& entry);
  void remove_waiting(std::uint32_t position);

  // Members that every packet uses come first, so that they share a cache line.
  std::vector<Waiting> waiting_;
  unsigned non_empty_ = 0;  // bit p: the ring of priority p holds a flow
  std::uint64_t order_ = 0;
  NumberedTable<Flow> flows_;
  std::array<Ring, kPriorities> rings_{};
};

}  // namespace dcc
