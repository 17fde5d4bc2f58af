// Implements the interface RateDut by the verilated gate-level netlist.
#include <Vrate_netlist.h>

#include "rate_dut_verilated.h"

namespace dcc {

std::unique_ptr<RateDut> make_netlist_rate_dut(std::uint32_t random_seed) {
  return std::make_unique<VerilatedRate<Vrate_netlist>>("netlist", RateFault::kNone, random_seed);
}

}  // namespace dcc
