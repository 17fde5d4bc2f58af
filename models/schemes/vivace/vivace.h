// PCC Vivace: the rate follows the slope of a utility, measured by alternating two rates.
#pragma once

#include "schemes/common/rate_trials.h"

namespace dcc {

/// Dong, Meng, Zarchy, Arslan, Gilad, Godfrey, Schapira, "PCC Vivace: Online-Learning Congestion
/// Control", NSDI 2018, sections 4 and 5. The paper counts rates in Mb/s on links of about 100
/// Mb/s; `unit` keeps that relation on faster links. The paper's growing bound lets flows of a fast
/// link overshoot one after the other, so the default keeps it constant.
struct VivaceParameters final : RateTrialsParameters {
  BitRate unit{1'000'000};     // rate that counts as 1 in the utility; first rate of a flow
  Ratio latency_cost{900};     // b, the weight of the RTT's growth in the utility
  Ratio loss_cost{1135, 100};  // c, the weight of losses in the utility
  Ratio tolerance{1, 100};  // growth of the RTT per time up to which the utility ignores the growth
  // ε: deviation of the two compared rates from the flow's rate, as a share of that rate
  Ratio probe{1, 20};
  Ratio step{1};             // θ0: change of the rate for a utility slope of 1, in units of rate
  Ratio first_bound{1, 20};  // ω0: initial bound of a rate change, as a share of the rate
  // increase of the bound of rate changes after each change that reached the bound
  Ratio bound_growth{0};

  void describe(ParameterVisitor& v) override;
};

/// After its start phase a flow with the rate r repeats two steps. It sends one interval at (1 +
/// ε)·r and one at (1 − ε)·r, in random order. Then the flow moves r along the slope of the utility
/// between these two rates. The utility of the rate x with the RTT's growth per time g and the
/// share of packets lost L is x^0.9 − b·x·g − c·x·L.
class Vivace final : public RateTrials {
 public:
  Vivace(AlgorithmHost& host, const VivaceParameters& parameters, std::uint32_t mtu,
         std::uint64_t seed, std::uint64_t index = 0);

  AlgorithmNeeds needs() const override;
  void release(FlowNumber flow) override;

  /// Utility of sending at a rate of `mbps` Mb/s.
  long double utility(long double mbps, long double rtt_growth, long double loss) const;

 private:
  struct State {
    int sign = 0;       // direction of the last change of the flow's rate
    unsigned same = 0;  // number of preceding rate changes in the direction of the last change
    unsigned bound_hits = 0;  // k, the number of rate changes that reached their bound
  };

  long double first_rate(const FlowStart&) const override { return unit_; }
  void begin(FlowNumber number) override { states_.keep(number) = State{}; }
  Plan plan(FlowNumber number, long double mbps) override;
  long double judge(FlowNumber number, long double mbps,
                    const std::array<Interval, kMostIntervals>& intervals) override;
  long double utility_of(const Interval& interval) const override;

  const VivaceParameters parameters_;
  const long double unit_, probe_;
  NumberedTable<State> states_;
};

}  // namespace dcc
