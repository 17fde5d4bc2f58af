// Takes bursts of traffic from memory where they repeat (`fast_forward.memo`).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "build/host.h"
#include "build/platform_part.h"
#include "config/platform_config.h"
#include "disturb/platform_clock.h"
#include "disturb/remembered_burst.h"
#include "measure/measurement.h"
#include "parallel/partitions.h"
#include "sim/random.h"
#include "sim/scheduler.h"
#include "stats/flow_ledger.h"
#include "stats/spot_checks.h"
#include "traffic/direct_traffic.h"
#include "traffic/flow_gates.h"
#include "traffic/flow_memory.h"
#include "traffic/flow_plan.h"
#include "traffic/gate_preview.h"

namespace dcc::vp {

/// A burst begins when a gated flow starts while the network is at rest, and ends when the network
/// is at rest again. The first time that a flow of some kind begins a burst, only its kind is
/// noted; the second time the burst is simulated and remembered. When the flow begins a burst
/// again, gates and computations are run ahead with the remembered ends of flows (GatePreview). If
/// the same flows begin at the same times, nothing of the burst is simulated: flows end when they
/// ended before, which opens gates as usual, and counters grow by what the burst counted. Every
/// queue pair serves one flow, so nothing of an algorithm or a receiver outlives a burst.
///
/// A sample of the repetitions is simulated as if nothing were known, and compared. A burst that
/// differs by more than `memo_error` is forgotten.
class Memo final : public PlatformPart, private FlowMemory {
 public:
  struct Context {
    const PlatformConfig& config;
    Scheduler& scheduler;
    const PlatformClock& clock;
    std::vector<std::unique_ptr<Host>>& hosts;
    const Partitions& partitions;
    const FlowPlan& plan;
    FlowLedger& ledger;
    Measurement& measurement;
    FlowGates& gates;
    DirectTraffic& traffic;
  };
  explicit Memo(const Context& context);
  void finish(RunResults& results) override;

 private:
  friend struct MemoTamper;  // of tests
  enum class Mode : std::uint8_t { kIdle, kRecording, kChecking, kReplaying };
  /// What is known of bursts that begin with one kind of flow.
  struct Known {
    std::vector<std::unique_ptr<RememberedBurst>> bursts;
    bool seen = false;
    unsigned recorded = 0;  // bursts remembered so far
    unsigned hits = 0;
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
  void end_watch();
  void abandon_watch();
  void check(const std::optional<RememberedBurst>& seen);
  void forget_all();
  void count(RememberedBurst& burst);

  /// Takes burst_ from memory, with these flows.
  void replay(std::vector<std::uint32_t> flows);
  void replay_begin(const PlannedFlow& flow);
  void replay_due();
  void plan_replay();

  const Context c_;
  MemoResult result_;
  SpotChecks errors_;
  RandomStream random_;
  std::unordered_map<std::uint64_t, Known> known_;
  std::size_t in_memory_ = 0;  // number of bursts
  std::uint64_t begun_ = 0;    // flows that have begun, here or in the network
  Mode mode_ = Mode::kIdle;
  PicoSeconds from_{};                // begin of the burst
  std::uint64_t key_ = 0;             // its key
  RememberedBurst* burst_ = nullptr;  // the burst that is checked or replayed
  std::vector<std::uint32_t> flows_;  // of the burst, by id in the order of their begin
  std::unique_ptr<Measurement::Watch> watch_;
  // Of the replay:
  std::vector<char> has_begun_;  // by index into flows_
  std::size_t next_begin_ = 0;   // the first that has not
  std::size_t next_end_ = 0;     // index into RememberedBurst::ends
  Event look_event_;
  Event replay_event_;
};

}  // namespace dcc::vp
