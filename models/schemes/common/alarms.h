// When queue pairs want to be woken, each at a moment of its own, with one event for all.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "nic/transport.h"
#include "sim/scheduler.h"

namespace dcc {

/// A moment that is put off costs nothing: what was planned before comes first, and is planned
/// again. That suits timers which nearly never run out.
class Alarms {
 public:
  /// `event` calls the owner's function that calls ring().
  Alarms(Scheduler& scheduler, Event event) : scheduler_(scheduler), event_(std::move(event)) {}

  /// max(): never, as clear().
  void set(Qpn qpn, PicoSeconds when) {
    if (wanted_.size() <= qpn) wanted_.resize(qpn + 1);
    Wanted& one = wanted_[qpn];
    one.when = when;
    if (one.planned <= when) return;
    one.planned = when;
    push({when, qpn});
  }
  /// Later than it was: nothing, unless it is set.
  void put_off(Qpn qpn, PicoSeconds when) {
    if (is_set(qpn)) set(qpn, when);
  }
  void clear(Qpn qpn) {
    if (qpn < wanted_.size()) wanted_[qpn].when = PicoSeconds::max();
  }
  bool is_set(Qpn qpn) const {
    return qpn < wanted_.size() && wanted_[qpn].when != PicoSeconds::max();
  }

  /// Calls `due(qpn)` for each whose moment has come, which is no longer set then.
  template <class Due>
  void ring(Due due) {
    while (!plan_.empty() && plan_.front().when <= scheduler_.now()) {
      std::pop_heap(plan_.begin(), plan_.end());
      const Planned planned = plan_.back();
      plan_.pop_back();
      Wanted& one = wanted_[planned.qpn];
      if (one.planned != planned.when) continue;  // an earlier moment took its place
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

  /// The moments; not the plan, which may hold some that have been put off.
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
    PicoSeconds planned = PicoSeconds::max();  // the earliest in the plan that counts
  };
  struct Planned {
    PicoSeconds when{};
    Qpn qpn = 0;
    bool operator<(const Planned& other) const {  // the first is the greatest, as heaps have it
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
