// Tables for tests, computed in long double from their definitions: 1 − i/512, (15/16)^m, (1 −
// g)^n.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "controller/parameters.h"
#include "controller/rate_tables.h"

namespace dcc::test {

inline Fraction16 to_fraction(long double value) {
  return static_cast<Fraction16>(std::floor(value * 65536 + 0.5L));
}

/// Calls `write(table, index, word)` for each word of the decay tables of gain `g` (16 fraction
/// bits).
template <class Write>
void make_decay_tables(std::uint16_t g, Write write) {
  const long double keep = 1 - g / 65536.0L;
  for (std::uint32_t i = 0; i < 64; ++i) {
    write(RateTable::kDecayHi, i, to_fraction(std::pow(keep, 64.0L * i)));
    write(RateTable::kDecayLo, i, to_fraction(std::pow(keep, static_cast<long double>(i))));
  }
}
template <class Write>
void make_dcqcn_tables(std::uint16_t g, Write write) {
  make_decay_tables(g, write);
  for (std::uint32_t i = 0; i < kDecreaseEntries; ++i) {
    write(RateTable::kDecrease, i, to_fraction(1 - i / 512.0L));
  }
}
/// Factor by which a cut with this number of marks per unit of weight multiplies the rate.
inline long double proportional_multiplier(long double marks) {
  return std::max(0.0L, 1 - marks / 16);
}
template <class Write>
void make_proportional_tables(Write write) {
  for (std::uint32_t i = 0; i < kDecreaseEntries; ++i) {
    write(RateTable::kDecrease, i, to_fraction(proportional_multiplier(i / 4.0L)));
  }
}
/// Packs the increase and decrease factors of a class into a word of the factor table.
inline std::uint32_t factor_word(std::uint32_t f_inc, std::uint32_t f_dec) {
  return f_dec << 16 | f_inc;
}

inline RateRegisters proportional_registers() {
  RateRegisters r;
  r.law = DCC_CTRL_LAW_PROPORTIONAL;
  r.cut_by_marks = true;
  r.mark_shift = 10;
  r.mi = 459;
  r.r_ai = 6u << 8;
  return r;
}

}  // namespace dcc::test
