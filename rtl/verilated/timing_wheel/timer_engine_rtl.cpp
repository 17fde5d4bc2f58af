// Runs the verilated timing wheel behind the timing engine's interface: turns calls, whose times
// are ticks, into clock cycles of the RTL.
#include "timer_engine_rtl.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace dcc {
namespace {

// A tick of the platform has 250 cycles (1 µs at 250 MHz). A wheel with work gets at most 250
// cycles per tick, so the simulated wheel never does more than the hardware could.
constexpr std::uint32_t kCyclesPerTick = 250;
constexpr std::uint32_t kHangCycles = 1'000'000;
constexpr Tick kMaxSkip = Tick{1} << 30;  // the wheel's own tick counter has 32 bits

class Engine final : public RtlTimerEngine {
 public:
  Engine(std::unique_ptr<WheelDut> wheel, std::uint32_t slots)
      : slots_(slots), wheel_(std::move(wheel)) {
    if (slots_ == 0 || slots_ > kVerilatedTimers) {
      throw std::invalid_argument("the verilated wheel has " + std::to_string(kVerilatedTimers) +
                                  " slots, not " + std::to_string(slots_));
    }
    settle();
  }

  std::optional<Tick> next_due(Tick now) override {
    catch_up(now);
    settle();
    if (out_.expire_valid) return now;
    if (!out_.next_due_valid) return std::nullopt;
    return now_ + static_cast<std::uint32_t>(out_.next_due - out_.now);
  }

  bool is_started(SlotIndex slot) const override { return read(slot).cmd_hit; }
  std::optional<std::uint32_t> stored_due(SlotIndex slot) const override {
    const WheelOutputs answer = read(slot);
    if (!answer.cmd_hit) return std::nullopt;
    return (answer.cmd_due + static_cast<std::uint32_t>(base_)) & 0x1FFFFu;
  }
  Tick lag(Tick now) override {
    catch_up(now);
    settle();
    return out_.expire_valid ? out_.lag : 0;
  }
  const RtlWheelFigures& figures() const override { return figures_; }
  std::string describe() const override {
    std::string text = "now " + std::to_string(base_ + out_.now) + ", lag " +
                       std::to_string(out_.lag) + (out_.overrun ? ", overrun" : "");
    if (out_.expire_valid) text += ", offers slot " + std::to_string(out_.expire_slot);
    if (out_.idle) text += ", idle";
    return text + ", cycle " + std::to_string(figures_.cycles);
  }

 private:
  bool do_start(SlotIndex slot, Ticks delay, Tick now) override {
    catch_up(now);
    return command(WheelCommand::kStart, slot, delay).cmd_hit;
  }
  bool do_cancel(SlotIndex slot, Tick now) override {
    catch_up(now);
    return command(WheelCommand::kCancel, slot, 0).cmd_hit;
  }
  std::optional<TimerExpiry> do_take_expired(Tick now) override {
    catch_up(now);
    const std::uint32_t waited = settle();
    if (!out_.expire_valid) return std::nullopt;
    if (out_.lag == 0) {
      figures_.longest_expiry_wait = std::max(figures_.longest_expiry_wait, waited);
    }
    WheelInputs in;
    in.expire_ready = true;
    cycle(in);
    return TimerExpiry{out_.expire_slot,
                       now_ - static_cast<std::uint32_t>(out_.now - out_.expire_due)};
  }
  void do_reset(Tick now) override {
    WheelInputs in;
    in.clear = true;
    cycle(in);
    in.clear = false;
    in.overrun_clear = true;  // allowed because the lag is 0 now
    cycle(in);
    settle();
    overrun_seen_ = false;
    now_ = now;
    base_ = now - out_.now;
  }

  void cycle(const WheelInputs& in) const {
    out_ = wheel_->cycle(in);
    ++figures_.cycles;
  }

  /// Runs until the wheel offers an expiry or has no work; returns the number of cycles.
  std::uint32_t settle() const {
    for (std::uint32_t cycles = 0; cycles < kHangCycles; ++cycles) {
      cycle(WheelInputs{});
      if (out_.overrun) overrun_seen_ = true;
      if (out_.expire_valid || out_.idle) return cycles;
    }
    throw std::runtime_error("the verilated wheel hangs at tick " + std::to_string(now_));
  }

  /// Brings the wheel's time to `now`. Idle ticks are skipped, ticks with work get their cycles.
  void catch_up(Tick now) {
    while (now_ < now) {
      WheelInputs in;
      for (std::uint32_t cycles = 0; cycles < kCyclesPerTick; ++cycles) {
        in.advance = true;
        in.advance_to = out_.now + static_cast<std::uint32_t>(std::min(now - now_, kMaxSkip));
        const std::uint32_t before = out_.now;
        cycle(in);
        // The outputs are sampled before the clock edge, so an accepted skip shows in the outputs
        // of the next cycle.
        const bool skipped = out_.idle;
        if (skipped) {
          const std::uint32_t wish = in.advance_to - before;
          const std::uint32_t next = out_.next_due - before;
          now_ += out_.next_due_valid && next < wish ? next : wish;
          cycle(WheelInputs{});
          if (now_ >= now) break;
          continue;
        }
        // Only the consumer can make the wheel continue, by taking the expiry.
        if (out_.expire_valid && !out_.busy) break;
      }
      if (now_ >= now) break;
      in = WheelInputs{};
      in.tick = true;
      cycle(in);
      ++now_;
      cycle(WheelInputs{});
    }
    if (overrun_seen_ || out_.overrun) set_overrun();
  }

  WheelOutputs command(WheelCommand op, SlotIndex slot, Ticks delay) const {
    if (slot >= slots_) throw std::invalid_argument("slot " + std::to_string(slot));
    WheelInputs in;
    in.cmd_valid = true;
    in.cmd_op = op;
    in.cmd_slot = static_cast<std::uint16_t>(slot);
    in.cmd_delay = static_cast<std::uint16_t>(delay);
    std::uint32_t stall = 0;
    for (cycle(in); !out_.cmd_ready; cycle(in)) {
      if (++stall == kHangCycles) {
        throw std::runtime_error("the verilated wheel takes no command at tick " +
                                 std::to_string(now_));
      }
    }
    figures_.longest_command_stall = std::max(figures_.longest_command_stall, stall);
    do cycle(WheelInputs{});
    while (!out_.cmd_done);
    return out_;
  }
  WheelOutputs read(SlotIndex slot) const { return command(WheelCommand::kRead, slot, 0); }

  std::uint32_t slots_;
  std::unique_ptr<WheelDut> wheel_;
  // Mutable, because a read takes clock cycles of the hardware without changing state that a caller
  // can see.
  mutable WheelOutputs out_;
  mutable RtlWheelFigures figures_;
  mutable bool overrun_seen_ = false;
  Tick now_ = 0;
  Tick base_ = 0;  // simulated time minus the wheel's tick counter, which a reset sets to 0
};

}  // namespace

std::unique_ptr<RtlTimerEngine> make_rtl_timer_engine(const RtlWheelOptions& options) {
  return make_rtl_timer_engine(make_rtl_wheel(options.fault, options.random_seed), options.slots);
}

std::unique_ptr<RtlTimerEngine> make_rtl_timer_engine(std::unique_ptr<WheelDut> wheel,
                                                      std::uint32_t slots) {
  return std::make_unique<Engine>(std::move(wheel), slots);
}

}  // namespace dcc
