// Implements WheelDut by the verilated gate-level netlist, if the build has a netlist.
#include "timing_wheel_dut.h"

#ifdef DCC_HAVE_NETLIST
#include <Vwheel_netlist.h>

#include "timing_wheel_dut_verilated.h"

namespace dcc {

std::unique_ptr<WheelDut> make_netlist_wheel(std::uint32_t random_seed) {
  return std::make_unique<VerilatedWheel<Vwheel_netlist>>("netlist", WheelFault::kNone,
                                                          random_seed);
}

}  // namespace dcc
#else
namespace dcc {

std::unique_ptr<WheelDut> make_netlist_wheel(std::uint32_t) { return nullptr; }

}  // namespace dcc
#endif
