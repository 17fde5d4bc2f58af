// Counts of values in buckets of equal ratio: quantiles of anything, in fixed memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace dcc {

/// 32 buckets an octave: quantiles within 3.2 %, exact below 64; mean exact. Any unit.
class LogHistogram {
 public:
  void add(std::uint64_t value) {
    ++buckets_[bucket_of(value)];
    ++count_;
    sum_ += value;
  }
  void merge(const LogHistogram& other) {
    for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
    count_ += other.count_;
    sum_ += other.sum_;
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t sum() const { return sum_; }
  /// Lower edge of the bucket that holds the value of rank ⌈per_mille/1000 · count⌉; 0 when empty.
  std::uint64_t quantile(unsigned per_mille) const {
    if (count_ == 0) return 0;
    const std::uint64_t rank = (count_ * per_mille + 999) / 1000;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      seen += buckets_[i];
      if (seen >= rank && seen > 0) return lower_edge(i);
    }
    return lower_edge(kBuckets - 1);
  }

 private:
  static constexpr int kSubBits = 5;
  static constexpr std::size_t kBuckets = (48 - kSubBits) << kSubBits;

  static std::size_t bucket_of(std::uint64_t value) {
    if (value < (2u << kSubBits)) return static_cast<std::size_t>(value);
    const int octave = 63 - __builtin_clzll(value);
    const std::size_t bucket = (static_cast<std::size_t>(octave - kSubBits) << kSubBits) +
                               static_cast<std::size_t>(value >> (octave - kSubBits));
    return bucket < kBuckets ? bucket : kBuckets - 1;
  }
  static std::uint64_t lower_edge(std::size_t bucket) {
    if (bucket < (2u << kSubBits)) return bucket;
    const std::size_t octave = (bucket >> kSubBits) - 1;
    const std::size_t within = (bucket & ((1u << kSubBits) - 1)) + (1u << kSubBits);
    return static_cast<std::uint64_t>(within) << octave;
  }

  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace dcc
