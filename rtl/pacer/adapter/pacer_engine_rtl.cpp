// Adapter between the cycles of the pacer interface and clock edges of the verilated pacer.
#include "pacer_engine_rtl.h"

#include <Vpacer_nic.h>

#include <stdexcept>
#include <string>

#include "single_thread_context.h"

namespace dcc {
namespace {

static_assert(DCC_PACER_FLOWS == PacerShape{}.flows && DCC_PACER_WIDTH == PacerShape{}.width &&
                  DCC_PACER_DEPTH == PacerShape{}.depth,
              "rtl/pacer/CMakeLists.txt and the model");

class Engine final : public PacerEngine {
 public:
  Engine(const PacerSettings& settings, const RtlPacerOptions& options)
      : fault_(options.fault), name_("host " + std::to_string(options.host)) {
    context_.fatalOnError(false);  // a failed assertion becomes an exception
    block_ = std::make_unique<Vpacer_nic>(&context_, "pacer");
    block_->scale_i = settings.scale;
    block_->slack_i = settings.slack;
    block_->rst_ni = 1;
    block_->eval();
    block_->rst_ni = 0;
    edge();
    block_->clk_i = 0;
    block_->eval();
    block_->rst_ni = 1;
    for (std::uint32_t flow = 0; flow < PacerShape{}.flows; ++flow) edge();
    need(block_->init_done_o, "is not ready after its sweep");
  }
  ~Engine() override {
    // Verilator's final() uses the calling thread's context, which may still belong to another
    // engine.
    Verilated::threadContextp(&context_);
    block_->final();
    block_.reset();
  }

  PacerAnswer cycle(const PacerInputs& inputs) override {
    block_->paused_i = inputs.paused;
    block_->want_i = inputs.want;
    block_->post_valid_i = inputs.post;
    if (inputs.post) {
      block_->post_flow_i = inputs.post_flow;
      block_->post_bytes_i = shortened() ? inputs.post_bytes ^ 64u : inputs.post_bytes;
    }
    block_->rate_valid_i = inputs.rate;
    if (inputs.rate) {
      block_->rate_flow_i = inputs.rate_flow;
      block_->rate_i = fault_ == 1 ? inputs.rate_value.raw ^ 1u << 20 : inputs.rate_value.raw;
      block_->rate_priority_i = inputs.priority;
    }
    edge();
    return answer();
  }
  PacerAnswer skip(std::uint64_t cycles, const PacerInputs& inputs) override {
    block_->paused_i = inputs.paused;
    block_->want_i = 0;
    block_->post_valid_i = 0;
    block_->rate_valid_i = 0;
    for (; cycles > 0; --cycles) edge();
    return answer();
  }

 private:
  /// Inputs settle while the clock is low; outputs are read after the rising edge.
  void edge() {
    block_->clk_i = 0;
    block_->eval();
    block_->clk_i = 1;
    block_->eval();
    need(!context_.gotError(), "fails an assertion");
  }
  PacerAnswer answer() const {
    PacerAnswer out;
    out.post_ready = block_->post_ready_o;
    out.rate_ready = block_->rate_ready_o;
    out.refused = block_->post_refused_o;
    out.strict = block_->strict_o;
    out.sent = block_->sent_valid_o;
    if (out.sent) {
      out.flow = block_->sent_flow_o;
      out.bytes = block_->sent_bytes_o;
    }
    return out;
  }
  void need(bool holds, const char* what) const {
    if (holds) return;
    throw std::runtime_error(name_ + ": the verilated pacer " + what);
  }
  bool shortened() { return fault_ == 2 && ++posts_ % 64 == 0; }

  unsigned fault_;
  std::string name_;
  SingleThreadContext context_;
  std::unique_ptr<Vpacer_nic> block_;
  std::uint64_t posts_ = 0;
};

}  // namespace

std::unique_ptr<PacerEngine> make_rtl_pacer(const PacerSettings& settings,
                                            const RtlPacerOptions& options) {
  return std::make_unique<Engine>(settings, options);
}

}  // namespace dcc
