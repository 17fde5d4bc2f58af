// Priorities that a NIC may send: PFC pauses, missing credits and a lost carrier stop them.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "sim/state_digest.h"
#include "stats/priority_pauses.h"
#include "units.h"

namespace dcc {

/// State of a NIC's priorities: which ones PFC pauses, missing credits or a lost carrier stop. In
/// every mask bit p stands for priority p.
class LinkPause {
 public:
  /// Mask of the priorities that the NIC must not send now.
  unsigned blocked() const { return blocked_; }
  unsigned allowed() const { return ~blocked_ & 0xFFu; }

  /// Stops exactly the priorities in `priorities` for want of credits and resumes all others.
  void block(unsigned priorities, PicoSeconds now);
  /// A PFC frame arrived: stops those of the frame's priorities that PFC is enabled for.
  void pause_received(unsigned priorities, PicoSeconds now);
  /// Ends the timed pauses of the priorities in the mask.
  void end(unsigned priorities, PicoSeconds now) {
    if ((paused_ & priorities) != 0) block(paused_ & ~priorities, now);
  }
  /// Enables PFC for the priorities in `mask` and resumes the others. Returns true if the call
  /// resumed a priority.
  bool set_pfc_mask(unsigned mask, PicoSeconds now);
  /// The link lost its carrier (false) or has it again (true). Ends all pauses.
  void set_carrier(bool up, PicoSeconds now);

  /// Total time during which at least one priority was stopped while the link had its carrier.
  PicoSeconds paused_time(PicoSeconds now) const {
    if (history_ == nullptr) return {};
    return paused_ == 0 ? history_->total : history_->total + (now - history_->started);
  }
  /// Statistics of one priority's pauses until `now`; time without credits counts as a pause.
  PriorityPauses pauses(int priority, PicoSeconds now) const {
    if (history_ == nullptr) return {};
    const auto p = static_cast<std::size_t>(priority);
    PriorityPauses so_far = history_->by_priority[p];
    if ((paused_ >> p & 1) != 0) so_far.time += now - history_->since[p];
    return so_far;
  }
  void add_state(StateDigest& d) const { d(paused_, blocked_); }

 private:
  /// Statistics of the pauses so far. Most hosts of a large network are never paused, so the record
  /// is allocated with the first pause.
  struct History {
    PicoSeconds started{};
    PicoSeconds total{};  // total time of the pauses that have ended
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
  unsigned pfc_mask_ = 0xFF;          // mask of the priorities that PFC is enabled for
  unsigned blocked_ = 0;              // equal to paused_; without a carrier, all priorities
  std::unique_ptr<History> history_;  // history of the pauses; null: no priority was paused yet
};

}  // namespace dcc
