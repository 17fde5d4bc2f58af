// The hardware controller as one congestion-control algorithm among the others.
#pragma once

#include <cstdint>
#include <limits>
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

/// Parameters of the algorithm "dcc": the parameters of DCQCN, the policy, and registers that users
/// set directly.
struct DccParameters final : DcqcnParameters, regs::dcc_map::Settings {
  /// Name of the controller's policy (Policy::all()).
  std::string policy = "dcqcn";
  /// Limit on the unacknowledged bytes of a flow without a slot, in products of the line rate and
  /// the longest base round trip; 0: no limit (docs/differentiation.md, "Window"). The
  /// configuration key is free_window.
  Ratio initial_window{0};
  /// The rate of the slowest link for which the increase steps r_ai and r_hai are given. In another
  /// network both steps scale with the square of the slowest link's rate. Empty: the steps do not
  /// scale.
  std::optional<BitRate> reference_rate;
  /// Value of hold_below with which every flow stays in the hold that its first notification
  /// begins.
  static constexpr Ratio kAllHold{0};
  /// Weight, in the controller's scale, from which on a flow does not stay in its first hold (Dcc).
  /// Empty: a flow of at least twice the least weight in use with at most kOvertakesLater to send.
  std::optional<Ratio> hold_below;
  /// Overtaking by default. Flows whose hold ends at once fill the buffer before their marks slow
  /// them: 64 messages of 512 KB fill 32 MiB.
  static constexpr Bytes kOvertakesAtOnce = 512'000;
  /// Overtaking by default. A longer message gains from its share: at 100 Gb/s and half of R_MAX 2
  /// MB take 0.26 ms, and shares settle with a time constant of 0.63 ms.
  static constexpr Bytes kOvertakesLater = 2'000'000;
  /// Number of times that the steps of a packet and of a mark are halved beyond what increase_timer
  /// asks for (step_halvings); used only with a policy that shares by weight. The step rule
  /// (vp/config/step_rule.cpp) halves r_ai, and registers() the cut of a mark.
  unsigned finer_steps = 0;

  void describe(ParameterVisitor& v) override;
  void preset(CnpParameters& cnp) const override;
  void ask_marking(EcnParameters& ecn) const override;
  const Policy& rules() const { return Policy::of(policy); }
  /// True if the policy is a law of the controller that shares bandwidth in proportion to weights.
  bool shares_by_weight() const {
    const Law* const law = rules().law();
    return law != nullptr && law->shares_by_weight();
  }
  /// The parameters of "dcc" as registers of a controller behind a link of rate `line`, in a
  /// network whose slowest link is `slowest`, with full packets of `mtu` payload bytes.
  dcc_parameters registers(const ControllerConfig& controller, BitRate line, BitRate slowest,
                           std::uint32_t mtu) const;

 protected:
  /// True if default values follow the network. Only the policy "dcqcn" has such defaults.
  bool follows_network() const override {
    return DcqcnParameters::follows_network() && policy == "dcqcn" && !reference_rate;
  }
};

/// The flows that do not stay in the hold that their first notification begins: those of heavy
/// classes, if few bytes are left to send (AlgorithmHost::Backlog).
struct Overtaking {
  std::uint32_t factor = 0;  // greatest f_dec (4.12) of the classes; 0: every flow holds
  // most bytes left of a flow whose hold ends at once
  Bytes at_once = std::numeric_limits<Bytes>::max();
  // most bytes left of a flow whose hold ends when the packets that were out before have arrived
  Bytes later = std::numeric_limits<Bytes>::max();
};

