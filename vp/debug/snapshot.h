// The counters of a whole platform at one instant, and what was counted between two.
#pragma once

#include <cstdint>
#include <vector>

#include "measure/counter_totals.h"
#include "stats/proportion.h"
#include "units.h"
#include "wire/link.h"

namespace dcc::vp {

/// One wire's: what the link counted, and how long its sender was held by PFC.
struct WireCounters {
  LinkCounters link;
  PicoSeconds pause{};
};

struct Snapshot {
  std::vector<WireCounters> wires;           // by wire
  std::vector<std::uint64_t> cnps_received;  // by host
  CounterTotals counters;

  /// What was counted after `earlier`, a snapshot of the same platform: the difference of
  /// everything, the only form in which results get counters.
  Snapshot since(const Snapshot& earlier) const;
  /// Of such a difference, so many times everything; and everything with it.
  Snapshot times(const Proportion& times) const;
  Snapshot plus(const Snapshot& more) const;
  /// Visits every number but those of hosts, by reference. The bindings name every member: one more
  /// member does not compile until it takes part.
  template <class Visit>
  void each(Visit visit) {
    for (auto& [link, pause] : wires) {
      auto& [packets, bytes, lost, busy] = link;
      visit(packets);
      visit(bytes);
      visit(lost);
      visit(busy);
      visit(pause);
    }
    counters.each(visit);
  }
};

}  // namespace dcc::vp
