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

template <class Top, unsigned kFlow, unsigned kSlot>
const std::vector<SecdedMemory>& rebuild_memories_of() {
  static const std::vector<SecdedMemory> kMemories = [] {
    std::vector<SecdedMemory> all = secded_memories_of<Top, kFlow, kSlot>();
    all.push_back({byte_queue_of<Top, kFlow>(), 29, kFlow + 57, 1, true});
    return all;
  }();
  return kMemories;
}

#ifdef DCC_REBUILD_LARGE
std::unique_ptr<ControllerDut> make_rebuild_controller(std::uint32_t random_seed) {
  return std::make_unique<VerilatedController<Vdcc_rebuild_large>>(Shape{1024, 100, 64, 16, 64},
                                                                   random_seed);
}

const std::vector<SecdedMemory>& rebuild_memories() {
  return rebuild_memories_of<Vdcc_rebuild_large, 11, 10>();
}
#else
std::unique_ptr<ControllerDut> make_rebuild_controller(std::uint32_t random_seed) {
  return std::make_unique<VerilatedController<Vdcc_rebuild>>(Shape{64, 40, 16, 4, 16}, random_seed);
}

const std::vector<SecdedMemory>& rebuild_memories() {
  return rebuild_memories_of<Vdcc_rebuild, 8, 6>();
}
#endif

}  // namespace dcc::page
