// The notification point, which decides which CE mark causes a CNP (DCQCN section 3.1).
#pragma once

#include <algorithm>
#include <cstdint>

#include "nic/nic_parameters.h"
#include "sim/state_digest.h"
#include "units.h"

namespace dcc {

/// Notification state of one flow at the receiver. At most one CNP is sent per interval, at the
/// first CE mark after the interval ended; several flows may share the interval. With `carry_marks`
/// a CNP carries the number of CE marks and of data packets since the previous CNP, each saturating
/// at 255. If all those packets were marked, the next packet without a mark causes a clear
/// notification: a CNP with zero marks and zero packets.
class NotificationPoint {
 public:
  /// Counts a received data packet, with or without a CE mark. Call it before on_ce() and
  /// on_unmarked().
  void on_packet() { packets_ = static_cast<std::uint8_t>(std::min(packets_ + 1, 255)); }
  /// A packet with a CE mark arrived. Returns the number of marks that the CNP carries; 0: send no
  /// CNP.
  std::uint8_t on_ce(PicoSeconds now, const CnpParameters& parameters) {
    return on_ce(now, parameters, quiet_until_);
  }
  /// A packet with a CE mark arrived, for flows that share one limiter: no CNP may be sent before
  /// `quiet_until`. Returns the number of marks that the CNP carries; 0: send no CNP.
  std::uint8_t on_ce(PicoSeconds now, const CnpParameters& parameters, PicoSeconds& quiet_until) {
    marks_ = static_cast<std::uint8_t>(std::min(marks_ + 1, 255));
    if (now < quiet_until) return 0;
    quiet_until = now + parameters.interval;
    const std::uint8_t marks = parameters.carry_marks ? marks_ : std::uint8_t{1};
    marks_ = 0;
    reported_packets_ = parameters.carry_marks ? packets_ : std::uint8_t{0};
    packets_ = 0;
    all_marked_ = parameters.carry_marks && marks == reported_packets_;
    return marks;
  }
  /// A packet without a CE mark arrived. Returns true if a clear notification must be sent.
  bool on_unmarked() {
    const bool tell = all_marked_;
    all_marked_ = false;
    if (tell) reported_packets_ = 0;
    return tell;
  }
  /// Number of packets that the last CNP reported; 0: the CNP carried no count.
  std::uint8_t reported_packets() const { return reported_packets_; }
  void add_state(StateDigest& d) const {
    d(quiet_until_, marks_, packets_, reported_packets_, all_marked_);
  }

 private:
  PicoSeconds quiet_until_{};
  std::uint8_t marks_ = 0;
  std::uint8_t packets_ = 0;
  std::uint8_t reported_packets_ = 0;
  bool all_marked_ = false;  // all packets that the last CNP reported were marked
};

}  // namespace dcc
