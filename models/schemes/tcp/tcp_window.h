// TCP's congestion windows: how far a sender may go, by ACKs, losses and marks.
#pragma once

#include <cstdint>

#include "describe/enum_names.h"
#include "describe/quantities.h"
#include "describe/visitor.h"
#include "units.h"

namespace dcc {

struct TcpWindowParameters {
  enum class Growth : std::uint8_t {
    kNewReno,  // RFC 5681: a segment a round trip, half at a loss
    kCubic,    // RFC 9438
    kDctcp,    // RFC 8257: NewReno whose cut follows the share of marks
  };
  Growth growth = Growth::kCubic;
  unsigned initial_window = 10;  // segments, RFC 6928
  Ratio cubic_c{2, 5};           // segments a second cubed
  Ratio cubic_beta{7, 10};       // what is left of a window after a loss
  bool fast_convergence = true;
  bool reno_friendly = true;  // never slower than NewReno would be
  Ratio g{1, 16};             // DCTCP: weight of the newest window in its share of marks

  void describe(ParameterVisitor& v);
};

DCC_ENUM_NAMES(TcpWindowParameters::Growth, {TcpWindowParameters::Growth::kNewReno, "newreno"},
               {TcpWindowParameters::Growth::kCubic, "cubic"},
               {TcpWindowParameters::Growth::kDctcp, "dctcp"});

/// Of one connection, in segments. Slow start below a threshold, as everywhere; above it by the law
/// chosen. Its owner says what happened, and keeps it to one cut a round trip.
///
/// CUBIC: t after the last cut the window is C (t - K)^3 + Wmax, which is the window at the cut
/// (less than that if it had not come back to the one before: fast convergence) after K. Where a
/// NewReno of the same mean would have more, it is that one's.
class TcpWindow {
 public:
  explicit TcpWindow(const TcpWindowParameters& parameters);

  double segments() const { return window_; }
  double threshold() const { return threshold_; }
  bool in_slow_start() const { return window_ < threshold_; }

  /// So many segments were acknowledged for the first time, and the window was what kept the
  /// sender.
  void acknowledged(unsigned segments, PicoSeconds rtt, PicoSeconds now);
  /// A loss was noticed by what came behind it; so many segments were under way.
  void lost(double flight);
  /// Nothing came back. `again`: the same segment had been sent again for that already.
  void timed_out(double flight, bool again);
  /// Marks came back.
  void marked(double flight);
  /// DCTCP: segments acknowledged, and with a mark; a round trip is over.
  void count_marks(unsigned segments, bool mark) {
    counted_ += segments;
    counted_marks_ += mark ? segments : 0;
  }
  void round_over();
  /// Nothing was to be sent for so long, which a timeout is shorter or longer than.
  void rested(PicoSeconds time, bool longer_than_timeout);

  // CUBIC's law, for tests of it:
  /// Seconds from a cut until the window is Wmax again.
  double cubic_k() const { return k_; }
  double cubic_max() const { return w_max_; }
  double cubic_at(double seconds) const;
  double share_of_marks() const { return alpha_; }

  template <class Digest>
  void add_state(Digest& d) const {
    d(window_, threshold_, w_max_, w_before_, w_reno_, k_, epoch_, after_cut_, alpha_, counted_,
      counted_marks_);
  }

 private:
  void grow_cubic(unsigned segments, PicoSeconds rtt, PicoSeconds now);
  void begin_epoch(PicoSeconds now);
  void cut(double left, double least);
  bool is_cubic() const { return parameters_->growth == TcpWindowParameters::Growth::kCubic; }

  const TcpWindowParameters* parameters_;  // of its owner
  double window_;
  double threshold_;
  // CUBIC; an epoch lies between two cuts, and begins with the first growth after one.
  double w_max_ = 0;
  double w_before_ = 0;  // at the last cut
  double w_reno_ = 0;    // of the NewReno it is held against
  double k_ = 0;
  PicoSeconds epoch_ = PicoSeconds::max();  // max: it has not begun
  bool after_cut_ = false;                  // … and follows a cut, not a timeout or slow start
  // DCTCP
  double alpha_ = 1;
  std::uint64_t counted_ = 0;
  std::uint64_t counted_marks_ = 0;
};

/// By Newton's method, so that the digits are the same on every machine. Precondition: x >= 0.
double cube_root(double x);

}  // namespace dcc
