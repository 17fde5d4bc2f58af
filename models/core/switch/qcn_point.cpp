#include "switch/qcn_point.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace dcc {

namespace {
constexpr std::int64_t kMaxFeedback = 63;
// Sampling interval in thousandths of the base, by the upper three bits of the feedback. For a base
// of 150 KB: 150, 75, 50, 37.5, 30, 25, 21.5 and 18.5 KB.
constexpr std::array<Bytes, 8> kIntervalPermille = {1000, 500, 333, 250, 200, 167, 143, 123};
/// Intervals without a packet after which every average is below a byte.
constexpr std::int64_t kForgotten = 40;
}  // namespace

/// Ends the intervals that are over.
void FlowShares::turn(PicoSeconds now) {
  const std::int64_t turn = now / interval_;
  if (turn == turn_) return;
  const std::int64_t passed = std::min(turn - turn_, kForgotten);
  turn_ = turn;
  all_ = 0;
  weights_ = 0;
  for (Flow& flow : flows_) {
    flow.average = (flow.average + flow.arrived) / 2 >> (passed - 1);
    flow.arrived = 0;
    all_ += flow.average;
    if (flow.average > 0) weights_ += flow.weight;
  }
  flows_.erase(std::remove_if(flows_.begin(), flows_.end(),
                              [](const Flow& flow) { return flow.average == 0; }),
               flows_.end());
}

void FlowShares::arrival(std::uint32_t flow, double weight, Bytes bytes, PicoSeconds now) {
  turn(now);
  auto place =
      std::lower_bound(flows_.begin(), flows_.end(), flow,
                       [](const Flow& one, std::uint32_t number) { return one.number < number; });
  if (place == flows_.end() || place->number != flow) {
    place = flows_.insert(place, Flow{flow, weight, 0, 0});
  }
  place->arrived += bytes;
}

double FlowShares::excess(std::uint32_t flow) const {
  const auto place =
      std::lower_bound(flows_.begin(), flows_.end(), flow,
                       [](const Flow& one, std::uint32_t number) { return one.number < number; });
  if (place == flows_.end() || place->number != flow || place->average == 0) return 0;
  const double fair = static_cast<double>(all_) * place->weight / weights_;
  return std::max(1 - fair / static_cast<double>(place->average), 0.0);
}

QcnPoint::QcnPoint(const QcnPointParameters& parameters)
    : set_point_(parameters.set_point),
      w_(parameters.w),
      sample_base_(parameters.sample_base),
      to_sample_(parameters.sample_base),
      fair_(parameters.fair),
      weights_(parameters.weights),
      shares_(parameters.fair_interval) {
  if (set_point_ <= 0) throw std::invalid_argument("qcn: the set point is below 1 byte");
  if (w_ < 0) throw std::invalid_argument("qcn: w is negative");
  if (sample_base_ <= 0) throw std::invalid_argument("qcn: the sample base is below 1 byte");
  if (fair_ > 0 && parameters.fair_interval <= PicoSeconds()) {
    throw std::invalid_argument("qcn: arrivals of flows are counted over no time");
  }
}

std::uint32_t QcnPoint::arrival(Bytes bytes, Bytes queue, RandomStream& random) {
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

std::uint32_t QcnPoint::weighed(std::uint32_t feedback, const Packet& packet, PicoSeconds now) {
  const double weight = weights_.empty() ? 1 : weights_[packet.dscp];
  shares_.arrival(packet.flow, weight, packet.wire_bytes, now);
  if (feedback == 0) return 0;
  const double excess = shares_.excess(packet.flow);
  return static_cast<std::uint32_t>((1 - fair_) * feedback + fair_ * kMaxFeedback * excess);
}

}  // namespace dcc
