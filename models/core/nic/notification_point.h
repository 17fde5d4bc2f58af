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
/// (each saturating at 255), else for one.
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
    told_packets_ = parameters.carry_marks ? packets_ : std::uint8_t{0};
    packets_ = 0;
    return marks;
  }
  /// What the CNP of the last on_ce that wanted one says of packets; 0: nothing.
  std::uint8_t told_packets() const { return told_packets_; }

 private:
  PicoSeconds quiet_until_{};
  std::uint8_t marks_ = 0;
  std::uint8_t packets_ = 0;
  std::uint8_t told_packets_ = 0;
};

}  // namespace dcc
