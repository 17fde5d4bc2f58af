// Deadlines by number that share one retransmission timer, for owners that keep no record for each
// number.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "nic/recovery/retransmit_timer.h"
#include "sim/state_digest.h"

namespace dcc {

/// Table of deadlines, indexed by queue pair or host number. These numbers must be small and dense,
/// because the table has an entry for every number up to the greatest one used. See RetransmitTimer
/// for costs and order.
class DeadlineTable {
 public:
  /// `event` must call a function of the timer's owner that calls DeadlineTable::expire().
  DeadlineTable(Scheduler& scheduler, Event event) : timer_(scheduler, std::move(event)) {}

  /// Sets the deadline of `number`, earlier or later than before; max() clears the deadline.
  void set(Qpn number, PicoSeconds when) { timer_.arm(deadline(number), number, when); }
  /// Moves the deadline of `number` if it is set; does nothing otherwise.
  void postpone(Qpn number, PicoSeconds when) {
    if (is_set(number)) set(number, when);
  }
  void clear(Qpn number) {
    if (number < deadlines_.size()) RetransmitTimer::disarm(deadlines_[number]);
  }
  bool is_set(Qpn number) const {
    return number < deadlines_.size() && deadlines_[number].is_armed();
  }
  /// New data of `number` was acknowledged: applies RetransmitTimer::progressed() to its deadline.
  void progressed(Qpn number, bool outstanding, PicoSeconds timeout) {
    timer_.progressed(deadline(number), number, outstanding, timeout);
  }

  /// Clears each expired deadline and calls `expired(number)` for it.
  template <class Expired>
  void expire(Expired expired) {
    timer_.expire([this](Qpn number) { return &deadlines_[number]; }, expired);
  }

  /// Adds the deadlines that are set to a state digest.
  void add_state(StateDigest& d) const {
    std::size_t count = 0;
    for (Qpn number = 0; number < deadlines_.size(); ++number) {
      if (!is_set(number)) continue;
      d(number, deadlines_[number].when());
      ++count;
    }
    d(count);
  }

 private:
  RetransmitTimer::Deadline& deadline(Qpn number) {
    if (deadlines_.size() <= number) deadlines_.resize(number + 1);
    return deadlines_[number];
  }

  std::vector<RetransmitTimer::Deadline> deadlines_;
  RetransmitTimer timer_;
};

}  // namespace dcc
