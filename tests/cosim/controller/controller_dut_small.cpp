// The controller small enough to be full of everything at once (rtl/controller/CMakeLists.txt).
#include <Vdcc_small.h>

#include "controller_dut_verilated.h"

namespace dcc::page {

std::unique_ptr<ControllerDut> make_small_controller(std::uint32_t random_seed) {
  return std::make_unique<VerilatedController<Vdcc_small>>(Shape{64, 40, 16, 4, 16}, random_seed);
}

}  // namespace dcc::page
