// What is looked at again after a timeout: queue pairs of which nothing may be heard for so long.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "nic/transport.h"
#include "sim/scheduler.h"

namespace dcc {

/// One event for all queue pairs of a NIC. Each is looked at a timeout after it was added; who
/// still has to be watched then is added again, so silence is noticed within two timeouts.
class Watches {
 public:
  /// `event` calls the owner's function that calls look().
  Watches(Scheduler& scheduler, PicoSeconds timeout, Event event)
      : scheduler_(scheduler), timeout_(timeout), event_(std::move(event)) {}

  PicoSeconds timeout() const { return timeout_; }
  /// `life` tells the queue pair from an earlier one of its number.
  void add(Qpn qpn, std::uint32_t life) {
    list_.push_back({qpn, life, scheduler_.now()});
    if (!event_.is_scheduled()) scheduler_.schedule_in(event_, timeout_);
  }
  /// Takes out those whose time has come and calls `check(qpn, life)` for each.
  template <class Check>
  void look(Check check) {
    while (!list_.empty() && list_.front().since + timeout_ <= scheduler_.now()) {
      const Watch watch = list_.front();
      list_.pop_front();
      check(watch.qpn, watch.life);
    }
    if (!list_.empty() && !event_.is_scheduled()) {
      scheduler_.schedule_at(event_, list_.front().since + timeout_);
    }
  }

 private:
  struct Watch {
    Qpn qpn = 0;
    std::uint32_t life = 0;
    PicoSeconds since{};
  };
  Scheduler& scheduler_;
  PicoSeconds timeout_;
  std::deque<Watch> list_;  // by time
  Event event_;
};

}  // namespace dcc
