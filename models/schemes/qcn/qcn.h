// QCN's reaction point: switches send quantised feedback; the sender cuts its rate by the feedback
// and recovers afterwards.
#pragma once

#include <cstdint>
#include <vector>

#include "nic/algorithm/algorithm.h"
#include "nic/algorithm/algorithm_parameters.h"

namespace dcc {

/// IEEE 802.1Qau-2010 (802.1Q-2018, clause 32); Alizadeh et al., "Data Center Transport
/// Mechanisms", Allerton 2008. The congestion point is the switch's (switch/qcn_point.h).
struct QcnParameters : AlgorithmParameters {
  Bytes q_eq = 33_KB;  // queue length in bytes that the congestion point aims at
  Ratio w{2};
  Bytes sample_bytes = 150_KB;
  Ratio gd{1, 128};  // gain Gd: the greatest feedback, 63, cuts the rate to about a half
  Ratio min_decrease_factor{1, 2};  // rpgMinDecFac, the greatest decrease as a factor of the rate
  Bytes byte_counter = 150_KB;      // rpgByteReset, bytes of a byte counter cycle
  PicoSeconds timer = kMilliSecond * 15;  // rpgTimeReset, length of a timer cycle
  unsigned threshold = 5;                 // rpgThreshold, number of cycles of fast recovery
  BitRate r_ai = 5_Mbps;
  BitRate r_hai = 50_Mbps;
  BitRate r_min = 10_Mbps;

  void describe(ParameterVisitor& v) override;
  void check(Bytes largest_packet) const override;
  /// Sets up a QCN congestion point at every egress queue of a switch.
  void ask_switch(SwitchParameters& parameters) const override;

 protected:
  /// Default values of QCN's parameters as shares of the network's properties.
  struct Shares {
    Ratio sample{1};  // sampling interval, as a share of the product of slowest link and base RTT
    Bytes sample_packets = 5;
    Ratio step{1, 500};  // increase step, as a share of the slowest link's rate
    const char* sample_text = "the product of slowest link and base RTT, at least 5 packets";
    const char* step_text = "1/500 of the slowest link's rate";
  };
  virtual Shares shares() const { return {}; }
};

/// QCN's reaction point, with current rate Rc and target rate Rt of a flow. A feedback Fb sets Rt ←
/// Rc if a recovery cycle has ended since the last cut, then Rc ← Rc·(1 − Gd·Fb), and resets both
/// cycle counts. Byte counter and timer end recovery cycles; each cycle's end sets Rc ← (Rc +
/// Rt)/2. Before that, Rt rises by R_AI if one of the counters has done `threshold` cycles, and by
/// i·R_HAI if both have, with i the number of cycles beyond. A counter past its threshold has
/// cycles of half the length. The model omits the standard's random 15 % on the byte counter,
/// because the sampling in the switch is random already.
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
    Bytes bytes = 0;  // bytes that the flow sent in the present byte counter cycle
    bool limited = false;
  };
  void cycle(FlowNumber number, Flow& flow);
  void apply(FlowNumber number, const Flow& flow);

  AlgorithmHost& host_;
  QcnParameters parameters_;
  long double line_, r_ai_, r_hai_, r_min_;  // line rate, increase steps and minimum rate in Mb/s
  long double gd_, min_decrease_factor_;
  std::vector<Flow> flows_;
  AlgorithmCounters counters_;
};

}  // namespace dcc
