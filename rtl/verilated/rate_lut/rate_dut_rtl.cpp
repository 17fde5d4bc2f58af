// Implements RateDut by the verilated RTL without assertions.
#include <Vrate_rtl.h>

#include "rate_dut_verilated.h"

namespace dcc {

std::unique_ptr<RateDut> make_rtl_rate_dut(RateFault fault, std::uint32_t random_seed) {
  return std::make_unique<VerilatedRate<Vrate_rtl>>("rtl", fault, random_seed);
}

}  // namespace dcc
