// How far out of order packets arrive.
#pragma once

#include <algorithm>
#include <cstdint>

#include "stats/log_histogram.h"
#include "stats/proportion.h"
#include "units.h"

namespace dcc {

/// What of a flow has come that is furthest: who is late is late by it. A packet is, if one that
/// left the same sender after it has come before it and has a higher number (as RFC 4737 has it, by
/// the order of sending: what is sent again is not late for that alone).
class FurthestArrival {
 public:
  /// Data of that number comes, not for the second time. How many it is behind; 0: it is not late.
  std::uint64_t behind(std::uint64_t psn, PicoSeconds sent) {
    if (psn >= psn_) {
      psn_ = psn;
      sent_ = sent;
      return 0;
    }
    return sent < sent_ ? psn_ - psn : 0;
  }

 private:
  std::uint64_t psn_ = 0;
  PicoSeconds sent_{};
};

/// Of packets that came late, how many numbers they were behind.
class Reordering {
 public:
  /// 0: not late.
  void add(std::uint64_t behind) {
    if (behind == 0) return;
    depths_.add(behind);
    deepest_ = std::max(deepest_, behind);
  }
  void merge(const Reordering& other) { merge(other.depths_, other.deepest_); }
  void merge(const LogHistogram& depths, std::uint64_t deepest) {
    depths_.merge(depths);
    deepest_ = std::max(deepest_, deepest);
  }
  /// What was added since `earlier`, a former state of this, is added so many times more.
  void repeat_since(const Reordering& earlier, const Proportion& times) {
    depths_.repeat_since(earlier.depths_, times);
  }

  const LogHistogram& depths() const { return depths_; }
  std::uint64_t deepest() const { return deepest_; }

 private:
  LogHistogram depths_;
  std::uint64_t deepest_ = 0;
};

}  // namespace dcc
