// Implements RateDut on a class that Verilator made of rate_dut.sv. Users of this file do not need
// SystemC.
#pragma once

#include <verilated.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "no_watch.h"
#include "rate_dut.h"
#include "rate_pins.h"
#include "single_thread_context.h"

namespace dcc {

/// `Watch` is called with the pins twice per clock cycle; see NoWatch.
template <class Verilated, class Watch = NoWatch>
class VerilatedRate final : public RateDut {
 public:
  VerilatedRate(std::string name, RateFault fault, std::uint32_t random_seed)
      : name_(std::move(name)) {
    context_.fatalOnError(false);  // a failed assertion becomes an exception, not an abort
    if (random_seed != 0) {
      context_.randReset(2);
      context_.randSeed(static_cast<int>(random_seed & 0x7FFFFFFF));
    }
    unit_ = std::make_unique<Verilated>(&context_, "rate");
    unit_->fault_i = static_cast<std::uint8_t>(fault);
    VerilatedRate::set_registers(RateRegisters{});
    VerilatedRate::reset();
  }
  ~VerilatedRate() override { unit_->final(); }

  void set_registers(const RateRegisters& registers) override {
    const RateRegisterWords words = words_of(registers);
    for (std::size_t i = 0; i < words.size(); ++i) unit_->regs_i[i] = words[i];
  }

  void reset() override {
    set(RateInputs{});
    unit_->rst_ni = 1;
    unit_->clk_i = 0;
    unit_->eval();
    unit_->rst_ni = 0;
    for (int i = 0; i < 3; ++i) {
      unit_->eval();
      clock();
    }
    unit_->rst_ni = 1;
  }

  RateOutputs cycle(const RateInputs& in) override { return cycles(in, 1); }
  RateOutputs cycles(const RateInputs& in, std::uint32_t count) override {
    set(in);
    for (; count > 1; --count) {
      settle();
      clock();
    }
    settle();
    RateOutputs out;
    out.init_done = unit_->init_done_o;
    out.req_ready = unit_->req_ready_o;
    out.rsp_valid = unit_->rsp_valid_o;
    out.rsp_increase = unit_->rsp_increase_o;
    out.rsp_rc = unit_->rsp_rc_o;
    out.rsp_rt = unit_->rsp_rt_o;
    out.rsp_alpha = unit_->rsp_alpha_o;
    out.rsp_at_maximum = unit_->rsp_at_maximum_o;
    out.tbl_ready = unit_->tbl_ready_o;
    out.tbl_rdata = unit_->tbl_rdata_o;
    out.busy = unit_->busy_o;
    out.error = unit_->error_o;
    clock();
    if (context_.gotError()) {
      throw std::runtime_error(name_ + ": an assertion of the rate unit failed; see above");
    }
    return out;
  }

  std::string name() const override { return name_; }
  Verilated& pins() { return *unit_; }
  VerilatedContext& context() { return context_; }
  Watch& watch() { return watch_; }

 private:
  void set(const RateInputs& in) {
    unit_->req_valid_i = in.req_valid;
    unit_->req_increase_i = in.req_increase;
    unit_->req_rc_i = in.req_rc;
    unit_->req_rt_i = in.req_rt;
    unit_->req_dscp_i = in.req_dscp;
    unit_->req_stage_i = in.req_stage;
    unit_->req_alpha_i = in.req_alpha;
    unit_->req_delta_i = in.req_delta;
    unit_->req_marks_i = in.req_marks;
    unit_->req_first_i = in.req_first;
    unit_->rsp_ready_i = in.rsp_ready;
    unit_->tbl_valid_i = in.tbl_valid;
    unit_->tbl_write_i = in.tbl_write;
    unit_->tbl_table_i = in.tbl_table;
    unit_->tbl_index_i = in.tbl_index;
    unit_->tbl_wdata_i = in.tbl_wdata;
  }
  void settle() {
    unit_->eval();
    watch_.settled(*unit_);
  }
  void clock() {
    unit_->clk_i = 1;
    unit_->eval();
    watch_.edge(*unit_);
    unit_->clk_i = 0;
  }

  std::string name_;
  SingleThreadContext context_;
  std::unique_ptr<Verilated> unit_;
  Watch watch_;
};

}  // namespace dcc
