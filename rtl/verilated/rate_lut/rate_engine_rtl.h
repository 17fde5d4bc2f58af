// The platform's rate engine implemented by the verilated rate unit.
#pragma once

#include <cstdint>
#include <memory>

#include "controller/rate_engine.h"
#include "rate_dut.h"

namespace dcc {

struct RtlRateOptions {
  RateFault fault = RateFault::kNone;  // fault to inject, as a demonstration; see RateFault
  std::uint32_t random_seed = 0;       // seed of random contents after power-up; 0: none
};

/// Clock cycles that the hardware needed. The hardware is not clocked between calls.
struct RtlRateFigures {
  std::uint64_t cycles = 0;
  std::uint64_t requests = 0;
  std::uint32_t longest_answer = 0;  // cycles from the handshake of a request to its response
};

/// A rate engine whose answers all come from the verilated unit, one request at a time.
class RtlRateEngine : public RateEngine {
 public:
  virtual const RtlRateFigures& figures() const = 0;
};

/// Makes the engine. Calls of the engine throw std::runtime_error if the hardware does not answer,
/// answers without a request, or fails an assertion.
std::unique_ptr<RtlRateEngine> make_rtl_rate_engine(const RtlRateOptions& options = {});
/// Makes the same engine with a rate unit that the caller made, for example one with a waveform.
std::unique_ptr<RtlRateEngine> make_rtl_rate_engine(std::unique_ptr<RateDut> unit);

}  // namespace dcc
