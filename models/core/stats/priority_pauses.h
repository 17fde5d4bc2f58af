// Counters of the PFC pauses of one priority at a port.
#pragma once

#include <cstdint>

#include "units.h"

namespace dcc {

/// Counts of PFC pauses that a port received in one priority.
struct PriorityPauses {
  std::uint64_t frames = 0;  // number of pause frames for the priority, repetitions included
  std::uint64_t ends = 0;    // number of times that a pause of the priority ended
  PicoSeconds time{};        // time for which the priority was paused

  /// Calls visit with a reference to every pause counter.
  template <class Visit>
  void each(Visit visit) {
    visit(frames);
    visit(ends);
    visit(time);
  }
};

}  // namespace dcc
