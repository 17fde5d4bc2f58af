// Predicts which flows begin when, from known ends of flows, by running gates and computations
// ahead.
#pragma once

#include <cstdint>
#include <queue>
#include <unordered_map>
#include <vector>

#include "stats/flow_ledger.h"
#include "traffic/flow_gates.h"
#include "traffic/flow_plan.h"

namespace dcc::vp {

/// Runs gates and computations ahead, without changing them, in the order of their events. The
/// state of each gate and processor is copied when it is first needed.
class GatePreview {
 public:
  /// Supplies the ends of flows that begin in the preview.
  class Course {
   public:
    /// Called when `flow` begins at time `at`. The course calls GatePreview::ends() for the flow.
    /// Returns false if the course does not know such a flow at that position; the preview then
    /// ends.
    virtual bool begins(const PlannedFlow& flow, PicoSeconds at) = 0;

   protected:
    ~Course() = default;
  };

  /// Begins the preview at `now`, with all scheduled events. Precondition: all gates are in one
  /// partition, and no flow is in progress.
  GatePreview(const FlowGates& gates, PicoSeconds now, Course& course);

  /// Adds the end of a flow, whose last byte arrives at `received` and is acknowledged later.
  /// `order`: position of the arrival among the ends of all flows at one instant. `sent_order`:
  /// position of the acknowledgement.
  void ends(std::uint32_t flow, PicoSeconds received, std::uint64_t order, PicoSeconds sent,
            std::uint64_t sent_order);
  /// Runs the events before `until`. Returns false if the course ended the preview, or if a flow
  /// begins before its queue pair exists.
  bool run(PicoSeconds until);

 private:
  using Gate = FlowGates::Gate;
  using Computing = FlowGates::Computing;
  using Processor = FlowGates::Processor;
  using Opener = FlowGates::Opener;
  using Fan = FlowGates::Fan;

  struct Item {
    PicoSeconds at;
    std::uint32_t rank = 0;  // rank of the item in the preview's heap: ends of flows come first
    std::uint64_t order = 0;
    // Kind of the event: exactly one of `gate`, `computing` and `told` is not null.
    const Gate* gate = nullptr;
    const Computing* computing = nullptr;
    ArrivalSink* told = nullptr;
    /// Compares items of the preview for a heap with the earliest item on top.
    bool operator<(const Item& o) const {
      if (at != o.at) return o.at < at;
      return rank != o.rank ? o.rank < rank : o.order < order;
    }
  };
  struct GateState {
    std::uint32_t missing;
    bool told, opened;
    PicoSeconds at;
    std::size_t next;
  };
  void push(PicoSeconds at, std::uint32_t rank, const Gate* gate, const Computing* computing);
  GateState& state_of(const Gate& gate);
  void tell(ArrivalSink& sink);
  void told(const Gate& gate);
  bool open(const Gate& gate);
  void ready(const Computing& computing);
  void due(const Computing& computing);

  const FlowGates& gates_;
  Course& course_;
  PicoSeconds now_;
  std::uint64_t pushed_ = 0;
  std::priority_queue<Item> agenda_;
  std::unordered_map<const Gate*, GateState> states_;
  std::unordered_map<const Processor*, PicoSeconds> busy_until_;
  std::unordered_map<const Computing*, bool> begun_;
};

}  // namespace dcc::vp
