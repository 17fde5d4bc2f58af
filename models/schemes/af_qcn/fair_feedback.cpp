#include "schemes/af_qcn/fair_feedback.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/state_digest.h"

namespace dcc {

namespace {
constexpr std::uint32_t kMaxFeedback = 63;
/// Number of intervals without a packet after which every flow's average, which halves in each, is
/// below a byte.
constexpr std::int64_t kForgotten = 40;
}  // namespace

/// Ends the averaging intervals that are over.
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

FairFeedback::FairFeedback(double fair, PicoSeconds interval, std::vector<double> weights)
    : fair_(fair), weights_(std::move(weights)), shares_(interval) {
  if (interval <= PicoSeconds()) {
    throw std::invalid_argument("af_qcn: arrivals of flows are counted over no time");
  }
}

std::uint32_t FairFeedback::feedback(std::uint32_t feedback, const Packet& packet,
                                     PicoSeconds now) {
  const double weight = weights_.empty() ? 1 : weights_[packet.dscp];
  shares_.arrival(packet.flow, weight, packet.wire_bytes, now);
  if (feedback == 0) return 0;
  const double excess = shares_.excess(packet.flow);
  return static_cast<std::uint32_t>((1 - fair_) * feedback + fair_ * kMaxFeedback * excess);
}

void FairFeedback::add_state(StateDigest& d) const { d(fair_, shares_); }

}  // namespace dcc
