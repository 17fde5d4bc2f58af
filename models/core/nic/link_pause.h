// Priorities that a NIC may send: pauses by the far end, blocking for want of credits or carrier.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "stats/priority_pauses.h"
#include "units.h"

namespace dcc {

/// In every mask bit p stands for priority p.
class LinkPause {
 public:
  /// Mask of the priorities that may not be sent now.
  unsigned blocked() const { return blocked_; }
  unsigned allowed() const { return ~blocked_ & 0xFFu; }

  /// Stops exactly the priorities in `priorities` and resumes all others.
  void block(unsigned priorities, PicoSeconds now);
  /// A PFC frame arrived: stops those of its priorities that PFC is enabled for.
  void pause_received(unsigned priorities, PicoSeconds now);
  /// Ends the timed pauses of these priorities.
  void end(unsigned priorities, PicoSeconds now) {
    if ((paused_ & priorities) != 0) block(paused_ & ~priorities, now);
  }
  /// Enables PFC for the priorities in `mask` and resumes the others. Returns true if a priority
  /// was resumed.
  bool set_pfc_mask(unsigned mask, PicoSeconds now);
  /// The link lost its carrier (false) or has it again (true). Ends all pauses.
  void set_carrier(bool up, PicoSeconds now);

  /// Time during which at least one priority was stopped while the link had its carrier.
  PicoSeconds paused_time(PicoSeconds now) const {
    if (history_ == nullptr) return {};
    return paused_ == 0 ? history_->total : history_->total + (now - history_->started);
  }
  /// Pauses of one priority until `now`; time without credits counts as a pause.
  PriorityPauses pauses(int priority, PicoSeconds now) const {
    if (history_ == nullptr) return {};
    const auto p = static_cast<std::size_t>(priority);
    PriorityPauses so_far = history_->by_priority[p];
    if ((paused_ >> p & 1) != 0) so_far.time += now - history_->since[p];
    return so_far;
  }
  template <class Digest>
  void add_state(Digest& d) const {
    d(paused_, blocked_);
  }

 private:
  /// Pauses so far. Most hosts of a large network are never paused, so this is allocated with the
  /// first pause.
  struct History {
    PicoSeconds started{};
    PicoSeconds total{};  // total time of pauses that have ended
    std::array<PicoSeconds, kPriorities> since{};
    // pauses of each priority that have ended
    std::array<PriorityPauses, kPriorities> by_priority{};
  };
  void record(unsigned priorities, PicoSeconds now);
  History& make_history() {
    if (history_ == nullptr) history_ = std::make_unique<History>();
    return *history_;
  }

  unsigned paused_ = 0;               // mask of the priorities that are paused or lack credits
  unsigned pfc_mask_ = 0xFF;          // mask of the priorities with PFC
  unsigned blocked_ = 0;              // equal to paused_, or all priorities without a carrier
  std::unique_ptr<History> history_;  // null: no pause yet
};

}  // namespace dcc
