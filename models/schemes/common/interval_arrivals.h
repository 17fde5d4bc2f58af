// Arrivals at a link in one interval, for schemes whose ports decide once in each interval.
#pragma once

#include <algorithm>

#include "units.h"

namespace dcc {

class IntervalArrivals {
 public:
  /// Records an arriving packet; `queue`: bytes that wait for the link.
  void add(Bytes bytes, Bytes queue) {
    queue_ = any_ ? std::min(queue_, queue) : queue;
    any_ = true;
    bytes_ += bytes;
  }
  Bytes bytes() const { return bytes_; }
  /// Length of the shortest queue that a packet found: the standing queue. 0 if none arrived.
  Bytes queue() const { return queue_; }

  template <class Digest>
  void add_state(Digest& d) const {
    d(bytes_, queue_, any_);
  }

 private:
  Bytes bytes_ = 0;
  Bytes queue_ = 0;
  bool any_ = false;  // a packet has arrived
};

}  // namespace dcc
