// Implements the hardware's pins with the core's reference wheel.
#include "controller/timing_wheel.h"
#include "timing_wheel_dut.h"

namespace dcc {
namespace {

/// Within a cycle an expiry comes before a command, as in the hardware. An expiry is visible only
/// in cycles with expire_ready, because the model can look at an expiry only by taking it.
class ModelWheel final : public WheelDut {
 public:
  WheelOutputs cycle(const WheelInputs& in) override {
    WheelOutputs out = answer_;
    answer_ = WheelOutputs{};
    out.init_done = true;
    out.now = static_cast<std::uint32_t>(now_);
    if (in.expire_ready) {
      if (const auto expiry = wheel_.take_expired(now_); expiry.has_value()) {
        out.expire_valid = true;
        out.expire_slot = static_cast<std::uint16_t>(expiry->slot);
        out.expire_due = static_cast<std::uint32_t>(expiry->due);
        out.lag = static_cast<std::uint32_t>(now_ - expiry->due);
      }
    }
    if (!out.expire_valid) out.lag = static_cast<std::uint32_t>(wheel_.lag(now_));
    overrun_ = (overrun_ && !in.overrun_clear) || out.lag >= kOverrunLag;
    out.overrun = overrun_;

    const std::uint64_t moves_before = wheel_.moves();
    out.cmd_ready = true;
    if (in.cmd_valid) command(in);
    const std::optional<Tick> next = wheel_.next_due(now_);
    out.idle = !in.cmd_valid && !out.expire_valid && (!next.has_value() || *next > now_);
    out.next_due_valid = next.has_value();
    out.next_due = static_cast<std::uint32_t>(next.value_or(0));
    out.busy = in.cmd_valid || out.expire_valid;
    out.move = wheel_.moves() != moves_before;
    if (out.idle && in.advance) {
      const Tick target = now_ + static_cast<std::uint32_t>(in.advance_to - out.now);
      now_ = next.has_value() && *next < target ? *next : target;
    }
    if (in.tick) ++now_;
    if (in.clear) {
      wheel_.reset(now_);
      answer_ = {};
    }
    return out;
  }
  void reset() override {
    now_ = 0;
    wheel_.reset(0);
    answer_ = {};
  }
  std::string name() const override { return "model"; }

 private:
  void command(const WheelInputs& in) {
    answer_.cmd_done = true;
    switch (in.cmd_op) {
      case WheelCommand::kStart:
        answer_.cmd_hit = wheel_.is_started(in.cmd_slot);
        wheel_.start(in.cmd_slot, in.cmd_delay, now_);
        break;
      case WheelCommand::kCancel:
        answer_.cmd_hit = wheel_.cancel(in.cmd_slot, now_);
        break;
      case WheelCommand::kRead:
        answer_.cmd_hit = wheel_.is_started(in.cmd_slot);
        answer_.cmd_due = wheel_.stored_due(in.cmd_slot).value_or(0);
        break;
    }
  }

  TimingWheel wheel_{kVerilatedTimers};
  Tick now_ = 0;
  bool overrun_ = false;
  WheelOutputs answer_;  // answer to the command of the previous cycle
};

}  // namespace

std::unique_ptr<WheelDut> make_model_wheel() { return std::make_unique<ModelWheel>(); }

}  // namespace dcc
