// CNPs that wait for an earlier event of their flow, joined into one CNP for each flow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "controller/controller_timing.h"

namespace dcc {

/// One CNP, or the sum of several joined CNPs of one flow.
struct ControllerCnp {
  Cycle sampled = 0;
  std::uint32_t flow = 0;
  std::uint8_t dscp = 0;
  std::uint8_t marks = 0;
  std::uint8_t packets = 0;  // number of packets that the CNP reports; 0: not reported
  std::uint8_t count = 1;    // number of CNPs joined in this entry

  /// True if `other` can join this CNP without loss: both are clear notifications or neither is,
  /// and the sums of their counts fit the fields.
  bool takes(const ControllerCnp& other) const {
    return (marks == 0) == (other.marks == 0) && marks + other.marks <= kMost && count < kMost;
  }
  void join(const ControllerCnp& other) {
    dscp = other.dscp;
    marks = static_cast<std::uint8_t>(marks + other.marks);
    const bool untold = packets == 0 || other.packets == 0;
    packets = static_cast<std::uint8_t>(untold ? 0 : std::min(kMost, packets + other.packets));
    ++count;
  }

 private:
  static constexpr int kMost = 255;
};

/// The joined CNPs of each flow that has an event under way. The hardware issues joined CNPs when
/// their place in its ring of the last issues comes round. This happens a multiple of
/// timing::kSameFlow cycles after the flow's latest issue, at the first such cycle in which events
/// are issued.
class JoinedCnps {
 public:
  struct Entry {
    Cycle issued = 0;        // cycle in which the flow's latest event was issued
    bool after_cnp = false;  // true if the latest event issued for the flow was a CNP
    ControllerCnp cnp;
  };
  static constexpr Cycle kNever = std::numeric_limits<Cycle>::max() / 2;

  bool empty() const { return entries_.empty(); }
  void clear() { entries_.clear(); }
  /// The first cycle at or after `from` in which joined CNPs can be issued; kNever if there are
  /// none.
  Cycle next_round(Cycle from) const {
    Cycle next = kNever;
    for (const Entry& entry : entries_) next = std::min(next, round_of(entry, from));
    return next;
  }
  static Cycle round_of(const Entry& entry, Cycle from) {
    const Cycle first = entry.issued + timing::kSameFlow;
    if (from <= first) return first;
    return first + (from - first + timing::kSameFlow - 1) / timing::kSameFlow * timing::kSameFlow;
  }
  /// The entry of joined CNPs that can be issued in `cycle`, or null. At most one entry can be
  /// issued in a cycle.
  Entry* at_round(Cycle cycle) {
    for (Entry& entry : entries_) {
      if (round_of(entry, cycle) == cycle) return &entry;
    }
    return nullptr;
  }
  Entry* find(std::uint32_t flow) {
    for (Entry& entry : entries_) {
      if (entry.cnp.flow == flow) return &entry;
    }
    return nullptr;
  }
  void add(const Entry& entry) { entries_.push_back(entry); }
  /// Removes an entry and returns the entry's joined CNP.
  ControllerCnp take(Entry* entry) {
    const ControllerCnp cnp = entry->cnp;
    *entry = entries_.back();
    entries_.pop_back();
    return cnp;
  }

 private:
  std::vector<Entry> entries_;  // entries of flows with joined CNPs, at most timing::kSameFlow
};

}  // namespace dcc
