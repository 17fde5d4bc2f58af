// Implements WheelDut by the verilated RTL without assertions.
#include <Vwheel_rtl.h>

#include "timing_wheel_dut_verilated.h"

namespace dcc {

std::unique_ptr<WheelDut> make_rtl_wheel(WheelFault fault, std::uint32_t random_seed) {
  return std::make_unique<VerilatedWheel<Vwheel_rtl>>("rtl", fault, random_seed);
}

}  // namespace dcc
