// What is looked at again after a timeout: queue pairs of which nothing may be heard for so long.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "nic/transport.h"
#include "sim/scheduler.h"

namespace dcc {

/// One event for all queue pairs of a NIC. Each is looked at a timeout after its watch began; who
/// still has to be watched then is looked at again, so silence is noticed within two timeouts.
class Watches {
 public:
  /// `event` calls the owner's function that calls look().
  Watches(Scheduler& scheduler, PicoSeconds timeout, Event event)
      : scheduler_(scheduler), timeout_(timeout), event_(std::move(event)) {}

  PicoSeconds timeout() const { return timeout_; }
  /// From now on, unless it is watched already.
  void watch(Qpn qpn) {
    if (pairs_.size() <= qpn) pairs_.resize(qpn + 1);
    Pair& pair = pairs_[qpn];
    if (pair.watched) return;
    pair.watched = true;
    list_.push_back({qpn, pair.life, scheduler_.now()});
    if (!event_.is_scheduled()) scheduler_.schedule_in(event_, timeout_);
  }
  /// Another queue pair has its number from now on, or none.
  void forget(Qpn qpn) {
    if (qpn < pairs_.size()) pairs_[qpn] = {pairs_[qpn].life + 1, false};
  }
  /// Calls `check(qpn)` for those whose time has come: true, it is to be watched further.
  template <class Check>
  void look(Check check) {
    while (!list_.empty() && list_.front().since + timeout_ <= scheduler_.now()) {
      const Watch watch = list_.front();
      list_.pop_front();
      if (watch.life != pairs_[watch.qpn].life) continue;
      pairs_[watch.qpn].watched = false;
      if (check(watch.qpn)) this->watch(watch.qpn);
    }
    // A watch that went on is not the next to be looked at.
    if (!list_.empty()) scheduler_.schedule_at(event_, list_.front().since + timeout_);
  }

 private:
  struct Watch {
    Qpn qpn = 0;
    std::uint32_t life = 0;
    PicoSeconds since{};
  };
  struct Pair {
    std::uint32_t life = 0;  // tells the queue pair from an earlier one of its number
    bool watched = false;
  };
  Scheduler& scheduler_;
  PicoSeconds timeout_;
  std::deque<Watch> list_;   // by time
  std::vector<Pair> pairs_;  // by number
  Event event_;
};

}  // namespace dcc
