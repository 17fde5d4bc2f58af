// The retransmission timer of a NIC: one deadline per queue pair, one scheduler event for all.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/scheduler.h"
#include "sim/state_digest.h"
#include "wire/packet.h"

namespace dcc {

/// Keeps the deadlines of many queue pairs in a heap. Moving a deadline to a later time costs one
/// store: the heap entry stays at the old time and moves when that time comes. This suits timers
/// that nearly never expire.
///
/// RoCE and the transports in models/schemes share this class. The owner arms the timer when it
/// sends a packet whose acknowledgement or response it awaits; progressed() states the rules that
/// hold for all:
/// 1. The timeout counts from the last acknowledgement that covered new data, if there is one.
/// 2. The timer is not armed while nothing is outstanding.
class RetransmitTimer {
 public:
  /// Deadline of one queue pair. The timer's owner stores the deadline with its other state of the
  /// queue pair.
  class Deadline {
   public:
    bool is_armed() const { return when_ != PicoSeconds::max(); }
    /// Simulated time at which the timer expires; max() if the timer is not armed.
    PicoSeconds when() const { return when_; }
    /// Adds the deadline alone to a digest, without the heap entry, which may still be at an
    /// earlier time.
    void add_state(StateDigest& d) const { d(when_); }

   private:
    friend class RetransmitTimer;
    PicoSeconds when_ = PicoSeconds::max();
    // time of the deadline's valid heap entry; max(): none
    PicoSeconds queued_ = PicoSeconds::max();
  };

  /// `event` must call a function of the timer's owner that calls RetransmitTimer::expire().
  RetransmitTimer(Scheduler& scheduler, Event event)
      : scheduler_(scheduler), event_(std::move(event)) {}

  /// Sets the deadline to `when`, earlier or later than before. max() disarms the timer.
  void arm(Deadline& deadline, Qpn qpn, PicoSeconds when) {
    deadline.when_ = when;
    if (deadline.queued_ <= when) return;
    deadline.queued_ = when;
    push({when, qpn});
    const PicoSeconds first = heap_.front().when;
    if (!event_.is_scheduled() || event_.due() > first) scheduler_.schedule_at(event_, first);
  }
  static void disarm(Deadline& deadline) { deadline.when_ = PicoSeconds::max(); }

  /// New data was acknowledged. Restarts the timer if packets are still `outstanding`, and disarms
  /// it otherwise.
  void progressed(Deadline& deadline, Qpn qpn, bool outstanding, PicoSeconds timeout) {
    arm(deadline, qpn, outstanding ? scheduler_.now() + timeout : PicoSeconds::max());
  }

  /// Disarms each expired deadline and calls `expired(qpn)` for it, in the order (time, queue pair
  /// number). `expired` may arm deadlines. `find(qpn)` returns a pointer to the deadline, or null
  /// if the queue pair no longer exists. Schedules the event for the next deadline.
  template <class Find, class Expired>
  void expire(Find find, Expired expired) {
    while (!heap_.empty() && heap_.front().when <= scheduler_.now()) {
      const Entry entry = pop();
      Deadline* const deadline = find(entry.qpn);
      if (deadline == nullptr || !renew(*deadline, entry)) continue;
      deadline->when_ = PicoSeconds::max();
      expired(entry.qpn);
    }
    // The first entry must be a real deadline, so that the event does not run without effect.
    while (!heap_.empty()) {
      const Entry first = heap_.front();
      Deadline* const deadline = find(first.qpn);
      if (deadline != nullptr && deadline->queued_ == first.when && deadline->when_ == first.when) {
        scheduler_.schedule_at(event_, first.when);
        return;
      }
      pop();
      if (deadline != nullptr) renew(*deadline, first);
    }
  }

 private:
  struct Entry {
    PicoSeconds when{};
    Qpn qpn = 0;
    /// Order of heap entries for std::push_heap, whose first element is the greatest.
    bool operator<(const Entry& other) const {
      return when != other.when ? when > other.when : qpn > other.qpn;
    }
  };
  void push(const Entry& entry) {
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end());
  }
  Entry pop() {
    std::pop_heap(heap_.begin(), heap_.end());
    const Entry entry = heap_.back();
    heap_.pop_back();
    return entry;
  }
  /// `entry` was removed from the heap. Returns true if its deadline has come. Otherwise puts a
  /// deadline that moved to a later time back into the heap.
  bool renew(Deadline& deadline, const Entry& entry) {
    // an earlier entry of the heap replaced this one
    if (deadline.queued_ != entry.when) return false;
    deadline.queued_ = PicoSeconds::max();
    if (!deadline.is_armed()) return false;
    if (deadline.when_ <= scheduler_.now()) return true;
    deadline.queued_ = deadline.when_;
    push({deadline.when_, entry.qpn});
    return false;
  }

  Scheduler& scheduler_;
  std::vector<Entry> heap_;
  Event event_;
};

}  // namespace dcc
