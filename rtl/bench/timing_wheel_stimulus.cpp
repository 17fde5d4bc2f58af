// The six stimulus profiles of the wheel's bench.
#include "timing_wheel_stimulus.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace dcc {
namespace {

// lag in ticks from which on the wheel accepts no starts
constexpr std::uint64_t kHoldLag = 65536 - 2 * 2048;

void set_command(WheelInputs& in, WheelCommand op, std::uint16_t slot, std::uint32_t delay = 0) {
  in.cmd_op = op;
  in.cmd_slot = slot;
  in.cmd_delay = static_cast<std::uint16_t>(delay);
}

/// Profile "uniform": commands of any kind to any slot, delays of all three wheel levels, ticks of
/// any length.
class Uniform final : public WheelStimulus {
 public:
  using WheelStimulus::WheelStimulus;

 private:
  std::uint32_t choose_pace(const WheelView&) override {
    pace_ = any_pace();
    return 200 + random_.below(4000);
  }
  bool choose_command(const WheelView&, WheelInputs& in) override {
    const std::uint32_t kind = random_.below(16);
    if (kind < 11) {
      set_command(in, WheelCommand::kStart, any_slot(), any_delay());
    } else {
      set_command(in, kind < 14 ? WheelCommand::kCancel : WheelCommand::kRead, any_slot());
    }
    return true;
  }
};

/// Profile "burst": many events on one tick, from near and far, which the platform's consumer takes
/// and starts again.
class Burst final : public WheelStimulus {
 public:
  using WheelStimulus::WheelStimulus;

 private:
  std::uint32_t choose_pace(const WheelView& view) override {
    if (phase_ == 0) {  // phase 0 of the burst collects many events on one tick
      static constexpr std::array<std::uint32_t, 14> kFar = {
          20, 40, 64, 65, 127, 128, 129, 500, 2047, 2048, 2049, 5000, 40000, 65535};
      target_ = view.now + kFar[random_.below(static_cast<std::uint32_t>(kFar.size()))];
      if (random_.one_in(3)) target_ = (target_ | 63) + 1;
      if (random_.one_in(6)) target_ = (target_ | 2047) + 1;
      target_ = std::min(target_, view.now + 65535);
      crowd_ = random_.one_in(3) ? slots_ : 1 + random_.below(slots_);
      next_slot_ = 0;
      pace_ = WheelPace{250, 4, 1, random_.one_in(2) ? 1u : 4u, 0};
      phase_ = 1;
      return crowd_ * (pace_.command_one_in + 2);
    }
    if (phase_ == 1) {  // phase 1 lets the tick approach, with some restarts and cancels
      pace_ = WheelPace{0, 4, 1, random_.one_in(2) ? 0u : 40u, 60000};
      phase_ = 2;
      return 3000;
    }
    // phase 2 takes the expiries at the platform's pace and starts some of the timers again
    phase_ = 0;
    pace_ = WheelPace{random_.one_in(8) ? 16u : 250u, 4, 1, 5, 0};
    return crowd_ * 6 + 2000;
  }
  bool choose_command(const WheelView& view, WheelInputs& in) override {
    if (phase_ == 1) {
      if (next_slot_ >= crowd_ || target_ <= view.now) return false;
      const std::uint32_t slot = crowd_ == slots_ ? next_slot_ : (next_slot_ * 37u) % slots_;
      ++next_slot_;
      set_command(in, WheelCommand::kStart, static_cast<std::uint16_t>(slot),
                  static_cast<std::uint32_t>(target_ - view.now));
      return true;
    }
    const std::uint16_t slot = any_slot();
    if (random_.one_in(4)) {
      set_command(in, WheelCommand::kCancel, slot);
    } else {
      set_command(in, WheelCommand::kStart, slot,
                  1 + random_.below(random_.one_in(4) ? 4000 : 300));
    }
    return true;
  }

  int phase_ = 0;
  std::uint64_t target_ = 0;
  std::uint32_t crowd_ = 0;
  std::uint32_t next_slot_ = 0;
};

/// Profile "wrap": commands at times around every carry of the due time and at the horizon, with a
/// lag up to overrun and up to the lag at which starts are held back.
class Wrap final : public WheelStimulus {
 public:
  using WheelStimulus::WheelStimulus;

