// The hardware controller as one congestion-control algorithm among the others.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "controller/controller_model.h"
#include "controller/law/dcqcn_parameters.h"
#include "controller/law/law.h"
#include "controller/rate_engine.h"
#include "controller/timer_engine.h"
#include "nic/algorithm/algorithm.h"
#include "nic/algorithm/listeners.h"
#include "registers/generated/dcc_settings.h"
#include "stats/numbered_table.h"

namespace dcc {

/// Parameters of the algorithm "dcc": those of DCQCN, the policy, and registers that users set
/// directly.
struct DccParameters final : DcqcnParameters, regs::dcc_map::Settings {
  /// Name of the policy (Policy::all()).
  std::string policy = "dcqcn";
  /// Limit on the unacknowledged bytes of a flow without a slot, in products of the line rate and
  /// the longest base round trip; 0: no limit (docs/differentiation.md, "Window"). The key is
  /// free_window.
  Ratio initial_window{0};
  /// The rate of the slowest link for which r_ai and r_hai are given. In another network both scale
  /// with the square of the rate. Empty: they do not scale.
  std::optional<BitRate> reference_rate;
  /// Flows of at least this weight, in the controller's scale, do not stay in a hold that their
  /// first notification begins (Dcc). Empty: every flow stays in it.
  std::optional<Ratio> hold_below;
  /// Number of times that the steps of a packet and of a mark are halved beyond what increase_timer
  /// asks for (step_halvings); only with a policy that shares by weight. The step rule
  /// (vp/config/step_rule.cpp) halves r_ai, and registers() the cut of a mark.
  unsigned finer_steps = 0;

  void describe(ParameterVisitor& v) override;
  void preset(CnpParameters& cnp) const override;
  void ask_marking(EcnParameters& ecn) const override;
  const Policy& rules() const { return Policy::of(policy); }
  /// True if the policy is a law of the controller by which bandwidth follows weights.
  bool shares_by_weight() const {
    const Law* const law = rules().law();
    return law != nullptr && law->shares_by_weight();
  }
  /// The parameters as registers of a controller behind a link of rate `line`, in a network whose
  /// slowest link is `slowest`, with full packets of `mtu` payload bytes.
  dcc_parameters registers(const ControllerConfig& controller, BitRate line, BitRate slowest,
                           std::uint32_t mtu) const;

 protected:
  /// True if defaults follow the network. Policies other than DCQCN's have defaults of their own.
  bool follows_network() const override {
    return DcqcnParameters::follows_network() && policy == "dcqcn" && !reference_rate;
  }
};

/// Hands CNPs and sent packets to the controller with the flow's DSCP from its queue pair context,
/// and the calculated rates to the NIC.
///
/// Always asks for on_sent: firmware may switch the byte counter on at any time, and a packet of a
/// flow without a slot costs one look-up that fails. Packets are counted in wire bytes with
/// overhead, as rates are.
///
/// With an initial window, a flow may have that many bytes unacknowledged until its first cut, and
/// again once its rate is back at R_MAX and its slot is free. So flows that no slot paces are
/// bounded.
///
/// The window grows by half with every two windows sent if the window was full in that time and no
/// notification came: flows whose windows end in a queue below the marking threshold would
/// otherwise never be marked, and weights would have no effect. A notification halves a grown
/// window, down to the initial one. A window that never fills does not grow, so a flow alone on its
/// link keeps the initial window.
///
/// Where hold_below is given, the NIC hands a clear notification to the controller directly after
/// the notification that binds a flow of a class of at least that weight. So the hold ends at once,
/// and the flow continues at half of R_MAX, while flows of less weight drain the queue in their
/// holds. The NIC compares the class's f_dec in the factor table, so weights that move count from
/// then on.
///
/// The NIC starts a flow with the flow's own initial rate, which the controller does not know: a
/// slot begins at the register INITIAL_RATE, whatever the flow's rate was before its first cut.
///
/// At the end of a flow its slot is released, and rates under way for it are dropped. At the start
/// of a flow the rate of its slot is queried: the flow number has a slot if it was created anew
/// without having been destroyed.
class Dcc : public Algorithm, public ReactionMeter, private RateSink {
 public:
  /// Arguments as in make_controller(); `host` outlives this. `initial_window` in bytes; 0: none.
  /// `no_hold_factor`: greatest f_dec (4.12) of flows whose first hold ends at once; 0: none.
  Dcc(Scheduler& scheduler, AlgorithmHost& host, const ControllerConfig& config, std::uint32_t rank,
      std::unique_ptr<TimerEngine> timers = nullptr, std::unique_ptr<RateEngine> rates = nullptr,
      Bytes initial_window = 0, const ControllerEngineFactory& make_engine = {},
      std::uint32_t no_hold_factor = 0);

  ControllerEngine& device() { return *device_; }
  const ControllerEngine& device() const { return *device_; }

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_flow_end(FlowNumber flow) override;
  /// Events of the flow carry the new DSCP from now on. The law reads the tables of the newest DSCP
  /// that a slot was told, so the next packet moves a bound flow to its new class.
  bool change_class(FlowNumber flow, std::uint8_t dscp) override;
  void on_sent(FlowNumber flow, const SentInfo& info) override;
  void on_cnp(FlowNumber flow, const CnpInfo& info) override;
  /// View of a flow. For a flow without a slot: the last rate given to the NIC, and α 0.
  View view(FlowNumber flow) const override;
  AlgorithmCounters counters() const override;
  const LogHistogram& reactions() const override { return reactions_; }
  /// True if the flow never had a CNP, and so never had a slot.
  bool is_quiescent(FlowNumber flow) const override { return !flows_[flow].notified; }
  void release(FlowNumber flow) override { flows_.drop(flow); }

 private:
  struct Flow {
    Rate rate;  // rate that the NIC was given last for the flow
    std::uint8_t dscp = 0;
    bool alive = false;
    bool paced = false;  // true if a slot paces the flow below R_MAX, so that it has no window
    bool notified = false;
    bool window_filled = false;  // true if the window was full at some time since `sent` was 0
    Bytes window = 0;            // bytes of the window, which applies while no slot paces the flow
    Bytes sent = 0;  // payload bytes sent since the window changed or a notification came
    PicoSeconds marked_at = PicoSeconds::max();  // arrival of the newest unanswered CNP; max: none
  };
  /// Lets the window of a flow without a slot grow.
  void grow_window(FlowNumber number, Flow& flow, const SentInfo& info);
  /// Halves the window of a flow without a slot, because the receiver reported a marked packet.
  void shrink_window(FlowNumber number, Flow& flow);
  void set_paced(std::uint32_t flow, bool paced);
  void rate_calculated(std::uint32_t flow, Rate rate) override;
  void query_answered(std::uint32_t flow, std::optional<Rate> rate) override;

  AlgorithmHost& host_;
  Bytes initial_window_;
  PicoSeconds latency_;  // minimum time from an event at the controller's input to its answer
  NumberedTable<Flow> flows_;
  LogHistogram reactions_;
  std::unique_ptr<ControllerEngine> device_;
  std::uint32_t no_hold_factor_;  // greatest f_dec of flows whose first hold ends at once
};

}  // namespace dcc
