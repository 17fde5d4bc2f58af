// Counters of the PFC pauses of one priority at a port.
#pragma once

#include <cstdint>

#include "units.h"

namespace dcc {

/// Pauses that a port received in one priority.
struct PriorityPauses {
  std::uint64_t frames = 0;  // frames that paused the priority, repetitions included
  std::uint64_t ends = 0;    // times that a pause ended
  PicoSeconds time{};        // time for which the priority was paused

  /// Visits every number by reference.
  template <class Visit>
  void each(Visit visit) {
    visit(frames);
    visit(ends);
    visit(time);
  }
};

}  // namespace dcc
