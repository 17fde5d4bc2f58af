// Random requests, registers and tables for the rate unit; limit values are frequent.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <type_traits>
#include <variant>

#include "controller/rate_engine.h"
#include "registers/generated/dcc_map.h"

namespace dcc {

class RateRandom {
 public:
  explicit RateRandom(std::uint32_t seed) : random_(seed) {}

  std::uint32_t below(std::uint32_t limit) { return word() % limit; }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  std::uint32_t word() { return static_cast<std::uint32_t>(random_()); }
  std::uint32_t pick(std::initializer_list<std::uint32_t> values) {
    return *(values.begin() + below(static_cast<std::uint32_t>(values.size())));
  }
  /// A random number whose magnitudes (numbers of bits) are equally frequent.
  std::uint32_t wide() { return word() >> below(32); }
  RateBits rate() {
    return one_in(3) ? pick({0, 1, 2, 255, 256, 2560, 25'600'000, 0x7FFFFFFF, 0x80000000,
                             0xFFFFFFFE, 0xFFFFFFFF})
                     : wide();
  }
  Fraction16 fraction() {
    return one_in(3) ? pick({0, 1, 255, 256, 257, 32767, 32768, 65280, 65535, 65536})
                     : word() % 65537;
  }

  RateRegisters registers() {
    RateRegisters r;
    regs::dcc_map::each_rate_register(
        r, [&](const char*, auto& value, unsigned, std::uint64_t most) {
          value = static_cast<std::decay_t<decltype(value)>>(word() % (most + 1));
        });
    r.g = static_cast<std::uint16_t>(one_in(3) ? pick({0, 1, 256, 65535}) : word());
    r.mi = static_cast<std::uint16_t>(one_in(3) ? pick({0, 1, 983, 65535}) : word());
    r.r_ai = rate();
    r.r_hai = rate();
    r.r_min = one_in(2) ? 1 : rate();
    r.r_max = one_in(2) ? 0xFFFFFFFF : rate();
    r.alpha_recip = one_in(2) ? alpha_reciprocal(1 + below(4096)) : word();
    r.first_cut = one_in(2) ? 0 : fraction();
    r.cut_floor = one_in(2) ? 0 : fraction();
    return r;
  }
  /// Returns a random table word to write; for tables whose entries may not exceed 1.0 the word is
  /// sometimes above 1.0.
  std::uint32_t table_word(RateTable table) {
    switch (table) {
      case RateTable::kFactor:
        return one_in(2)   ? kNeutralDecrease << 16 | kNeutralIncrease
               : one_in(3) ? pick({0, 0xFFFF, 0xFFFF0000, 0xFFFFFFFF, 0x00010001})
                           : word();
      case RateTable::kFloor:
        return one_in(2) ? 0 : rate();
      case RateTable::kCeiling:
        return one_in(2) ? 0xFFFFFFFF : rate();
      case RateTable::kDecrease:
        if (one_in(3)) return 0;  // often next to each other: a cut of the whole rate
        [[fallthrough]];
      default:
        return one_in(8) ? pick({65536, 65537, 0x80000000, 0xFFFFFFFF}) : fraction();
    }
  }
  DecreaseRequest decrease() {
    DecreaseRequest r;
    r.rc = rate();
    r.rt = one_in(3) ? r.rc : rate();
    r.alpha = fraction();
    r.delta = one_in(4) ? pick({0, 1, 54, 55, 56, kMaxDelta - 1, kMaxDelta}) : wide() & kMaxDelta;
    r.dscp = static_cast<std::uint8_t>(below(kDscps));
    r.marks = static_cast<std::uint8_t>(one_in(3) ? pick({0, 1, 2, 128, 255}) : word());
    r.first = one_in(4);
    return r;
  }
  IncreaseRequest increase() {
    IncreaseRequest r;
    r.rc = rate();
    r.rt = one_in(3) ? r.rc : rate();
    r.dscp = static_cast<std::uint8_t>(below(kDscps));
    r.stage = static_cast<IncreaseStage>(below(3));
    r.packets = one_in(4) ? pick({0, 1, 2, 255, 256, kMaxDelta}) : wide() & kMaxDelta;
    return r;
  }

 private:
  std::mt19937 random_;
};

}  // namespace dcc
