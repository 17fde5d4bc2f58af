#include "schemes/uec/nscc_window.h"

#include <algorithm>

namespace dcc {

namespace {
// Bandwidth-delay product of the network for which NSCC's authors give the gains.
// bandwidth-delay product of 100 Gb/s times 12 us, in bytes
constexpr double kReferenceProduct = 150'000;
// base delay in ps of the network for which NSCC's authors give the gains
constexpr double kReferenceDelay = 12e6;
constexpr PicoSeconds kNoDelay = kMicroSecond;
constexpr int kFarAboveTarget = 4;

double as_double(PicoSeconds time) { return static_cast<double>(time.count); }
}  // namespace

void NsccParameters::describe(ParameterVisitor& v) {
  const char* const authors = "uet-htsim, 2025";
  v.choice("rules", rules,
           {"version of the authors' simulator whose rules of quick adaptation and trimmed packets "
            "apply",
            authors});
  v.field("target", target, "auto", {"1ns", "1s"},
          {"target of the queueing delay; auto: 3/4 of the longest base RTT", authors});
  v.field("decrease_gain", decrease_gain, {"0", "1"},
          {"factor of a cut by the part of the mean delay above the target", authors});
  v.field("mean_weight", mean_weight, {"1/65536", "1"},
          {"weight of a packet's delay in the mean delay", authors});
  v.field("adapt_below", adapt_below, {"0", "1"},
          {"share of the greatest window: if less than this came through in a round trip, "
           "losses set the window to what came through",
           "uet-htsim, 2025; 1: 2024"});
  v.field("update_bytes", update_bytes, {"1B", "1GB"},
          {"acknowledged bytes after which the window grows", "uet-htsim, 2025: 8 packets"});
  v.field("update_period", update_period, "auto", {"1ns", "1s"},
          {"… or time after which it grows; auto: the longest base RTT", authors});
  v.field("update_most", update_most, "none", {"1B", "1GB"},
          {"greatest growth of the window at once, except for the constant part",
           "uet-htsim, 2024: 8000B"});
  v.field("fair_below_target", fair_below_target, {},
          {"below the target it grows by the fair increase, too", "uet-htsim, 2024"});
}

NsccWindow::NsccWindow(const NsccParameters& parameters, const Path& path)
    : parameters_(&parameters),
      window_(static_cast<double>(path.initial)),
      packet_(static_cast<double>(path.packet)),
      most_(static_cast<double>(path.most)),
      base_rtt_(path.base_rtt),
      target_(parameters.target.value_or(PicoSeconds(path.base_rtt.count * 3 / 4))),
      update_period_(parameters.update_period.value_or(path.base_rtt)) {
  const double product =
      static_cast<double>(path.rate.bits_per_second) / 8 * as_double(path.base_rtt) * 1e-12;
  const double scale = product / kReferenceProduct;
  const double target_scale = as_double(target_) / kReferenceDelay;
  proportional_ = 4 * packet_ * scale * target_scale / as_double(target_);
  fair_ = 5 * packet_ * scale;
  constant_ = 0.15 * packet_ * scale;
  fast_ = 0.25 * scale;
  clamp();
}

void NsccWindow::clamp() { window_ = std::max(packet_, std::min(window_, most_)); }

/// Returns the queueing delay of a round trip, and updates the mean delay. A delay without a mark
/// gets a small weight, since its queue is gone or did not cause the delay.
PicoSeconds NsccWindow::delay_of(PicoSeconds rtt, bool marked) {
  base_rtt_ = std::min(base_rtt_, rtt);
  const PicoSeconds delay = rtt - base_rtt_;
  const double sample = !marked && delay > target_ ? 0.25 * as_double(base_rtt_) : as_double(delay);
  mean_ += parameters_->mean_weight.value() * (sample - mean_);
  return delay;
}

/// Performs NSCC's quick adaptation. Returns true if the window was set.
bool NsccWindow::adapts(bool loss, PicoSeconds delay, Bytes in_flight, PicoSeconds now) {
  if (now < judged_) return false;
  const auto through = static_cast<double>(came_through_);
  const bool due = judged_ != PicoSeconds() &&
                   (loss || armed_ || delay > target_ * kFarAboveTarget) &&
                   through < parameters_->adapt_below.value() * most_ &&
                   (!has_rules_of_2024() || through <= window_);
  if (!due || !has_rules_of_2024()) {
    judged_ = now + base_rtt_ + target_;
    came_through_ = 0;
  }
  if (!due) return false;
  window_ = through;
  clamp();
  armed_ = false;
  to_ignore_ = in_flight;
  return true;
}

bool NsccWindow::allows(Bytes in_flight, Bytes packet) const {
  return has_rules_of_2024() ? in_flight < bytes() : in_flight + packet <= bytes();
}

void NsccWindow::forget_growth() {
  growth_ = 0;
  grown_for_ = 0;
}

/// Returns true if more than a window was acknowledged without queueing delay.
bool NsccWindow::grows_fast(Bytes bytes, PicoSeconds delay) {
  undelayed_ = delay < kNoDelay ? undelayed_ + bytes : 0;
  return static_cast<double>(undelayed_) > window_;
}

void NsccWindow::grow_when_due(Bytes bytes, PicoSeconds now) {
  grown_for_ += bytes;
  if (grown_for_ < parameters_->update_bytes && now < grown_ + update_period_) return;
  double more = growth_ / window_;
  if (parameters_->update_most) {
    more = std::min(more, static_cast<double>(*parameters_->update_most));
  }
  window_ += more;
  growth_ = 0;
  grown_for_ = 0;
  grown_ = now;
  if (now < grown_constant_ + update_period_) return;
  window_ += constant_;
  grown_constant_ = now;
}

void NsccWindow::acknowledged(Bytes bytes, PicoSeconds rtt, bool marked, Bytes in_flight,
                              PicoSeconds now) {
  const PicoSeconds delay = delay_of(rtt, marked);
  came_through_ += bytes;
  to_ignore_ -= std::min(to_ignore_, bytes);
  const PicoSeconds judged = has_rules_of_2024() ? mean_delay() : delay;
  if ((is_recovering() && marked) || adapts(false, judged, in_flight, now)) {
    if (!has_rules_of_2024()) forget_growth();
    return;
  }

  const auto n = static_cast<double>(bytes);
  if (!marked && delay >= target_) {
    growth_ += fair_ * n;
    undelayed_ = 0;
  } else if (!marked && grows_fast(bytes, delay)) {
    window_ += fast_ * n;
  } else if (!marked) {
    growth_ += proportional_ * n * as_double(target_ - delay);
    if (parameters_->fair_below_target) growth_ += fair_ * n;
  } else {
    undelayed_ = 0;
    if (delay >= target_ && now >= cut_ + base_rtt_ && mean_ > as_double(target_)) {
      const double above = (mean_ - as_double(target_)) / mean_;
      window_ *= std::max(1 - parameters_->decrease_gain.value() * above, 0.5);
      cut_ = now;
    }
  }
  grow_when_due(bytes, now);
  clamp();
}

void NsccWindow::trimmed(Bytes packet, PicoSeconds rtt, Bytes in_flight, PicoSeconds now) {
  armed_ = true;
  if (has_rules_of_2024()) {
    lost(packet);
    if (!is_recovering()) adapts(true, mean_delay(), in_flight + packet, now);
    return;
  }
  const PicoSeconds delay = delay_of(rtt, true);
  to_ignore_ -= std::min(to_ignore_, packet);
  if (is_recovering() || adapts(true, delay, in_flight, now)) {
    forget_growth();
  } else {
    lost(packet);
  }
}

void NsccWindow::lost(Bytes packet) {
  window_ -= static_cast<double>(packet);
  clamp();
}

}  // namespace dcc
