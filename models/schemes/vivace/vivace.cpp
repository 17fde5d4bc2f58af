#include "schemes/vivace/vivace.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"

namespace dcc {

namespace {
const RegisteredAlgorithm<VivaceParameters> kVivace{
    "vivace", "a rate that follows the slope of a utility of goodput, delay and loss (PCC)",
    [](const VivaceParameters& parameters, const AlgorithmContext& context) {
      return std::make_unique<Vivace>(context.host, parameters, context.mtu, context.seed,
                                      context.rank);
    }};

/// x to the power 9/10, the same on every machine: x divided by its tenth root by Newton's method.
/// From above, an iteration lowers the root until the precision of a number is reached.
long double power_nine_tenths(long double x) {
  if (x <= 0) return 0;
  long double root = std::max(1.0L, x);
  for (;;) {
    const long double next = (9 * root + x / whole_power(root, 9)) / 10;
    if (next >= root) return x / root;
    root = next;
  }
}
}  // namespace

void VivaceParameters::describe(ParameterVisitor& v) {
  const char* const paper = "PCC Vivace, NSDI'18";
  v.field("unit", unit, {"1kbps", "1Tbps"}, {"rate that counts as 1 in the utility", paper});
  v.follows(true, "1/100 of the slowest link's rate",
            [this](const NetworkScale& network) { unit = network.share(Ratio(1, 100)); });
  v.field("latency_cost", latency_cost, {"0", "1000000"},
          {"b: cost of an RTT that grows by its own time", paper});
  v.field("loss_cost", loss_cost, {"0", "1000000"}, {"c: cost of losing every packet", paper});
  v.field("tolerance", tolerance, {"0", "1"},
          {"growth of the RTT per time below which it counts as constant", paper});
  v.field("probe", probe, {"1/1000", "1/2"},
          {"epsilon: rates lie this share above and below that of the flow", paper});
  v.field("step", step, {"1/1000", "1000"},
          {"theta0: units by which a rate changes for a slope of 1", paper});
  v.field("first_bound", first_bound, {"1/1000", "1/2"},
          {"omega0: greatest change as a share of the rate", paper});
  v.field("bound_growth", bound_growth, {"0", "1"},
          {"added to the bound for each change in a row that met it", paper});
  v.field("packets", packets, {"2", "1000"},
          {"an interval lasts the time of so many full packets at least", paper});
  v.field("r_min", r_min, {"1Mbps", "1Tbps"}, {"a rate is never cut below this", ""});
  v.follows(true, "1/500 of the slowest link's rate",
            [this](const NetworkScale& network) { r_min = network.share(Ratio(1, 500)); });
  v.field("initial_rate", initial, "auto", {"1Mbps", "10Tbps"},
          {"rate at which a flow starts; auto: unit", ""});
}

Vivace::Vivace(AlgorithmHost& host, const VivaceParameters& parameters, std::uint32_t mtu,
               std::uint64_t seed, std::uint64_t index)
    : host_(host),
      parameters_(parameters),
      mtu_(mtu),
      line_(to_mbps(host.line_rate())),
      r_min_(std::min(line_, to_mbps(parameters.r_min))),
      unit_(to_mbps(parameters.unit)),
      probe_(to_real(parameters.probe)),
      random_(seed, "vivace", index) {}

AlgorithmNeeds Vivace::needs() const {
  AlgorithmNeeds needs;
  needs.acks = true;
  needs.ack_each = true;
  needs.on_sent = true;
  // A packet that waits in a NIC that is paused waits because of the network.
  needs.rtt_from_due = true;
  return needs;
}

long double Vivace::utility(long double mbps, long double rtt_growth, long double loss) const {
  const long double x = mbps / unit_;
  const long double growth = std::abs(rtt_growth) < to_real(parameters_.tolerance) ? 0 : rtt_growth;
  return power_nine_tenths(x) - to_real(parameters_.latency_cost) * x * growth -
         to_real(parameters_.loss_cost) * x * loss;
}

long double Vivace::Interval::growth() const {
  const long double spread = n * tt - t * t;
  return n < 2 || spread <= 0 ? 0 : (n * t_rtt - t * rtt) / spread;
}

long double Vivace::utility_of(const Interval& interval) const {
  const auto lost = static_cast<long double>(std::min(interval.lost, interval.sent));
  return utility(interval.rate, interval.growth(), lost / static_cast<long double>(interval.sent));
}

void Vivace::on_flow_start(FlowNumber number, const FlowStart& start) {
  Flow& flow = flows_.keep(number);
  flow = Flow{};
  flow.rtt = static_cast<long double>(start.base_rtt.count);
  const long double first = parameters_.initial ? to_mbps(*parameters_.initial) : unit_;
  flow.rate = std::clamp(first, r_min_, line_);
  prepare(number, flow);
}

void Vivace::on_flow_end(FlowNumber number) {
  Flow& flow = flows_[number];
  host_.stop_timer(number, 0);
  flow.stage = Stage::kReady;
}

bool Vivace::is_quiescent(FlowNumber number) const {
  const Stage stage = flows_[number].stage;
  return stage == Stage::kReady || stage == Stage::kWaiting;
}

/// Sets the rate of the interval that the flow's next packet begins.
void Vivace::prepare(FlowNumber number, Flow& flow) {
  flow.stage = Stage::kReady;
  flow.intervals = {};
  if (!flow.starting) flow.up_first = random_.chance(std::uint64_t{1} << 31);
  const std::size_t up = flow.up_first ? 0 : 1;
  flow.intervals[up].rate = std::min(line_, flow.rate * (1 + probe_));
  flow.intervals[1 - up].rate = flow.rate * (1 - probe_);
  if (flow.starting) flow.intervals[0].rate = flow.rate;
  host_.set_rate(number, from_mbps(flow.intervals[0].rate));
}

void Vivace::begin(FlowNumber number, Flow& flow, Stage stage) {
  flow.stage = stage;
  Interval& interval = flow.intervals[stage == Stage::kFirstRate ? 0 : 1];
  interval.first = interval.end = flow.next;
  interval.begin = host_.now();
  if (stage == Stage::kSecondRate) host_.set_rate(number, from_mbps(interval.rate));
  const long double packets = parameters_.packets * mtu_ * 8e6L / flow.rate;
  const long double more = 1 + static_cast<long double>(random_.next_u32()) / 42949672960.0L;
  host_.start_timer(number, 0,
                    PicoSeconds(static_cast<std::int64_t>(std::max(flow.rtt, packets) * more) + 1));
}

void Vivace::on_sent(FlowNumber number, const SentInfo& info) {
  Flow& flow = flows_[number];
  if (info.psn < flow.next) {  // sent again: the first one was lost, or was of no use
    for (Interval& interval : flow.intervals) {
      if (interval.holds(info.psn)) ++interval.lost;
    }
    return;
  }
  flow.next = info.psn;
  if (flow.stage == Stage::kReady) begin(number, flow, Stage::kFirstRate);
  ++flow.next;
  if (flow.stage == Stage::kWaiting) return;
  Interval& interval = flow.intervals[flow.stage == Stage::kFirstRate ? 0 : 1];
  interval.end = flow.next;
  ++interval.sent;
}

void Vivace::on_timer(FlowNumber number, int) {
  Flow& flow = flows_[number];
  if (flow.stage == Stage::kFirstRate && !flow.starting) {
    begin(number, flow, Stage::kSecondRate);
  } else if (flow.stage == Stage::kFirstRate || flow.stage == Stage::kSecondRate) {
    wait(number, flow);
  }
}

void Vivace::wait(FlowNumber number, Flow& flow) {
  flow.stage = Stage::kWaiting;
  host_.set_rate(number, from_mbps(flow.rate));
  if (flow.acked >= last(flow).end) decide(number, flow);
}

void Vivace::on_ack(FlowNumber number, const AckInfo& info) {
  Flow& flow = flows_[number];
  const auto rtt = static_cast<long double>(info.rtt.count);
  flow.rtt += flow.rtt <= 0 ? rtt : (rtt - flow.rtt) / 8;
  flow.acked = std::max(flow.acked, info.psn + 1);
  for (Interval& interval : flow.intervals) {
    if (!interval.holds(info.psn)) continue;
    const auto left = static_cast<long double>((host_.now() - info.rtt - interval.begin).count);
    interval.n += 1;
    interval.t += left;
    interval.tt += left * left;
    interval.rtt += rtt;
    interval.t_rtt += left * rtt;
  }
  if (flow.stage == Stage::kWaiting && flow.acked >= last(flow).end) decide(number, flow);
}

void Vivace::decide(FlowNumber number, Flow& flow) {
  const long double before = flow.rate;
  if (flow.starting) {
    double_rate(flow);
  } else {
    follow_slope(flow);
  }
  if (flow.rate < before) ++counters_.rate_decreases;
  if (flow.rate > before) ++counters_.rate_increases;
  prepare(number, flow);
}

void Vivace::double_rate(Flow& flow) {
  const long double reached = utility_of(flow.intervals[0]);
  if (flow.utility && reached <= *flow.utility) {
    flow.starting = false;
    flow.rate = std::max(r_min_, flow.rate / 2);
    return;
  }
  flow.utility = reached;
  if (flow.rate >= line_) flow.starting = false;
  flow.rate = std::min(line_, flow.rate * 2);
}

/// An interval with fewer than two ACKs (the flow had too little to send) tells nothing.
void Vivace::follow_slope(Flow& flow) {
  const Interval& a = flow.intervals[0];
  const Interval& b = flow.intervals[1];
  if (a.n < 2 || b.n < 2) return;
  const long double slope = (utility_of(a) - utility_of(b)) * unit_ / (a.rate - b.rate);
  const int sign = slope > 0 ? 1 : -1;
  flow.same = sign == flow.sign ? flow.same + 1 : 0;
  if (sign != flow.sign) flow.bound_hits = 0;
  flow.sign = sign;
  const unsigned same = std::max(1u, flow.same);
  const unsigned confidence = same <= 3 ? same : 2 * same - 3;
  long double change = confidence * to_real(parameters_.step) * std::abs(slope) * unit_;
  const long double bound = flow.rate * (to_real(parameters_.first_bound) +
                                         flow.bound_hits * to_real(parameters_.bound_growth));
  if (change > bound) {
    change = bound;
    ++flow.bound_hits;
  } else if (flow.bound_hits > 0) {
    --flow.bound_hits;
  }
  flow.rate = std::clamp(flow.rate + sign * change, r_min_, line_);
}

Algorithm::View Vivace::view(FlowNumber number) const {
  const Rate rate = from_mbps(flows_[number].rate);
  return {rate, rate, 0};
}

}  // namespace dcc
