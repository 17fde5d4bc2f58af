// PCC Allegro: a rate moved by randomized controlled trials of four intervals.
#pragma once

#include "schemes/common/rate_trials.h"

namespace dcc {

/// Dong, Li, Zarchy, Godfrey, Schapira, "PCC: Re-architecting Congestion Control for Consistent
/// High Performance", NSDI 2015, sections 2.2 and 3.
struct AllegroParameters final : RateTrialsParameters {
  // ε_min: first deviation of the trial rates from the flow's rate, as a share of that rate
  Ratio probe{1, 100};
  // ε_max: greatest deviation of the trial rates, as a share of the flow's rate
  Ratio probe_max{1, 20};
  Ratio loss_limit{1, 20};  // loss rate at which the sigmoid halves the value of goodput
  Ratio steepness{100};     // α, steepness of the sigmoid at loss_limit

  void describe(ParameterVisitor& v) override;
  void check(Bytes largest_packet) const override;
  bool needs_losses() const override { return true; }
};

/// PCC Allegro moves the rate r of a flow by trials of four intervals. The first two intervals send
/// at (1 + ε)·r and (1 − ε)·r in random order, and so do the other two. If both pairs of intervals
/// prefer the same direction, r moves in that direction by 1, 2, 3 … times ε_min, one interval
/// each, until the utility falls. Then the last step is taken back, and the trials begin again with
/// ε_min. If the pairs disagree, ε grows by ε_min for the next trials. The utility of the rate x
/// with the share L of packets lost is x·(1 − L) / (1 + exp(α·(L − loss limit))) − x·L. Nothing but
/// loss lowers the utility.
class Allegro final : public RateTrials {
 public:
  Allegro(AlgorithmHost& host, const AllegroParameters& parameters, std::uint32_t mtu,
          std::uint64_t seed, std::uint64_t index = 0);

  void release(FlowNumber flow) override;

  /// Utility of sending at a rate of `mbps` Mb/s.
  long double utility(long double mbps, long double loss) const;

 private:
  struct State {
    unsigned trials = 1;  // deviation ε of the trial rates in units of ε_min, up to ε_max
    // direction in which the rate moves step by step; 0: the flow makes trials instead
    int direction = 0;
    // n, number of rate steps in one direction, the present step included
    unsigned steps = 0;
    long double utility = 0;  // utility of the flow's rate during a sequence of rate steps
    // for each pair of trials: true if the higher rate is sent first
    std::array<bool, 2> up_first{};
  };

  long double first_rate(const FlowStart& start) const override;
  void begin(FlowNumber number) override { states_.keep(number) = State{}; }
  Plan plan(FlowNumber number, long double mbps) override;
  long double judge(FlowNumber number, long double mbps,
                    const std::array<Interval, kMostIntervals>& intervals) override;
  long double utility_of(const Interval& interval) const override;
  long double judge_trials(State& state, long double mbps,
                           const std::array<Interval, kMostIntervals>& intervals) const;

  const long double probe_, probe_max_, loss_limit_, steepness_;
  NumberedTable<State> states_;
};

}  // namespace dcc
