// Which flows and computations wait for which: the meaning of `after` in the list of traffic and in
// traces.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "traffic/traffic_spec.h"

namespace dcc {

/// A computation of a host. Each processor of a host does one at a time, in the order in which they
/// may begin; one that takes no time does not wait for the processor.
struct Computation {
  HostId host = 0;
  unsigned processor = 0;
  PicoSeconds time{};
  PicoSeconds start{};                       // does not begin before
  std::uint32_t waits_at = FlowSpec::kNone;  // gate
  std::uint16_t entry = 0;                   // index into the list of traffic
  std::uint32_t line = FlowSpec::kNone;      // index into the lines of the entry's trace
};

/// Gates between flows and computations. A gate opens `delay` after all of what it awaits has
/// ended, or after the first if `any`; flows and computations behind the gate then begin. Gates of
/// collectives and of queries down a tree have lower numbers and are known from FlowSpec alone:
/// FlowSpec::opens and FlowSpec::waits_at; those of names have the numbers from `first` on.
struct Dependencies {
  struct Gate {
    HostId host = 0;  // where what waits begins
    bool any = false;
    PicoSeconds delay{};
    PicoSeconds not_before{};
    PicoSeconds origin{};  // a flow behind the gate begins `flow.start - origin` after it opens
    std::uint32_t awaited = 0;  // number of what it awaits, with what never begins
    std::uint16_t entry = 0;    // the entry that waits, and the line of its trace
    std::uint32_t line = FlowSpec::kNone;
  };
  /// A flow, a computation or a gate by number, and the gate that awaits its end.
  struct Edge {
    std::uint32_t source;
    std::uint32_t gate;
  };

  std::uint32_t first = 0;
  std::vector<Gate> gates;
  std::vector<Edge> received, sent, computed, joined;  // edges by kind of source and event
  std::vector<Computation> computations;
  /// By entry: true if the entry waits, or another one waits for it.
  std::vector<bool> takes_part;
  /// A sentence on the first that waits for what ends at another host; empty if there is none. The
  /// end of a flow is known at one host only, so such waiting has no place in a run that is divided
  /// among partitions.
  std::string crossing;

  std::shared_ptr<TraceStore> traces;  // traces of the traffic, for place_of()

  bool any() const { return !gates.empty() || !computations.empty(); }
};

/// Resolves the names in `after` of entries and lines, and lets `flows`, which are all flows of
/// `specs` by id, wait at gates. Throws TrafficError for names that are unknown or taken twice, for
/// flows that never end or whose end nobody knows, and for what waits for itself.
Dependencies resolve_dependencies(const std::vector<TrafficSpec>& specs,
                                  const TrafficContext& context, std::vector<FlowSpec>& flows);

/// The place of an entry, or of a line of its trace, for messages: "traffic.2" or "flows.flow:7".
std::string place_of(const std::vector<TrafficSpec>& specs, TraceStore& traces, std::uint16_t entry,
                     std::uint32_t line);

}  // namespace dcc