 private:
  std::uint32_t choose_pace(const WheelView& view) override {
    ++count_;
    if (count_ == 1) {  // moves the time to just before the tick counter wraps
      pace_ = WheelPace{0, 0, 1, 0, 0};
      jump_to_ = (((view.now >> 32) + 1) << 32) - 70'000;
      return 3000;
    }
    const std::uint64_t lag = view.now - view.pointer;
    // the consumer takes no expiry, so the lag grows
    if (count_ % 40 == 2 && lag + kBeforeHold < kHoldLag) {
      --count_;
      pace_ = WheelPace{1, 0, 0, 8, 0};
      return static_cast<std::uint32_t>(kHoldLag - kBeforeHold - lag);
    }
    if (count_ % 40 == 2) {  // moves slowly past the lag at which starts are held back
      pace_ = WheelPace{16, 0, 0, 1, 0};
      return 4 * 16 * kBeforeHold;
    }
    if (count_ % 40 == 3) {
      pace_ = WheelPace{2000, 0, 1, 4, 0};
      return 64'000;
    }
    if (count_ % 8 == 4) {
      pace_ = WheelPace{1, 0, 0, 4, 0};
      return 500 + random_.below(random_.one_in(4) ? 5000 : 500);
    }
    // the lag shrinks by one in 8 cycles, so every value of the lag lasts for a while
    if (count_ % 8 == 5) {
      pace_ = WheelPace{1, 0, 1, 0, 0, 8};
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(8 * lag + 64, 10'000));
    }
    if (count_ % 8 == 6) {  // moves the time to just before a turn of the 16-bit time
      jump_to_ = (((view.now >> 16) + 1) << 16) - 64 - random_.below(300);
      pace_ = WheelPace{0, 0, 1, 0, 0};
      return 4000;
    }
    // moves the time across the turn, with commands for events that are due then
    if (count_ % 8 == 7) {
      pace_ = WheelPace{4 + random_.below(20), random_.below(6), 1 + random_.below(4),
                        1 + random_.below(3), 0};
      return 6000;
    }
    pace_ = random_.one_in(3) ? any_pace() : WheelPace{0, 0, 1, 64, 65535};
    return 500 + random_.below(3000);
  }
  bool choose_command(const WheelView& view, WheelInputs& in) override {
    std::uint16_t slot = any_slot();
    if (count_ % 8 == 7 && random_.one_in(2) && view.oracle->pending() > 0) {
      auto it = view.oracle->order().begin();
      for (std::uint32_t i = random_.below(8); i > 0 && std::next(it) != view.oracle->order().end();
           --i) {
        ++it;
      }
      slot = static_cast<std::uint16_t>(it->second);
    }
    if (random_.one_in(count_ % 8 == 7 ? 3 : 8)) {
      set_command(in, random_.one_in(2) ? WheelCommand::kCancel : WheelCommand::kRead, slot);
      return true;
    }
    static constexpr std::array<std::uint32_t, 4> kTurns = {64, 2048, 65536, 131072};
    std::uint32_t delay = 0;
    const std::uint64_t to_turn = (((view.now >> 16) + 1) << 16) - view.now;
    if (count_ % 8 == 7 && to_turn < 400 && random_.one_in(2)) {
      set_command(in, WheelCommand::kStart, any_slot(),
                  static_cast<std::uint32_t>(to_turn) + random_.below(60));
      return true;
    }
    switch (random_.below(4)) {
      case 0:
        delay = random_.below(3);
        break;
      case 1:
        delay = 65535 - random_.below(3);
        break;
      default: {
        const std::uint64_t turn = kTurns[random_.below(4)];
        const std::uint64_t carry = (view.now / turn + 1 + random_.below(3)) * turn;
        const std::uint64_t due = carry - 2 + random_.below(5);
        delay = due <= view.now
                    ? 1
                    : static_cast<std::uint32_t>(std::min<std::uint64_t>(due - view.now, 65535));
      }
    }
    set_command(in, WheelCommand::kStart, slot, delay);
    return true;
  }

  // distance in ticks below the lag at which the wheel holds starts back
  static constexpr std::uint32_t kBeforeHold = 64;
  std::uint32_t count_ = 0;
};

/// Profile "full": all slots are started, and a command is given whenever one is accepted: 40 %
/// restarts, 20 % cancels, 40 % starts of stopped slots. Half of the delays are in the last level,
/// 40 % in the middle one, 10 % in the top one. A tick has 16 … 64 cycles.
class Full final : public WheelStimulus {
 public:
  using WheelStimulus::WheelStimulus;

