// Functional coverage of the wheel: the lives of events, and the situations that a run has reached.
#pragma once

#include <cstdint>
#include <vector>

#include "cosim.h"

namespace dcc {

enum class WheelOutcome : std::uint8_t { kExpired, kCancelled, kRestartedLater, kRestartedEarlier };

/// Situations that are counted besides the crossing of event lives.
enum class WheelSituation : std::uint8_t {
  kDelayZero,
  kDelayOne,
  kDelayLongest,
  kStartWithLag,
  kMaxDelayWithLag,
  kOverrun,
  kStartHeldAtHorizon,
  kAllSlotsStarted,
  kHalfTheSlotsOnOneTick,
  kCancelWithExpiryTaken,  // cancel of the slot whose expiry is taken in the same cycle
  kRestartWithExpiryTaken,
  kCancelOfOffered,  // cancel of a slot whose expiry is offered and not taken
  kRestartOfOffered,
  kCancelOfDue,  // cancel of an event that is due now and waits behind another event
  kRestartOfDue,
  kCancelOfNothing,
  kReadStarted,
  kReadNotStarted,
  kSkipped,      // a skip of idle time took effect
  kSkipClamped,  // a skip took effect and was limited to next_due
  kClearedWhilePending,
  kTimeWrapped,  // the 32-bit tick counter wrapped
  kCount
};

class WheelCoverage {
 public:
  WheelCoverage();

  /// Level of the wheel to which a due time belongs, relative to the pointer: 0 last, 1 middle, 2
  /// top.
  static int level(std::uint64_t due, std::uint64_t pointer);

  /// Counts the life of an event that started in place `from` and ended in place `to`; `wrapped` if
  /// start and due tick lie in different turns of the 16-bit time; `pressed` if an expiry waited
  /// for its consumer when the event ended.
  void event_ended(int from, int to, bool wrapped, WheelOutcome outcome, bool pressed);
  void seen(WheelSituation situation) { ++situations_[static_cast<std::size_t>(situation)]; }

  /// Returns the coverage bins of the timing wheel with the number of times that each was hit,
  /// without combinations that cannot happen.
  std::vector<CosimBin> bins() const;

 private:
  static std::size_t index(int from, int to, bool wrapped, WheelOutcome outcome, bool pressed);
  std::vector<std::uint64_t> lives_;
  std::vector<std::uint64_t> situations_;
};

}  // namespace dcc
