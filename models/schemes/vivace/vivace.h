// PCC Vivace: a rate that follows the slope of a utility, measured by two rates in turn.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "nic/algorithm/algorithm.h"
#include "nic/algorithm/algorithm_parameters.h"
#include "sim/random.h"
#include "stats/numbered_table.h"

namespace dcc {

/// Dong, Meng, Zarchy, Arslan, Gilad, Godfrey, Schapira, "PCC Vivace: Online-Learning Congestion
/// Control", NSDI 2018, sections 4 and 5. The paper counts rates in Mb/s on links of about 100
/// Mb/s; `unit` keeps that relation on faster links. The paper's growing bound lets flows of a fast
/// link overshoot one after the other, so the default keeps it constant.
struct VivaceParameters final : AlgorithmParameters {
  BitRate unit{1'000'000};         // rate that counts as 1 in the utility
  Ratio latency_cost{900};         // b
  Ratio loss_cost{1135, 100};      // c
  Ratio tolerance{1, 100};         // growth of the RTT per time that counts as none
  Ratio probe{1, 20};              // ε: rates that are compared lie this share above and below
  Ratio step{1};                   // θ0: units of rate for a slope of 1
  Ratio first_bound{1, 20};        // ω0: greatest change of a rate, as a share of it …
  Ratio bound_growth{0};           // … and what each change that met the bound adds to it
  std::uint32_t packets = 10;      // an interval lasts so many packets of the MTU at least
  BitRate r_min{1'000'000};        // a rate is never cut below this
  std::optional<BitRate> initial;  // rate of a new flow; empty: `unit`

  void describe(ParameterVisitor& v) override;
};

/// A flow starts by doubling its rate from interval to interval until its utility falls. From then
/// on it repeats: in one interval it sends at (1 + ε)·r and in the next at (1 − ε)·r, or the other
/// way round by chance; it sends at r until the packets of both intervals are acknowledged; it
/// moves the rate r along the slope of the utility between the two. The utility of the rate x with
/// the RTT's growth per time g and the share of packets lost L is x^0.9 − b·x·g − c·x·L. An
/// interval is one round trip, or `packets` at the flow's rate if that is longer, and up to a tenth
/// more by chance.
class Vivace final : public Algorithm {
 public:
  Vivace(AlgorithmHost& host, const VivaceParameters& parameters, std::uint32_t mtu,
         std::uint64_t seed, std::uint64_t index = 0);

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_flow_end(FlowNumber flow) override;
  void on_sent(FlowNumber flow, const SentInfo& info) override;
  void on_ack(FlowNumber flow, const AckInfo& info) override;
  void on_timer(FlowNumber flow, int id) override;
  View view(FlowNumber flow) const override;
  AlgorithmCounters counters() const override { return counters_; }
  bool is_quiescent(FlowNumber flow) const override;
  void release(FlowNumber flow) override { flows_.drop(flow); }

  /// Utility of a rate in Mb/s.
  long double utility(long double mbps, long double rtt_growth, long double loss) const;

 private:
  /// Packets sent in one interval at one rate, and figures from their ACKs and losses.
  struct Interval {
    long double rate = 0;  // Mb/s
    Psn first = 0, end = 0;
    std::uint64_t sent = 0, lost = 0;
    PicoSeconds begin{};
    // Sums over ACKs for the slope of the RTT over the time at which a packet left, in ps.
    long double n = 0, t = 0, tt = 0, rtt = 0, t_rtt = 0;

    bool holds(Psn psn) const { return first <= psn && psn < end; }
    long double growth() const;
  };
  enum class Stage : std::uint8_t {
    kReady,       // the next packet begins the first interval
    kFirstRate,   // sends the first interval
    kSecondRate,  // sends the second one
    kWaiting,     // all of it is sent, ACKs are missing
  };
  struct Flow {
    long double rate = 0;  // r, Mb/s
    long double rtt = 0;   // smoothed RTT, ps
    Stage stage = Stage::kReady;
    bool starting = true;
    bool up_first = false;
    std::optional<long double> utility;  // of the last interval while starting
    std::array<Interval, 2> intervals;
    Psn next = 0;             // behind the newest packet sent
    Psn acked = 0;            // behind the newest packet acknowledged
    int sign = 0;             // direction of the last change
    unsigned same = 0;        // changes in that direction before it
    unsigned bound_hits = 0;  // k
  };

  Interval& last(Flow& flow) const { return flow.intervals[flow.starting ? 0 : 1]; }
  long double utility_of(const Interval& interval) const;
  void prepare(FlowNumber number, Flow& flow);
  void begin(FlowNumber number, Flow& flow, Stage stage);
  void wait(FlowNumber number, Flow& flow);
  void decide(FlowNumber number, Flow& flow);
  void double_rate(Flow& flow);
  void follow_slope(Flow& flow);

  AlgorithmHost& host_;
  const VivaceParameters parameters_;
  const long double mtu_, line_, r_min_, unit_, probe_;
  RandomStream random_;
  NumberedTable<Flow> flows_;
  AlgorithmCounters counters_;
};

}  // namespace dcc