 private:
  std::uint32_t choose_pace(const WheelView&) override {
    pace_ = WheelPace{16 + random_.below(49), 0, 1, 1, 0};
    return 5000;
  }
  bool choose_command(const WheelView& view, WheelInputs& in) override {
    if (filled_ < slots_) {
      set_command(in, WheelCommand::kStart, static_cast<std::uint16_t>(filled_++), delay());
      return true;
    }
    const std::uint32_t kind = random_.below(10);
    std::uint16_t slot = any_slot();
    const bool stopped_wanted = kind >= 6;
    for (int tries = 0; tries < 8 && view.oracle->is_started(slot) == stopped_wanted; ++tries) {
      slot = any_slot();
    }
    if (kind < 4 || stopped_wanted) {
      set_command(in, WheelCommand::kStart, slot, delay());
    } else {
      set_command(in, WheelCommand::kCancel, slot);
    }
    return true;
  }
  std::uint32_t delay() {
    const std::uint32_t kind = random_.below(10);
    return delay_of_level(kind < 5 ? 0 : kind < 9 ? 1 : 2);
  }
  std::uint32_t filled_ = 0;
};

/// Profile "cancel-race": commands to slots whose timer is about to expire, is offered, or is being
/// taken.
class CancelRace final : public WheelStimulus {
 public:
  using WheelStimulus::WheelStimulus;

 private:
  std::uint32_t choose_pace(const WheelView&) override {
    pace_ = WheelPace{4 + random_.below(60), random_.below(6), 1 + random_.below(4),
                      1 + random_.below(4), random_.one_in(3) ? 8u : 0u};
    deep_ = random_.one_in(4);
    return 1000 + random_.below(3000);
  }
  bool choose_command(const WheelView& view, WheelInputs& in) override {
    std::uint16_t slot = any_slot();
    const std::uint32_t kind = random_.below(8);
    if (kind < 3 && view.offered) {
      slot = view.offered_slot;
    } else if (kind < 6 && view.oracle->pending() > 0) {
      auto it = view.oracle->order().begin();
      const std::uint32_t steps = random_.below(4);
      for (std::uint32_t i = 0; i < steps && std::next(it) != view.oracle->order().end(); ++i) ++it;
      slot = static_cast<std::uint16_t>(it->second);
    }
    if (random_.one_in(3)) {
      set_command(in, WheelCommand::kCancel, slot);
    } else if (random_.one_in(12)) {
      set_command(in, WheelCommand::kRead, slot);
    } else {
      set_command(in, WheelCommand::kStart, slot, deep_ ? any_delay() : random_.below(9));
    }
    return true;
  }
  bool deep_ = false;
};

/// Profile "corner": three situations in turn that random commands do not reach.
/// - A list of the top level is not unfolded when the pointer comes to the end of its slot, because
///   restarts fill the lists of the middle level, which are unfolded first.
/// - On the tick that is handed out, events are cancelled in words that are not loaded yet.
/// - Idle time is skipped by up to 2^31 ticks.
class Corner final : public WheelStimulus {
 public:
  using WheelStimulus::WheelStimulus;

 private:
  enum class Phase { kSkip, kFill, kApproach, kStarve, kEmpty, kPairs, kCancel, kTake };

