// Computes the rate that a link gives to each of its flows (RCP).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "describe/quantities.h"
#include "describe/visitor.h"
#include "schemes/common/interval_arrivals.h"
#include "sim/state_digest.h"
#include "units.h"

namespace dcc {

/// Dukkipati, Kobayashi, Zhang-Shen and McKeown, "Processor Sharing Flows in the Internet", IWQoS
/// 2005; gains and first rate of the authors' ns-2 code.
struct FairRateParameters {
  std::optional<PicoSeconds> interval;  // control interval T; empty: the mean round-trip time
  Ratio gain{2, 5};                     // alpha, the gain of RCP on the spare capacity
  Ratio drain{226, 1000};               // beta, the gain of RCP on the queue
  Ratio first_rate{1, 20};  // rate R before the first interval ends, as a share of the link's rate
  bool averaging = false;

  void describe(ParameterVisitor& v);
};

/// FairRate computes one rate R for all flows, without knowing their number. After each interval T
///
///     R ← R (1 + T / d · (α (C − y) − β q / d) / C)
///
/// where y is the arrival rate and q the shortest queue in the interval, and d the mean of the
/// round-trip times that packets carry (T is at most d). R stays between a thousandth of the link
/// and the link's rate. At rest the link is full and its queue is empty, so N flows get C / N each.
///
/// `averaging` (Alizadeh, Kabbani, Atikoglu and Prabhakar, "Stability Analysis of QCN: The
/// Averaging Principle", SIGMETRICS 2011): half an interval after a change R becomes the mean of
/// its values before and after that change.
class FairRate {
 public:
  explicit FairRate(const FairRateParameters& parameters) : parameters_(parameters) {}
  void set_link(BitRate rate);

  /// Records arriving bytes, overhead included; `queue`: bytes that wait for the link;
  /// `round_trip`: round-trip time that the packet carries, zero if it carries none.
  void comes(Bytes bytes, Bytes queue, PicoSeconds round_trip, PicoSeconds now);
  /// Rate R that the link gives each flow after the last call, always above 0.
  BitRate rate() const;

  void add_state(StateDigest& d) const {
    d(rate_, before_, averages_, begun_, began_, mean_, arrivals_, trips_, count_);
  }

 private:
  void turn(PicoSeconds now);
  void change(double arrival, double queue);
  PicoSeconds interval() const;

  FairRateParameters parameters_;
  double link_ = 0;  // rate of the link; all rates here are in bits per second
  double rate_ = 0;
  double before_ = 0;  // rate R before the last change of R
  // true until R becomes the mean of its values before and after the last change
  bool averages_ = false;
  bool begun_ = false;   // true if a packet has arrived since the start of the run
  PicoSeconds began_{};  // start time of the present control interval
  PicoSeconds mean_{};   // d, the mean round-trip time of the flows
  IntervalArrivals arrivals_;
  PicoSeconds trips_{};     // sum of the round-trip times that packets carried in this interval
  std::int64_t count_ = 0;  // number of round-trip times in the sum `trips_`
};

}  // namespace dcc
