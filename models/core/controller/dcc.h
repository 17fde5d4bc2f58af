// The hardware controller as one congestion-control algorithm among the others.
#pragma once

#include <cstdint>
#include <memory>

#include "controller/controller_device.h"
#include "controller/law/dcqcn_parameters.h"
#include "nic/algorithm/algorithm.h"
#include "registers/generated/dcc_settings.h"
#include "stats/numbered_table.h"

namespace dcc {

/// DCQCN's rules in the controller's fixed point, what only its tables can do, and registers that
/// are set as they are.
struct DccParameters final : DcqcnParameters, regs::dcc_map::Settings {
  /// What the tables contain; kProportionalInt: the weights, for rates by telemetry.
  enum class Policy : std::uint8_t { kDcqcn, kProportional, kProportionalInt };

  Policy policy = Policy::kDcqcn;
  /// What a flow without a slot may have unacknowledged, in products of the line's rate and the
  /// longest base round trip; 0: no limit (docs/differentiation.md, "The start").
  Ratio free_window{0};
  /// r_ai and r_hai are for a network whose slowest link has this rate and go with its square
  /// (docs/differentiation.md); empty: they are what they are.
  std::optional<BitRate> reference_rate;

  void describe(ParameterVisitor& v) override;
  void preset(CnpParameters& cnp) const override;
  /// The proportional policy's r_ai and g in a network whose slowest link is `slowest`
  /// (docs/differentiation.md, "Thresholds, rate and distance").
  void follow_rate(BitRate slowest);
  /// Likewise increase_timer, first_cut, brisk and free_window, by the longest base round trip.
  void follow_distance(PicoSeconds longest_base_rtt);
  /// The same in the registers of a controller behind a link of rate `line`, in a network whose
  /// slowest link is `slowest`, with full packets of `mtu` payload bytes. What belongs to the
  /// tables' contents (MARK_SHIFT) is the driver's.
  dcc_parameters registers(const ControllerConfig& controller, BitRate line, BitRate slowest,
                           std::uint32_t mtu) const;

 private:
  void apply_proportional();
  void apply_proportional_int();
};

struct AlgorithmContext;
/// Makes the algorithm of a policy that no hardware block has; its own file registers it.
using PolicyMaker = std::unique_ptr<Algorithm> (*)(const DccParameters&, const AlgorithmContext&);
struct RegisteredPolicy {
  RegisteredPolicy(DccParameters::Policy policy, PolicyMaker make);
};

DCC_ENUM_NAMES(DccParameters::Policy, {DccParameters::Policy::kDcqcn, "dcqcn"},
               {DccParameters::Policy::kProportional, "proportional"},
               {DccParameters::Policy::kProportionalInt, "proportional_int"});

/// Hands CNPs and sent packets to the controller with the flow's DSCP from its queue pair context,
/// and the calculated rates to the NIC.
///
/// Always asks for on_sent: firmware may switch the byte counter on at any time, and a packet of a
/// flow without a slot costs one look-up that fails. Packets are counted in wire bytes with
/// overhead, as rates are.
///
/// With a free window a flow may have that much unacknowledged until its first cut, and again once
/// its rate is back at R_MAX, which is when its slot comes free: what nobody paces is bounded.
///
/// A flow's own initial rate is what the NIC starts it with. The controller knows nothing of it: a
/// slot begins at the register INITIAL_RATE whatever the flow's rate was before its first cut.
///
/// A flow that ends gives its slot back (release), and rates still under way for it are dropped. A
/// flow that starts asks for the rate of its number's slot (query): it has one if it was created
/// anew without having been destroyed.
class Dcc : public Algorithm, private RateSink {
 public:
  /// Arguments as in ControllerDevice; `host` outlives this. `free_window` in bytes; 0: none.
  Dcc(Scheduler& scheduler, AlgorithmHost& host, const ControllerConfig& config, std::uint32_t rank,
      std::unique_ptr<TimerEngine> timers = nullptr, std::unique_ptr<RateEngine> rates = nullptr,
      Bytes free_window = 0, const ControllerEngineFactory& make_engine = {});

  ControllerDevice& device() { return device_; }
  const ControllerDevice& device() const { return device_; }

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_flow_end(FlowNumber flow) override;
  void on_sent(FlowNumber flow, const SentInfo& info) override;
  void on_cnp(FlowNumber flow, const CnpInfo& info) override;
  /// A flow without a slot shows the last rate it was given, and no α.
  View view(FlowNumber flow) const override;
  AlgorithmCounters counters() const override;
  /// One that never had a CNP never had a slot.
  bool is_quiescent(FlowNumber flow) const override { return !flows_[flow].notified; }
  void release(FlowNumber flow) override { flows_.drop(flow); }

 private:
  struct Flow {
    Rate rate;  // as the NIC has it
    std::uint8_t dscp = 0;
    bool alive = false;
    bool paced = false;  // by a slot: no window
    bool notified = false;
  };
  void set_paced(std::uint32_t flow, bool paced);
  void rate_calculated(std::uint32_t flow, Rate rate) override;
  void query_answered(std::uint32_t flow, std::optional<Rate> rate) override;

  AlgorithmHost& host_;
  Bytes free_window_;
  NumberedTable<Flow> flows_;
  mutable ControllerDevice device_;  // to ask it brings it up to the present
};

}  // namespace dcc
