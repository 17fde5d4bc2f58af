// One alarm for each queue pair, all on one event of the scheduler.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "nic/transport.h"
#include "sim/scheduler.h"

namespace dcc {

/// An alarm set to a later time stays where it is in the heap; when its old time comes, the alarm
/// moves to the new one. That makes timers cheap that nearly never expire.
class Alarms {
 public:
  /// `event` calls a function of the owner, which calls ring().
  Alarms(Scheduler& scheduler, Event event) : scheduler_(scheduler), event_(std::move(event)) {}

  /// Sets or moves the alarm of a queue pair; PicoSeconds::max() clears it.
  void set(Qpn qpn, PicoSeconds when) {
    if (wanted_.size() <= qpn) wanted_.resize(qpn + 1);
    Wanted& one = wanted_[qpn];
    one.when = when;
    if (one.planned <= when) return;
    one.planned = when;
    push({when, qpn});
  }
  /// Moves an alarm that is set to a later time; without effect on one that is not set.
  void put_off(Qpn qpn, PicoSeconds when) {
    if (is_set(qpn)) set(qpn, when);
  }
  void clear(Qpn qpn) {
    if (qpn < wanted_.size()) wanted_[qpn].when = PicoSeconds::max();
  }
  bool is_set(Qpn qpn) const {
    return qpn < wanted_.size() && wanted_[qpn].when != PicoSeconds::max();
  }

  /// Calls `due(qpn)` for every alarm whose time has come. The alarm is already cleared then.
  template <class Due>
  void ring(Due due) {
    while (!plan_.empty() && plan_.front().when <= scheduler_.now()) {
      std::pop_heap(plan_.begin(), plan_.end());
      const Planned planned = plan_.back();
      plan_.pop_back();
      Wanted& one = wanted_[planned.qpn];
      if (one.planned != planned.when) continue;  // the alarm moved to an earlier time since
      one.planned = PicoSeconds::max();
      if (one.when == PicoSeconds::max()) continue;
      if (one.when > scheduler_.now()) {
        set(planned.qpn, one.when);
        continue;
      }
      one.when = PicoSeconds::max();
      due(planned.qpn);
    }
    if (!plan_.empty()) scheduler_.schedule_at(event_, plan_.front().when);
  }

  /// Adds the times of the alarms. The heap is left out: it may hold times that were moved.
  template <class Digest>
  void add_state(Digest& d) const {
    std::size_t count = 0;
    for (Qpn qpn = 0; qpn < wanted_.size(); ++qpn) {
      if (!is_set(qpn)) continue;
      d(qpn, wanted_[qpn].when);
      ++count;
    }
    d(count);
  }

 private:
  struct Wanted {
    PicoSeconds when = PicoSeconds::max();
    PicoSeconds planned = PicoSeconds::max();  // the alarm's earliest time in the heap
  };
  struct Planned {
    PicoSeconds when{};
    Qpn qpn = 0;
    bool operator<(const Planned& other) const {  // reversed: the heap's front is the earliest
      return when != other.when ? when > other.when : qpn > other.qpn;
    }
  };
  void push(const Planned& planned) {
    plan_.push_back(planned);
    std::push_heap(plan_.begin(), plan_.end());
    const PicoSeconds first = plan_.front().when;
    if (!event_.is_scheduled() || event_.due() > first) scheduler_.schedule_at(event_, first);
  }

  Scheduler& scheduler_;
  std::vector<Wanted> wanted_;
  std::vector<Planned> plan_;  // a heap
  Event event_;
};

}  // namespace dcc
