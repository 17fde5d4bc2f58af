// The verilated RTL behind WheelDut.
#include <Vwheel_rtl.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "timing_wheel_dut_verilated.h"

namespace dcc {

WheelFault wheel_fault(WheelFault asked) {
  const char* const text = std::getenv("DCCVP_WHEEL_FAULT");
  if (asked != WheelFault::kNone || text == nullptr) return asked;
  const std::string number = text;
  if (number.size() != 1 || number[0] < '0' || number[0] > '3') {
    throw std::invalid_argument("DCCVP_WHEEL_FAULT is '" + number + "', not 0 to 3");
  }
  return static_cast<WheelFault>(number[0] - '0');
}

std::unique_ptr<WheelDut> make_rtl_wheel(WheelFault fault, std::uint32_t random_seed) {
  return std::make_unique<VerilatedWheel<Vwheel_rtl>>("rtl", fault, random_seed);
}

}  // namespace dcc
