// TCP's congestion windows: NewReno, CUBIC and DCTCP.
#pragma once

#include <cstdint>

#include "describe/enum_names.h"
#include "describe/quantities.h"
#include "describe/visitor.h"
#include "sim/state_digest.h"
#include "units.h"

namespace dcc {

struct TcpWindowParameters {
  enum class Growth : std::uint8_t {
    kNewReno,  // NewReno (RFC 5681): grows by one segment per round trip, halved at a loss
    kCubic,    // CUBIC (RFC 9438)
    kDctcp,    // DCTCP (RFC 8257): NewReno with a cut by the share of marks
  };
  Growth growth = Growth::kCubic;
  unsigned initial_window = 10;  // first window in segments (RFC 6928)
  Ratio cubic_c{2, 5};           // CUBIC's constant C in segments per cubic second
  Ratio cubic_beta{7, 10};       // CUBIC: share of the window that remains after a loss
  bool fast_convergence = true;
  bool reno_friendly = true;  // CUBIC: true if the window grows at least as fast as NewReno's
  Ratio g{1, 16};             // DCTCP: weight g of the newest window in the average share of marks

  void describe(ParameterVisitor& v);
};

DCC_ENUM_NAMES(TcpWindowParameters::Growth, {TcpWindowParameters::Growth::kNewReno, "newreno"},
               {TcpWindowParameters::Growth::kCubic, "cubic"},
               {TcpWindowParameters::Growth::kDctcp, "dctcp"});

/// Congestion window of one connection in segments, with slow start below a threshold and growth by
/// the chosen rule above it. The owner of the window reports events, and at most one cut per round
/// trip.
///
/// With CUBIC, the window at time t after the last cut is C (t - K)^3 + Wmax. The window reaches
/// Wmax, its value at the cut, after the time K. Wmax is smaller if the window had not regained its
/// previous maximum before the cut (fast convergence). If NewReno with the same mean had a larger
/// window, NewReno's window is used.
class TcpWindow {
 public:
  explicit TcpWindow(const TcpWindowParameters& parameters);

  double segments() const { return window_; }
  double threshold() const { return threshold_; }
  bool in_slow_start() const { return window_ < threshold_; }

  /// Handles newly acknowledged segments; called while the congestion window limits the sender.
  void acknowledged(unsigned segments, PicoSeconds rtt, PicoSeconds now);
  /// Handles a segment loss that later segments revealed; `flight`: number of segments in flight.
  void lost(double flight);
  /// Handles a retransmission timeout; `again`: true for a repeated timeout of the same segment.
  void timed_out(double flight, bool again);
  /// Cuts the window for ECN marks; `flight`: number of segments in flight.
  void marked(double flight);
  /// DCTCP: counts acknowledged segments by their mark; round_over() ends a round trip.
  void count_marks(unsigned segments, bool mark) {
    counted_ += segments;
    counted_marks_ += mark ? segments : 0;
  }
  void round_over();
  /// Handles an idle period of the connection. `time`: its length; `longer_than_timeout`: true if
  /// it exceeded the retransmission timeout.
  void rested(PicoSeconds time, bool longer_than_timeout);

  // Functions for tests of CUBIC
  /// CUBIC's K: seconds from a cut until the window has reached Wmax again.
  double cubic_k() const { return k_; }
  double cubic_max() const { return w_max_; }
  double cubic_at(double seconds) const;
  double share_of_marks() const { return alpha_; }

  void add_state(StateDigest& d) const {
    d(window_, threshold_, w_max_, w_before_, w_reno_, k_, epoch_, after_cut_, alpha_, counted_,
      counted_marks_);
  }

 private:
  void grow_cubic(unsigned segments, PicoSeconds rtt, PicoSeconds now);
  void begin_epoch(PicoSeconds now);
  void cut(double left, double least);
  bool is_cubic() const { return parameters_->growth == TcpWindowParameters::Growth::kCubic; }

  // parameters of the congestion window, which the transport owns
  const TcpWindowParameters* parameters_;
  double window_;
  double threshold_;
  // State of CUBIC. An epoch starts with the first growth after a cut and ends with the next cut.
  double w_max_ = 0;
  double w_before_ = 0;  // window in segments at the last cut of CUBIC
  // window in segments that NewReno would have, with which CUBIC compares its window
  double w_reno_ = 0;
  double k_ = 0;
  PicoSeconds epoch_ = PicoSeconds::max();  // start time of the CUBIC epoch; max: not started
  bool after_cut_ = false;                  // true if the CUBIC epoch follows a cut, not a timeout
  // State of DCTCP: average share of marks and the counts for it
  double alpha_ = 1;
  std::uint64_t counted_ = 0;
  std::uint64_t counted_marks_ = 0;
};

/// Cube root by Newton's method, so that the result is the same on every machine. Precondition: x
/// >= 0.
double cube_root(double x);

}  // namespace dcc
