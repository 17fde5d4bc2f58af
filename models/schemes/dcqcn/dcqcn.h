// DCQCN per flow, without a table of slots and with real numbers: the baseline for the controller.
#pragma once

#include <algorithm>
#include <cstdint>

#include "controller/law/dcqcn_parameters.h"
#include "nic/algorithm/algorithm.h"
#include "stats/numbered_table.h"

namespace dcc {

/// Parameters of DCQCN in the units of its rules; rates in Mb/s. Empty values are replaced by the
/// line rate.
struct DcqcnValues {
  DcqcnValues(const DcqcnParameters& parameters, Rate line);

  long double r_min, r_max, initial, r_ai, r_hai;
  // rate and target of a flow after its first CNP; 0: the first CNP cuts like all others
  long double first_rate;
  long double g, initial_alpha, cut_floor, cut_divisor;

  /// Rate of a flow after a cut from `rate`.
  long double cut(long double rate, long double alpha) const {
    return std::max(r_min, rate * std::max(cut_floor, 1 - alpha / cut_divisor));
  }
  /// Rate and target of a flow after its first CNP, from the parameter `first_rate`.
  long double first(long double rate) const { return std::min(rate, first_rate); }
};

/// The reaction point of DCQCN. Rates are long double in Mb/s; the pacer gets rates rounded to the
/// controller's resolution. A flow sends at its initial rate, uncontrolled, until its first CNP.
class Dcqcn final : public Algorithm {
 public:
  Dcqcn(AlgorithmHost& host, const DcqcnParameters& parameters);

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_sent(FlowNumber flow, const SentInfo& info) override;
  void on_cnp(FlowNumber flow, const CnpInfo& info) override;
  void on_timer(FlowNumber flow, int id) override;
  View view(FlowNumber flow) const override;
  AlgorithmCounters counters() const override { return counters_; }
  bool is_quiescent(FlowNumber flow) const override { return !flows_[flow].controlled; }
  void release(FlowNumber flow) override { flows_.drop(flow); }

 private:
  enum Timer : int { kAlpha = 0, kIncrease = 1 };
  struct Flow {
    long double current = 0;  // Rc, the current rate of the flow in Mb/s
    long double target = 0;   // Rt, the target rate of the flow in Mb/s
    long double alpha = 1;
    unsigned timer_events = 0;  // T, number of timer events since the flow's last cut
    unsigned byte_events = 0;   // BC, number of byte counter events since the flow's last cut
    Bytes bytes = 0;            // bytes that the flow sent since its last byte counter event
    PicoSeconds last_cut{};
    bool controlled = false;  // true from a flow's CNP until its rate is at the maximum again
    bool cnp_since_alpha = false;
  };
  void increase(FlowNumber number, Flow& flow);
  void apply(FlowNumber number, const Flow& flow);

  AlgorithmHost& host_;
  DcqcnParameters parameters_;
  DcqcnValues values_;
  NumberedTable<Flow> flows_;
  AlgorithmCounters counters_;
};

}  // namespace dcc
