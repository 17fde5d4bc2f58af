// The small verilated controller with a hash table of flow numbers. The bench's flow numbers are
// scattered over 24 bits.
#include <Vdcc_sparse.h>
#include <Vdcc_sparse___024root.h>

#define DCC_JOIN(a, b) DCC_JOIN_(a, b)
#define DCC_JOIN_(a, b) a##__DOT__##b
#include "guarded_memories.h"

namespace dcc::page {

namespace {

std::unique_ptr<ControllerDut> make(std::uint32_t random_seed, const FlowMap& flows) {
  auto dut = std::make_unique<VerilatedController<Vdcc_sparse>>(Shape{64, 40, 16, 4, 16},
                                                                random_seed, flows);
  dut->wide_counters = wide_counters_of<Vdcc_sparse>();
  dut->add_time = add_time_of<Vdcc_sparse>;
  dut->set_slot = set_slot_of<Vdcc_sparse, 24>;
  return dut;
}

}  // namespace

std::unique_ptr<ControllerDut> make_sparse_controller(std::uint32_t random_seed) {
  const std::uint32_t factor = (random_seed * 0x9E3779B9u ^ 0x5C4DD124u) | 1;
  return make(random_seed, {24, factor, random_seed * 0x85EBCA6Bu});
}

std::unique_ptr<ControllerDut> make_unmapped_sparse_controller(std::uint32_t random_seed) {
  return make(random_seed, {24});
}

const std::vector<GuardedMemory>& sparse_memories() { return sparse_memories_of<Vdcc_sparse>(); }

}  // namespace dcc::page
