// The tables the rate unit looks up, as loaded over APB.
#pragma once

#include <array>
#include <cstdint>

#include "controller/formats.h"

namespace dcc {

enum class RateTable : std::uint8_t {
  kFactor,    // by DSCP: [15:0] f_inc 8.8, [31:16] f_dec 4.12
  kFloor,     // by DSCP: least rate, 24.8 Mb/s
  kCeiling,   // by DSCP: greatest rate, 24.8 Mb/s
  kDecayHi,   // by n >> 6: (1 − g)^(64·index), 1.16
  kDecayLo,   // by n & 63: (1 − g)^index, 1.16
  kDecrease,  // by argument >> 8: multiplier of a cut, 1.16, interpolated
};
constexpr int kRateTables = 6;
constexpr std::uint32_t kDecreaseEntries = 257;

constexpr std::uint32_t entries(RateTable table) {
  return table == RateTable::kDecrease ? kDecreaseEntries : 64;
}

/// Contents before anything is loaded are neutral: factors and multipliers 1.0, no limits. Until
/// the driver has written the tables a CNP changes no rate.
class RateTables {
 public:
  RateTables();

  /// Writes one word in the register map's layout; 1.16 entries above 1.0 are stored as 1.0.
  /// An index beyond the table is ignored and returns false.
  bool write(RateTable table, std::uint32_t index, std::uint32_t word);
  /// The word as written; 0 beyond the table.
  std::uint32_t read(RateTable table, std::uint32_t index) const;

  /// True if a notification can change a rate: an entry of the decrease table is not 1.0.
  bool can_decrease() const;

  std::uint32_t increase_factor(std::uint32_t dscp) const { return factor_[dscp] & 0xFFFF; }
  std::uint32_t decrease_factor(std::uint32_t dscp) const { return factor_[dscp] >> 16; }
  RateBits floor(std::uint32_t dscp) const { return floor_[dscp]; }
  RateBits ceiling(std::uint32_t dscp) const { return ceiling_[dscp]; }
  Fraction16 decay_hi(std::uint32_t index) const { return decay_hi_[index]; }
  Fraction16 decay_lo(std::uint32_t index) const { return decay_lo_[index]; }
  Fraction16 decrease(std::uint32_t index) const { return decrease_[index]; }

 private:
  std::array<std::uint32_t, kDscps> factor_;
  std::array<RateBits, kDscps> floor_;
  std::array<RateBits, kDscps> ceiling_;
  std::array<Fraction16, 64> decay_hi_;
  std::array<Fraction16, 64> decay_lo_;
  std::array<Fraction16, kDecreaseEntries> decrease_;
};

}  // namespace dcc
