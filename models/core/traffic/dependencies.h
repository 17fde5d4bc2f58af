// Resolves `after` in the list of traffic and in traces: which flows and computations wait for
// which.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "traffic/traffic_spec.h"

namespace dcc {

/// A computation of a host. Each processor of a host does one computation at a time, in the order
/// in which they may begin; a computation that takes no time does not wait for the processor.
struct Computation {
  HostId host = 0;
  unsigned processor = 0;
  PicoSeconds time{};
  PicoSeconds start{};                       // time before which the computation does not begin
  std::uint32_t waits_at = FlowSpec::kNone;  // number of the gate that the computation waits for
  std::uint16_t entry = 0;               // index of the computation's entry in the list of traffic
  std::uint32_t line = FlowSpec::kNone;  // index into the lines of the entry's trace
};

/// Gates between flows and computations. A gate opens `delay` after everything that it awaits has
/// ended, or after the first end if `any`; flows and computations behind the gate then begin. Gates
/// of collectives and of queries down a tree have lower numbers and are known from FlowSpec alone:
/// FlowSpec::opens and FlowSpec::waits_at. Gates that follow from names in `after` have the numbers
/// from `first` on.
struct Dependencies {
  struct Gate {
    HostId host = 0;  // host at which the waiting flows or computations begin
    bool any = false;
    PicoSeconds delay{};
    PicoSeconds not_before{};
    // reference time: a flow behind the gate begins `flow.start - origin` after the gate opens
    PicoSeconds origin{};
    // number of ends that the gate awaits, including ends that never come
    std::uint32_t awaited = 0;
    // entry that waits at the gate, and the waiting line of the entry's trace
    std::uint16_t entry = 0;
    std::uint32_t line = FlowSpec::kNone;
  };
  /// Connects a flow, a computation or a gate, by number, with the gate that awaits its end.
  struct Edge {
    std::uint32_t source;
    std::uint32_t gate;
  };

  std::uint32_t first = 0;
  std::vector<Gate> gates;
  std::vector<Edge> received, sent, computed,
      joined;  // edges to gates, by kind of the awaited item and of its event
  std::vector<Computation> computations;
  /// For each entry: true if the entry waits for others, or if another entry waits for it.
  std::vector<bool> takes_part;
  /// A sentence about the first waiting entry or line whose awaited end happens at another host;
  /// empty if there is none. Only one host knows of a flow's end, so a run with such waiting cannot
  /// be divided among partitions.
  std::string crossing;

  std::shared_ptr<TraceStore> traces;  // traces of the traffic, for place_of()

  bool any() const { return !gates.empty() || !computations.empty(); }
};

/// Resolves the names in `after` of entries and lines, and makes `flows` (all flows of `specs`, by
/// id) wait at gates. Throws TrafficError for names that are unknown or used twice, for awaited
/// flows that never end or whose end no host knows, and for circular waiting.
Dependencies resolve_dependencies(const std::vector<TrafficSpec>& specs,
                                  const TrafficContext& context, std::vector<FlowSpec>& flows);

/// The place of an entry, or of a line of its trace, in messages: "traffic.2" or "flows.flow:7".
std::string place_of(const std::vector<TrafficSpec>& specs, TraceStore& traces, std::uint16_t entry,
                     std::uint32_t line);

}  // namespace dcc
