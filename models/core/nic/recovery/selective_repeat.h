// The sender's knowledge of packets that arrived behind a gap, for selective repeat (IRN,
// SIGCOMM'18, section 3).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "nic/work_queue.h"
#include "sim/state_digest.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// Selective-repeat state of one queue pair; exists from the first loss until all packets sent
/// before the loss was noticed are acknowledged. Each NAK names a packet that arrived early. Every
/// packet before the named one that is neither acknowledged nor named counts as lost and is
/// repeated once. A packet that is lost again waits for the timeout, after which all packets not
/// known to have arrived are repeated.
class SelectiveRepeat {
 public:
  /// `window`: greatest number of packets of `work` that are unacknowledged at once.
  SelectiveRepeat(unsigned window, const WorkQueue& work)
      : arrived_(window),
        next_(work.oldest()),
        oldest_(work.oldest_unacked()),
        end_(work.next_psn()) {}

  /// Notes that the receiver has packet `psn`. Precondition: `psn` is less than `window` above the
  /// oldest unacknowledged packet.
  void arrived(const WorkQueue& work, Psn psn) {
    arrived_[psn % arrived_.size()] = true;
    lost_below_ = std::max(lost_below_, psn);
    find_lost(work);
  }
  /// Handles a timeout: all packets below `next` that are not known to have arrived count as lost.
  /// If the oldest unacknowledged packet is known to have arrived, its acknowledgement was lost,
  /// and only a repetition brings another one; so this packet counts as lost in any case.
  void timed_out(const WorkQueue& work) {
    arrived_[work.oldest_unacked() % arrived_.size()] = false;
    end_ = lost_below_ = work.next_psn();
    next_ = work.oldest();
    repeated_ = 0;
    find_lost(work);
  }
  /// Notes that `bytes` of `work` were newly acknowledged.
  void acknowledged(const WorkQueue& work, Bytes bytes) {
    for (; oldest_ < work.oldest_unacked(); ++oldest_) {
      arrived_[oldest_ % arrived_.size()] = false;
    }
    repeated_ = std::max<Bytes>(repeated_ - bytes, 0);
    if (!is_over()) find_lost(work);
  }

  /// True if a lost packet, the one at next(), waits to be repeated.
  bool has_lost() const { return next_.psn < lost_below_; }
  const WorkQueue::Cursor& next() const { return next_; }
  /// The packet at next() was repeated with `bytes` of payload.
  void repeated(const WorkQueue& work, Bytes bytes) {
    repeated_ += bytes;
    work.pass(next_);
    find_lost(work);
  }
  /// True once all packets sent before the loss was noticed are acknowledged.
  bool is_over() const { return oldest_ >= end_ && oldest_ >= lost_below_; }
  /// Number of repeated bytes that are not acknowledged yet.
  Bytes repeated_bytes() const { return repeated_; }

  void add_state(StateDigest& d) const {
    d(next_.psn, oldest_, end_, lost_below_, repeated_);
    for (const bool one : arrived_) d(one);
  }

 private:
  /// Moves the cursor to a packet that is neither acknowledged nor known to have arrived.
  void find_lost(const WorkQueue& work) {
    if (next_.psn < work.oldest_unacked()) next_ = work.oldest();
    while (has_lost() && arrived_[next_.psn % arrived_.size()]) work.pass(next_);
  }

  std::vector<bool> arrived_;  // true if the packet at position PSN modulo the window arrived
  WorkQueue::Cursor next_;     // next packet to examine; it is repeated if it is lost
  Psn oldest_;
  Psn end_;
  Psn lost_below_ = 0;
  Bytes repeated_ = 0;
};

}  // namespace dcc
