// State of the small controller that a bench accesses directly: memories with parity, and counters.
// The path of a member in the verilated class names each of them. The including file defines
// DCC_JOIN(a, b), which joins two parts of a path; a netlist flattened by yosys needs another
// definition.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../turned_bits.h"
#include "controller_dut_verilated.h"
#include "driver/dcc_regs.h"
#include "guarded_memory.h"

namespace dcc::page {

namespace detail {
template <std::size_t N>
void put(VlWide<N>& word, unsigned lsb, unsigned bits, std::uint64_t value) {
  for (unsigned i = lsb; i < lsb + bits; ++i, value >>= 1) {
    const std::uint32_t mask = std::uint32_t{1} << i % 32;
    word.m_storage[i / 32] = (word.m_storage[i / 32] & ~mask) | (value % 2 != 0 ? mask : 0);
  }
}
template <class Word>
std::vector<std::uint32_t> parts_of(const Word& word) {
  return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(std::uint64_t{word} >> 32)};
}
template <std::size_t N>
std::vector<std::uint32_t> parts_of(const VlWide<N>& word) {
  return {word.m_storage, word.m_storage + N};
}
template <class Words>
MemoryWords copy_of(const Words& words) {
  MemoryWords copy;
  for (std::size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
    copy.push_back(parts_of(words[i]));
  return copy;
}
/// Packs a slot into a word of the parameter store in dc_lookup's layout, with check bits.
template <std::size_t N>
void store(VlWide<N>& word, const Slot& slot, unsigned flow_bits) {
  unsigned at = 0;
  const auto next = [&](unsigned bits, std::uint64_t value) {
    put(word, at, bits, value);
    at += bits;
  };
  next(17, slot.due);
  next(32, slot.latest);
  next(32, static_cast<std::uint64_t>(slot.length));
  next(6, slot.dscp);
  next(8, slot.bc);
  next(8, slot.t);
  next(17, slot.alpha);
  next(32, slot.rt);
  next(32, slot.rc);
  next(1, slot.bound);
  next(flow_bits, slot.flow);
  const unsigned data = at;
  for (unsigned group = 0; group < data; group += 32) {
    bool odd = false;
    for (unsigned i = group; i < std::min(group + 32, data); ++i)
      odd ^= (word.m_storage[i / 32] >> i % 32 & 1) != 0;
    next(1, !odd);
  }
}
}  // namespace detail

#define DCC_WITHIN(path) DCC_WITHIN_(path)
#define DCC_WITHIN_(path) dcc_top__DOT__##path
#define DCC_ARRAY(path) DCC_ARRAY_(path)
#define DCC_ARRAY_(path) dcc_top__DOT__##path##__DOT__mem
#define DCC_WORDS(place)                                                 \
  static_cast<VerilatedController<Top>&>(small).pins().rootp->DCC_ARRAY( \
      DCC_JOIN(DCC_JOIN(DCC_JOIN(u_manager, place), u_ram), u_array))
#define DCC_GUARDED(name, memory, bits, place)                                                  \
  GuardedMemory {                                                                               \
    name, DCC_MEMORY_ERROR_##memory##_MASK, bits,                                               \
        [](ControllerDut& small, unsigned bit) {                                                \
          auto& words = DCC_WORDS(place);                                                       \
          for (std::size_t i = 0; i < sizeof words / sizeof words[0]; ++i) turn(words[i], bit); \
        },                                                                                      \
        [](ControllerDut& small, std::size_t word, unsigned bit) {                              \
          turn(DCC_WORDS(place)[word], bit);                                                    \
        },                                                                                      \
        [](ControllerDut& small) { return detail::copy_of(DCC_WORDS(place)); }                  \
  }
#define DCC_WHEEL(place) DCC_JOIN(DCC_JOIN(u_timers, u_wheel), place)
#define DCC_FLOWS(kind, place) DCC_JOIN(DCC_JOIN(DCC_JOIN(u_lookup, kind), u_flows), place)
#define DCC_TIME(name) DCC_JOIN(u_manager, DCC_WHEEL(DCC_JOIN(u_time, name)))
#define DCC_WIDE(name)                                                                        \
  WideCounter {                                                                               \
    &Counts::name, [](ControllerDut& small, std::uint64_t value) {                            \
      static_cast<VerilatedController<Top>&>(small).pins().rootp->DCC_WITHIN(                 \
          DCC_JOIN(DCC_JOIN(DCC_JOIN(u_manager, u_status), u_statistics), name##_o)) = value; \
    }                                                                                         \
  }

/// Memories with parity of a verilated class, with their paths below dc_manager.
template <class Top>
const std::vector<GuardedMemory>& guarded_memories_of() {
  static const std::vector<GuardedMemory> kMemories = {
      DCC_GUARDED("slot_of", FLOWS, 8, DCC_FLOWS(g_direct, u_slot_of)),
      DCC_GUARDED("flow_of", FLOWS, 9, DCC_FLOWS(g_direct, u_flow_of)),
      DCC_GUARDED("free_list", FREE_LIST, 7, DCC_JOIN(DCC_JOIN(u_lookup, u_free), u_list)),
      DCC_GUARDED("store", SLOTS, 200, DCC_JOIN(u_lookup, u_store)),
      DCC_GUARDED("limits_floor", TABLES, 33, DCC_JOIN(u_limits, u_floor)),
      DCC_GUARDED("limits_ceiling", TABLES, 33, DCC_JOIN(u_limits, u_ceiling)),
      DCC_GUARDED("factor", TABLES, 33, DCC_JOIN(DCC_JOIN(u_rate, u_tables), u_factor)),
      DCC_GUARDED("floor", TABLES, 33, DCC_JOIN(DCC_JOIN(u_rate, u_tables), u_floor)),
      DCC_GUARDED("ceiling", TABLES, 33, DCC_JOIN(DCC_JOIN(u_rate, u_tables), u_ceiling)),
      DCC_GUARDED("decay_hi", TABLES, 18, DCC_JOIN(DCC_JOIN(u_rate, u_tables), u_decay_hi)),
      DCC_GUARDED("decay_lo", TABLES, 18, DCC_JOIN(DCC_JOIN(u_rate, u_tables), u_decay_lo)),
      DCC_GUARDED("decrease_even", TABLES, 18,
                  DCC_JOIN(DCC_JOIN(u_rate, u_tables), u_decrease_even)),
      DCC_GUARDED("decrease_odd", TABLES, 18, DCC_JOIN(DCC_JOIN(u_rate, u_tables), u_decrease_odd)),
      DCC_GUARDED("cnps", QUEUES, 31, DCC_JOIN(u_cnps, u_ram)),
      DCC_GUARDED("commands", QUEUES, 10, DCC_JOIN(u_commands, u_ram)),
      DCC_GUARDED("first_starts", QUEUES, 24, DCC_JOIN(DCC_JOIN(u_timers, u_first), u_ram)),
      DCC_GUARDED("other_starts", QUEUES, 24, DCC_JOIN(DCC_JOIN(u_timers, u_again), u_ram)),
      DCC_GUARDED("beside", DELAYS, 409, DCC_JOIN(u_beside, u_ring)),
      DCC_GUARDED("answers", DELAYS, 44,
                  DCC_JOIN(DCC_JOIN(DCC_JOIN(u_answers, g_ring), u_delay), u_ring)),
      DCC_GUARDED("records", WHEEL, 27, DCC_WHEEL(DCC_JOIN(u_records, u_record))),
      DCC_GUARDED("next", WHEEL, 7, DCC_WHEEL(DCC_JOIN(u_lists, u_next))),
      DCC_GUARDED("ends", WHEEL, 13, DCC_WHEEL(DCC_JOIN(u_lists, u_list))),
      DCC_GUARDED("summaries", WHEEL, 3, DCC_WHEEL(DCC_JOIN(u_last, u_summary))),
      DCC_GUARDED("leaves", WHEEL, 33, DCC_WHEEL(DCC_JOIN(u_last, u_leaf))),
  };
  return kMemories;
}

/// Memories with an error-correcting code of a verilated class, whose flow numbers have kFlow bits
/// and slot numbers kSlot bits.
template <class Top, unsigned kFlow = 8, unsigned kSlot = 6>
const std::vector<SecdedMemory>& secded_memories_of() {
  constexpr unsigned kWords = 1 << (kSlot - 5);  // a word covers 32 slots
  static const std::vector<SecdedMemory> kMemories = {
      {DCC_GUARDED("slot_of", FLOWS, 12, DCC_FLOWS(g_direct, u_slot_of)), 0, kSlot + 1, 5},
      {DCC_GUARDED("flow_of", FLOWS, 13, DCC_FLOWS(g_direct, u_flow_of)), 1, kFlow, 5},
      {DCC_GUARDED("free_list", FREE_LIST, 11, DCC_JOIN(DCC_JOIN(u_lookup, u_free), u_list)), 6,
       kSlot, 5},
      {DCC_GUARDED("store", SLOTS, 225, DCC_JOIN(u_lookup, u_store)), 7, 185 + kFlow, 8},
      {DCC_GUARDED("limits_floor", TABLES, 39, DCC_JOIN(u_limits, u_floor)), 8, 32, 7},
      {DCC_GUARDED("limits_ceiling", TABLES, 39, DCC_JOIN(u_limits, u_ceiling)), 9, 32, 7},
      {DCC_GUARDED("factor", TABLES, 39, DCC_JOIN(DCC_JOIN(u_rate, u_tables), u_factor)), 10, 32,
       7},
      {DCC_GUARDED("floor", TABLES, 39, DCC_JOIN(DCC_JOIN(u_rate, u_tables), u_floor)), 11, 32, 7},
      {DCC_GUARDED("ceiling", TABLES, 39, DCC_JOIN(DCC_JOIN(u_rate, u_tables), u_ceiling)), 12, 32,
       7},
      {DCC_GUARDED("decay_hi", TABLES, 23, DCC_JOIN(DCC_JOIN(u_rate, u_tables), u_decay_hi)), 13,
       17, 6},
      {DCC_GUARDED("decay_lo", TABLES, 23, DCC_JOIN(DCC_JOIN(u_rate, u_tables), u_decay_lo)), 14,
       17, 6},
      {DCC_GUARDED("decrease_even", TABLES, 23,
                   DCC_JOIN(DCC_JOIN(u_rate, u_tables), u_decrease_even)),
       15, 17, 6},
      {DCC_GUARDED("decrease_odd", TABLES, 23,
                   DCC_JOIN(DCC_JOIN(u_rate, u_tables), u_decrease_odd)),
       16, 17, 6},
      {DCC_GUARDED("cnps", QUEUES, 37, DCC_JOIN(u_cnps, u_ram)), 17, 22 + kFlow, 7},
      {DCC_GUARDED("commands", QUEUES, 14, DCC_JOIN(u_commands, u_ram)), 18, 1 + kFlow, 5},
      {DCC_GUARDED("first_starts", QUEUES, 29, DCC_JOIN(DCC_JOIN(u_timers, u_first), u_ram)), 19,
       17 + kSlot, 6},
      {DCC_GUARDED("other_starts", QUEUES, 29, DCC_JOIN(DCC_JOIN(u_timers, u_again), u_ram)), 20,
       17 + kSlot, 6},
      {DCC_GUARDED("beside", DELAYS, 452, DCC_JOIN(u_beside, u_ring)), 21, 382 + kFlow + kSlot, 8},
      {DCC_GUARDED("answers", DELAYS, 49,
                   DCC_JOIN(DCC_JOIN(DCC_JOIN(u_answers, g_ring), u_delay), u_ring)),
       22, 34 + kFlow, 7},
      {DCC_GUARDED("records", WHEEL, 32, DCC_WHEEL(DCC_JOIN(u_records, u_record))), 23, 26, 6},
      {DCC_GUARDED("next", WHEEL, 11, DCC_WHEEL(DCC_JOIN(u_lists, u_next))), 24, kSlot, 5},
      {DCC_GUARDED("ends", WHEEL, 18, DCC_WHEEL(DCC_JOIN(u_lists, u_list))), 26, 2 * kSlot, 6},
      {DCC_GUARDED("summaries", WHEEL, 6, DCC_WHEEL(DCC_JOIN(u_last, u_summary))), 27, kWords, 4},
      {DCC_GUARDED("leaves", WHEEL, 39, DCC_WHEEL(DCC_JOIN(u_last, u_leaf))), 28, 32, 7},
  };
  return kMemories;
}

#define DCC_ENTRY(name) DCC_WITHIN(DCC_JOIN(DCC_JOIN(u_manager, u_bytes), name))

/// Inverts one bit of an entry of the byte queue: flow number, DSCP and sums, each with its parity.
template <class Top, unsigned kFlow>
void turn_entry_of(ControllerDut& small, std::size_t entry, unsigned bit) {
  auto& root = *static_cast<VerilatedController<Top>&>(small).pins().rootp;
  if (bit < kFlow) return turn(root.DCC_ENTRY(flow_q)[entry], bit);
  if ((bit -= kFlow) < 1) return turn(root.DCC_ENTRY(flow_parity_q), static_cast<unsigned>(entry));
  if ((bit -= 1) < 6) return turn(root.DCC_ENTRY(dscp_q)[entry], bit);
  if ((bit -= 6) < 1) return turn(root.DCC_ENTRY(dscp_parity_q), static_cast<unsigned>(entry));
  if ((bit -= 1) < 32) return turn(root.DCC_ENTRY(length_q)[entry], bit);
  if ((bit -= 32) < 16) return turn(root.DCC_ENTRY(packets_q)[entry], bit);
  turn(root.DCC_ENTRY(sums_parity_q), static_cast<unsigned>(entry));
}

/// The byte queue of a verilated class, whose entries are registers with parity.
template <class Top, unsigned kFlow = 8>
GuardedMemory byte_queue_of() {
  constexpr std::size_t kEntries =
      sizeof(std::declval<Top&>().rootp->DCC_ENTRY(length_q)) / sizeof(IData);
  return {"bytes",
          DCC_MEMORY_ERROR_QUEUES_MASK,
          kFlow + 57,
          [](ControllerDut& small, unsigned bit) {
            for (std::size_t i = 0; i < kEntries; ++i) turn_entry_of<Top, kFlow>(small, i, bit);
          },
          turn_entry_of<Top, kFlow>,
          [](ControllerDut&) { return MemoryWords(kEntries); }};
}

/// Memories of the flow table of a verilated class with sparse flow numbers and 64 slots.
template <class Top>
const std::vector<GuardedMemory>& sparse_memories_of() {
  static const std::vector<GuardedMemory> kMemories = {
      DCC_GUARDED("table0_match", FLOWS, 112, DCC_FLOWS(g_sparse, DCC_JOIN(u_table0, u_match))),
      DCC_GUARDED("table0_change", FLOWS, 112, DCC_FLOWS(g_sparse, DCC_JOIN(u_table0, u_change))),
      DCC_GUARDED("table1_match", FLOWS, 112, DCC_FLOWS(g_sparse, DCC_JOIN(u_table1, u_match))),
      DCC_GUARDED("table1_change", FLOWS, 112, DCC_FLOWS(g_sparse, DCC_JOIN(u_table1, u_change))),
      DCC_GUARDED("sparse_flow_of", FLOWS, 25, DCC_FLOWS(g_sparse, u_flow_of)),
  };
  return kMemories;
}

template <class Top>
std::vector<WideCounter> wide_counters_of() {
  return {
      DCC_WIDE(cnps_received),
      DCC_WIDE(cnps_dropped_no_slot),
      DCC_WIDE(cnps_coalesced),
      DCC_WIDE(byte_notifications),
      DCC_WIDE(byte_notifications_unmatched),
      DCC_WIDE(rate_decreases),
      DCC_WIDE(rate_increases),
      DCC_WIDE(rate_updates),
      DCC_WIDE(timer_events),
      DCC_WIDE(events_started),
      DCC_WIDE(events_cancelled),
      DCC_WIDE(slots_bound),
      DCC_WIDE(slots_released),
      DCC_WIDE(missed_latency),
      DCC_WIDE(cnps_lost),
      DCC_WIDE(inputs_dropped),
  };
}

/// Sets the controller's time forward. `ticks` must be a multiple of the wheel's horizon, so that
/// every entry keeps its place in the wheel.
template <class Top>
void add_time_of(ControllerDut& small, std::uint32_t ticks) {
  auto& root = *static_cast<VerilatedController<Top>&>(small).pins().rootp;
  root.DCC_WITHIN(DCC_TIME(now_q)) += ticks;
  root.DCC_WITHIN(DCC_TIME(pointer_q)) += ticks;
}

template <class Top, unsigned kFlowBits = 8>
void set_slot_of(ControllerDut& small, std::uint32_t index, const Slot& slot) {
  auto& words = static_cast<VerilatedController<Top>&>(small).pins().rootp->DCC_ARRAY(
      DCC_JOIN(DCC_JOIN(DCC_JOIN(u_manager, DCC_JOIN(u_lookup, u_store)), u_ram), u_array));
  Slot there = slot;
  there.flow = static_cast<VerilatedController<Top>&>(small).flows().to(slot.flow);
  detail::store(words[index], there, kFlowBits);
}

#undef DCC_ENTRY
#undef DCC_FLOWS
#undef DCC_WORDS
#undef DCC_TIME
#undef DCC_WHEEL
#undef DCC_WIDE
#undef DCC_GUARDED
#undef DCC_ARRAY_
#undef DCC_ARRAY
#undef DCC_WITHIN_
#undef DCC_WITHIN

}  // namespace dcc::page
