// The look-up tables of the rate unit, as software loads them over APB.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "controller/formats.h"

namespace dcc {

enum class RateTable : std::uint8_t {
  kFactor,    // increase and decrease factors by DSCP: [15:0] f_inc 8.8, [31:16] f_dec 4.12
  kFloor,     // least rate by DSCP, 24.8 Mb/s
  kCeiling,   // greatest rate by DSCP, 24.8 Mb/s
  kDecayHi,   // high decay factors of alpha by n >> 6: (1 − g)^(64·index), 1.16
  kDecayLo,   // low decay factors of alpha by n & 63: (1 − g)^index, 1.16
  kDecrease,  // rate multipliers of a cut by argument >> 8, 1.16, interpolated
};
constexpr int kRateTables = 6;
constexpr std::uint32_t kDecreaseEntries = 257;

constexpr std::uint32_t entries(RateTable table) {
  return table == RateTable::kDecrease ? kDecreaseEntries : 64;
}

/// Look-up tables of the rate unit. The initial contents are neutral: factors and multipliers are
/// 1.0, and rates have no limits. Until the driver has written the tables, a CNP changes no rate.
///
/// Tables of equal contents can share one copy (share_with()): all hosts of a large network are
/// programmed alike. A write gives the tables a copy of their own first.
class RateTables {
 public:
  RateTables();

  /// Shares the contents of the tables `other` if both contents are equal.
  void share_with(const RateTables& other);

  /// Writes one word of a table in the register map's layout; 1.16 entries above 1.0 are stored as
  /// 1.0. Returns false and changes nothing for an index beyond the table.
  bool write(RateTable table, std::uint32_t index, std::uint32_t word);
  /// The stored word of a table; 0 for an index beyond the table.
  std::uint32_t read(RateTable table, std::uint32_t index) const;

  /// True if a notification can change a rate: an entry of the decrease table is not 1.0.
  bool can_decrease() const;

  std::uint32_t increase_factor(std::uint32_t dscp) const {
    return contents_->factor[dscp] & 0xFFFF;
  }
  std::uint32_t decrease_factor(std::uint32_t dscp) const { return contents_->factor[dscp] >> 16; }
  RateBits floor(std::uint32_t dscp) const { return contents_->floor[dscp]; }
  RateBits ceiling(std::uint32_t dscp) const { return contents_->ceiling[dscp]; }
  Fraction16 decay_hi(std::uint32_t index) const { return contents_->decay_hi[index]; }
  Fraction16 decay_lo(std::uint32_t index) const { return contents_->decay_lo[index]; }
  Fraction16 decrease(std::uint32_t index) const { return contents_->decrease[index]; }

 private:
  struct Contents {
    std::array<std::uint32_t, kDscps> factor;
    std::array<RateBits, kDscps> floor;
    std::array<RateBits, kDscps> ceiling;
    std::array<Fraction16, 64> decay_hi;
    std::array<Fraction16, 64> decay_lo;
    std::array<Fraction16, kDecreaseEntries> decrease;

    bool operator==(const Contents& other) const {
      return factor == other.factor && floor == other.floor && ceiling == other.ceiling &&
             decay_hi == other.decay_hi && decay_lo == other.decay_lo && decrease == other.decrease;
    }
  };
  static const std::shared_ptr<Contents>& neutral();
  /// Returns contents that no other RateTables shares, for a write.
  Contents& own();

  std::shared_ptr<Contents> contents_;
};

}  // namespace dcc
