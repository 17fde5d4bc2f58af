#include "disturb/platform_clock.h"

#include <algorithm>
#include <cassert>

namespace dcc::vp {

PicoSeconds PlatformClock::next_kept() const {
  PicoSeconds next = PicoSeconds::max();
  for (const Event* const event : kept_) {
    if (event->is_scheduled()) next = std::min(next, due(*event));
  }
  return next;
}

void PlatformClock::skip(PicoSeconds time) {
  assert(now() + time < next_kept());
  ahead_ += time;
  skips_.push_back({scheduler_.now(), ahead_});
  for (Event* const event : kept_) {
    if (event->is_scheduled()) scheduler_.schedule_at(*event, event->due() - time);
  }
}

PicoSeconds PlatformClock::simulated(PicoSeconds device) const {
  const auto later =
      std::lower_bound(skips_.begin(), skips_.end(), device,
                       [](const Skip& skip, PicoSeconds moment) { return skip.after < moment; });
  return later == skips_.begin() ? device : device + std::prev(later)->ahead;
}

}  // namespace dcc::vp
