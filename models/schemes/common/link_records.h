// Telemetry of the previous ACK for every link of a flow's path, which algorithms compare with the
// newest ACK.
#pragma once

#include <cstddef>

#include "nic/algorithm/algorithm.h"

namespace dcc {

class LinkRecords {
 public:
  /// Stores the telemetry of an ACK and calls visit(hop, last, elapsed in ps) for every link that
  /// has sent since the previous ACK. Returns false without a call if there is nothing to compare:
  /// no telemetry, the first ACK, or a path with another number of hops.
  template <class Visit>
  bool update(const AckInfo& info, Visit&& visit) {
    if (info.telemetry == nullptr || info.telemetry_hops == 0) return false;
    if (hops_ != info.telemetry_hops) {
      hops_ = info.telemetry_hops;
      links_ = *info.telemetry;
      return false;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(hops_); ++i) {
      const IntHop& hop = info.telemetry->hop[i];
      IntHop& last = links_.hop[i];
      const auto elapsed = static_cast<long double>((hop.timestamp - last.timestamp).count);
      if (elapsed > 0) visit(hop, last, elapsed);
      last = hop;
    }
    return true;
  }

 private:
  int hops_ = 0;  // number of links whose records are valid in `links_`
  IntStack links_;
};

}  // namespace dcc
