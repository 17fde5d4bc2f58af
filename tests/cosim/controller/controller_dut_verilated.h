// Implements ControllerDut by a verilated class.
#pragma once

#include <verilated.h>

#include <memory>

#include "controller_dut.h"
#include "driver/dcc_regs.h"

namespace dcc::page {

/// Maps a bench's flow number to the controller's flow number. The mapping is a bijection of `bits`
/// bits.
struct FlowMap {
  // an odd factor, so that the multiplication is invertible
  std::uint32_t bits = 32, factor = 1, turned = 0;

  std::uint32_t mask() const { return static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1); }
  std::uint32_t to(std::uint32_t flow) const { return (flow * factor ^ turned) & mask(); }
  std::uint32_t from(std::uint32_t number) const {
    // Newton iteration for the inverse modulo 2^32: three bits of the first value are correct, and
    // each step doubles this number.
    std::uint32_t inverse = factor;
    for (int i = 0; i < 4; ++i) inverse *= 2 - factor * inverse;
    return (number ^ turned) * inverse & mask();
  }
};

template <class Top>
class VerilatedController final : public ControllerDut {
 public:
  VerilatedController(const Shape& shape, std::uint32_t random_seed, const FlowMap& flows = {})
      : shape_(shape), flows_(flows) {
    context_.fatalOnError(false);
    context_.randReset(2);
    context_.randSeed(static_cast<int>(random_seed & 0x7FFFFFFF));
    top_ = std::make_unique<Top>(&context_, "top");
  }
  ~VerilatedController() override { top_->final(); }

  const Shape& shape() const override { return shape_; }
  Top& pins() { return *top_; }
  const FlowMap& flows() const { return flows_; }
  VerilatedContext& context() { return context_; }

  void reset() override {
    drive({}, {});
    top_->clk_i = 0;
    top_->pprot_i = 0;
    top_->pstrb_i = 0xF;
    top_->rst_ni = 1;
    top_->eval();
    top_->rst_ni = 0;
    top_->eval();  // evaluated twice, so that assertions see the reset values at the first edge
    for (int i = 0; i < 3; ++i) edge();
    top_->rst_ni = 1;
    for (int i = 0; i < 40000 && !top_->ready_o; ++i) edge();
  }

  Pins drive(const Inputs& in, const ApbPins& apb) override {
    top_->cnp_valid_i = in.cnp;
    top_->cnp_flow_i = flows_.to(in.cnp_flow);
    top_->cnp_dscp_i = in.cnp_dscp;
    top_->cnp_marks_i = in.cnp_marks;
    top_->cnp_packets_i = in.cnp_packets;
    top_->bytes_valid_i = in.bytes;
    top_->bytes_flow_i = flows_.to(in.bytes_flow);
    top_->bytes_dscp_i = in.bytes_dscp;
    top_->bytes_length_i = in.bytes_length;
    top_->command_valid_i = in.command;
    top_->command_query_i = in.command_query;
    top_->command_flow_i = flows_.to(in.command_flow);
    top_->psel_i = apb.psel;
    top_->penable_i = apb.penable;
    top_->pwrite_i = apb.pwrite;
    top_->paddr_i = apb.paddr;
    top_->pwdata_i = apb.pwdata;
    top_->eval();
    return {top_->ready_o != 0,
            top_->bytes_ready_o != 0,
            top_->command_ready_o != 0,
            top_->irq_o != 0,
            top_->pready_o != 0,
            top_->pslverr_o != 0,
            shown(apb, top_->prdata_o),
            top_->rate_valid_o != 0,
            {flows_.from(top_->rate_flow_o), top_->rate_value_o, top_->rate_query_o != 0,
             top_->rate_bound_o != 0}};
  }

  void check_assertions(bool on) override { context_.assertOn(on); }

  bool edge() override {
    top_->clk_i = 1;
    top_->eval();
    top_->clk_i = 0;
    top_->eval();
    return !context_.gotError();
  }

 private:
  /// The data that an APB read returned, with the flow number of a slot mapped back to the bench's
  /// number.
  std::uint32_t shown(const ApbPins& apb, std::uint32_t word) const {
    const bool flow = apb.paddr >= DCC_SLOTS_OFFSET &&
                      apb.paddr % DCC_SLOTS_STRIDE == DCC_SLOTS_FLOW_WORD_OFFSET &&
                      (word & DCC_SLOTS_FLOW_VALID_MASK) != 0;
    return flow ? flows_.from(word) | (word & ~flows_.mask()) : word;
  }

  Shape shape_;
  FlowMap flows_;
  VerilatedContext context_;
  std::unique_ptr<Top> top_;
};

}  // namespace dcc::page
