// Races that a host's race check found (host.race_check).
#pragma once

#include <cstdint>

#include "stats/metric.h"
#include "wire/packet.h"

namespace dcc::vp {

/// Result of the race check of one host.
struct RaceResult {
  HostId host = 0;
  std::uint64_t accesses = 0;
  std::uint64_t pairs = 0;

  template <class Visitor>
  static void describe(Visitor&& v) {
    v(&RaceResult::host, "host",
      {"", "number of the host, one with a race check (host.race_check)"});
    v(&RaceResult::accesses, "accesses",
      {"", "accesses of its harts and its DMA to a word of RAM that race with an earlier access",
       Statistic::kSum, Span::kRun});
    v(&RaceResult::pairs, "pairs",
      {"", "pairs of instructions that race; all DMA counts as one instruction", Statistic::kSum,
       Span::kRun});
  }
};

}  // namespace dcc::vp
