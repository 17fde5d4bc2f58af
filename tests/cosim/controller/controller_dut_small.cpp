// The controller small enough to be full of everything at once (rtl/controller/CMakeLists.txt).
#include <Vdcc_small.h>
#include <Vdcc_small___024root.h>

#include "controller_dut_verilated.h"
#include "driver/dcc_regs.h"

namespace dcc::page {
namespace {

using Small = VerilatedController<Vdcc_small>;

template <class Word>
void turn(Word& word, unsigned bit) {
  word = static_cast<Word>(word ^ static_cast<Word>(Word{1} << bit));
}
template <std::size_t N>
void turn(VlWide<N>& word, unsigned bit) {
  word.m_storage[bit / 32] ^= std::uint32_t{1} << bit % 32;
}

}  // namespace

std::unique_ptr<ControllerDut> make_small_controller(std::uint32_t random_seed) {
  return std::make_unique<Small>(Shape{64, 40, 16, 4, 16}, random_seed);
}

// The array of a memory by its place in dc_manager.
#define DCC_GUARDED(name, place, memory, bits)                                                     \
  GuardedMemory {                                                                                  \
    name, DCC_MEMORY_ERROR_##memory##_MASK, bits, [](ControllerDut& small, unsigned bit) {         \
      auto& words =                                                                                \
          static_cast<Small&>(small)                                                               \
              .pins()                                                                              \
              .rootp->dcc_top__DOT__u_manager__DOT__##place##__DOT__u_ram__DOT__u_array__DOT__mem; \
      for (std::size_t i = 0; i < sizeof words / sizeof words[0]; ++i) turn(words[i], bit);        \
    }                                                                                              \
  }

const std::vector<GuardedMemory>& guarded_memories() {
  static const std::vector<GuardedMemory> kMemories = {
      DCC_GUARDED("slot_of", u_lookup__DOT__u_flows__DOT__u_slot_of, FLOWS, 8),
      DCC_GUARDED("flow_of", u_lookup__DOT__u_flows__DOT__u_flow_of, FLOWS, 9),
      DCC_GUARDED("free_list", u_lookup__DOT__u_free__DOT__u_list, FREE_LIST, 7),
      DCC_GUARDED("store", u_lookup__DOT__u_store, SLOTS, 200),
      DCC_GUARDED("limits_floor", u_limits__DOT__u_floor, TABLES, 33),
      DCC_GUARDED("limits_ceiling", u_limits__DOT__u_ceiling, TABLES, 33),
      DCC_GUARDED("factor", u_rate__DOT__u_tables__DOT__u_factor, TABLES, 33),
      DCC_GUARDED("floor", u_rate__DOT__u_tables__DOT__u_floor, TABLES, 33),
      DCC_GUARDED("ceiling", u_rate__DOT__u_tables__DOT__u_ceiling, TABLES, 33),
      DCC_GUARDED("decay_hi", u_rate__DOT__u_tables__DOT__u_decay_hi, TABLES, 18),
      DCC_GUARDED("decay_lo", u_rate__DOT__u_tables__DOT__u_decay_lo, TABLES, 18),
      DCC_GUARDED("decrease_even", u_rate__DOT__u_tables__DOT__u_decrease_even, TABLES, 18),
      DCC_GUARDED("decrease_odd", u_rate__DOT__u_tables__DOT__u_decrease_odd, TABLES, 18),
      DCC_GUARDED("cnps", u_cnps__DOT__u_ram, QUEUES, 31),
      DCC_GUARDED("commands", u_commands__DOT__u_ram, QUEUES, 10),
      DCC_GUARDED("first_starts", u_timers__DOT__u_first__DOT__u_ram, QUEUES, 24),
      DCC_GUARDED("other_starts", u_timers__DOT__u_again__DOT__u_ram, QUEUES, 24),
      DCC_GUARDED("beside", u_beside__DOT__u_ring, DELAYS, 409),
      DCC_GUARDED("answers", u_answers__DOT__g_ring__DOT__u_delay__DOT__u_ring, DELAYS, 44),
  };
  return kMemories;
}

}  // namespace dcc::page
