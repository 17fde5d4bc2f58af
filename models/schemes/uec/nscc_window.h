// NSCC, Ultra Ethernet's sender-based congestion control: a window that follows marks and delay.
#pragma once

#include <cstdint>
#include <optional>

#include "describe/quantities.h"
#include "describe/visitor.h"
#include "units.h"

namespace dcc {

/// Defaults are those of the authors' simulator (ultraethernet/uet-htsim, 2025).
struct NsccParameters {
  std::optional<PicoSeconds> target;         // queueing delay; empty: 3/4 of the base round trip
  Ratio decrease_gain{4, 5};                 // gain on the excess of the mean delay over the target
  Ratio mean_weight{1, 80};                  // weight of a new delay in the mean
  Ratio adapt_below{1, 8};                   // share of the maximum window for quick adaptation
  Bytes update_bytes = 33'200;               // acknowledged bytes after which the window grows
  std::optional<PicoSeconds> update_period;  // time until the window grows anyway; empty: base RTT
  std::optional<Bytes> update_most;          // greatest increase at a time
  bool fair_below_target = false;            // adds the fair increase to the proportional one

  void describe(ParameterVisitor& v);
};

/// The window of one queue pair in wire bytes. An acknowledgement acts by its mark and by its
/// queueing delay (beyond that of the empty network):
///
///             | delay below target             | delay above target
///   no mark   | grows in proportion to the gap | grows by a small amount, equal for all
///   mark      | no change: other paths help    | cut by the mean's excess, once per round trip
///
/// Quick adaptation: if packets were trimmed or waited for more than four times the target, and few
/// bytes were acknowledged in one round trip plus the target, the window is set to those bytes.
class NsccWindow {
 public:
  struct Path {
    BitRate rate;          // rate of the sender's link
    PicoSeconds base_rtt;  // base round trip of the longest path
    Bytes packet = 0;      // wire bytes of a full packet
    Bytes initial = 0;
    Bytes most = 0;
  };
  NsccWindow(const NsccParameters& parameters, const Path& path);

  Bytes bytes() const { return static_cast<Bytes>(window_); }
  PicoSeconds base_rtt() const { return base_rtt_; }
  PicoSeconds target() const { return target_; }
  PicoSeconds mean_delay() const { return PicoSeconds(static_cast<std::int64_t>(mean_)); }

  /// Handles an acknowledgement of `bytes`. `in_flight`: bytes still in flight after it.
  void acknowledged(Bytes bytes, PicoSeconds rtt, bool marked, Bytes in_flight, PicoSeconds now);
  /// Handles a trimmed packet; `rtt`: from its sending to the news.
  void trimmed(Bytes packet, PicoSeconds rtt, Bytes in_flight, PicoSeconds now);
  /// Handles a lost packet without further information.
  void lost(Bytes packet);

  template <class Digest>
  void add_state(Digest& d) const {
    d(window_, base_rtt_, mean_, growth_, grown_for_, grown_, grown_constant_, cut_, undelayed_,
      came_through_, armed_, judged_, to_ignore_);
  }

 private:
  PicoSeconds delay_of(PicoSeconds rtt, bool marked);
  bool adapts(bool loss, PicoSeconds delay, Bytes in_flight, PicoSeconds now);
  bool is_recovering() const { return to_ignore_ > 0; }
  bool grows_fast(Bytes bytes, PicoSeconds delay);
  void grow_when_due(Bytes bytes, PicoSeconds now);
  void clamp();

  const NsccParameters* parameters_;  // parameters that the transport owns
  double window_;
  double packet_;
  double most_;
  PicoSeconds base_rtt_;  // least round trip seen so far
  PicoSeconds target_;
  PicoSeconds update_period_;
  // Gains, scaled by the bandwidth-delay product of the link
  double proportional_;  // gain in bytes² per byte and picosecond of delay
  double fair_;          // gain in bytes² per byte
  double fast_;          // gain in bytes per byte
  double constant_;      // gain in bytes per round trip

  double mean_ = 0;    // mean delay in picoseconds
  double growth_ = 0;  // growth in bytes²; divided by the window when applied
  Bytes grown_for_ = 0;
  PicoSeconds grown_{};
  PicoSeconds grown_constant_{};
  PicoSeconds cut_{};
  Bytes undelayed_ = 0;  // bytes acknowledged since the last delay
  // State of quick adaptation.
  Bytes came_through_ = 0;
  bool armed_ = false;
  PicoSeconds judged_{};  // end of the present observation; zero: none
  Bytes to_ignore_ = 0;   // bytes in flight whose answers are ignored
};

}  // namespace dcc
