// The timing engine in lock-step: every call goes to model and hardware, whose answers must be
// equal.
#include "timer_engine_lockstep.h"

#include <limits>
#include <utility>

#include "controller/timing_wheel.h"
#include "wheel_transactions.h"

namespace dcc {
namespace {

std::string text(bool value) { return value ? "yes" : "no"; }
std::string text(Tick value) { return std::to_string(value); }
std::string text(const std::optional<std::uint32_t>& value) {
  return value.has_value() ? std::to_string(*value) : "none";
}
std::string text(const std::optional<TimerExpiry>& value) {
  if (!value.has_value()) return "none";
  return "slot " + std::to_string(value->slot) + " due " + std::to_string(value->due);
}
bool same(const std::optional<TimerExpiry>& a, const std::optional<TimerExpiry>& b) {
  if (a.has_value() != b.has_value()) return false;
  return !a.has_value() || (a->slot == b->slot && a->due == b->due);
}

class Lockstep final : public LockstepTimerEngine {
 public:
  Lockstep(const LockstepOptions& options, std::unique_ptr<RtlTimerEngine> hardware)
      : options_(options), model_(options.rtl.slots), hardware_(std::move(hardware)) {}

  std::optional<Tick> next_due(Tick now) override {
    record(WheelCall::kNextDue, now);
    const std::optional<Tick> of_model = model_.next_due(now);
    const std::optional<Tick> of_hardware = hardware_->next_due(now);
    // Model and hardware may both report an early bound, so only the presence of a bound is
    // compared; a bound that is too late would show in an expiry.
    compare("next_due is there", of_model.has_value(), of_hardware.has_value());
    promised_ = of_hardware.value_or(std::numeric_limits<Tick>::max());
    return of_model;
  }
  bool is_started(SlotIndex slot) const override {
    record(WheelCall::kRead, last_now_, slot);
    const bool started = model_.is_started(slot);
    compare("is_started(" + std::to_string(slot) + ")", started, hardware_->is_started(slot));
    return started;
  }
  std::optional<std::uint32_t> stored_due(SlotIndex slot) const override {
    record(WheelCall::kRead, last_now_, slot);
    const std::optional<std::uint32_t> due = model_.stored_due(slot);
    compare("stored_due(" + std::to_string(slot) + ")", due, hardware_->stored_due(slot));
    return due;
  }
  Tick lag(Tick now) override {
    record(WheelCall::kLag, now);
    const Tick lag = model_.lag(now);
    compare("lag", lag, hardware_->lag(now));
    return lag;
  }

  void finish(Tick now) override {
    record(WheelCall::kLag, now);
    compare("lag at the end", model_.lag(now), hardware_->lag(now));
    for (SlotIndex slot = 0; slot < options_.rtl.slots; ++slot) {
      compare("pending at the end, slot " + std::to_string(slot), model_.stored_due(slot),
              hardware_->stored_due(slot));
    }
    compare("expired in all", Tick{model_.counters().expired}, Tick{hardware_->counters().expired});
  }
  std::uint64_t comparisons() const override { return comparisons_; }

