// Implements WheelDut by the verilated RTL with its assertions.
#include <Vwheel_trace.h>

#include "timing_wheel_dut_verilated.h"

namespace dcc {

std::unique_ptr<WheelDut> make_checked_wheel(WheelFault fault, std::uint32_t random_seed) {
  return std::make_unique<VerilatedWheel<Vwheel_trace>>("rtl", fault, random_seed);
}

}  // namespace dcc
