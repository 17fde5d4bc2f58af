// Record of the flows that have events in the controller's pipeline.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "controller/controller_timing.h"

namespace dcc {

/// Ring of the events that the controller issued in the last timing::kSameFlow cycles, at most one
/// in a cycle. After a pause the ring starts at its first place again, so that a controller with
/// few events uses one cache line.
class RecentIssues {
 public:
  /// Records the issue of an event of `flow`. Precondition: `cycle` is greater than in the previous
  /// call.
  void add(std::uint32_t flow, Cycle cycle, bool cnp) {
    if (latest_ + timing::kSameFlow <= cycle) next_ = 0;
    if (issues_.empty()) issues_.resize(kSize);
    issues_[next_ & (kSize - 1)] = {cycle, flow, cnp};
    ++next_;
    latest_ = cycle;
  }
  /// The first cycle at or after `cycle` in which an event of `flow` can be issued.
  Cycle ready(std::uint32_t flow, Cycle cycle) const {
    if (latest_ + timing::kSameFlow <= cycle) return cycle;
    const std::uint32_t kept = std::min(next_, kSize);
    for (std::uint32_t back = 1; back <= kept; ++back) {
      const Issue& issue = issues_[(next_ - back) & (kSize - 1)];
      // the remaining issues in the ring are older still
      if (issue.cycle + timing::kSameFlow <= cycle) break;
      if (issue.flow == flow) return issue.cycle + timing::kSameFlow;
    }
    return cycle;
  }
  /// True if the latest event of `flow` that is still in the pipeline was a CNP.
  bool is_cnp(std::uint32_t flow) const {
    for (std::uint32_t back = 1; back <= std::min(next_, kSize); ++back) {
      const Issue& issue = issues_[(next_ - back) & (kSize - 1)];
      if (issue.flow == flow) return issue.cnp;
    }
    return false;
  }
  void clear() {
    latest_ = -timing::kSameFlow;
    next_ = 0;
  }

 private:
  static constexpr std::uint32_t kSize = 64;
  static_assert((kSize & (kSize - 1)) == 0 && Cycle{kSize} >= timing::kSameFlow, "one a cycle");
  struct Issue {
    Cycle cycle = -timing::kSameFlow;
    std::uint32_t flow = 0;
    bool cnp = false;
  };
  Cycle latest_ = -timing::kSameFlow;
  std::uint32_t next_ = 0;     // number of events issued since the last pause
  std::vector<Issue> issues_;  // ring of issued events; empty before the first issue
};

}  // namespace dcc
