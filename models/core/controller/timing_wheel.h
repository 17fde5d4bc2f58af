// The reference model of the three-level timing wheel.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "controller/slot_bitmap.h"
#include "controller/timer_engine.h"

namespace dcc {

/// The split of a due time's 16 bits over the three levels; each part has 1 … 12 bits.
struct WheelSplit {
  int top = 5;
  int middle = 5;
  int last = 6;
};

/// The timing wheel. An event started at tick p with a remaining time q is due at p + q. The digits
/// of the due time, compared with those of the pointer, choose the event's place, which is a linked
/// list. Each level below the top keeps two turns of its digit, the current and the next, so that a
/// place of the level above is processed while the pointer is still in the place before it. An
/// event moves at most twice on its way to the last level, and arrives there at least one whole
/// turn of that level before the event is due, unless the event was started later. (The patent
/// moves an event "at its moment", which is too late when many events are due on one tick.)
///
/// Due times carry an epoch bit, so a delay of 65535 keeps its meaning if the pointer lags up to
/// 2^16 − 1 ticks at the start. If an event's place in the top level is reached a turn too early,
/// the event does not fit into the level below and goes back into its place. A place is processed
/// by a snapshot of its entry count, so this processing ends.
///
/// A restart to a later time only overwrites the due time: the stale entry gets its new place when
/// it is processed. A restart to an earlier time unlinks the entry, since entries know their
/// predecessor.
///
/// The events of the pointer's tick lie in a bitmap that is read from slot 0 up, so events expire
/// in the order (due, slot), whatever the order of their starts. The pointer moves on when the
/// bitmap is empty.
///
/// The model of the wheel keeps time as a number: occupancy bits let the pointer skip empty
/// stretches at no cost.
class TimingWheel final : public TimerEngine {
 public:
  /// Makes a timing wheel for `slots` slots, 1 … 16384. Throws std::invalid_argument for a number
  /// or a split outside its range.
  explicit TimingWheel(std::uint32_t slots, const WheelSplit& split = {});

  std::optional<Tick> next_due(Tick now) override;
  bool is_started(SlotIndex slot) const override {
    return slot < entries_.size() && entries_[slot].place != kNowhere;
  }
  std::optional<std::uint32_t> stored_due(SlotIndex slot) const override;
  Tick lag(Tick now) override;

  /// Number of moves of wheel entries from one place to another after their insertion.
  std::uint64_t moves() const { return moves_; }
  /// Greatest number of wheel entries that were processed in one place at one moment.
  std::uint32_t largest_snapshot() const { return largest_snapshot_; }

 private:
  using Place = std::uint16_t;  // index of a place among the places of all levels of the wheel
  static constexpr Place kNowhere = 0xFFFF;
  static constexpr Place kReady = 0xFFFE;
  static constexpr std::uint16_t kNil = 0xFFFF;
  // mask of a due time: 16 bits and the epoch bit
  static constexpr std::uint32_t kDueMask = (1u << 17) - 1;

  struct Entry {
    std::uint32_t due = 0;
    Place place = kNowhere;
    std::uint16_t next = kNil;
    std::uint16_t previous = kNil;
  };
  struct List {
    std::uint16_t head = kNil;
    std::uint16_t tail = kNil;
    std::uint16_t count = 0;
    // tick before which no entry of the list is due; may be too low after an unlink
    Tick earliest = 0;
  };
  struct Level {
    int shift = 0;           // number of bits of a due time below this level's digit
    Place first = 0;         // index of the level's first place in lists_
    std::uint32_t mask = 0;  // mask of the level's digit: number of places in the level minus 1
    SlotBitmap occupied;
    /// The level's next occupied place at or after absolute digit `from`, as an absolute digit.
    std::optional<Tick> next_occupied(Tick from) const;
  };

  bool do_start(SlotIndex slot, Ticks delay, Tick now) override;
  bool do_cancel(SlotIndex slot, Tick now) override;
  std::optional<TimerExpiry> do_take_expired(Tick now) override;
  void do_reset(Tick now) override;

  Tick unwrapped(std::uint32_t due) const {
    return pointer_ + ((due - static_cast<std::uint32_t>(pointer_)) & kDueMask);
  }
  void make_room(SlotIndex slot);
  void insert(SlotIndex slot);
  void append(Level& level, Tick digit, SlotIndex slot, Tick due);
  void unlink(SlotIndex slot);
  void catch_up(Tick now);
  void step_to(Tick tick);
  void work_through(Level& level, Tick digit);
  Tick next_moment() const;
  Level& level_of(Place place);

  std::array<Level, 3> levels_;  // levels of the wheel: top, middle, last
  std::vector<List> lists_;      // lists of all places; empty before the first start
  // wheel entries of the slots, up to the highest slot that was ever started
  std::vector<Entry> entries_;
  SlotBitmap ready_;  // slots with an event due at pointer_
  Tick pointer_ = 0;
  Tick moment_ = 0;  // tick before which the wheel has no work
  std::uint64_t moves_ = 0;
  std::uint32_t largest_snapshot_ = 0;
};

}  // namespace dcc
