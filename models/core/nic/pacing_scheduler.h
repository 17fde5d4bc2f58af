// Chooses the flow that sends next: paced flows wait for their time, ready flows take turns.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "stats/numbered_table.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// A flow is in one of three places: *off* (nothing to send, or its window is full), *waiting* for
/// its next send time (in a heap), or *ready* in the ring of its priority. pick() takes the flow
/// that has been ready longest among the allowed priorities. This is round robin among ready flows,
/// and the wire never idles while a flow is ready. Each step takes O(log waiting) time or less.
class PacingScheduler {
 public:
  using FlowIndex = std::uint32_t;
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  /// Flow numbers are small and dense.
  void add_flow(FlowIndex flow, int priority);
  /// A ready flow moves to the end of the new priority's ring. Setting the same priority again
  /// changes nothing.
  void set_priority(FlowIndex flow, int priority);
  /// Frees the state of a flow. Precondition: the flow is off.
  void release(FlowIndex flow) { flows_.drop(flow); }
  /// The flow may send from `when` on, or at once if `when` has passed.
  void activate(FlowIndex flow, PicoSeconds when);
  /// Switches the flow off.
  void deactivate(FlowIndex flow);
  bool is_active(FlowIndex flow) const { return flows_[flow].place != Place::kOff; }
  bool is_waiting(FlowIndex flow) const { return flows_[flow].place == Place::kWaiting; }

  /// Returns the flow to send now and switches it off; kNone if no flow of an allowed priority is
  /// ready. Bit p of `allowed` lets priority p send.
  FlowIndex pick(PicoSeconds now, unsigned allowed);
  /// Like pick(), but ready flows of a higher priority always come before those of a lower one.
  FlowIndex pick_strictly(PicoSeconds now, unsigned allowed);
  /// True if no flow of any priority is ready at `now`.
  bool is_idle(PicoSeconds now) const { return non_empty_ == 0 && none_due(now); }
  /// Time at which the first waiting flow becomes ready; max() if no flow waits.
  PicoSeconds next_ready() const;
  /// The waiting flow that becomes ready first; kNone if no flow waits.
  FlowIndex first_waiting() const { return waiting_.empty() ? kNone : waiting_[0].flow; }
  /// True if a flow of an allowed priority was ready at the last pick() and was not picked.
  bool has_ready(unsigned allowed) const { return (non_empty_ & allowed) != 0; }
  template <class Digest>
  void add_state(Digest& d) const {
    d(order_, non_empty_);
    flows_.every([&](const Flow& flow) { d(flow.place, flow.priority, flow.ready_order); });
    for (const Waiting& one : waiting_) d(one.when, one.flow);
  }

 private:
  enum class Place : std::uint8_t { kOff, kWaiting, kReady };
  struct Flow {
    Place place = Place::kOff;
    std::uint8_t priority = 0;
    std::uint32_t position = 0;  // index in the heap; valid while waiting
    FlowIndex before = kNone;    // neighbours in the ring; valid while ready
    FlowIndex after = kNone;
    std::uint64_t ready_order = 0;  // counts flows that became ready
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

  // The members that every packet uses come first.
  std::vector<Waiting> waiting_;
  unsigned non_empty_ = 0;  // bit p: ring p holds a flow
  std::uint64_t order_ = 0;
  NumberedTable<Flow> flows_;
  std::array<Ring, kPriorities> rings_{};
};

}  // namespace dcc
