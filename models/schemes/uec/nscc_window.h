// NSCC, Ultra Ethernet's sender-based congestion control: a window that follows marks and delay.
#pragma once

#include <cstdint>
#include <optional>

#include "describe/enum_names.h"
#include "describe/quantities.h"
#include "describe/visitor.h"
#include "sim/state_digest.h"
#include "units.h"

namespace dcc {

/// Parameters of NSCC. Defaults are those of the authors' simulator (ultraethernet/uet-htsim,
/// 2025).
struct NsccParameters {
  /// Version of the simulator whose rules of quick adaptation and of trimmed packets apply.
  enum class Rules : std::uint8_t {
    k2025,  // a trimmed packet cuts the window, unless quick adaptation has set the window
    // every trimmed packet cuts the window, and quick adaptation does not begin a new observation
    // period
    k2024,
  };
  Rules rules = Rules::k2025;
  // target of the queueing delay; empty: 3/4 of the base round-trip time
  std::optional<PicoSeconds> target;
  Ratio decrease_gain{4, 5};  // gain on the excess of the mean delay over the target delay
  Ratio mean_weight{1, 80};   // weight of a new queueing delay in the mean delay
  Ratio adapt_below{1,
                    // share of the maximum window; quick adaptation is considered only for smaller
                    // windows
                    8};
  // number of acknowledged bytes after which accumulated growth is added to the window
  Bytes update_bytes = 33'200;
  // time after which accumulated growth is added to the window in any case; empty: base RTT
  std::optional<PicoSeconds> update_period;
  std::optional<Bytes> update_most;  // greatest increase of the window at one update, in bytes
  // true: below the target delay the window gets the fair increase besides the proportional
  // increase
  bool fair_below_target = false;

  void describe(ParameterVisitor& v);
};

DCC_ENUM_NAMES(NsccParameters::Rules, {NsccParameters::Rules::k2025, "2025"},
               {NsccParameters::Rules::k2024, "2024"});

/// The window of one queue pair in wire bytes. An acknowledgement acts by its mark and by its
/// queueing delay (beyond that of the empty network):
///
///             | delay below target             | delay above target
///   no mark   | grows in proportion to the gap | grows by a small amount, equal for all
///   mark      | no change: other paths help    | cut by the mean's excess, once per round trip
///
/// Quick adaptation: if packets were trimmed or waited for more than four times the target, and few
/// bytes were acknowledged in one round trip plus the target, the window is set to those bytes.
/// Marks and trimmed packets then change nothing until the bytes that were in flight are answered.
///
/// The rules of 2024 differ: quick adaptation looks at the mean delay instead of the last one,
/// never enlarges the window, and does not begin a new period, so the next adaptation counts the
/// bytes of both. Every trimmed packet cuts the window, does not count as answered and is no delay.
/// A packet may leave as long as any part of the window is free.
class NsccWindow {
 public:
  struct Path {
    BitRate rate;          // rate of the sender's link
    PicoSeconds base_rtt;  // base round-trip time of the longest path
    Bytes packet = 0;      // wire bytes of a full packet
    Bytes initial = 0;
    Bytes most = 0;
  };
  NsccWindow(const NsccParameters& parameters, const Path& path);

  Bytes bytes() const { return static_cast<Bytes>(window_); }
  PicoSeconds base_rtt() const { return base_rtt_; }
  PicoSeconds target() const { return target_; }
  PicoSeconds mean_delay() const { return PicoSeconds(static_cast<std::int64_t>(mean_)); }

  /// Returns true if a packet of `packet` bytes may leave while `in_flight` bytes are in flight.
  bool allows(Bytes in_flight, Bytes packet) const;
  /// Handles an acknowledgement of `bytes`. `in_flight`: bytes still in flight after this
  /// acknowledgement.
  void acknowledged(Bytes bytes, PicoSeconds rtt, bool marked, Bytes in_flight, PicoSeconds now);
  /// Handles a trimmed packet; `rtt`: time from its sending to the arrival of the report.
  void trimmed(Bytes packet, PicoSeconds rtt, Bytes in_flight, PicoSeconds now);
  /// Handles a lost packet whose loss is known from a timeout or a gap only.
  void lost(Bytes packet);

  void add_state(StateDigest& d) const {
    d(window_, base_rtt_, mean_, growth_, grown_for_, grown_, grown_constant_, cut_, undelayed_,
      came_through_, armed_, judged_, to_ignore_);
  }

 private:
  bool has_rules_of_2024() const { return parameters_->rules == NsccParameters::Rules::k2024; }
  PicoSeconds delay_of(PicoSeconds rtt, bool marked);
  bool adapts(bool loss, PicoSeconds delay, Bytes in_flight, PicoSeconds now);
  bool is_recovering() const { return to_ignore_ > 0; }
  bool grows_fast(Bytes bytes, PicoSeconds delay);
  void grow_when_due(Bytes bytes, PicoSeconds now);
  void forget_growth();
  void clamp();

  const NsccParameters* parameters_;  // parameters of NSCC, which the transport owns
  double window_;
  double packet_;
  double most_;
  PicoSeconds base_rtt_;  // least round-trip time of the queue pair so far
  PicoSeconds target_;
  PicoSeconds update_period_;
  // Gains of NSCC, scaled by the bandwidth-delay product of the link. Gain of the proportional
  // increase, in bytes² per byte and picosecond of delay
  double proportional_;
  double fair_;      // gain of NSCC's fair increase, in bytes² per byte
  double fast_;      // gain of NSCC's fast increase, in bytes per byte
  double constant_;  // gain of NSCC's constant increase, in bytes per round trip

  double mean_ = 0;  // mean queueing delay of the queue pair in picoseconds
  // accumulated growth of the window in bytes², which is divided by the window when it is applied
  double growth_ = 0;
  Bytes grown_for_ = 0;
  PicoSeconds grown_{};
  PicoSeconds grown_constant_{};
  PicoSeconds cut_{};
  Bytes undelayed_ = 0;  // bytes acknowledged since the last acknowledgement with queueing delay
  // State of NSCC's quick adaptation.
  Bytes came_through_ = 0;
  bool armed_ = false;
  // end of the present observation period of quick adaptation; zero: no period
  PicoSeconds judged_{};
  // number of bytes in flight whose acknowledgements quick adaptation ignores
  Bytes to_ignore_ = 0;
};

}  // namespace dcc
