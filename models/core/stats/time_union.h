// The union of many time intervals.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>

#include "units.h"

namespace dcc {

/// Stores the union of time intervals as disjoint intervals, so that memory grows with the number
/// of gaps, not with the number of intervals. The union does not depend on the order of intervals.
class TimeUnion {
 public:
  /// Adds the time interval from `from` (included) to `to` (excluded); an empty interval changes
  /// nothing.
  void add(PicoSeconds from, PicoSeconds to) {
    if (to <= from) return;
    auto next = end_of_.upper_bound(from);
    if (next != end_of_.begin() && std::prev(next)->second >= from) {
      --next;
      from = next->first;
    }
    while (next != end_of_.end() && next->first <= to) {
      to = std::max(to, next->second);
      next = end_of_.erase(next);
    }
    end_of_.emplace(from, to);
  }
  PicoSeconds length() const {
    PicoSeconds sum{};
    for (const auto& [from, to] : end_of_) sum += to - from;
    return sum;
  }

 private:
  // end of each disjoint interval, by the interval's start
  std::map<PicoSeconds, PicoSeconds> end_of_;
};

}  // namespace dcc
