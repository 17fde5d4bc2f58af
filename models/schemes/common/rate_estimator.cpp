#include "schemes/common/rate_estimator.h"

namespace dcc {

void RateEstimator::decay(PicoSeconds now, const RateEstimatorParameters& parameters) {
  const std::int64_t period = now / parameters.period;
  const auto alpha = static_cast<std::uint64_t>(parameters.alpha.to_fixed(16));
  while (period_ < period && bytes_q8_ != 0) {
    const std::uint64_t taken = bytes_q8_ * alpha >> 16;
    bytes_q8_ = taken == 0 ? 0 : bytes_q8_ - taken;
    ++period_;
  }
  period_ = period;
}

std::uint32_t RateEstimator::quantised(BitRate rate,
                                       const RateEstimatorParameters& parameters) const {
  // The estimator's count for a full link: rate · period / alpha, in bytes.
  const Uint128 full =
      Uint128(rate.bits_per_second) * static_cast<std::uint64_t>(parameters.period.count) *
      65'536u / static_cast<std::uint64_t>(parameters.alpha.to_fixed(16)) / 8'000'000'000'000u;
  const std::uint32_t most = (1u << parameters.bits) - 1;
  if (full == 0) return most;
  const Uint128 metric = (Uint128(bytes_q8_) << parameters.bits >> 8) / full;
  return metric > most ? most : static_cast<std::uint32_t>(metric);
}

}  // namespace dcc
