// A histogram with logarithmic buckets, from which quantiles are estimated with little memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "stats/octave_buckets.h"
#include "stats/proportion.h"
#include "units.h"

namespace dcc {

/// Histogram with 32 buckets per octave. The least and the greatest value, the mean, and quantiles
/// below 64 are exact. Other quantiles are interpolated within the bucket that contains the exact
/// quantile, so an interpolated quantile differs from the exact one by less than the bucket's
/// width, 1/32 of the value, and lies within the range of the values. The caller chooses the unit
/// of the values.
class LogHistogram {
 public:
  void add(std::uint64_t value) {
    ++buckets_.of(value);
    ++count_;
    sum_ += value;
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
  }
  void merge(const LogHistogram& other) {
    other.buckets_.find([this](std::uint64_t lower_edge, std::uint64_t count) {
      if (count != 0) buckets_.of(lower_edge) += count;
      return false;
    });
    count_ += other.count_;
    sum_ += other.sum_;
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
  }

  /// Repeats, `times` more times, the values added since `earlier`, a former copy of this
  /// histogram.
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

  /// The content of the histogram as a list of numbers. Appending the lists of several histograms
  /// gives the histogram of all their values.
  std::vector<std::int64_t> counts() const {
    std::vector<std::int64_t> numbers{static_cast<std::int64_t>(sum_), 0,
                                      static_cast<std::int64_t>(min_),
                                      static_cast<std::int64_t>(max_)};
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
      histogram.min_ = std::min(histogram.min_, static_cast<std::uint64_t>(numbers[at + 2]));
      histogram.max_ = std::max(histogram.max_, static_cast<std::uint64_t>(numbers[at + 3]));
      for (at += 4; buckets != 0; --buckets, at += 2) {
        const auto count = static_cast<std::uint64_t>(numbers[at + 1]);
        histogram.buckets_.of(static_cast<std::uint64_t>(numbers[at])) += count;
        histogram.count_ += count;
      }
    }
    return histogram;
  }

  /// Calls visit(greatest value, count) for every bucket that is not empty, in ascending order. The
  /// greatest value of the last bucket is max().
  template <class Visit>
  void each(Visit visit) const {
    buckets_.find([&](std::uint64_t lower_edge, std::uint64_t count) {
      if (count != 0) visit(std::min(Buckets::upper_edge(lower_edge), max_), count);
      return false;
    });
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t sum() const { return sum_; }
  /// The least and the greatest value added to the histogram; 0 when empty.
  std::uint64_t min() const { return count_ == 0 ? 0 : min_; }
  std::uint64_t max() const { return max_; }
  /// The quantile of the histogram: the value of rank ⌈per_mille/1000 · count⌉, interpolated within
  /// its bucket; 0 when empty.
  std::uint64_t quantile(unsigned per_mille) const {
    if (count_ == 0) return 0;
    const std::uint64_t rank =
        std::max<std::uint64_t>((count_ * static_cast<Uint128>(per_mille) + 999) / 1000, 1);
    std::uint64_t before = 0;
    std::uint64_t found = max_;
    buckets_.find([&](std::uint64_t lower_edge, std::uint64_t count) {
      if (before + count < rank) {
        before += count;
        return false;
      }
      found = interpolated(lower_edge, rank - before, count);
      return true;
    });
    return found;
  }

 private:
  using Buckets = OctaveBuckets<std::uint64_t, 48>;

  /// The value of rank `nth` (from 1) among `count` values of a bucket, assumed to be evenly spread
  /// over the bucket. The bucket of the least value begins with that value, and the bucket of the
  /// greatest value ends with it.
  std::uint64_t interpolated(std::uint64_t lower_edge, std::uint64_t nth,
                             std::uint64_t count) const {
    const std::uint64_t upper_edge = Buckets::upper_edge(lower_edge);
    const std::uint64_t from = std::max(lower_edge, min_);
    const std::uint64_t to = std::min(upper_edge, max_);
    const std::uint64_t at_begin = min_ >= lower_edge ? 1 : 0;
    const std::uint64_t at_end = max_ <= upper_edge ? 1 : 0;
    const std::uint64_t steps = count + 1 - at_begin - at_end;
    // the bucket holds a single value, both the least and the greatest
    if (steps == 0) return from;
    const Uint128 way = static_cast<Uint128>(to - from) * (nth - at_begin);
    return from + static_cast<std::uint64_t>((way + steps / 2) / steps);
  }

  Buckets buckets_;
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t min_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t max_ = 0;
};

}  // namespace dcc
