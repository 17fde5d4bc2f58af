#include "cc/dcc.h"

#include <utility>

namespace dcc {

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
