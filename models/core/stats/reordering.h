// Statistics of packet reordering: by how many packet numbers late packets are behind.
#pragma once

#include <algorithm>
#include <cstdint>

#include "stats/log_histogram.h"
#include "stats/proportion.h"
#include "units.h"

namespace dcc {

/// The highest packet number of a flow that has arrived so far. A packet is late if a packet with a
/// higher number that was sent later has arrived before it (RFC 4737, in the order of sending). A
/// retransmission alone therefore does not count as late.
class FurthestArrival {
 public:
  /// Records the first arrival of packet `psn`. Returns the number of packet numbers by which the
  /// packet is late; 0: not late.
  std::uint64_t behind(std::uint64_t psn, PicoSeconds sent) {
    if (psn >= psn_) {
      psn_ = psn;
      sent_ = sent;
      return 0;
    }
    return sent < sent_ ? psn_ - psn : 0;
  }

 private:
  std::uint64_t psn_ = 0;
  PicoSeconds sent_{};
};

/// Counts late packets, and the packet numbers by which each of them is behind.
class Reordering {
 public:
  /// Adds a packet that is `behind` packet numbers late; 0: not late.
  void add(std::uint64_t behind) {
    if (behind == 0) return;
    depths_.add(behind);
    deepest_ = std::max(deepest_, behind);
  }
  void merge(const Reordering& other) { merge(other.depths_, other.deepest_); }
  void merge(const LogHistogram& depths, std::uint64_t deepest) {
    depths_.merge(depths);
    deepest_ = std::max(deepest_, deepest);
  }
  /// Adds the increase since `earlier`, a former copy of this object, `times` more times.
  void repeat_since(const Reordering& earlier, const Proportion& times) {
    depths_.repeat_since(earlier.depths_, times);
  }

  const LogHistogram& depths() const { return depths_; }
  std::uint64_t deepest() const { return deepest_; }

 private:
  LogHistogram depths_;
  std::uint64_t deepest_ = 0;
};

}  // namespace dcc
