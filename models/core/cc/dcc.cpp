#include "cc/dcc.h"

#include <utility>

#include "cc/registry.h"
#include "describe/visitor.h"
#include "nic/nic_parameters.h"
#include "registers/generated/dcc_map.h"

namespace dcc {

namespace {
const RegisteredAlgorithm<DccParameters> kDcc{
    "dcc", "the hardware controller", [](const DccParameters&, const AlgorithmContext& context) {
      return std::make_unique<Dcc>(
          context.scheduler, context.host, context.controller, context.controller_rank,
          context.timers ? context.timers() : nullptr, context.rates ? context.rates() : nullptr);
    }};
}  // namespace

void DccParameters::describe(ParameterVisitor& v) {
  v.choice("policy", policy,
           {"contents of the look-up tables; proportional: bandwidth follows the weights", ""});
  v.choice("preset", preset_name, {"a set of parameters; single ones come on top", ""});
  if (v.reading()) {
    apply_preset();
    if (policy == Policy::kProportional) apply_proportional();
  }
  // G and MI are fractions without a place for 1.
  static_assert(regs::dcc_map::kGValueMask == regs::dcc_map::kMiValueMask);
  describe_rules(v, Ratio(regs::dcc_map::kGValueMask, kOne16), kRuntime);
  v.field("first_cut", first_cut, {"0", "1"},
          {"first cut of a flow leaves this share; 0: as any other (proportional: 1/32)", "",
           kRuntime});
  v.field("reference_rate", reference_rate, "none", {"1Mbps", "10Tbps"},
          {"r_ai and r_hai are for slowest links of this rate: by its square for faster, by its "
           "cube for slower ones",
           ""});
}

// The proportional policy works on marks, on a free-running timer and without stages.
void DccParameters::apply_proportional() {
  f = 0;
  byte_counter = 0;
  timer_restart = false;
  r_ai = BitRate(13'700'000);
  r_hai = 400_Mbps;
  r_min = 5_Mbps;
  mi = Ratio(0);
  g = Ratio(4, 5);
  increase_timer = kMicroSecond * 22;
  first_cut = Ratio(1, 32);
  decrease_period = kMicroSecond * 10;
}

void DccParameters::preset(CnpParameters& cnp) const {
  DcqcnParameters::preset(cnp);
  if (policy != Policy::kProportional) return;
  cnp.interval = kMicroSecond * 2;
  cnp.carry_marks = true;
}

Dcc::Dcc(Scheduler& scheduler, AlgorithmHost& host, const ControllerConfig& config,
         std::uint32_t rank, std::unique_ptr<TimerEngine> timers, std::unique_ptr<RateEngine> rates)
    : host_(host), device_(scheduler, config, rank, *this, std::move(timers), std::move(rates)) {}

AlgorithmNeeds Dcc::needs() const {
  AlgorithmNeeds needs;
  needs.cnp = true;
  needs.on_sent = true;
  return needs;
}

void Dcc::on_flow_start(FlowNumber flow, const FlowStart& start) {
  if (flows_.size() <= flow) flows_.resize(flow + 1);
  flows_[flow] = {host_.line_rate(), start.dscp, true};
  if (start.initial_rate.raw != 0) rate_calculated(flow, start.initial_rate);
  if (const auto slot = device_.slot_of(flow)) {
    rate_calculated(flow, Rate(device_.slot(*slot).parameters.rc));
  }
}

void Dcc::on_flow_end(FlowNumber flow) { flows_[flow].alive = false; }

void Dcc::on_sent(FlowNumber flow, const SentInfo& info) {
  device_.bytes(flow, flows_[flow].dscp, info.wire_bytes);
}

void Dcc::on_cnp(FlowNumber flow, const CnpInfo& info) {
  device_.cnp(flow, flows_[flow].dscp, info.marks, info.packets);
}

void Dcc::rate_calculated(std::uint32_t flow, Rate rate) {
  if (flow >= flows_.size() || !flows_[flow].alive) return;
  flows_[flow].rate = rate;
  host_.set_rate(flow, rate);
}

Algorithm::View Dcc::view(FlowNumber flow) const {
  if (const auto slot = device_.slot_of(flow)) {
    const SlotParameters& p = device_.manager().slot(*slot);
    return {Rate(p.rc), Rate(p.rt), static_cast<double>(p.alpha) / kOne16};
  }
  const Rate rate = flow < flows_.size() ? flows_[flow].rate : host_.line_rate();
  return {rate, rate, 0.0};
}

AlgorithmCounters Dcc::counters() const {
  const ControllerStatistics& s = device_.manager().statistics();
  return {s.rate_decreases, s.rate_increases, s.cnps_dropped_no_slot};
}

}  // namespace dcc
