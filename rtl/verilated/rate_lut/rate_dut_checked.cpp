// Implements RateDut by the verilated RTL with its assertions.
#include <Vrate_trace.h>

#include "rate_dut_verilated.h"

namespace dcc {

std::unique_ptr<RateDut> make_checked_rate_dut(std::uint32_t random_seed) {
  return std::make_unique<VerilatedRate<Vrate_trace>>("rtl", RateFault::kNone, random_seed);
}

}  // namespace dcc
