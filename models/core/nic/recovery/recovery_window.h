// The window that holds a queue pair back after a retransmission timeout, and the backoff of its
// timer.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/state_digest.h"
#include "units.h"

namespace dcc {

/// Window of a queue pair after a retransmission timeout. Go-back-N retransmits all packets behind
/// a lost packet. Where many senders repeat at full rate into one port, nearly all packets arrive
/// out of order, and each round delivers about one packet. So a queue pair restarts from one packet
/// after a timeout, as adapters do with slow restart. Acknowledged bytes open the window. The
/// window grows by their number up to half of the bytes that were in flight, then by one packet a
/// round trip (RFC 5681, 3.1). A gap that the receiver reports halves the window, but not below one
/// bandwidth-delay product, which a flow alone needs to fill its link. The window ends when all
/// work is done.
///
/// Consecutive timeouts double the time until the next timeout, as adaptive retransmission of
/// adapters and RFC 6298, 5.5 do, so that packets in a long queue are not repeated over and over.
class RecoveryWindow {
 public:
  /// Starts the window of a queue pair at a timeout, with `in_flight` bytes unacknowledged.
  RecoveryWindow(std::uint32_t mtu, Bytes in_flight) : mtu_(mtu), limit_(in_flight) {}

  Bytes limit() const { return limit_; }
  /// Exponent of the power of two by which the timeout is multiplied. The first of consecutive
  /// timeouts does not count: only a second timeout shows that the first came too early, or that
  /// the path has failed.
  unsigned backoff() const { return std::min(timeouts_ > 0 ? timeouts_ - 1 : 0, kMostDoublings); }

  /// Time at which the queue pair last timed out.
  PicoSeconds last_timeout() const { return last_timeout_; }

  void timed_out(PicoSeconds now) {
    last_timeout_ = now;
    // A timeout of a single packet tells nothing new about the path.
    if (limit_ > mtu_) threshold_ = std::max<Bytes>(limit_ / 2, mtu_);
    limit_ = mtu_;
    ++timeouts_;
  }
  /// The receiver has reported a gap, which halves the window. `full`: bandwidth-delay product of
  /// the path.
  void gap_reported(Bytes full) {
    limit_ = std::max({limit_ / 2, std::min(limit_, full), Bytes{mtu_}});
    threshold_ = limit_;
  }
  /// Opens the window for `bytes` that were acknowledged for the first time.
  void acknowledged(Bytes bytes) {
    timeouts_ = 0;
    limit_ += limit_ < threshold_ ? bytes : std::max<Bytes>(Bytes{mtu_} * bytes / limit_, 1);
    limit_ = std::min(limit_, kMost);
  }

  void add_state(StateDigest& d) const { d(limit_, threshold_, timeouts_, last_timeout_); }

 private:
  static constexpr unsigned kMostDoublings = 6;
  static constexpr Bytes kMost = Bytes{1} << 40;

  std::uint32_t mtu_;
  Bytes limit_;
  Bytes threshold_ = kMost;  // threshold below which the window doubles in a round trip
  unsigned timeouts_ = 0;    // number of timeouts since the last acknowledgement of new data
  PicoSeconds last_timeout_{};
};

}  // namespace dcc