  std::uint32_t choose_pace(const WheelView& view) override {
    switch (phase_) {
      case Phase::kSkip:  // next: fills the list of the slot after next of the top level
        phase_ = Phase::kFill;
        pace_ = WheelPace{0, 0, 1, 1, 0};
        base_ = random_.below(slots_);
        crowd_ = 150 + random_.below(300);
        count_ = 0;
        return 8 * crowd_;
      case Phase::kFill:  // next: goes to the tick on which the wheel begins to unfold that list
        phase_ = Phase::kApproach;
        pace_ = WheelPace{0, 0, 1, 0, 0};
        jump_to_ = ((view.now >> 11) + 1) << 11;
        return 1;
      case Phase::kApproach:  // next: restarts and ticks whenever the wheel accepts them
        if (view.now < jump_to_) return 1;
        phase_ = Phase::kStarve;
        pace_ = WheelPace{1, 0, 1, 1, 0, 0, kBehind};
        end_ = jump_to_ + 2048;
        count_ = 0;
        return 16;
      case Phase::kStarve:  // next: lets all these events expire
        if (view.pointer < end_) return 16;
        phase_ = Phase::kEmpty;
        pace_ = WheelPace{0, 0, 1, 0, 0};
        jump_to_ = view.now + 2200;
        return 16;
      case Phase::kEmpty:
        if (view.now < jump_to_) return 16;
        rounds_ = 4;
        return begin_pairs(view);
      case Phase::kPairs:  // next: cancels some of them; the consumer takes nothing
        phase_ = Phase::kCancel;
        pace_ = WheelPace{0, 0, 0, 2, 0};
        jump_to_ = target_;
        count_ = 2;
        return 400;
      case Phase::kCancel:
        phase_ = Phase::kTake;
        pace_ = WheelPace{0, 0, 1, 0, 0};
        return 400;
      case Phase::kTake:
        if (--rounds_ > 0) return begin_pairs(view);
        break;
    }
    phase_ = Phase::kSkip;
    pace_ = WheelPace{0, 0, 1, 100, 0, 0, 0, true};
    return 4000;
  }
  /// Begins to start two events in every word of a row.
  std::uint32_t begin_pairs(const WheelView& view) {
    phase_ = Phase::kPairs;
    pace_ = WheelPace{0, 0, 1, 1, 0};
    target_ = view.now + 1 + random_.below(100);
    for (std::uint32_t word = 0; word < slots_ / 32; ++word) {
      const std::uint32_t bit = random_.below(32);
      pairs_[2 * word] = static_cast<std::uint16_t>(32 * word + bit);
      pairs_[2 * word + 1] =
          static_cast<std::uint16_t>(32 * word + (bit + 1 + random_.below(31)) % 32);
    }
    count_ = 0;
    return 400;
  }
  bool choose_command(const WheelView& view, WheelInputs& in) override {
    switch (phase_) {
      case Phase::kFill: {
        if (count_ == crowd_) return false;
        const std::uint64_t due = (((view.now >> 11) + 2) << 11) + random_.below(2048);
        set_command(in, WheelCommand::kStart, slot_of(kOthers + count_++),
                    static_cast<std::uint32_t>(due - view.now));
        return true;
      }
      case Phase::kStarve: {
        // due at the end of the block after next, so in a list of the middle level for a while
        const std::uint64_t due = (((view.pointer >> 6) + 2) << 6) + 48 + random_.below(16);
        set_command(in, WheelCommand::kStart, slot_of(count_++ % kOthers),
                    static_cast<std::uint32_t>(std::max(due, view.now + 1) - view.now));
        return true;
      }
      case Phase::kPairs:
        if (count_ == pairs_.size()) return false;
        set_command(in, WheelCommand::kStart, pairs_[count_++],
                    static_cast<std::uint32_t>(target_ - view.now));
        return true;
      case Phase::kCancel: {
        // An offer lies in the first word, so the other words are not loaded.
        if (!view.offered || count_ >= pairs_.size()) return false;
        set_command(in, WheelCommand::kCancel, pairs_[count_]);
        count_ += count_ % 2 == 0 && random_.one_in(3) ? 1 : 2 - count_ % 2;
        return true;
      }
      default:
        set_command(in, WheelCommand::kStart, any_slot(), any_delay());
        return true;
    }
  }
  std::uint16_t slot_of(std::uint32_t number) const {
    return static_cast<std::uint16_t>((base_ + number) % slots_);
  }

