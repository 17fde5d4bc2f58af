// Ultra Ethernet's congestion control by the sender, NSCC: a window that follows marks and delay.
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
  Ratio decrease_gain{4, 5};                 // of the part of the mean delay that is too much
  Ratio mean_weight{1, 80};                  // of a round trip's delay in the mean
  Ratio adapt_below{1, 8};                   // of the greatest window
  Bytes update_bytes = 33'200;               // acknowledged, after which the window grows …
  std::optional<PicoSeconds> update_period;  // … or when so long has passed; empty: base RTT
  std::optional<Bytes> update_most;          // that the window grows by at once
  bool fair_below_target = false;            // fair increase as well as the proportional one

  void describe(ParameterVisitor& v);
};

/// Of one queue pair, in bytes on the wire. What an acknowledgement does depends on its mark and on
/// the delay beyond the empty network's:
///
///             | delay below target          | above
///   no mark   | grows by what is below      | grows a little, alike for all
///   mark      | nothing: another path helps | cut by what the mean is above, once a round trip
///
/// Quick adaptation: when packets were trimmed, or waited four times the target, and little came
/// through in a round trip and the target, the window becomes what came through.
class NsccWindow {
 public:
  struct Path {
    BitRate rate;          // of the sender's link
    PicoSeconds base_rtt;  // of the network's longest path
    Bytes packet = 0;      // on the wire
    Bytes initial = 0;
    Bytes most = 0;
  };
  NsccWindow(const NsccParameters& parameters, const Path& path);

  Bytes bytes() const { return static_cast<Bytes>(window_); }
  PicoSeconds base_rtt() const { return base_rtt_; }
  PicoSeconds target() const { return target_; }
  PicoSeconds mean_delay() const { return PicoSeconds(static_cast<std::int64_t>(mean_)); }

  /// Of what was sent so many bytes are known to have arrived. `in_flight`: besides these.
  void acknowledged(Bytes bytes, PicoSeconds rtt, bool marked, Bytes in_flight, PicoSeconds now);
  /// A packet's payload was cut off on its way; so long after it had left that was known.
  void trimmed(Bytes packet, PicoSeconds rtt, Bytes in_flight, PicoSeconds now);
  /// A packet is lost, and that is all that is known.
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

  const NsccParameters* parameters_;  // of its owner
  double window_;
  double packet_;
  double most_;
  PicoSeconds base_rtt_;  // the least that was seen
  PicoSeconds target_;
  PicoSeconds update_period_;
  // Gains, by the link's bandwidth-delay product
  double proportional_;  // bytes squared for a byte and a picosecond of delay
  double fair_;          // bytes squared for a byte
  double fast_;          // bytes for a byte
  double constant_;      // bytes a round trip

  double mean_ = 0;    // delay, picoseconds
  double growth_ = 0;  // bytes squared: divided by the window when it is applied
  Bytes grown_for_ = 0;
  PicoSeconds grown_{};
  PicoSeconds grown_constant_{};
  PicoSeconds cut_{};
  Bytes undelayed_ = 0;  // acknowledged since there was a delay
  // Quick adaptation
  Bytes came_through_ = 0;
  bool armed_ = false;
  PicoSeconds judged_{};  // when it is looked at again; zero: has not begun
  Bytes to_ignore_ = 0;   // of what was in flight, answers whose marks mean nothing
};

}  // namespace dcc
