// How long the packets of each class take, as one NIC sees it: there and back of what it sends, one
// way of what it receives, and how many of them met a mark.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "stats/log_histogram.h"
#include "units.h"

namespace dcc {

/// Nanoseconds. `marked` holds those of `all` that met a CE mark: the ACK said so, or the packet
/// came with it.
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
  MarkedDelays round_trip;  // of packets acknowledged
  MarkedDelays one_way;     // of packets accepted, from their sending to then
  MarkedDelays as_read;  // round trips by a host's clock that is not exact: what algorithms go by
};

/// A NIC asks for nothing of this until it is given one: a packet costs two looks into histograms.
class DelaysByClass {
 public:
  ClassDelays& of(std::uint8_t dscp) {
    std::unique_ptr<ClassDelays>& place = classes_[dscp & 63u];
    if (place == nullptr) place = std::make_unique<ClassDelays>();
    return *place;
  }
  /// Null: no packet of this class yet.
  const ClassDelays* seen(std::uint8_t dscp) const { return classes_[dscp & 63u].get(); }

 private:
  std::array<std::unique_ptr<ClassDelays>, 64> classes_{};
};

}  // namespace dcc
