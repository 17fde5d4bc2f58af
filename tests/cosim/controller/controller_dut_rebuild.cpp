// The small controller that recovers from wrong words (parameters Secded and Rebuild).
#include <Vdcc_rebuild.h>
#include <Vdcc_rebuild___024root.h>

#define DCC_JOIN(a, b) DCC_JOIN_(a, b)
#define DCC_JOIN_(a, b) a##__DOT__##b
#include "guarded_memories.h"

namespace dcc::page {

std::unique_ptr<ControllerDut> make_rebuild_controller(std::uint32_t random_seed) {
  return std::make_unique<VerilatedController<Vdcc_rebuild>>(Shape{64, 40, 16, 4, 16}, random_seed);
}

const std::vector<SecdedMemory>& rebuild_memories() { return secded_memories_of<Vdcc_rebuild>(); }

}  // namespace dcc::page
