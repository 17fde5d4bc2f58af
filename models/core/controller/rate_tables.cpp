#include "controller/rate_tables.h"

#include <algorithm>

namespace dcc {

namespace {
constexpr std::uint32_t kNeutralFactor = kNeutralDecrease << 16 | kNeutralIncrease;
}

RateTables::RateTables() {
  factor_.fill(kNeutralFactor);
  floor_.fill(0);
  ceiling_.fill(0xFFFFFFFF);
  decay_hi_.fill(kOne16);
  decay_lo_.fill(kOne16);
  decrease_.fill(kOne16);
}

bool RateTables::can_decrease() const {
  return std::any_of(decrease_.begin(), decrease_.end(),
                     [](Fraction16 entry) { return entry != kOne16; });
}

bool RateTables::write(RateTable table, std::uint32_t index, std::uint32_t word) {
  if (index >= entries(table)) return false;
  switch (table) {
    case RateTable::kFactor:
      factor_[index] = word;
      break;
    case RateTable::kFloor:
      floor_[index] = word;
      break;
    case RateTable::kCeiling:
      ceiling_[index] = word;
      break;
    case RateTable::kDecayHi:
      decay_hi_[index] = std::min(word, kOne16);
      break;
    case RateTable::kDecayLo:
      decay_lo_[index] = std::min(word, kOne16);
      break;
    case RateTable::kDecrease:
      decrease_[index] = std::min(word, kOne16);
      break;
  }
  return true;
}

std::uint32_t RateTables::read(RateTable table, std::uint32_t index) const {
  if (index >= entries(table)) return 0;
  switch (table) {
    case RateTable::kFactor:
      return factor_[index];
    case RateTable::kFloor:
      return floor_[index];
    case RateTable::kCeiling:
      return ceiling_[index];
    case RateTable::kDecayHi:
      return decay_hi_[index];
    case RateTable::kDecayLo:
      return decay_lo_[index];
    case RateTable::kDecrease:
      return decrease_[index];
  }
  return 0;
}

}  // namespace dcc
