// Estimates the retransmission timeout of TCP (RFC 6298).
#pragma once

#include <algorithm>

#include "sim/state_digest.h"
#include "units.h"

namespace dcc {

/// Estimates the retransmission timeout by RFC 6298, section 2: smoothed round-trip time and its
/// deviation, in whole picoseconds.
class RtoEstimator {
 public:
  /// `initial`: timeout before the first RTT measurement. `granularity`: least amount that the
  /// deviation adds to the timeout.
  RtoEstimator(PicoSeconds initial, PicoSeconds least, PicoSeconds most, PicoSeconds granularity)
      : least_(least), most_(most), granularity_(granularity), timeout_(std::max(initial, least)) {}

  void measured(PicoSeconds rtt) {
    if (smoothed_ == PicoSeconds()) {
      smoothed_ = rtt;
      deviation_ = PicoSeconds(rtt.count / 2);
    } else {
      const std::int64_t off = smoothed_.count - rtt.count;
      deviation_.count += ((off < 0 ? -off : off) - deviation_.count) / 4;
      smoothed_.count -= off / 8;
    }
    const PicoSeconds margin = std::max(granularity_, deviation_ * 4);
    timeout_ = std::min(most_, std::max(least_, smoothed_ + margin));
  }
  /// Doubles the retransmission timeout; called after the timeout expired.
  void back_off() { timeout_ = std::min(most_, timeout_ * 2); }

  PicoSeconds timeout() const { return timeout_; }
  /// Smoothed round-trip time of the connection; zero before the first measurement.
  PicoSeconds smoothed() const { return smoothed_; }

  void add_state(StateDigest& d) const { d(timeout_, smoothed_, deviation_); }

 private:
  PicoSeconds least_;
  PicoSeconds most_;
  PicoSeconds granularity_;
  PicoSeconds timeout_;
  PicoSeconds smoothed_{};
  PicoSeconds deviation_{};
};

}  // namespace dcc
