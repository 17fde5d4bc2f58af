// DCQCN in the slotted variant that adapters implement: α and the rate change at the ends of time
// slots.
#pragma once

#include <cstdint>

#include "nic/algorithm/algorithm.h"
#include "schemes/dcqcn/dcqcn.h"
#include "stats/numbered_table.h"

namespace dcc {

/// DCQCN by the rules of the RoCE article, sections 7.1 to 7.3, which differ from the rules of
/// SIGCOMM'15 in more than values:
/// - At the end of every slot of `alpha_timer`, α ← (1−g)·α + g if a CNP came in the slot, else α ←
///   (1−g)·α. (The article's g is our 1−g.)
/// - At the end of a slot of `decrease_period` with one or more CNPs, Rc ← Rc·(1 − α/2), and the
///   counts of timer and byte counter events start anew. The target is set to Rc only if there was
///   an increase since the last cut.
/// - Timer and byte counter increase the rate in three stages: F events of fast recovery (Rc ← (Rc
///   + Rt)/2), F additive increases (Rt + R_AI first), then hyper increases (Rt + R_HAI first).
/// A flow's slots begin with its first CNP. The flow's first slot of cuts ends at once, with the
/// initial α, because the CNP's own slot has not updated α.
/// α is brought up to date when it is used, so a flow costs no event per slot.
class DcqcnSlotted final : public Algorithm {
 public:
  /// Makes the algorithm, with `alpha_timer` and `decrease_period` as slot lengths; both must be
  /// positive.
  DcqcnSlotted(AlgorithmHost& host, const DcqcnParameters& parameters);

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_sent(FlowNumber flow, const SentInfo& info) override;
  void on_cnp(FlowNumber flow, const CnpInfo& info) override;
  void on_timer(FlowNumber flow, int id) override;
  View view(FlowNumber flow) const override;
  AlgorithmCounters counters() const override { return counters_; }
  /// After its first CNP a flow is never quiescent, because its timer runs for ever.
  bool is_quiescent(FlowNumber flow) const override { return !flows_[flow].controlled; }
  void release(FlowNumber flow) override { flows_.drop(flow); }

 private:
  enum Timer : int { kCut = 0, kIncrease = 1 };
  struct Flow {
    long double current = 0;  // Rc, the current rate of the flow in Mb/s
    long double target = 0;   // Rt, the target rate of the flow in Mb/s
    long double alpha = 1;
    PicoSeconds origin{};      // start time of the flow's time slot 0
    std::int64_t settled = 0;  // number of the time slot at whose beginning α had its stored value
    bool cnp_in_slot = false;  // true if a CNP arrived in the time slot `settled`
    bool cut_due = false;
    bool controlled = false;
    bool increased = false;  // true if the flow's rate has risen since the last cut
    unsigned events = 0;     // number of rate increases since the flow's last cut
    Bytes bytes = 0;
  };
  void settle_alpha(Flow& flow, PicoSeconds now) const;
  void cut(FlowNumber number, Flow& flow, long double rate);
  void increase(FlowNumber number, Flow& flow);
  void apply(FlowNumber number, const Flow& flow);

  AlgorithmHost& host_;
  DcqcnParameters parameters_;
  DcqcnValues values_;
  NumberedTable<Flow> flows_;
  AlgorithmCounters counters_;
};

}  // namespace dcc
