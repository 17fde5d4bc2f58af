// Statistics of errors found by spot checks: mean with its confidence interval, and greatest error.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace dcc {

/// Collects spot checks, each of which gives the mean error and the greatest error of many values.
/// Checks are independent of each other; the values within one check are not.
class SpotChecks {
 public:
  void add(double mean, double greatest) {
    ++count_;
    const double off = mean - mean_;  // Welford's method for mean and variance
    mean_ += off / static_cast<double>(count_);
    squares_ += off * (mean - mean_);
    greatest_ = std::max(greatest_, greatest);
  }
  std::uint64_t count() const { return count_; }
  /// The mean error over all spot checks; empty without checks.
  std::optional<double> mean() const { return count_ == 0 ? std::nullopt : std::optional(mean_); }
  std::optional<double> greatest() const {
    return count_ == 0 ? std::nullopt : std::optional(greatest_);
  }
  /// Half the width of the 95 % confidence interval of the mean error; empty with fewer than two
  /// checks.
  std::optional<double> interval() const {
    if (count_ < 2) return std::nullopt;
    const auto n = static_cast<double>(count_);
    return student_t(count_ - 1) * std::sqrt(squares_ / (n - 1) / n);
  }

 private:
  /// The 97.5 % quantile of Student's t distribution.
  static double student_t(std::uint64_t freedom) {
    constexpr double kExact[] = {12.706, 4.303, 3.182, 2.776, 2.571,
                                 2.447,  2.365, 2.306, 2.262, 2.228};
    if (freedom <= std::size(kExact)) return kExact[freedom - 1];
    // Cornish-Fisher expansion of the quantile: error below 0.1 % from 11 degrees of freedom on.
    const auto f = static_cast<double>(freedom);
    return 1.95996 + 2.37227 / f + 2.8225 / (f * f);
  }

  std::uint64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
  double greatest_ = 0;
};

}  // namespace dcc
