// Counts arrivals at a link in one interval, for schemes whose ports decide once in each interval.
#pragma once

#include <algorithm>

#include "sim/state_digest.h"
#include "units.h"

namespace dcc {

class IntervalArrivals {
 public:
  /// Records a packet that arrives for a link. `queue`: bytes that wait for the link.
  void add(Bytes bytes, Bytes queue) {
    queue_ = any_ ? std::min(queue_, queue) : queue;
    any_ = true;
    bytes_ += bytes;
  }
  Bytes bytes() const { return bytes_; }
  /// The standing queue: length of the shortest queue that an arriving packet found, in bytes. 0 if
  /// no packet arrived.
  Bytes queue() const { return queue_; }

  void add_state(StateDigest& d) const { d(bytes_, queue_, any_); }

 private:
  Bytes bytes_ = 0;
  Bytes queue_ = 0;
  bool any_ = false;  // true if a packet has arrived in the present interval
};

}  // namespace dcc
