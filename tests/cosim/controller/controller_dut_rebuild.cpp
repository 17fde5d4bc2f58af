// Verilated controllers that recover from lost memory words by themselves (parameters Secded and
// Rebuild): the small size, or with DCC_REBUILD_LARGE 1024 slots and another latency.
#ifdef DCC_REBUILD_LARGE
#include <Vdcc_rebuild_large.h>
#include <Vdcc_rebuild_large___024root.h>
#else
#include <Vdcc_rebuild.h>
#include <Vdcc_rebuild___024root.h>
#endif

#define DCC_JOIN(a, b) DCC_JOIN_(a, b)
#define DCC_JOIN_(a, b) a##__DOT__##b
#include "guarded_memories.h"

namespace dcc::page {

#ifdef DCC_REBUILD_LARGE
std::unique_ptr<ControllerDut> make_rebuild_controller(std::uint32_t random_seed) {
  return std::make_unique<VerilatedController<Vdcc_rebuild_large>>(Shape{1024, 100, 64, 16, 64},
                                                                   random_seed);
}

const std::vector<SecdedMemory>& rebuild_memories() {
  return secded_memories_of<Vdcc_rebuild_large, 11, 10>();
}
#else
std::unique_ptr<ControllerDut> make_rebuild_controller(std::uint32_t random_seed) {
  return std::make_unique<VerilatedController<Vdcc_rebuild>>(Shape{64, 40, 16, 4, 16}, random_seed);
}

const std::vector<SecdedMemory>& rebuild_memories() { return secded_memories_of<Vdcc_rebuild>(); }
#endif

}  // namespace dcc::page
