// A set of packet numbers, stored as ranges: the packets that a receiver holds beyond the first
// gap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sim/state_digest.h"
#include "wire/packet.h"

namespace dcc {

/// The ranges of packet numbers in the set ascend and do not touch each other.
class SequenceRanges {
 public:
  struct Range {
    Psn begin = 0;
    Psn end = 0;
    void add_state(StateDigest& d) const { d(begin, end); }
  };

  bool empty() const { return ranges_.empty(); }
  /// Number of packets in the set.
  Psn count() const { return count_; }

  /// Adds the packets begin … end − 1 to the set; calls `fresh(psn)` for each packet that was not
  /// in the set.
  template <class Fresh>
  void add(Psn begin, Psn end, Fresh fresh) {
    auto at = std::lower_bound(ranges_.begin(), ranges_.end(), begin,
                               [](const Range& range, Psn one) { return range.end < one; });
    Psn from = begin;
    Range whole{begin, end};
    const auto first = at;
    for (; at != ranges_.end() && at->begin <= end; ++at) {
      for (; from < at->begin; ++from) fresh(from);
      from = std::max(from, at->end);
      whole.begin = std::min(whole.begin, at->begin);
      whole.end = std::max(whole.end, at->end);
      count_ -= at->end - at->begin;
    }
    for (; from < end; ++from) fresh(from);
    count_ += whole.end - whole.begin;
    if (first == at) {
      ranges_.insert(first, whole);
    } else {
      *first = whole;
      ranges_.erase(first + 1, at);
    }
  }
  /// Removes all packets below `psn`.
  void remove_before(Psn psn) {
    auto at = ranges_.begin();
    for (; at != ranges_.end() && at->begin < psn; ++at) {
      const Psn gone = std::min(at->end, psn) - at->begin;
      count_ -= gone;
      at->begin += gone;
      if (at->begin < at->end) break;
    }
    ranges_.erase(ranges_.begin(), at);
  }

  /// The range of packet numbers that contains `psn`; an empty range if none does.
  Range around(Psn psn) const {
    const auto at = std::upper_bound(ranges_.begin(), ranges_.end(), psn,
                                     [](Psn one, const Range& range) { return one < range.end; });
    return at == ranges_.end() || at->begin > psn ? Range{psn, psn} : *at;
  }
  /// Number of packets in the set with a number of at least `psn`. The cost grows with the number
  /// of ranges above `psn`.
  Psn count_from(Psn psn) const {
    Psn sum = 0;
    for (auto at = ranges_.rbegin(); at != ranges_.rend() && at->end > psn; ++at) {
      sum += at->end - std::max(at->begin, psn);
    }
    return sum;
  }
  /// The n-th highest packet of the set, n >= 1; 0 if the set has fewer.
  Psn highest(Psn n) const {
    for (auto at = ranges_.rbegin(); at != ranges_.rend(); ++at) {
      const Psn here = at->end - at->begin;
      if (n <= here) return at->end - n;
      n -= here;
    }
    return 0;
  }
  std::size_t ranges() const { return ranges_.size(); }

  void add_state(StateDigest& d) const { d(ranges_); }

 private:
  std::vector<Range> ranges_;
  Psn count_ = 0;
};

}  // namespace dcc
