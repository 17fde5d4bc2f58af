// The receiver's side of congestion notification: which CE mark makes a CNP (DCQCN section 3.1,
// NP).
#pragma once

#include <algorithm>
#include <cstdint>

#include "nic/nic_parameters.h"
#include "units.h"

namespace dcc {

/// Per flow: at most one CNP an interval, sent at once with the first CE outside it. With
/// `carry_marks` it stands for every CE since the last one and tells how many packets came since
/// (each saturating at 255), else for one. After one that told of marked packets only, the next
/// packet without a mark brings an all clear: a CNP of no marks and no packets.
class NotificationPoint {
 public:
  /// A data packet arrived, marked or not; before on_ce.
  void on_packet() { packets_ = static_cast<std::uint8_t>(std::min(packets_ + 1, 255)); }
  /// A packet with CE arrived. Returns the marks the CNP to send carries; 0: send none.
  std::uint8_t on_ce(PicoSeconds now, const CnpParameters& parameters) {
    marks_ = static_cast<std::uint8_t>(std::min(marks_ + 1, 255));
    if (now < quiet_until_) return 0;
    quiet_until_ = now + parameters.interval;
    const std::uint8_t marks = parameters.carry_marks ? marks_ : std::uint8_t{1};
    marks_ = 0;
    reported_packets_ = parameters.carry_marks ? packets_ : std::uint8_t{0};
    packets_ = 0;
    all_marked_ = parameters.carry_marks && marks == reported_packets_;
    return marks;
  }
  /// A packet without CE arrived. True: an all clear is to be sent.
  bool on_unmarked() {
    const bool tell = all_marked_;
    all_marked_ = false;
    if (tell) reported_packets_ = 0;
    return tell;
  }
  /// What the last CNP says of packets; 0: nothing.
  std::uint8_t reported_packets() const { return reported_packets_; }
  template <class Digest>
  void add_state(Digest& d) const {
    d(quiet_until_, marks_, packets_, reported_packets_, all_marked_);
  }

 private:
  PicoSeconds quiet_until_{};
  std::uint8_t marks_ = 0;
  std::uint8_t packets_ = 0;
  std::uint8_t reported_packets_ = 0;
  bool all_marked_ = false;  // all that the last CNP told of
};

}  // namespace dcc
