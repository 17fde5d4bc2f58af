// Converts between cycles of a CPU's clock and simulated time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <systemc>

namespace dcc::model {

/// A clock whose period is a whole number of picoseconds, at least 1 and rounded to the nearest.
/// Its edges lie `phase` after those of a clock that starts with the simulation.
class CpuClock {
 public:
  explicit CpuClock(std::uint64_t hz, std::uint64_t phase_ps = 0)
      : period_ps_(std::max<std::uint64_t>(1, (kPicosecondsPerSecond + hz / 2) / hz)),
        phase_ps_(phase_ps) {}

  /// Time at which the CPU's clock reaches this number of cycles.
  sc_core::sc_time time_of(std::uint64_t cycles) const {
    return sc_core::sc_time::from_value(cycles * period_ps_ + phase_ps_);
  }
  /// Number of cycles of the CPU's clock that begin before `time`.
  std::uint64_t cycles_at(const sc_core::sc_time& time) const {
    const std::uint64_t since = time.value() - std::min<std::uint64_t>(time.value(), phase_ps_);
    return (since + period_ps_ - 1) / period_ps_;
  }
  /// Number of cycles of the CPU's clock in a duration, rounded up.
  std::uint64_t cycles_of(const sc_core::sc_time& duration) const {
    return (duration.value() + period_ps_ - 1) / period_ps_;
  }
  /// Number of whole cycles of the CPU's clock in a duration.
  std::uint64_t cycles_in(const sc_core::sc_time& duration) const {
    return duration.value() / period_ps_;
  }

 private:
  static constexpr std::uint64_t kPicosecondsPerSecond = 1'000'000'000'000;
  std::uint64_t period_ps_;
  std::uint64_t phase_ps_;
};

}  // namespace dcc::model