 private:
  bool do_start(SlotIndex slot, Ticks delay, Tick now) override {
    record(WheelCall::kStart, now, slot, delay);
    promised_ = now;
    const std::uint64_t of_model = model_.counters().cancelled;
    const std::uint64_t of_hardware = hardware_->counters().cancelled;
    model_.start(slot, delay, now);
    hardware_->start(slot, delay, now);
    const bool replaced = model_.counters().cancelled != of_model;
    compare("start replaces an event", replaced, hardware_->counters().cancelled != of_hardware);
    check_overrun();
    return replaced;
  }
  bool do_cancel(SlotIndex slot, Tick now) override {
    record(WheelCall::kCancel, now, slot);
    const bool found = model_.cancel(slot, now);
    compare("cancel finds an event", found, hardware_->cancel(slot, now));
    check_overrun();
    return found;
  }
  std::optional<TimerExpiry> do_take_expired(Tick now) override {
    const std::optional<TimerExpiry> expiry = model_.take_expired(now);
    record(WheelCall::kTake, now, 0, expiry ? expiry->slot : WheelTransaction::kNone);
    const std::optional<TimerExpiry> other = hardware_->take_expired(now);
    ++comparisons_;
    if (!differed_ && !same(expiry, other)) differ("expiry", text(expiry), text(other));
    if (!differed_ && expiry.has_value() && now < promised_) {
      differ("an expiry before the RTL's next_due", text(expiry->due), text(promised_));
    }
    check_overrun();
    if (!expiry.has_value()) {
      transactions_.may_rotate(now, options_.rtl.slots, [&](SlotIndex slot) {
        const std::optional<std::uint32_t> due = model_.stored_due(slot);
        return due ? (*due - static_cast<std::uint32_t>(now)) & 0x1FFFFu : 0u;
      });
    }
    return expiry;
  }
  void do_reset(Tick now) override {
    record(WheelCall::kReset, now);
    promised_ = now;
    model_.reset(now);
    hardware_->reset(now);
  }

  void record(WheelCall call, Tick now, SlotIndex slot = 0, std::uint32_t value = 0) const {
    last_now_ = now;
    transactions_.add({now, value, static_cast<std::uint16_t>(slot), call});
  }
  void check_overrun() {
    compare("overrun", model_.overrun(), hardware_->overrun());
    if (model_.overrun()) set_overrun();
  }

  template <class T>
  void compare(const std::string& what, const T& of_model, const T& of_hardware) const {
    ++comparisons_;
    if (!differed_ && !(of_model == of_hardware)) differ(what, text(of_model), text(of_hardware));
  }

  [[noreturn]] void differ(const std::string& what, const std::string& of_model,
                           const std::string& of_hardware) const {
    std::string report = options_.name + ": model and RTL differ at tick " +
                         std::to_string(last_now_) + ", seed " + std::to_string(options_.seed) +
                         ": " + what + ": model " + of_model + ", RTL " + of_hardware + "\n";
    report += "  model: " + describe(model_) + "\n  RTL:   " + describe(*hardware_) + "; " +
              hardware_->describe() + "\n  last transactions:\n";
    for (const WheelTransaction& t : transactions_.last(options_.last_calls)) {
      report += "    " + to_string(t) + "\n";
    }
    try {
      write_recording(options_.log_path, {options_.seed, options_.rtl.slots, options_.rtl.fault,
                                          options_.rtl.random_seed, transactions_.run()});
      report += options_.replay_line("wheel.fst");
    } catch (const std::runtime_error& error) {
      report += std::string("  no replay: ") + error.what();
    }
    differed_ = true;
    throw LockstepMismatch(report);
  }

  static std::string describe(const TimerEngine& engine) {
    const TimerCounters& c = engine.counters();
    return std::to_string(c.started) + " started, " + std::to_string(c.expired) + " expired, " +
           std::to_string(c.cancelled) + " cancelled, " + std::to_string(c.pending()) + " pending" +
           (engine.overrun() ? ", overrun" : "");
  }

  LockstepOptions options_;
  // Lock-step reports only the first difference; later calls return the model's results.
  mutable bool differed_ = false;
  TimingWheel model_;
  std::unique_ptr<RtlTimerEngine> hardware_;
  Tick promised_ = 0;  // tick before which, according to the hardware, no timer expires
  mutable Tick last_now_ = 0;
  mutable std::uint64_t comparisons_ = 0;
  mutable WheelTransactions transactions_;
};

}  // namespace

std::unique_ptr<LockstepTimerEngine> make_lockstep_timer_engine(const LockstepOptions& options) {
  return make_lockstep_timer_engine(options, make_rtl_timer_engine(options.rtl));
}

std::unique_ptr<LockstepTimerEngine> make_lockstep_timer_engine(
    const LockstepOptions& options, std::unique_ptr<RtlTimerEngine> hardware) {
  return std::make_unique<Lockstep>(options, std::move(hardware));
}

}  // namespace dcc
