// The clock of a CPU: cycles to simulated time and back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <systemc>

namespace dcc::model {

/// A clock whose period is a whole number of picoseconds, at least 1 and rounded to the nearest.
class CpuClock {
 public:
  explicit CpuClock(std::uint64_t hz)
      : period_ps_(std::max<std::uint64_t>(1, (kPicosecondsPerSecond + hz / 2) / hz)) {}

  /// Time at which the clock reached this number of cycles.
  sc_core::sc_time time_of(std::uint64_t cycles) const {
    return sc_core::sc_time::from_value(cycles * period_ps_);
  }
  /// Number of cycles that begin before `time`.
  std::uint64_t cycles_at(const sc_core::sc_time& time) const {
    return (time.value() + period_ps_ - 1) / period_ps_;
  }
  /// Number of whole cycles in a duration.
  std::uint64_t cycles_in(const sc_core::sc_time& duration) const {
    return duration.value() / period_ps_;
  }

 private:
  static constexpr std::uint64_t kPicosecondsPerSecond = 1'000'000'000'000;
  std::uint64_t period_ps_;
};

}  // namespace dcc::model
