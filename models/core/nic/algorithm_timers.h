// Timers that a congestion-control algorithm starts for one flow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "nic/algorithm/algorithm.h"
#include "sim/scheduler.h"
#include "sim/state_digest.h"

namespace dcc {

/// Timers of one flow. A timer is created at its first start, and its expiry calls
/// Algorithm::on_timer().
class AlgorithmTimers {
 public:
  /// `rank` orders the timers' expiries among the events of one instant.
  AlgorithmTimers(Scheduler& scheduler, Algorithm& algorithm, FlowNumber flow, std::uint32_t rank)
      : scheduler_(scheduler), algorithm_(algorithm), flow_(flow), rank_(rank) {}

  /// Starts timer `id`, or moves its expiry if the timer runs. Precondition: 0 <= id <
  /// kTimersPerFlow.
  void start(int id, PicoSeconds delay);
  void stop(int id);

  void add_state(StateDigest& d) const { d(timers_); }

 private:
  struct Timer {
    Timer(AlgorithmTimers& owner, int number)
        : timers(owner), id(number), event(Event::calling<&Timer::expire>(*this, owner.rank_)) {}
    void expire() { timers.algorithm_.on_timer(timers.flow_, id); }
    void add_state(StateDigest& d) const { d(event); }
    AlgorithmTimers& timers;
    int id;
    Event event;
  };

  Scheduler& scheduler_;
  Algorithm& algorithm_;
  FlowNumber flow_;
  std::uint32_t rank_;
  std::array<std::unique_ptr<Timer>, kTimersPerFlow> timers_;
};

}  // namespace dcc
