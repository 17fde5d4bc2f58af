// CONGA's discounting rate estimator (DRE), which estimates how much of a link is in use.
#pragma once

#include <cstdint>

#include "describe/quantities.h"
#include "sim/state_digest.h"
#include "units.h"

namespace dcc {

struct RateEstimatorParameters {
  PicoSeconds period = kMicroSecond * 16;  // time between two decays of the DRE's estimate
  Ratio alpha{1, 10};                      // share of the DRE's estimate that a decay removes
  unsigned bits = 3;                       // width of the quantised utilisation in bits
};

/// Counts the bytes sent on one link and removes a share of the count in every period, so that the
/// count follows the rate as a first-order filter does (Alizadeh et al., SIGCOMM'14, section 3.2).
class RateEstimator {
 public:
  void sent(Bytes bytes, PicoSeconds now, const RateEstimatorParameters& parameters) {
    decay(now, parameters);
    bytes_q8_ += static_cast<std::uint64_t>(bytes) << 8;
  }
  /// Utilisation of a link with rate `rate`, from 0 to 2^bits − 1; the largest value stands for a
  /// full link.
  std::uint32_t metric(BitRate rate, PicoSeconds now,
                       const RateEstimatorParameters& parameters) const {
    RateEstimator present = *this;
    present.decay(now, parameters);
    return present.quantised(rate, parameters);
  }
  void add_state(StateDigest& d) const { d(bytes_q8_, period_); }

 private:
  void decay(PicoSeconds now, const RateEstimatorParameters& parameters);
  std::uint32_t quantised(BitRate rate, const RateEstimatorParameters& parameters) const;

  std::uint64_t bytes_q8_ = 0;
  std::int64_t period_ = 0;  // number of the last decay period that decay() has handled
};

}  // namespace dcc
