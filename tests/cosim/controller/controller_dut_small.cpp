// A verilated controller so small that tests can fill all its queues and tables
// (rtl/controller/CMakeLists.txt).
#include <Vdcc_small.h>
#include <Vdcc_small___024root.h>

#define DCC_JOIN(a, b) DCC_JOIN_(a, b)
#define DCC_JOIN_(a, b) a##__DOT__##b
#include "guarded_memories.h"

namespace dcc::page {

std::unique_ptr<ControllerDut> make_small_controller(std::uint32_t random_seed) {
  auto dut =
      std::make_unique<VerilatedController<Vdcc_small>>(Shape{64, 40, 16, 4, 16}, random_seed);
  dut->wide_counters = wide_counters_of<Vdcc_small>();
  dut->add_time = add_time_of<Vdcc_small>;
  dut->set_slot = set_slot_of<Vdcc_small>;
  return dut;
}

const std::vector<GuardedMemory>& guarded_memories() {
  static const std::vector<GuardedMemory> kMemories = [] {
    std::vector<GuardedMemory> all = guarded_memories_of<Vdcc_small>();
    all.push_back(byte_queue_of<Vdcc_small>());
    return all;
  }();
  return kMemories;
}

}  // namespace dcc::page
