// The counters of a whole platform at one instant, and differences of such snapshots.
#pragma once

#include <cstdint>
#include <vector>

#include "measure/counter_totals.h"
#include "stats/proportion.h"
#include "units.h"
#include "wire/link.h"

namespace dcc::vp {

/// Counters of one wire: the link's counters, and the time for which PFC paused the wire's sender.
struct WireCounters {
  LinkCounters link;
  PicoSeconds pause{};
};

struct Snapshot {
  std::vector<WireCounters> wires;           // counters of each wire
  std::vector<std::uint64_t> cnps_received;  // number of CNPs that each host received
  /// The counters of measure/field_counters.h: hosts first, then ports of switches, each port with
  /// its queues. Peaks are treated like counts until the end of the run sets them.
  std::vector<std::uint64_t> by_name;
  CounterTotals counters;

  /// Returns the counts after `earlier`, a snapshot of the same platform, as differences of all
  /// numbers. Results get counters only as differences.
  Snapshot since(const Snapshot& earlier) const;
  /// Scales every number of a difference of snapshots by a proportion. plus() adds another
  /// difference.
  Snapshot times(const Proportion& times) const;
  Snapshot plus(const Snapshot& more) const;
  /// Visits every number except those of hosts, by reference. The structured bindings name every
  /// member, so a new member does not compile until the function visits it.
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
    for (std::uint64_t& one : by_name) visit(one);
    counters.each(visit);
  }
};

}  // namespace dcc::vp
