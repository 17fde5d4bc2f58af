// Keeps the list of flows that a sampler must visit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "traffic/flow_plan.h"

namespace dcc::vp {

/// The flows of a complete plan that may have begun and whose bytes are not all sampled, by id. At
/// any time most flows of a long trace are over or have not begun, and sampling skips these flows.
class SampledFlows {
 public:
  /// Adds the flows that have started since the last call. `flows`: all flows of the plan, sorted
  /// by start. `begun`: flows behind gates that have begun since the last call. If `begun` is null,
  /// flows behind gates are added at their start.
  void add_started(const std::deque<PlannedFlow>& flows, PicoSeconds now,
                   const std::vector<std::uint32_t>* begun) {
    const std::size_t known = live_.size();
    for (; started_ < flows.size() && flows[started_].spec.start <= now; ++started_) {
      if (begun == nullptr || !flows[started_].spec.is_gated()) {
        live_.push_back(flows[started_].spec.id);
      }
    }
    if (begun != nullptr) live_.insert(live_.end(), begun->begin(), begun->end());
    const auto middle = live_.begin() + static_cast<std::ptrdiff_t>(known);
    std::sort(middle, live_.end());
    std::inplace_merge(live_.begin(), middle, live_.end());
  }
  /// Calls `sample(flow)` for each listed flow, and removes the flow from the list if `sample`
  /// returns true.
  template <class Sample>
  void each(Sample sample) {
    live_.erase(std::remove_if(live_.begin(), live_.end(), sample), live_.end());
  }

 private:
  std::vector<std::uint32_t> live_;
  std::size_t started_ = 0;  // number of flows whose start has come
};

}  // namespace dcc::vp