/// The algorithm "dcc" passes CNPs and sent packets to the controller, with the flow's DSCP from
/// its queue pair context, and passes the calculated rates to the NIC.
///
/// The algorithm always asks for on_sent, since firmware may switch the byte counter on at any
/// time. A packet of a flow without a slot costs one failed look-up. Packets are counted in wire
/// bytes with overhead, as rates are.
///
/// With an initial window, a flow may have that many bytes unacknowledged until its first cut, and
/// again once its rate is back at R_MAX and its slot is free. So the unacknowledged bytes of flows
/// that no slot paces are bounded.
///
/// The window grows by half with every two windows sent if the window was full in that time and no
/// notification came. Otherwise flows whose windows fit into a queue below the marking threshold
/// would never be marked, and weights would have no effect. A notification halves a grown window,
/// down to the initial window. A window that never fills does not grow, so a flow alone on its link
/// keeps the initial window.
///
/// A flow may overtake (Overtaking): the NIC hands a clear notification to the controller directly
/// after the notification that binds the flow, or when the packets that were out then have arrived.
/// So the hold ends at half of R_MAX, or at less in a long queue: in each interval until then the
/// hold halves the target, as long as the packets arrive at less than half of it. Flows of less
/// weight drain the queue in their holds. The NIC compares the class's f_dec in the factor table,
/// so a changed weight counts from its change on.
///
/// The NIC starts a flow with the flow's own initial rate, which the controller does not know: a
/// slot begins at the register INITIAL_RATE, whatever the flow's rate was before its first cut.
///
/// At the end of a flow the flow's slot is released, and rates under way for the flow are dropped.
/// At the start of a flow the rate of its slot is queried, since a flow number that was created
/// anew without having been destroyed still has a slot.
class Dcc : public Algorithm, public ReactionMeter, private RateSink {
 public:
  /// Makes the algorithm with the arguments of make_controller(); `host` must outlive the
  /// algorithm. `initial_window`: window in bytes; 0: none.
  Dcc(Scheduler& scheduler, AlgorithmHost& host, const ControllerConfig& config, std::uint32_t rank,
      std::unique_ptr<TimerEngine> timers = nullptr, std::unique_ptr<RateEngine> rates = nullptr,
      Bytes initial_window = 0, const ControllerEngineFactory& make_engine = {},
      Overtaking overtaking = {});

  ControllerEngine& device() { return *device_; }
  const ControllerEngine& device() const { return *device_; }

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_flow_end(FlowNumber flow) override;
  /// Changes the DSCP that events of the flow carry from now on. The law reads the table entries of
  /// the newest DSCP that a slot received, so the next packet moves a bound flow to its new class.
  bool change_class(FlowNumber flow, std::uint8_t dscp) override;
  void on_sent(FlowNumber flow, const SentInfo& info) override;
  void on_cnp(FlowNumber flow, const CnpInfo& info) override;
  /// View of a flow's rate and α. A flow without a slot shows the last rate given to the NIC, and α
  /// 0.
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
    // true if the flow's window was full at some time since `sent` was 0
    bool window_filled = false;
    Bytes window = 0;  // window of the flow in bytes, which applies while no slot paces the flow
    // payload bytes that the flow sent since its window changed or a notification came
    Bytes sent = 0;
    // packets, plus one, that must arrive before the flow's first hold ends; 0: nothing ends it
    // early
    std::uint32_t awaited = 0;
    PicoSeconds marked_at = PicoSeconds::max();  // arrival of the newest unanswered CNP; max: none
  };
  /// Lets the window of a flow without a slot grow.
  void grow_window(FlowNumber number, Flow& flow, const SentInfo& info);
  /// Halves the window of a flow without a slot, because the receiver reported a marked packet.
  void shrink_window(FlowNumber number, Flow& flow);
  /// Ends the first hold of a flow that may overtake.
  void overtake(FlowNumber number, Flow& flow, std::uint8_t dscp, const CnpInfo& info);
  void set_paced(std::uint32_t flow, bool paced);
  void rate_calculated(std::uint32_t flow, Rate rate) override;
  void query_answered(std::uint32_t flow, std::optional<Rate> rate) override;

  AlgorithmHost& host_;
  Bytes initial_window_;
  PicoSeconds latency_;  // minimum time from an event at the controller's input to its answer
  NumberedTable<Flow> flows_;
  LogHistogram reactions_;
  std::unique_ptr<ControllerEngine> device_;
  Overtaking overtaking_;
};

}  // namespace dcc
