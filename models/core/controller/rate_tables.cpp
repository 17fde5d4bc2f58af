#include "controller/rate_tables.h"

#include <algorithm>

namespace dcc {

namespace {
constexpr std::uint32_t kNeutralFactor = kNeutralDecrease << 16 | kNeutralIncrease;
}

const std::shared_ptr<RateTables::Contents>& RateTables::neutral() {
  static const std::shared_ptr<Contents> contents = [] {
    auto made = std::make_shared<Contents>();
    made->factor.fill(kNeutralFactor);
    made->floor.fill(0);
    made->ceiling.fill(0xFFFFFFFF);
    made->decay_hi.fill(kOne16);
    made->decay_lo.fill(kOne16);
    made->decrease.fill(kOne16);
    return made;
  }();
  return contents;
}

RateTables::RateTables() : contents_(neutral()) {}

void RateTables::share_with(const RateTables& other) {
  if (*contents_ == *other.contents_) contents_ = other.contents_;
}

RateTables::Contents& RateTables::own() {
  if (contents_.use_count() != 1) contents_ = std::make_shared<Contents>(*contents_);
  return *contents_;
}

bool RateTables::can_decrease() const {
  return std::any_of(contents_->decrease.begin(), contents_->decrease.end(),
                     [](Fraction16 entry) { return entry != kOne16; });
}

bool RateTables::write(RateTable table, std::uint32_t index, std::uint32_t word) {
  if (index >= entries(table)) return false;
  switch (table) {
    case RateTable::kFactor:
      own().factor[index] = word;
      break;
    case RateTable::kFloor:
      own().floor[index] = word;
      break;
    case RateTable::kCeiling:
      own().ceiling[index] = word;
      break;
    case RateTable::kDecayHi:
      own().decay_hi[index] = std::min(word, kOne16);
      break;
    case RateTable::kDecayLo:
      own().decay_lo[index] = std::min(word, kOne16);
      break;
    case RateTable::kDecrease:
      own().decrease[index] = std::min(word, kOne16);
      break;
  }
  return true;
}

std::uint32_t RateTables::read(RateTable table, std::uint32_t index) const {
  if (index >= entries(table)) return 0;
  switch (table) {
    case RateTable::kFactor:
      return contents_->factor[index];
    case RateTable::kFloor:
      return contents_->floor[index];
    case RateTable::kCeiling:
      return contents_->ceiling[index];
    case RateTable::kDecayHi:
      return contents_->decay_hi[index];
    case RateTable::kDecayLo:
      return contents_->decay_lo[index];
    case RateTable::kDecrease:
      return contents_->decrease[index];
  }
  return 0;
}

}  // namespace dcc
