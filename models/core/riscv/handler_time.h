// Time for which a hart has done almost nothing but handle traps.
#pragma once

#include <cstdint>

namespace dcc::riscv {

/// Measures since when a hart has been in trap handlers for nine tenths of its cycles or more.
/// Firmware that hangs in a handler, or whose interrupts come faster than it serves them, is in
/// handlers for that long; a polling loop that takes interrupts is not.
///
/// A trap handler runs from the trap to the mret instruction, or until it enables interrupts. After
/// it has enabled interrupts, the handler may hang, or a kernel may have switched to a task: the
/// hart cannot tell which. The same uncertainty exists while a program has disabled interrupts
/// outside handlers. In both states the hart counts as busy since its last sleep or store to a
/// device, because a program that sleeps or stores to devices makes progress.
class HandlerTime {
 public:
  /// The hart takes a trap. All times are in cycles of the hart.
  void trapped(std::uint64_t now) {
    if (depth_++ == 0) rest(now - left_, now);
  }
  /// The hart executes mret; `enabled`: interrupts are enabled after the mret.
  void returned(bool enabled, std::uint64_t now) {
    if (depth_ == 0) {
      if (open_ > 0) --open_;
    } else if (--depth_ == 0) {
      left_ = now;
    }
    disabled_ = disabled_ && !enabled;
  }
  /// The program writes mstatus; `before` and `after`: interrupts were enabled before and after the
  /// write.
  void status_written(bool before, bool after, std::uint64_t now) {
    if (before == after) return;
    disabled_ = before && depth_ == 0;
    if (after && depth_ > 0) {
      open_ += depth_;
      depth_ = 0;
      left_ = now;
    }
    acted_ = now;
  }
  void slept(std::uint64_t cycles, std::uint64_t now) {
    acted_ = now;
    if (depth_ > 0) rest(cycles, now);
  }
  void stored_to_device(std::uint64_t now) { acted_ = now; }

  /// Number of cycles up to `now` for which the hart has been busy handling traps; 0 if the hart is
  /// not busy now. `pending`: an interrupt that the program uses is pending.
  std::uint64_t busy(bool pending, std::uint64_t now) const {
    const std::uint64_t resting = resting_ + (depth_ > 0 ? 0 : now - left_);
    if (is_busy(resting, now)) return now - since_;
    return open_ > 0 || (disabled_ && pending) ? now - acted_ : 0;
  }

 private:
  // the hart is not busy if at least 1/kShare of its cycles are outside handlers
  static constexpr std::uint64_t kShare = 10;

  bool is_busy(std::uint64_t resting, std::uint64_t now) const {
    return resting * kShare < now - since_;
  }
  /// Adds cycles that the hart spent outside handlers, or asleep in a handler, up to now.
  void rest(std::uint64_t cycles, std::uint64_t now) {
    resting_ += cycles;
    if (is_busy(resting_, now)) return;
    since_ = now;
    resting_ = 0;
  }

  std::uint64_t since_ = 0;  // cycle at which the observed time span begins
  // cycles since `since_` outside handlers or asleep, up to the last trap
  std::uint64_t resting_ = 0;
  std::uint64_t left_ = 0;   // cycle at which the hart last left a handler
  std::uint64_t acted_ = 0;  // cycle of the last sleep, store to a device or change of interrupts
  unsigned depth_ = 0;       // number of nested handlers with interrupts disabled
  unsigned open_ = 0;        // number of handlers in which the program enabled interrupts
  bool disabled_ = false;    // the program disabled interrupts outside handlers
};

}  // namespace dcc::riscv
