// Which priorities a NIC may send: pauses of the far end, blocking for want of credits or carrier.
#pragma once

#include <array>
#include <cstddef>

#include "stats/priority_pauses.h"
#include "units.h"

namespace dcc {

/// In every mask bit p stands for priority p.
class LinkPause {
 public:
  /// Mask of the priorities that may not be sent now.
  unsigned blocked() const { return blocked_; }
  unsigned allowed() const { return ~blocked_ & 0xFFu; }

  /// Stops exactly the priorities in `priorities` and lets the others go on.
  void block(unsigned priorities, PicoSeconds now);
  /// A PFC frame arrived: stops those of its priorities that PFC is enabled for.
  void pause_received(unsigned priorities, PicoSeconds now);
  /// Enables PFC for the priorities in `mask` and resumes the others. Returns true if a priority
  /// was resumed.
  bool set_pfc_mask(unsigned mask, PicoSeconds now);
  /// The link lost its carrier (false) or has it again (true). Ends all pauses.
  void set_carrier(bool up, PicoSeconds now);

  /// Time during which at least one priority was stopped while the link had its carrier.
  PicoSeconds paused_time(PicoSeconds now) const {
    return paused_ == 0 ? paused_time_ : paused_time_ + (now - pause_started_);
  }
  /// Pauses of one priority until `now`; time without credits counts as a pause.
  PriorityPauses pauses(int priority, PicoSeconds now) const {
    const auto p = static_cast<std::size_t>(priority);
    PriorityPauses so_far = by_priority_[p];
    if ((paused_ >> p & 1) != 0) so_far.time += now - since_[p];
    return so_far;
  }
  template <class Digest>
  void add_state(Digest& d) const {
    d(paused_, blocked_);
  }

 private:
  unsigned paused_ = 0;       // stopped by the far end or for want of credits
  unsigned pfc_mask_ = 0xFF;  // mask of the priorities with PFC
  unsigned blocked_ = 0;      // mask of stopped priorities: paused_, or all without a carrier
  PicoSeconds pause_started_{};
  PicoSeconds paused_time_{};  // total time of pauses that have ended
  std::array<PicoSeconds, kPriorities> since_{};
  std::array<PriorityPauses, kPriorities> by_priority_{};  // pauses that have ended, by priority
};

}  // namespace dcc
