// DCQCN per flow, without a table of slots and with real numbers: the baseline for the controller.
#pragma once

#include <cstdint>
#include <vector>

#include "cc/algorithm.h"

namespace dcc {

/// Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, section 3.
struct DcqcnParameters {
  long double g = 1.0L / 256;
  unsigned f = 5;                                  // F, fast recovery threshold
  PicoSeconds alpha_timer = kMicroSecond * 55;     // K
  PicoSeconds increase_timer = kMicroSecond * 55;  // T
  PicoSeconds decrease_period{0};                  // least time between cuts; 0: every CNP
  Bytes byte_counter = 10'000'000;                 // B; 0: off
  Rate r_ai = Rate::from(BitRate(40'000'000));
  Rate r_hai = Rate::from(BitRate(40'000'000));
  Rate r_min = Rate::from(BitRate(40'000'000));
  Rate r_max;         // zero: the line's
  Rate initial_rate;  // zero: the line's
  long double initial_alpha = 1.0L;
  bool timer_restart = true;  // a cut restarts the increase timer and the byte counter
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
  long double r_min_, r_max_, initial_, r_ai_, r_hai_;
  std::vector<Flow> flows_;
  AlgorithmCounters counters_;
};

}  // namespace dcc
