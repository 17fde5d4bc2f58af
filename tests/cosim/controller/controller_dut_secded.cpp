// The small verilated controller with an error-correcting code in its memories (parameter Secded).
#include <Vdcc_secded.h>
#include <Vdcc_secded___024root.h>

#define DCC_JOIN(a, b) DCC_JOIN_(a, b)
#define DCC_JOIN_(a, b) a##__DOT__##b
#include "guarded_memories.h"

namespace dcc::page {

std::unique_ptr<ControllerDut> make_secded_controller(std::uint32_t random_seed) {
  auto dut =
      std::make_unique<VerilatedController<Vdcc_secded>>(Shape{64, 40, 16, 4, 16}, random_seed);
  dut->wide_counters = wide_counters_of<Vdcc_secded>();
  dut->add_time = add_time_of<Vdcc_secded>;
  return dut;
}

GuardedMemory secded_byte_queue() { return byte_queue_of<Vdcc_secded>(); }

const std::vector<SecdedMemory>& secded_memories() { return secded_memories_of<Vdcc_secded>(); }

}  // namespace dcc::page
