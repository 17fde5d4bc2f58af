// The rate unit's bench in the form that unit_runner.cpp uses.
#pragma once

#ifdef VARIANT_MUTANTS
#include VARIANT_ROOT
#endif

#include <string>

#include "rate_bench.h"
#include "rate_dut_verilated.h"
#include "rate_pins.h"

namespace dcc {

template <class Verilated>
using JudgedUnit = VerilatedRate<Verilated>;

#ifdef VARIANT_MUTANTS  // memories of the netlist that yosys flattened have reachable names
#define DCC_TABLE(name) \
  unit.pins().rootp->rate_dut__DOT__u_rate__02eu_tables__02e##name##__02eu_ram__02eu_array__DOT__mem
template <class Memory>
void turn_round(Memory& memory, std::uint32_t bit) {
  for (std::size_t i = 0; i < sizeof memory / sizeof memory[0]; ++i) memory[i] ^= 1ull << bit;
}
/// Inverts one bit in every word of a memory. A request or read that uses such a word must report
/// the error once.
template <class Unit, class Memory>
void lose_a_bit(Unit& unit, Memory& memory, RateTable table, std::uint32_t bit) {
  turn_round(memory, bit);
  for (const bool by_read : {true, false}) {
    RateInputs in = by_read ? pins(table, 2) : pins(DecreaseRequest{});
    in.rsp_ready = true;
    int told = 0;
    for (std::uint32_t i = 0; i < 2 * kRateLatency; ++i) {
      const RateOutputs out = unit.cycle(in);
      if (out.error) ++told;
      if (out.tbl_ready) in.tbl_valid = false;
      if (out.req_ready) in.req_valid = false;
    }
    if (told != 1) throw RateMismatch("a lost bit is told " + std::to_string(told) + " times");
  }
  turn_round(memory, bit);
}
#endif

/// Runs rounds of new registers and tables with 1500 cycles of requests each; then memories lose
/// bits. Throws std::runtime_error.
template <class Unit>
void judge(Unit& unit, std::uint32_t rounds, std::uint32_t seed) {
  RateBench(unit, seed).run(rounds);
#ifdef VARIANT_MUTANTS
  for (const std::uint32_t bit : {seed % 17, 17u}) {  // a bit of the word, then its check bit
    lose_a_bit(unit, DCC_TABLE(u_factor), RateTable::kFactor, bit);
    lose_a_bit(unit, DCC_TABLE(u_floor), RateTable::kFloor, bit);
    lose_a_bit(unit, DCC_TABLE(u_ceiling), RateTable::kCeiling, bit);
    lose_a_bit(unit, DCC_TABLE(u_decay_hi), RateTable::kDecayHi, bit);
    lose_a_bit(unit, DCC_TABLE(u_decay_lo), RateTable::kDecayLo, bit);
    lose_a_bit(unit, DCC_TABLE(u_decrease_even), RateTable::kDecrease, bit);
    lose_a_bit(unit, DCC_TABLE(u_decrease_odd), RateTable::kDecrease, bit);
  }
#endif
}

}  // namespace dcc
