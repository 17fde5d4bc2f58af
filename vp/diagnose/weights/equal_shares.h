// Times of transfers on a link that its flows share equally.
#pragma once

#include <utility>
#include <vector>

#include "units.h"

namespace dcc::vp {

/// Calculates how long data would take on a link that its flows share equally, whichever flows had
/// data at each time.
class EqualShares {
 public:
  /// Adds a flow that has data from `begin` to `end`.
  void add(PicoSeconds begin, PicoSeconds end) {
    if (begin >= end) return;
    changes_.emplace_back(begin, 1);
    changes_.emplace_back(end, -1);
  }
  /// Calculates from the added flows when each number of flows shared the link. Must be called
  /// once, after the last add() and before the first time_of().
  void finish();
  /// Returns the time from `begin` on in which a flow gets as much of the link as it would send
  /// alone in the time `alone`. Precondition: `begin` is the start of a flow that was added.
  PicoSeconds time_of(PicoSeconds begin, PicoSeconds alone) const;

 private:
  struct Step {
    PicoSeconds at{};
    double served = 0;  // picoseconds of the link that each flow with data got until `at`
    int flows = 0;      // number of flows that have data from `at` on
  };
  std::vector<std::pair<PicoSeconds, int>> changes_;
  std::vector<Step> steps_;
};

}  // namespace dcc::vp
