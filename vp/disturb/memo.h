// Replays bursts of traffic from memory where they repeat (`fast_forward.memo`).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "build/platform_part.h"
#include "disturb/remembered_burst.h"
#include "disturb/round_leaps.h"
#include "measure/measurement.h"
#include "sim/random.h"
#include "sim/scheduler.h"
#include "stats/spot_checks.h"
#include "traffic/flow_gates.h"
#include "traffic/flow_memory.h"
#include "traffic/flow_plan.h"
#include "traffic/gate_preview.h"

namespace dcc::vp {

/// Replays repeated bursts of traffic. A burst begins when a gated flow starts while the network is
/// at rest, and ends when the network is at rest again. When a kind of flow begins a burst for the
/// first time, only the kind is recorded; at the second time the burst is simulated and stored.
/// When a flow of the kind begins a burst again, gates and computations are run ahead with the
/// stored ends of flows (GatePreview). If the same flows begin at the same times, the burst is
/// replayed instead of simulated: flows end at their stored times, which opens gates as usual, and
/// counters grow by the counts of the burst. Every queue pair serves one flow, so no state of an
/// algorithm or a receiver outlives a burst.
///
/// Rounds of a collective that results do not list need no flows (RoundLeaps).
///
/// A sample of the repetitions is simulated without use of memory, and compared with the stored
/// burst. A stored burst that differs by more than `memo_error` is forgotten.
class Memo final : public PlatformPart, private FlowMemory {
 public:
  explicit Memo(Platform& platform);
  void finish(RunResults& results) override;

 private:
  friend struct MemoTamper;  // class by which tests change the memory
  enum class Mode : std::uint8_t { kIdle, kRecording, kChecking, kReplaying };
  /// The stored bursts that begin with one kind of flow.
  struct Known {
    std::vector<std::unique_ptr<RememberedBurst>> bursts;
    bool seen = false;
    unsigned recorded = 0;  // number of bursts of this kind stored so far
    std::uint64_t hits = 0;
  };

  bool begins(const PlannedFlow& flow, bool gated) override;
  bool begin_burst(const PlannedFlow& flow);
  /// Creates the sender's and the receiver's queue pair of a gated flow that is simulated packet by
  /// packet. A flow whose results come from memory never gets queue pairs.
  void create_ends(const PlannedFlow& flow);
  bool is_at_rest(std::uint64_t begun) const;
  PicoSeconds next_event_by_clock() const;
  bool wants_check(const RememberedBurst& burst);

  void watch(Mode mode, const PlannedFlow& first);
  void look();
  /// Ends the recording of a burst. `begun`: number of flows that had begun when the burst ended.
  void end_watch(std::uint64_t begun);
  void abandon_watch();
  void check(const std::optional<RememberedBurst>& seen);
  void forget_all();
  void count(RememberedBurst& burst);

  /// Replays the burst burst_ from memory. `flows`: the flows of the burst.
  void replay(std::vector<std::uint32_t> flows);
  void replay_begin(const PlannedFlow& flow);
  void replay_due();
  void plan_replay();

  /// Learns the period of the recorded burst when the burst ends.
  void learn_period(RememberedBurst& burst, std::uint64_t begun) const;
  /// Leaves out repeated rounds until a round must be simulated. Call when a burst has ended.
  void leap();

  Platform& p_;
  Measurement& measurement_;
  FlowGates& gates_;
  MemoResult result_;
  SpotChecks errors_;
  RandomStream random_;
  std::unordered_map<std::uint64_t, Known> known_;
  std::size_t in_memory_ = 0;  // number of traffic bursts in memory
  std::uint64_t begun_ = 0;    // number of flows that have begun, simulated or replayed from memory
  Mode mode_ = Mode::kIdle;
  PicoSeconds from_{};                // time at which the present burst began
  std::uint64_t key_ = 0;             // key of the kind of flow with which the present burst began
  RememberedBurst* burst_ = nullptr;  // burst in memory that is being checked or replayed
  // ids of the present burst's flows, in the order of their begin
  std::vector<std::uint32_t> flows_;
  std::unique_ptr<Measurement::Watch> watch_;
  // object that leaves out rounds; empty if rounds cannot be left out
  std::optional<RoundLeaps> leaps_;
  std::optional<RoundState> before_;  // network state before the burst, if the burst is a round
  // decision of leap() for the next burst: true if the burst is simulated as a check
  std::optional<bool> decided_;
  // state of the replay of a burst
  std::vector<char> has_begun_;  // true for each flow of flows_ that has begun
  std::size_t next_begin_ = 0;   // index into flows_ of the first flow that has not begun
  std::size_t next_end_ = 0;     // index into RememberedBurst::ends of the next end
  Event look_event_;
  Event replay_event_;
};

}  // namespace dcc::vp
