// Estimates quantiles of any number of values with a bounded relative error and bounded memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "stats/exact_sum.h"

namespace dcc {

/// A quantile sketch that counts values in 128 buckets for each octave, as DDSketch does (Masson,
/// Rim, Lee, VLDB 2019). The bits of a floating-point number give the number of its bucket. A
/// quantile is the middle of the bucket that holds the exact quantile (nearest rank), so it differs
/// from the exact one by at most kError of its value. Count, mean, least and greatest value are
/// exact. The content does not depend on the order of values. Eighty octaves of buckets take at
/// most 80 KB.
///
/// Values lie between 0 and 2^63. Those below 2^-16 are counted in the lowest bucket, where the
/// error is not relative.
class QuantileSketch {
 public:
  /// Greatest relative error of a quantile: half the width of a bucket.
  static constexpr double kError = 1.0 / 256;

  void add(double value, std::uint64_t times = 1) {
    at(bucket_of(value)) += times;
    count_ += times;
    sum_.add(value, times);
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
  }
  void merge(const QuantileSketch& other) {
    for (std::size_t i = 0; i < other.counts_.size(); ++i) {
      if (other.counts_[i] != 0) at(other.first_ + i) += other.counts_[i];
    }
    count_ += other.count_;
    sum_.merge(other.sum_);
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
  }

  std::uint64_t count() const { return count_; }
  /// Mean, least and greatest of the counted values. Precondition of the three functions: count() >
  /// 0.
  double mean() const { return sum_.value() / static_cast<double>(count_); }
  double min() const { return min_; }
  double max() const { return max_; }
  /// The quantile of the counted values: the value of rank ⌈percent/100 · count⌉. Precondition:
  /// count() > 0.
  double quantile(double percent) const {
    const double wanted = std::ceil(percent / 100 * static_cast<double>(count_) - 1e-9);
    const auto rank = static_cast<std::uint64_t>(std::max(wanted, 1.0));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen >= rank) return std::clamp(middle_of(first_ + i), min_, max_);
    }
    return max_;
  }

 private:
  // seven bits of a number's fraction give its bucket within the octave
  static constexpr int kShift = 52 - 7;
  static constexpr double kLeast = 1.0 / 65536;

  static std::size_t bucket_of(double value) {
    value = std::max(value, kLeast);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return static_cast<std::size_t>(bits >> kShift);
  }
  static double middle_of(std::size_t bucket) {
    const std::uint64_t bits = static_cast<std::uint64_t>(bucket) << kShift | std::uint64_t{1}
                                                                                  << (kShift - 1);
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  std::uint64_t& at(std::size_t bucket) {
    if (counts_.empty()) first_ = bucket;
    if (bucket < first_) {
      counts_.insert(counts_.begin(), first_ - bucket, 0);
      first_ = bucket;
    }
    if (bucket - first_ >= counts_.size()) counts_.resize(bucket - first_ + 1, 0);
    return counts_[bucket - first_];
  }

  // counts of the buckets from the lowest to the highest in use
  std::vector<std::uint64_t> counts_;
  std::size_t first_ = 0;  // the lowest bucket in use
  std::uint64_t count_ = 0;
  ExactSum<40> sum_;
  double min_ = std::numeric_limits<double>::max();
  double max_ = 0;
};

}  // namespace dcc
