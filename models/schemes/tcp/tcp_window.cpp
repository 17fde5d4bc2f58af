#include "schemes/tcp/tcp_window.h"

#include <algorithm>

namespace dcc {

namespace {
constexpr double kUnknown =
    1e15;  // initial slow-start threshold: slow start continues until a loss
}

void TcpWindowParameters::describe(ParameterVisitor& v) {
  v.choice("growth", growth,
           {"newreno: RFC 5681; cubic: RFC 9438; dctcp: RFC 8257, with ecn", "RFC 9438"});
  v.field("initial_window", initial_window, {"1", "100000"}, {"segments", "RFC 6928"});
  v.when(growth == Growth::kCubic, "growth: cubic", [&] {
    v.field("cubic_c", cubic_c, {"0.001", "1000"},
            {"C of the window's law, segments a second cubed", "RFC 9438, 5.1"});
    v.field("cubic_beta", cubic_beta, {"0.1", "0.95"},
            {"share of the window that is left after a loss", "RFC 9438, 4.6"});
    v.field("fast_convergence", fast_convergence, {},
            {"a flow that is cut before it has regained its window gives up more of it",
             "RFC 9438, 4.7"});
    v.field("reno_friendly", reno_friendly, {},
            {"the window is at least that of NewReno with the same mean", "RFC 9438, 4.3"});
  });
  v.when(growth == Growth::kDctcp, "growth: dctcp", [&] {
    v.field("g", g, {"1/65536", "1"}, {"weight of the newest window's marks", "RFC 8257, 4.2"});
  });
}

double cube_root(double x) {
  if (x <= 0) return 0;
  // start value within a factor of two of the cube root, which Newton's method then refines
  double root = 1;
  while (root * root * root < x) root *= 2;
  while (root * root * root > x) root /= 2;
  for (int i = 0; i < 8; ++i) root -= (root - x / (root * root)) / 3;
  return root;
}

TcpWindow::TcpWindow(const TcpWindowParameters& parameters)
    : parameters_(&parameters), window_(parameters.initial_window), threshold_(kUnknown) {}

void TcpWindow::acknowledged(unsigned segments, PicoSeconds rtt, PicoSeconds now) {
  if (in_slow_start()) {
    ++window_;  // slow start: one segment for each ACK, however many segments the ACK covers
  } else if (is_cubic()) {
    grow_cubic(segments, rtt, now);
  } else {
    window_ += std::min<double>(segments, window_) / window_;
  }
}

double TcpWindow::cubic_at(double seconds) const {
  const double from_max = seconds - k_;
  return parameters_->cubic_c.value() * from_max * from_max * from_max + w_max_;
}

/// Begins a CUBIC epoch. After a cut the window's curve leads back to Wmax. Without a cut, or after
/// a timeout, the curve begins at Wmax.
void TcpWindow::begin_epoch(PicoSeconds now) {
  epoch_ = now;
  w_reno_ = window_;
  if (!after_cut_ || w_max_ <= window_) {
    w_max_ = window_;
    k_ = 0;
  } else {
    k_ = cube_root((w_max_ - window_) / parameters_->cubic_c.value());
  }
}

void TcpWindow::grow_cubic(unsigned segments, PicoSeconds rtt, PicoSeconds now) {
  if (epoch_ == PicoSeconds::max()) begin_epoch(now);
  const double beta = parameters_->cubic_beta.value();
  // The slope gives the window of CUBIC's Reno-friendly region the same mean as NewReno's, until it
  // is back at its value before the cut.
  const double alpha = w_reno_ < w_before_ ? 3 * (1 - beta) / (1 + beta) : 1;
  w_reno_ += alpha * segments / window_;
  const double t = to_seconds(now - epoch_);
  if (parameters_->reno_friendly && cubic_at(t) < w_reno_) {
    window_ = std::max(window_, w_reno_);
    return;
  }
  const double target = std::clamp(cubic_at(t + to_seconds(rtt)), window_, 1.5 * window_);
  window_ += (target - window_) / window_ * segments;
}

void TcpWindow::cut(double left, double least) {
  if (is_cubic()) {
    const double beta = parameters_->cubic_beta.value();
    const bool lower = parameters_->fast_convergence && window_ < w_max_;
    w_max_ = lower ? window_ * (1 + beta) / 2 : window_;
    w_before_ = window_;
    epoch_ = PicoSeconds::max();
    after_cut_ = true;
  }
  threshold_ = std::max(left, 2.0);
  window_ = std::max(left, least);
}

void TcpWindow::lost(double flight) {
  const double held = std::min(flight, window_);
  cut(held * (is_cubic() ? parameters_->cubic_beta.value() : 0.5), 2);
}

void TcpWindow::timed_out(double flight, bool again) {
  const double threshold = threshold_;
  lost(flight);
  // keeps the threshold, because a repeated timeout reports a loss that has cut it already
  if (again) threshold_ = threshold;
  window_ = 1;
  after_cut_ = false;
}

void TcpWindow::marked(double flight) {
  if (parameters_->growth == TcpWindowParameters::Growth::kDctcp) {
    cut(window_ * (1 - alpha_ / 2), 1);
  } else {
    const double held = std::min(flight, window_);
    cut(held * (is_cubic() ? parameters_->cubic_beta.value() : 0.5), 1);
  }
}

void TcpWindow::round_over() {
  if (counted_ == 0) return;
  const double g = parameters_->g.value();
  const double share = static_cast<double>(counted_marks_) / static_cast<double>(counted_);
  alpha_ = (1 - g) * alpha_ + g * share;
  counted_ = counted_marks_ = 0;
}

void TcpWindow::rested(PicoSeconds time, bool longer_than_timeout) {
  if (epoch_ != PicoSeconds::max()) epoch_ += time;
  if (longer_than_timeout) window_ = std::min<double>(window_, parameters_->initial_window);
}

}  // namespace dcc
