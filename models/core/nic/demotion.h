// Priority of a packet that falls with the number of bytes already sent of its work item (PIAS).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/state_digest.h"
#include "units.h"

namespace dcc {

/// Thresholds of PIAS: packets of a work item start at the highest priority and move one priority
/// down at each threshold. See NicParameters::demotion.
class Demotion {
 public:
  /// `thresholds`: bytes in increasing order, at most 7; an empty list turns demotion off.
  explicit Demotion(std::vector<Bytes> thresholds) : thresholds_(std::move(thresholds)) {}

  bool is_active() const { return !thresholds_.empty(); }
  /// Priority of a packet that starts at byte `offset` of its work item. Precondition: is_active().
  std::uint8_t priority_at(Bytes offset) const {
    std::uint8_t priority = kPriorities - 1;
    for (const Bytes threshold : thresholds_) {
      if (offset >= threshold) --priority;
    }
    return priority;
  }
  void add_state(StateDigest& d) const { d(thresholds_); }

 private:
  std::vector<Bytes> thresholds_;
};

}  // namespace dcc
