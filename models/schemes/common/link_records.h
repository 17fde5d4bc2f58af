// What the last ACK told of every link of a flow's way: what algorithms by telemetry compare with.
#pragma once

#include <cstddef>

#include "nic/algorithm/algorithm.h"

namespace dcc {

class LinkRecords {
 public:
  /// Takes in what an ACK tells and calls visit(hop, last, elapsed in ps) for each link that sent
  /// since. False, and nothing is called, if there is nothing to compare with: no telemetry, the
  /// first, or of another way.
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
  int hops_ = 0;  // of `links_` that hold records
  IntStack links_;
};

}  // namespace dcc
