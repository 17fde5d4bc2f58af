// QCN's reaction point: switches send quantised feedback, the sender cuts by it and recovers.
#pragma once

#include <cstdint>
#include <vector>

#include "cc/algorithm.h"

namespace dcc {

/// IEEE 802.1Qau-2010 (802.1Q-2018, clause 32); Alizadeh et al., "Data Center Transport
/// Mechanisms", Allerton 2008. The congestion point is the switch's (net/qcn_point.h).
struct QcnParameters {
  long double gd = 1.0L / 128;             // Gd: the greatest feedback, 63, cuts to about a half
  long double min_decrease_factor = 0.5L;  // rpgMinDecFac
  Bytes byte_counter = 150'000;            // rpgByteReset
  PicoSeconds timer = kMilliSecond * 15;   // rpgTimeReset
  unsigned threshold = 5;                  // rpgThreshold
  Rate r_ai = Rate::from(BitRate(5'000'000));
  Rate r_hai = Rate::from(BitRate(50'000'000));
  Rate r_min = Rate::from(BitRate(10'000'000));
};

/// Feedback: Rt ← Rc if there was a recovery cycle since the last cut, Rc ← Rc·(1 − Gd·Fb), both
/// cycle counts zero. Byte counter and timer each end cycles: Rc ← (Rc + Rt)/2, after
/// Rt + R_AI once either has done `threshold` of them, Rt + i·R_HAI once both have, i the cycles
/// beyond. From then on the counter that is past its threshold takes half its length.
/// The standard's random 15 % on the byte counter is left out: the sampling in the switch has it.
class Qcn final : public Algorithm {
 public:
  Qcn(AlgorithmHost& host, const QcnParameters& parameters);

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_sent(FlowNumber flow, const SentInfo& info) override;
  void on_cnm(FlowNumber flow, std::uint32_t feedback) override;
  void on_timer(FlowNumber flow, int id) override;
  View view(FlowNumber flow) const override;
  AlgorithmCounters counters() const override { return counters_; }

 private:
  struct Flow {
    long double current = 0;
    long double target = 0;
    unsigned byte_cycles = 0;
    unsigned timer_cycles = 0;
    Bytes bytes = 0;  // of the present byte cycle
    bool limited = false;
  };
  void cycle(FlowNumber number, Flow& flow);
  void apply(FlowNumber number, const Flow& flow);

  AlgorithmHost& host_;
  QcnParameters parameters_;
  long double line_;
  std::vector<Flow> flows_;
  AlgorithmCounters counters_;
};

}  // namespace dcc
