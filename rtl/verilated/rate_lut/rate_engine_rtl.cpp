// Adapter between calls of a rate engine and clock cycles of the verilated rate unit.
#include "rate_engine_rtl.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "rate_pins.h"

namespace dcc {
namespace {

constexpr std::uint32_t kHangCycles = 1000;

class Engine final : public RtlRateEngine {
 public:
  explicit Engine(std::unique_ptr<RateDut> unit) : unit_(std::move(unit)) {
    run(RateInputs{}, "initialise", [](const RateOutputs& out) { return out.init_done; });
  }

  void load(const RateRegisters& registers) override { unit_->set_registers(registers); }
  void load(RateTable table, std::uint32_t index, std::uint32_t word) override {
    if (index > kHighestIndex) return;  // the index exceeds every table and the width of the pins
    RateInputs in = pins(table, index);
    in.tbl_write = true;
    in.tbl_wdata = word;
    run(in, "take a table write", [](const RateOutputs& out) { return out.tbl_ready; });
  }
  std::optional<std::uint32_t> read(RateTable table, std::uint32_t index) override {
    if (index > kHighestIndex) return 0;
    return run(pins(table, index), "read a table",
               [](const RateOutputs& out) { return out.tbl_ready; })
        .tbl_rdata;
  }

  DecreaseResult decrease(const DecreaseRequest& request) override {
    const RateOutputs out = ask(pins(request));
    return {out.rsp_rc, out.rsp_rt, out.rsp_alpha};
  }
  IncreaseResult increase(const IncreaseRequest& request) override {
    const RateOutputs out = ask(pins(request));
    return {out.rsp_rc, out.rsp_rt, out.rsp_at_maximum};
  }

  const RtlRateFigures& figures() const override { return figures_; }

 private:
  static constexpr std::uint32_t kHighestIndex = 511;

  RateOutputs ask(const RateInputs& in) {
    run(in, "take a request", [](const RateOutputs& out) { return out.req_ready; });
    const std::uint64_t asked = figures_.cycles;
    // rsp_ready is 0 meanwhile, so a response that comes too early waits.
    unit_->cycles(RateInputs{}, kRateLatency - 1);
    figures_.cycles += kRateLatency - 1;
    RateInputs wait;
    wait.rsp_ready = true;
    const RateOutputs out =
        run(wait, "answer", [](const RateOutputs& answer) { return answer.rsp_valid; });
    if (out.rsp_increase != in.req_increase) {
      throw std::runtime_error("the verilated rate unit answers what was not asked");
    }
    ++figures_.requests;
    figures_.longest_answer =
        std::max(figures_.longest_answer, static_cast<std::uint32_t>(figures_.cycles - asked));
    return out;
  }

  /// Holds the inputs until the outputs of a cycle satisfy the condition. Returns these outputs.
  template <class Condition>
  RateOutputs run(const RateInputs& in, const char* what, const Condition& done) {
    for (std::uint32_t i = 0; i < kHangCycles; ++i) {
      const RateOutputs out = unit_->cycle(in);
      ++figures_.cycles;
      if (done(out)) return out;
    }
    throw std::runtime_error(std::string("the verilated rate unit hangs: it does not ") + what);
  }

  std::unique_ptr<RateDut> unit_;
  RtlRateFigures figures_;
};

}  // namespace

std::unique_ptr<RtlRateEngine> make_rtl_rate_engine(const RtlRateOptions& options) {
  return make_rtl_rate_engine(make_rtl_rate_dut(options.fault, options.random_seed));
}

std::unique_ptr<RtlRateEngine> make_rtl_rate_engine(std::unique_ptr<RateDut> unit) {
  return std::make_unique<Engine>(std::move(unit));
}

}  // namespace dcc
