// Queue pairs that each send at a rate of their own: when the next packet of one is due, and which
// of those that are due goes first.
#pragma once

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "nic/deadline_table.h"
#include "units.h"

namespace dcc {

/// Of one flow, whose rate may be another for each packet. Late by less than a packet it keeps its
/// pace.
class Pacer {
 public:
  /// When the next packet may leave. Precondition: rate > 0.
  PicoSeconds due(BitRate rate, PicoSeconds now) const {
    return last_bytes_ == 0 ? now : from_ + serialization_time(last_bytes_, rate);
  }
  /// A packet of so many bytes, overhead included, leaves.
  void sends(Bytes bytes, BitRate rate, PicoSeconds now) {
    from_ = due(rate, now);
    last_bytes_ = bytes;
    if (due(rate, now) < now) from_ = now;
  }
  template <class Digest>
  void add_state(Digest& d) const {
    d(from_, last_bytes_);
  }

 private:
  PicoSeconds from_{};    // when the last packet was due
  Bytes last_bytes_ = 0;  // 0: there was none
};

/// Those whose next packet is due take turns.
class PacedTurns {
 public:
  /// `event` calls the owner's function that calls ring().
  PacedTurns(Scheduler& scheduler, Event event)
      : scheduler_(scheduler), due_(scheduler, std::move(event)) {}

  bool empty() const { return ready_.empty(); }
  /// The one whose turn it is: out, until it is put again. Precondition: not empty().
  Qpn take() {
    const Qpn qpn = ready_.front();
    ready_.pop_front();
    is_ready_[qpn] = false;
    return qpn;
  }
  /// It has a packet to send then, or now; max(): none, or no rate.
  void put(Qpn qpn, PicoSeconds when) {
    if (is_ready_.size() <= qpn) is_ready_.resize(qpn + 1);
    const bool ready = when <= scheduler_.now();
    if (ready && !is_ready_[qpn]) ready_.push_back(qpn);
    if (!ready && is_ready_[qpn]) ready_.erase(std::find(ready_.begin(), ready_.end(), qpn));
    is_ready_[qpn] = ready;
    ready || when == PicoSeconds::max() ? due_.clear(qpn) : due_.set(qpn, when);
  }
  /// Calls `due(qpn)` for each whose moment has come, to be put again.
  template <class Due>
  void ring(Due due) {
    due_.expire(due);
  }
  template <class Digest>
  void add_state(Digest& d) const {
    d(ready_, due_);
  }

 private:
  Scheduler& scheduler_;
  std::deque<Qpn> ready_;
  std::vector<bool> is_ready_;  // by queue pair: in ready_
  DeadlineTable due_;
};

}  // namespace dcc
