// Packet delays of each class at one NIC: round trips of sent packets, one-way delays of received
// packets, and the same for marked packets only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "stats/log_histogram.h"
#include "units.h"

namespace dcc {

/// Delays in nanoseconds. `marked` holds the delays of packets with a CE mark, which the packet
/// itself or its ACK reported.
struct MarkedDelays {
  LogHistogram all;
  LogHistogram marked;

  void add(PicoSeconds delay, bool was_marked) {
    const auto ns = static_cast<std::uint64_t>(delay.count > 0 ? delay.count : 0) /
                    static_cast<std::uint64_t>(kNanoSecond.count);
    all.add(ns);
    if (was_marked) marked.add(ns);
  }
  void merge(const MarkedDelays& other) {
    all.merge(other.all);
    marked.merge(other.marked);
  }
};

struct ClassDelays {
  MarkedDelays round_trip;  // of acknowledged packets
  MarkedDelays one_way;     // of accepted packets, from sending to acceptance
  MarkedDelays as_read;     // round trips by the host's inexact clock, as algorithms see them
};

/// Delays by DSCP. A NIC measures delays only if it has a DelaysByClass, because each packet costs
/// two histogram updates.
class DelaysByClass {
 public:
  ClassDelays& of(std::uint8_t dscp) {
    std::unique_ptr<ClassDelays>& place = classes_[dscp & 63u];
    if (place == nullptr) place = std::make_unique<ClassDelays>();
    return *place;
  }
  /// Null if no packet of this class was seen.
  const ClassDelays* seen(std::uint8_t dscp) const { return classes_[dscp & 63u].get(); }

 private:
  std::array<std::unique_ptr<ClassDelays>, 64> classes_{};
};

}  // namespace dcc
