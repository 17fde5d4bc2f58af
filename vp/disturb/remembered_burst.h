// The course of a burst of traffic: when its flows began and ended, and the counts of the burst.
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

/// The gates of a collective between two rounds, while no flow is under way.
struct RoundState {
  PicoSeconds at{};         // time at which the next round begins
  std::uint32_t first = 0;  // id of the first flow of the next round
  // gates that will open, in order; times count from `at`, ids from `first`
  std::vector<FlowGates::Due> gates;

  /// True if rounds that begin in the two states have the same course.
  bool is_like(const RoundState& other) const;
};

/// A burst in memory. Its times count from the begin of the burst.
struct RememberedBurst {
  struct Flow {
    std::uint32_t id = 0;  // id of the simulated flow
    PicoSeconds begin{};
    PicoSeconds received{};
    PicoSeconds sent{};  // time at which every byte was acknowledged
    std::uint64_t wire_bits = 0;
    std::uint64_t packets = 0;
    std::uint64_t ce = 0;
    std::uint64_t cnps = 0;
    std::uint32_t received_order = 0;  // order of the flow's reception, as an index into `ends`
    std::uint32_t sent_order = 0;

    /// The record of a flow of `bytes` with this course in a burst that begins at `from`.
    FlowRecord record_at(PicoSeconds from, Bytes bytes) const;
  };
  struct End {
    PicoSeconds at;
    std::uint32_t flow = 0;  // index of the end's flow in `flows`
    bool sent = false;
  };
  std::vector<Flow> flows;  // flows of the burst, ordered by their begin
  std::vector<End> ends;    // ends of the burst's flows, ordered by time
  PicoSeconds length{};     // time until the network is at rest again
  Measurement::Stretch counted;
  std::int64_t owed = 0;  // number of replays that are not yet in the measurement
  bool checked = false;
  // State of the gates in which the burst began, if the burst is a round of a collective; and the
  // time until the next round began in a like state, if it did.
  std::optional<RoundState> before;
  std::optional<PicoSeconds> period;

  /// Records the course of these flows, which began at or after `from` and have ended. Empty if a
  /// packet of any flow was retransmitted.
  static std::optional<RememberedBurst> of(const std::vector<std::uint32_t>& flows,
                                           const FlowLedger& ledger, PicoSeconds from);
  /// True if the same flows began in the same order, at whatever times.
  bool has_same_flows(const RememberedBurst& other, const FlowPlan& plan) const;
  /// True if each flow has the same bytes, packets, marks and CNPs. Precondition: as many flows.
  bool has_same_counts(const RememberedBurst& other) const;
};

/// True if two flows would have the same packets: all properties but names and times are equal.
bool are_alike(const FlowSpec& a, const FlowSpec& b);
/// A hash of the properties that are_alike() compares.
std::uint64_t hash_of(const FlowSpec& flow);

/// Runs gates ahead along a stored burst and compares the flows that begin.
class BurstMatch final : private GatePreview::Course {
 public:
  BurstMatch(const RememberedBurst& burst, const FlowPlan& plan, const FlowGates& gates,
             PicoSeconds now);
  /// True if from `now` on the same flows begin at the same times as in the burst, and no others
  /// until it ends.
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
  std::map<HostId, Qpn>
      further_;  // difference of queue pair numbers from the stored burst, by host
};

}  // namespace dcc::vp
