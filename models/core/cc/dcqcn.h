// DCQCN per flow, without a table of slots and with real numbers: the baseline for the controller.
#pragma once

#include <cstdint>
#include <optional>

#include "cc/algorithm.h"
#include "cc/algorithm_parameters.h"
#include "describe/enum_names.h"
#include "stats/numbered_table.h"

namespace dcc {

/// Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, section 3.
struct DcqcnParameters : AlgorithmParameters {
  /// Named sets of values; single ones come on top.
  enum class Preset : std::uint8_t {
    kSig15,      // SIGCOMM'15, section 5: N = 50 us, K = 55 us, F = 5, 10 MB, 40 Mb/s
    kAdapter,    // what shipping adapters start with: 4 us, 1 us, 300 us, 32767 B, F = 1, 5/50 Mb/s
    kReference,  // the published reference simulator's default: as kAdapter with g = 1/256 and no
                 // byte counter
  };
  /// The published rules, or the RoCE article's slotted form, which has other rules.
  enum class Variant : std::uint8_t { kStandard, kSlotted };

  Variant variant = Variant::kStandard;
  Preset preset_name = Preset::kSig15;
  Ratio g{1, 256};
  unsigned f = 5;                                  // F, fast recovery threshold
  PicoSeconds alpha_timer = kMicroSecond * 55;     // K
  PicoSeconds increase_timer = kMicroSecond * 55;  // T
  PicoSeconds decrease_period{0};                  // least time between cuts; 0: every CNP
  Bytes byte_counter = 10_MB;                      // B; 0: off
  BitRate r_ai = 40_Mbps;
  BitRate r_hai = 40_Mbps;
  BitRate r_min = 40_Mbps;
  std::optional<BitRate> r_max;         // empty: the line's
  std::optional<BitRate> initial_rate;  // empty: the line's
  Ratio initial_alpha{1};
  bool timer_restart = true;  // a cut restarts the increase timer and the byte counter
  Ratio mi{0};                // multiplicative increase, share of the rate an increase

  void describe(ParameterVisitor& v) override;
  void check(Bytes largest_packet) const override;
  void preset(CnpParameters& cnp) const override;

 protected:
  /// Takes over the values of `preset_name`.
  void apply_preset();
  /// What dcc and dcqcn have in common. `most`: the greatest gain that can be held.
  void describe_rules(ParameterVisitor& v, const Ratio& most, bool runtime);
};

DCC_ENUM_NAMES(DcqcnParameters::Preset, {DcqcnParameters::Preset::kSig15, "sig15"},
               {DcqcnParameters::Preset::kAdapter, "adapter"},
               {DcqcnParameters::Preset::kReference, "reference"});
DCC_ENUM_NAMES(DcqcnParameters::Variant, {DcqcnParameters::Variant::kStandard, "standard"},
               {DcqcnParameters::Variant::kSlotted, "slotted"});

/// The parameters as the rules reckon with them, rates in Mb/s; what was left empty is the line's.
struct DcqcnValues {
  DcqcnValues(const DcqcnParameters& parameters, Rate line);

  long double r_min, r_max, initial, r_ai, r_hai;
  long double g, initial_alpha;
};

/// The reaction point. Rates in Mb/s as long double; the pacing gets them rounded to the
/// controller's resolution. A flow is at its initial rate, uncontrolled, until its first CNP.
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
  bool rests(FlowNumber flow) const override { return !flows_[flow].controlled; }
  void forget(FlowNumber flow) override { flows_.drop(flow); }

 private:
  enum Timer : int { kAlpha = 0, kIncrease = 1 };
  struct Flow {
    long double current = 0;  // Rc, Mb/s
    long double target = 0;   // Rt, Mb/s
    long double alpha = 1;
    unsigned timer_events = 0;  // T
    unsigned byte_events = 0;   // BC
    Bytes bytes = 0;            // since the last BC event
    PicoSeconds last_cut{};
    bool controlled = false;  // has had a CNP since it was last at the maximum
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
