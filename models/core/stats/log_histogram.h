// A histogram with logarithmic buckets, for quantiles with little memory.
#pragma once

#include <cstdint>
#include <vector>

#include "stats/octave_buckets.h"
#include "stats/proportion.h"

namespace dcc {

/// 32 buckets per octave: quantiles are within 3.2 %, and exact below 64; the mean is exact. The
/// unit is the caller's.
class LogHistogram {
 public:
  void add(std::uint64_t value) {
    ++buckets_.of(value);
    ++count_;
    sum_ += value;
  }
  void merge(const LogHistogram& other) {
    other.buckets_.find([this](std::uint64_t lower_edge, std::uint64_t count) {
      if (count != 0) buckets_.of(lower_edge) += count;
      return false;
    });
    count_ += other.count_;
    sum_ += other.sum_;
  }

  /// Adds what was added since `earlier`, a former copy of this histogram, `times` more times.
  void repeat_since(const LogHistogram& earlier, const Proportion& times) {
    Buckets before = earlier.buckets_;
    sum_ += times.of(sum_ - earlier.sum_);
    buckets_.find([&](std::uint64_t lower_edge, std::uint64_t count) {
      const std::uint64_t more = times.of(count - before.of(lower_edge));
      buckets_.of(lower_edge) += more;
      count_ += more;
      return false;
    });
  }

  /// The content as plain numbers. Concatenated numbers of several histograms give their sum.
  std::vector<std::int64_t> counts() const {
    std::vector<std::int64_t> numbers{static_cast<std::int64_t>(sum_), 0};
    buckets_.find([&](std::uint64_t lower_edge, std::uint64_t count) {
      if (count == 0) return false;
      numbers.push_back(static_cast<std::int64_t>(lower_edge));
      numbers.push_back(static_cast<std::int64_t>(count));
      ++numbers[1];
      return false;
    });
    return numbers;
  }
  static LogHistogram of(const std::vector<std::int64_t>& numbers) {
    LogHistogram histogram;
    for (std::size_t at = 0; at < numbers.size();) {
      histogram.sum_ += static_cast<std::uint64_t>(numbers[at]);
      std::int64_t buckets = numbers[at + 1];
      for (at += 2; buckets != 0; --buckets, at += 2) {
        const auto count = static_cast<std::uint64_t>(numbers[at + 1]);
        histogram.buckets_.of(static_cast<std::uint64_t>(numbers[at])) += count;
        histogram.count_ += count;
      }
    }
    return histogram;
  }

  /// Calls visit(lower edge, count) for every bucket that is not empty, ascending.
  template <class Visit>
  void each(Visit visit) const {
    buckets_.find([&](std::uint64_t lower_edge, std::uint64_t count) {
      if (count != 0) visit(lower_edge, count);
      return false;
    });
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t sum() const { return sum_; }
  /// Lower edge of the bucket that holds the value of rank ⌈per_mille/1000 · count⌉; 0 when empty.
  std::uint64_t quantile(unsigned per_mille) const {
    if (count_ == 0) return 0;
    const std::uint64_t rank = (count_ * per_mille + 999) / 1000;
    std::uint64_t seen = 0;
    std::uint64_t found = Buckets::last_edge();
    buckets_.find([&](std::uint64_t lower_edge, std::uint64_t count) {
      seen += count;
      if (seen < rank || seen == 0) return false;
      found = lower_edge;
      return true;
    });
    return found;
  }

 private:
  using Buckets = OctaveBuckets<std::uint64_t, 48>;

  Buckets buckets_;
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace dcc
