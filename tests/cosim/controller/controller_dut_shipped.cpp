// The verilated controller with the shipped parameters.
#include <Vdcc_controller.h>

#include "controller_dut_verilated.h"

namespace dcc::page {

std::unique_ptr<ControllerDut> make_shipped_controller(std::uint32_t random_seed) {
  return std::make_unique<VerilatedController<Vdcc_controller>>(Shape{1024, 64, 64, 16, 64},
                                                                random_seed);
}

}  // namespace dcc::page
