// Implements WheelDut on a class that Verilator made of timing_wheel_dut.sv. Users of this file do
// not need SystemC.
#pragma once

#include <verilated.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "no_watch.h"
#include "single_thread_context.h"
#include "timing_wheel_dut.h"

namespace dcc {

/// `Watch` is called with the pins twice per clock cycle; see NoWatch.
template <class Verilated, class Watch = NoWatch>
class VerilatedWheel final : public WheelDut {
 public:
  VerilatedWheel(std::string name, WheelFault fault, std::uint32_t random_seed)
      : name_(std::move(name)) {
    context_.fatalOnError(false);  // a failed assertion becomes an exception, not an abort
    if (random_seed != 0) {
      context_.randReset(2);
      context_.randSeed(static_cast<int>(random_seed & 0x7FFFFFFF));
    }
    wheel_ = std::make_unique<Verilated>(&context_, "wheel");
    wheel_->fault_i = static_cast<std::uint8_t>(fault);
    VerilatedWheel::reset();
  }
  ~VerilatedWheel() override { wheel_->final(); }

  void reset() override {
    set(WheelInputs{});
    wheel_->rst_ni = 1;
    wheel_->clk_i = 0;
    wheel_->eval();
    wheel_->rst_ni = 0;
    for (int i = 0; i < 3; ++i) {
      // Lowers the reset again: this makes an edge, and registers without a reset keep their
      // power-up contents.
      wheel_->eval();
      clock();
    }
    wheel_->rst_ni = 1;
  }

  WheelOutputs cycle(const WheelInputs& in) override {
    set(in);
    wheel_->eval();
    watch_.settled(*wheel_);
    WheelOutputs out;
    out.init_done = wheel_->init_done_o;
    out.cmd_ready = wheel_->cmd_ready_o;
    out.cmd_done = wheel_->cmd_done_o;
    out.cmd_hit = wheel_->cmd_hit_o;
    out.cmd_due = wheel_->cmd_due_o;
    out.expire_valid = wheel_->expire_valid_o;
    out.expire_slot = wheel_->expire_slot_o;
    out.expire_due = wheel_->expire_due_o;
    out.now = wheel_->now_o;
    out.lag = wheel_->lag_o;
    out.overrun = wheel_->overrun_o;
    out.idle = wheel_->idle_o;
    out.next_due_valid = wheel_->next_due_valid_o;
    out.next_due = wheel_->next_due_o;
    out.busy = wheel_->busy_o;
    out.move = wheel_->move_o;
    clock();
    if (context_.gotError()) {
      throw std::runtime_error(name_ + ": an assertion of the wheel failed; see above");
    }
    return out;
  }

  std::string name() const override { return name_; }
  Verilated& pins() { return *wheel_; }
  VerilatedContext& context() { return context_; }
  Watch& watch() { return watch_; }

 private:
  void set(const WheelInputs& in) {
    wheel_->clear_i = in.clear;
    wheel_->tick_i = in.tick;
    wheel_->cmd_valid_i = in.cmd_valid;
    wheel_->cmd_op_i = static_cast<std::uint8_t>(in.cmd_op);
    wheel_->cmd_slot_i = in.cmd_slot;
    wheel_->cmd_delay_i = in.cmd_delay;
    wheel_->expire_ready_i = in.expire_ready;
    wheel_->overrun_clear_i = in.overrun_clear;
    wheel_->advance_i = in.advance;
    wheel_->advance_to_i = in.advance_to;
  }
  void clock() {
    wheel_->clk_i = 1;
    wheel_->eval();
    watch_.edge(*wheel_);
    wheel_->clk_i = 0;
  }

  std::string name_;
  SingleThreadContext context_;
  std::unique_ptr<Verilated> wheel_;
  Watch watch_;
};

}  // namespace dcc
