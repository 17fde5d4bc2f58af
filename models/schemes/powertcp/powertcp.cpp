#include "schemes/powertcp/powertcp.h"

#include <algorithm>
#include <stdexcept>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"

namespace dcc {

namespace {
const RegisteredAlgorithm<PowerTcpParameters> kPowerTcp{
    "powertcp", "the window follows power: arrival rate of bytes times their number in flight",
    kMakesAlgorithm<PowerTcp, &AlgorithmContext::longest_base_rtt>};

bool by_telemetry_only(const PowerTcpParameters& p) {
  return p.variant == PowerTcpParameters::Variant::kTelemetry;
}
}  // namespace

void PowerTcpParameters::describe(ParameterVisitor& v) {
  const char* const paper = "PowerTCP, NSDI'22";
  v.choice("variant", variant,
           {"power by the switches' telemetry, or by the round trip and its slope (theta-PowerTCP)",
            paper});
  v.field("gamma", gamma, "auto", {"1/100", "1"},
          {"weight of the new window; auto: 9/10, by delay 7/10", paper});
  v.field("utilisation", utilisation, {"1/2", "1"}, {"power aimed at, by telemetry"});
  v.field("additive_increase", additive_increase, {"1Mbps", "1Tbps"},
          {"beta, as a rate: beta / base RTT", paper});
  v.follows(true,
            "3/2000 of the slowest link's rate, as 150Mbps at 100Gbps; at least a sixteenth of a "
            "full packet in each base RTT",
            [this](const NetworkScale& network) {
              additive_increase = std::max(network.share(Ratio(3, 2000)), network.packet_rate(16));
            });
  v.field("base_rtt", base_rtt, "auto", {"100ns", "1s"},
          {"tau; auto: the longest of the topology", paper});
  v.field("base_factor", base_factor, {"1", "4"},
          {"by delay: round trips up to this many base RTTs count as an empty queue"});
  v.field("least_current", least_current, {"0", "1"},
          {"least value of the current, as a share of a link's rate"});
  v.field("r_min", r_min, {"1Mbps", "1Tbps"}, {"a rate is never cut below this"});
  v.follows(true, "1/1000 of the slowest link's rate, as 100Mbps at 100Gbps",
            [this](const NetworkScale& network) { r_min = network.share(Ratio(1, 1000)); });
}

PowerTcp::PowerTcp(AlgorithmHost& host, const PowerTcpParameters& parameters,
                   PicoSeconds longest_base_rtt)
    : host_(host),
      parameters_(parameters),
      base_rtt_(parameters.base_rtt.value_or(longest_base_rtt)),
      line_(to_mbps(host.line_rate())),
      increase_(to_mbps(parameters.additive_increase)),
      r_min_(to_mbps(parameters.r_min)),
      gamma_(to_real(
          parameters.gamma.value_or(by_telemetry_only(parameters) ? Ratio{9, 10} : Ratio{7, 10}))),
      target_(by_telemetry_only(parameters) ? to_real(parameters.utilisation) : 1),
      base_factor_(to_real(parameters.base_factor)),
      least_current_(to_real(parameters.least_current)) {
  if (base_rtt_.count <= 0) throw std::invalid_argument("powertcp: base RTT must be positive");
}

AlgorithmNeeds PowerTcp::needs() const {
  AlgorithmNeeds needs;
  needs.acks = true;
  needs.ack_each = true;
  needs.telemetry = by_telemetry_only(parameters_);
  return needs;
}

void PowerTcp::on_flow_start(FlowNumber number, const FlowStart& start) {
  Flow& flow = flows_.keep(number);
  flow = Flow{};
  flow.base = base_rtt_;
  flow.current = flow.reference = start.initial_rate.raw == 0 ? line_ : to_mbps(start.initial_rate);
  apply(number, flow);
}

void PowerTcp::apply(FlowNumber number, const Flow& flow) {
  host_.set_rate(number, from_mbps(flow.current));
  host_.set_window(number, static_cast<Bytes>(bytes_at(flow.current, flow.base)));
}

// Computes PowerTCP's power from telemetry. Current λ is the arrival rate of the port: bytes sent
// plus the growth of the queue. Voltage q + B τ is the number of bytes queued and in flight. The
// normalised power is (λ/B) (q/(B τ) + 1), which is 1 for a full link without a queue.
std::optional<PowerTcp::Sample> PowerTcp::by_telemetry(Flow& flow, const AckInfo& info) const {
  Sample busiest;
  const auto measure = [&](const IntHop& hop, const IntHop& last, long double elapsed) {
    // link rate in bytes per picosecond
    const long double rate = static_cast<long double>(hop.rate.bits_per_second) / 8e12L;
    const long double arrived = static_cast<long double>(hop.tx_bytes - last.tx_bytes) +
                                static_cast<long double>(hop.queue - last.queue);
    const long double current = std::max(least_current_, arrived / elapsed / rate);
    const long double pipe = rate * static_cast<long double>(flow.base.count);
    const long double power = current * (static_cast<long double>(hop.queue) / pipe + 1);
    if (power > busiest.power) busiest = {power, elapsed};
  };
  if (!flow.links.update(info, measure) || busiest.over <= 0) return std::nullopt;
  return busiest;
}

// Computes PowerTCP's power from round-trip times alone. With arrival rate λ and link rate B, the
// current is λ/B = dRTT/dt + 1, because a queue grows by the bytes that arrive faster than B; the
// voltage is the RTT relative to the base RTT.
std::optional<PowerTcp::Sample> PowerTcp::by_delay(Flow& flow, const AckInfo& info) const {
  const PicoSeconds last_rtt = flow.last_rtt;
  const PicoSeconds elapsed = host_.now() - flow.last_ack;
  flow.last_rtt = info.rtt;
  flow.last_ack = host_.now();
  flow.base = std::min(flow.base, info.rtt);
  if (last_rtt.count == 0 || elapsed.count <= 0) return std::nullopt;
  const long double over = static_cast<long double>(elapsed.count);
  const long double slope = static_cast<long double>((info.rtt - last_rtt).count) / over;
  const long double base = base_factor_ * static_cast<long double>(flow.base.count);
  const long double voltage = static_cast<long double>(info.rtt.count) / base;
  return Sample{std::max(least_current_, slope + 1) * voltage, over};
}

void PowerTcp::on_ack(FlowNumber number, const AckInfo& info) {
  Flow& flow = flows_[number];
  const PicoSeconds base = flow.base;
  const std::optional<Sample> sample =
      by_telemetry_only(parameters_) ? by_telemetry(flow, info) : by_delay(flow, info);
  if (!sample) {
    if (flow.base != base) apply(number, flow);
    return;
  }
  const long double tau = static_cast<long double>(flow.base.count);
  const long double over = std::min(sample->over, tau);
  flow.power = (flow.power * (tau - over) + sample->power * over) / tau;

  const long double before = flow.current;
  const long double aimed = flow.reference * target_ / flow.power + increase_;
  flow.current = std::min(line_, std::max(r_min_, gamma_ * aimed + (1 - gamma_) * flow.reference));
  if (info.psn >= flow.update_after) {
    flow.reference = flow.current;
    flow.update_after = info.next_psn;
  }
  if (flow.current == before && flow.base == base) return;
  if (flow.current < before) ++counters_.rate_decreases;
  if (flow.current > before) ++counters_.rate_increases;
  apply(number, flow);
}

Algorithm::View PowerTcp::view(FlowNumber number) const {
  const Flow& flow = flows_[number];
  return {from_mbps(flow.current), from_mbps(flow.reference), static_cast<double>(flow.power)};
}

}  // namespace dcc
