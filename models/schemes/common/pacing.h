// Pacing of queue pairs that each have a rate: tells when a flow's next packet is due, and which
// due queue pair sends first.
#pragma once

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "nic/deadline_table.h"
#include "sim/state_digest.h"
#include "units.h"

namespace dcc {

/// Pacer of one flow; the rate may change with every packet. A packet that leaves late by less than
/// one packet time does not delay the packets behind it.
class Pacer {
 public:
  /// Earliest time at which the flow's next packet may leave. Precondition: rate > 0.
  PicoSeconds due(BitRate rate, PicoSeconds now) const {
    return last_bytes_ == 0 ? now : from_ + serialization_time(last_bytes_, rate);
  }
  /// Records a packet that leaves now; `bytes` include link overhead.
  void sends(Bytes bytes, BitRate rate, PicoSeconds now) {
    from_ = due(rate, now);
    last_bytes_ = bytes;
    if (due(rate, now) < now) from_ = now;
  }
  void add_state(StateDigest& d) const { d(from_, last_bytes_); }

 private:
  PicoSeconds from_{};    // time at which the flow's last packet was due
  Bytes last_bytes_ = 0;  // wire bytes of the flow's last packet; 0: no packet yet
};

/// Chooses in round robin among the queue pairs whose next packet is due.
class PacedTurns {
 public:
  /// `event` must call a function of the owner that calls ring().
  PacedTurns(Scheduler& scheduler, Event event)
      : scheduler_(scheduler), due_(scheduler, std::move(event)) {}

  bool empty() const { return ready_.empty(); }
  /// Removes and returns the queue pair whose turn it is; put() inserts it again. Precondition: not
  /// empty().
  Qpn take() {
    const Qpn qpn = ready_.front();
    ready_.pop_front();
    is_ready_[qpn] = false;
    return qpn;
  }
  /// Sets when a queue pair's next packet is due; max(): the queue pair has no packet, or no rate.
  void put(Qpn qpn, PicoSeconds when) {
    if (is_ready_.size() <= qpn) is_ready_.resize(qpn + 1);
    const bool ready = when <= scheduler_.now();
    if (ready && !is_ready_[qpn]) ready_.push_back(qpn);
    if (!ready && is_ready_[qpn]) ready_.erase(std::find(ready_.begin(), ready_.end(), qpn));
    is_ready_[qpn] = ready;
    ready || when == PicoSeconds::max() ? due_.clear(qpn) : due_.set(qpn, when);
  }
  /// Calls `due(qpn)` for every queue pair whose time has come; the caller then calls put().
  template <class Due>
  void ring(Due due) {
    due_.expire(due);
  }
  void add_state(StateDigest& d) const { d(ready_, due_); }

 private:
  Scheduler& scheduler_;
  std::deque<Qpn> ready_;
  // true for queue pairs whose next packet is due, indexed by queue pair
  std::vector<bool> is_ready_;
  DeadlineTable due_;
};

}  // namespace dcc
