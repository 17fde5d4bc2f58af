// Decides how much the flows of a link must change their windows, and divides the change among
// packets (XCP).
#pragma once

#include <algorithm>
#include <cstdint>

#include "describe/quantities.h"
#include "describe/visitor.h"
#include "schemes/common/interval_arrivals.h"
#include "sim/state_digest.h"
#include "units.h"

namespace dcc {

/// Katabi, Handley and Rohrs, "Congestion Control for High Bandwidth-Delay Product Networks",
/// SIGCOMM 2002, section 3.5.
struct FeedbackParameters {
  Ratio gain{2, 5};        // alpha, the gain of XCP on the spare capacity
  Ratio drain{226, 1000};  // beta, the gain of XCP on the queue
  Ratio shuffle{1, 10};  // gamma, the share of the traffic's rate that is redistributed among flows

  void describe(ParameterVisitor& v);
};

/// XCP's link controller. Once in a mean round-trip time d, the efficiency controller decides by
/// how many bytes all windows together must change:
///
///     φ = α d (C − y) − β Q
///
/// with C the link's rate, y the rate of arrival and Q the shortest queue of that time. The
/// fairness controller divides φ among the packets of the next d: an increase gives every flow the
/// same rate, a decrease takes the same part of every rate. If φ is small, the share `shuffle` of
/// the traffic is taken and given all the same, so that shares become equal: a flow at the mean
/// rate gains as much as it loses.
class FeedbackController {
 public:
  /// Greatest number of round trips between two packets of a flow; a flow with the shortest window,
  /// an eighth of a packet, has this gap.
  static constexpr int kLongestGap = 8;

  /// Fields of the congestion header that a port reads.
  struct Flow {
    double window = 0;         // window of the packet's flow in bytes
    PicoSeconds round_trip{};  // round-trip time of the flow; zero: the packet has no header
  };

  explicit FeedbackController(const FeedbackParameters& parameters) : parameters_(parameters) {}
  void set_link(BitRate rate) { link_ = static_cast<double>(rate.bits_per_second) / 8; }

  /// Records an arriving packet of `bytes`, overhead included; `queue`: bytes that wait for the
  /// link. Returns the change of its flow's window in bytes.
  double comes(Bytes bytes, Bytes queue, const Flow& flow, PicoSeconds now);

  void add_state(StateDigest& d) const {
    d(begun_, began_, span_, give_, take_, arrivals_, by_window_, counted_, trips_);
  }

 private:
  void turn(PicoSeconds now);

  FeedbackParameters parameters_;
  double link_ = 0;  // rate of the link in bytes per second
  bool begun_ = false;
  PicoSeconds began_{};  // start time of the present control interval
  PicoSeconds span_{};   // length d of the present control interval
  double give_ = 0;      // window increase in bytes for a packet with size · RTT² / window = 1 s
  double take_ = 0;      // window decrease in bytes for a packet with size · RTT = 1 byte-second
  IntervalArrivals arrivals_;
  double by_window_ = 0;  // sum of RTT · size / window over the packets of the interval, in s
  double counted_ = 0;    // sum of the sizes of the interval's packets with a congestion header
  double trips_ = 0;      // sum of size · RTT over the interval's packets with a congestion header
};

}  // namespace dcc
