// A stored burst of traffic: begins and ends of its flows, and the counts of the burst.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "measure/measurement.h"
#include "stats/flow_ledger.h"
#include "traffic/flow_gates.h"
#include "traffic/flow_plan.h"
#include "traffic/gate_preview.h"

namespace dcc::vp {

/// The state of a collective's gates between two rounds, while no flow is under way.
struct RoundState {
  PicoSeconds at{};         // time at which the next round begins
  std::uint32_t first = 0;  // id of the first flow of the next round
  // gates that will open, in order; times are relative to `at`, flow ids to `first`
  std::vector<FlowGates::Due> gates;

  /// True if rounds that begin in these two states of the gates have the same course.
  bool is_like(const RoundState& other) const;
};

/// A burst in memory. Its times are relative to the begin of the burst.
struct RememberedBurst {
  struct Flow {
    std::uint32_t id = 0;  // id of the simulated flow of the burst
    PicoSeconds begin{};
    PicoSeconds received{};
    PicoSeconds sent{};  // time at which every byte of the flow was acknowledged
    std::uint64_t wire_bits = 0;
    std::uint64_t packets = 0;
    std::uint64_t ce = 0;
    std::uint64_t cnps = 0;
    std::uint32_t received_order = 0;  // order of the flow's reception, as an index into `ends`
    std::uint32_t sent_order = 0;

    /// Makes the record of a flow of `bytes` with this course in a burst that begins at `from`.
    FlowRecord record_at(PicoSeconds from, Bytes bytes) const;
  };
  struct End {
    PicoSeconds at;
    std::uint32_t flow = 0;  // index into `flows` of the flow that ended
    bool sent = false;
  };
  std::vector<Flow> flows;  // flows of the burst, ordered by their begin
  std::vector<End> ends;    // ends of the burst's flows, ordered by time
  PicoSeconds length{};     // time from the begin of the burst until the network is at rest again
  Measurement::Stretch counted;
  std::int64_t owed = 0;  // number of replays of the burst that are not yet in the measurement
  bool checked = false;
  // Set only if the burst is a round of a collective: the state of the gates in which the burst
  // began, and, if the next round began in a like state, the time until then.
  std::optional<RoundState> before;
  std::optional<PicoSeconds> period;

  /// Records the course of `flows`, which began at or after `from` and have ended. Empty if a
  /// packet of any flow was retransmitted.
  static std::optional<RememberedBurst> of(const std::vector<std::uint32_t>& flows,
                                           const FlowLedger& ledger, PicoSeconds from);
  /// True if the same flows began in the same order in both bursts, at whatever times.
  bool has_same_flows(const RememberedBurst& other, const FlowPlan& plan) const;
  /// True if each flow has the same bytes, packets, marks and CNPs in both bursts. Precondition:
  /// both bursts have as many flows.
  bool has_same_counts(const RememberedBurst& other) const;
};

/// True if two flows would have the same packets: all their properties but names and times are
/// equal.
bool are_alike(const FlowSpec& a, const FlowSpec& b);
/// A hash of the flow properties that are_alike() compares.
std::uint64_t hash_of(const FlowSpec& flow);

/// Runs gates ahead along a stored burst and compares the flows that begin with those of the burst.
class BurstMatch final : private GatePreview::Course {
 public:
  BurstMatch(const RememberedBurst& burst, const FlowPlan& plan, const FlowGates& gates,
             PicoSeconds now);
  /// True if from `now` on the burst's flows begin at the times of the burst, and no other flow
  /// begins until the burst ends.
  bool matches();
  /// The flows of the present burst, in the order of RememberedBurst::flows. Valid if matches()
  /// returned true.
  std::vector<std::uint32_t>& flows() { return flows_; }

 private:
  bool begins(const PlannedFlow& flow, PicoSeconds at) override;
  bool same_places(Qpn now, HostId host, Qpn then);

  const RememberedBurst& burst_;
  const FlowPlan& plan_;
  const PicoSeconds from_;
  GatePreview preview_;
  std::vector<std::uint32_t> flows_;
  // offset of the present flows' queue pair numbers from those of the stored burst, by host
  std::map<HostId, Qpn> further_;
};

}  // namespace dcc::vp
