#include "switch/qcn_point.h"

#include <array>
#include <stdexcept>

namespace dcc {

namespace {
constexpr std::int64_t kMaxFeedback = 63;
// Sampling interval in thousandths of the base, by the upper three bits of the feedback. For a base
// of 150 KB: 150, 75, 50, 37.5, 30, 25, 21.5 and 18.5 KB.
constexpr std::array<Bytes, 8> kIntervalPermille = {1000, 500, 333, 250, 200, 167, 143, 123};
}  // namespace

QcnPoint::QcnPoint(const QcnPointParameters& parameters)
    : set_point_(parameters.set_point),
      w_(parameters.w),
      sample_base_(parameters.sample_base),
      to_sample_(parameters.sample_base) {
  if (set_point_ <= 0) throw std::invalid_argument("qcn: the set point is below 1 byte");
  if (w_ < 0) throw std::invalid_argument("qcn: w is negative");
  if (sample_base_ <= 0) throw std::invalid_argument("qcn: the sample base is below 1 byte");
  if (parameters.rule) rule_ = parameters.rule(parameters);
}

std::uint32_t QcnPoint::sample(Bytes bytes, Bytes queue, RandomStream& random) {
  to_sample_ -= bytes;
  if (to_sample_ > 0) return 0;
  const std::int64_t congestion = (queue - set_point_) + w_ * (queue - old_queue_);
  old_queue_ = queue;
  std::int64_t feedback = 0;
  if (congestion > 0) {
    feedback = congestion * kMaxFeedback / (set_point_ * (2 * w_ + 1));
    if (feedback > kMaxFeedback) feedback = kMaxFeedback;
  }
  // The interval varies by 15 % either way, so that flows of equal rate do not synchronise with the
  // samples.
  const Bytes interval = sample_base_ * kIntervalPermille[static_cast<std::size_t>(feedback >> 3)];
  to_sample_ = interval * static_cast<Bytes>(850 + random.below(301)) / 1'000'000;
  return static_cast<std::uint32_t>(feedback);
}

}  // namespace dcc