  // lag in ticks while the list of the top level waits, so that starts come after the next block
  static constexpr std::uint32_t kBehind = 66;
  // number of slots that are started again and again meanwhile
  static constexpr std::uint32_t kOthers = 40;
  Phase phase_ = Phase::kEmpty;
  std::uint32_t base_ = 0;
  std::uint32_t crowd_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t rounds_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t target_ = 0;
  std::array<std::uint16_t, kVerilatedTimers / 16> pairs_{};  // two slots of each word of a row
};

}  // namespace

void WheelStimulus::drive(const WheelView& view, WheelInputs& in) {
  if (view.cycle >= pace_until_) {
    pace_until_ = view.cycle + choose_pace(view);
    next_tick_ = std::max(next_tick_, view.cycle);
    if (next_tick_ > view.cycle + pace_.tick_cycles) next_tick_ = view.cycle + pace_.tick_cycles;
  }
  in.tick = pace_.tick_cycles != 0 && view.cycle >= next_tick_ &&
            (pace_.most_lag == 0 || view.now - view.pointer < pace_.most_lag);
  if (in.tick) next_tick_ = view.cycle + pace_.tick_cycles;
  if (in.tick && pace_.rest_one_in != 0) in.tick = ++ticks_ % pace_.rest_one_in != 0;

  // The consumer takes an expiry at least take_gap cycles after the previous one.
  if (in.expire_ready && view.offered)
    next_take_ = view.cycle + (pace_.take_gap == 0 ? 0 : pace_.take_gap - 1);
  in.expire_ready = pace_.take_one_in != 0 && view.cycle >= next_take_ &&
                    (pace_.take_one_in == 1 || random_.one_in(pace_.take_one_in));

  in.advance = pace_.skip_span != 0 && !in.tick;
  if (in.advance) {
    in.advance_to = static_cast<std::uint32_t>(
        view.now + 1 + (random_.one_in(2) ? random_.below(pace_.skip_span) : random_.below(64)));
  }
  if (pace_.far_skips) {
    in.advance = true;
    in.advance_to =
        static_cast<std::uint32_t>(view.now + (1u << random_.below(32)) + random_.below(64));
  }
  if (jump_to_ > view.now) {
    in.advance = true;
    in.advance_to = static_cast<std::uint32_t>(jump_to_);
  }
  if (!view.command_waits) {
    in.cmd_valid = pace_.command_one_in != 0 &&
                   (pace_.command_one_in == 1 || random_.one_in(pace_.command_one_in)) &&
                   choose_command(view, in);
  }
}

std::uint16_t WheelStimulus::delay_of_level(std::uint32_t level) {
  switch (level) {
    case 0:
      return static_cast<std::uint16_t>(random_.below(64));
    case 1:
      return static_cast<std::uint16_t>(64 + random_.below(4096 - 64));
    default:
      return static_cast<std::uint16_t>(4096 + random_.below(65536 - 4096));
  }
}

WheelPace WheelStimulus::any_pace() {
  static constexpr std::array<std::uint32_t, 6> kTicks = {0, 1, 7, 16, 64, 250};
  static constexpr std::array<std::uint32_t, 5> kCommands = {0, 1, 2, 8, 50};
  WheelPace pace;
  pace.tick_cycles = kTicks[random_.below(6)];
  pace.take_gap = random_.one_in(2) ? 0 : 4;
  pace.take_one_in = random_.one_in(8) ? 50 : 1 + random_.below(3);
  pace.command_one_in = kCommands[random_.below(5)];
  pace.skip_span = random_.one_in(3) ? 0 : (random_.one_in(2) ? 3000 : 100);
  if (pace.tick_cycles == 0) pace.skip_span = 1 + random_.below(3000);
  return pace;
}

std::unique_ptr<WheelStimulus> make_wheel_stimulus(const std::string& profile, std::uint32_t slots,
                                                   std::uint64_t seed) {
  if (profile == "uniform") return std::make_unique<Uniform>(slots, seed);
  if (profile == "burst") return std::make_unique<Burst>(slots, seed);
  if (profile == "wrap") return std::make_unique<Wrap>(slots, seed);
  if (profile == "full") return std::make_unique<Full>(slots, seed);
  if (profile == "cancel-race") return std::make_unique<CancelRace>(slots, seed);
  if (profile == "corner") return std::make_unique<Corner>(slots, seed);
  throw std::invalid_argument("unknown profile '" + profile +
                              "': uniform, burst, wrap, full, cancel-race, corner or all");
}

}  // namespace dcc
