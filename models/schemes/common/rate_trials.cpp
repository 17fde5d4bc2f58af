#include "schemes/common/rate_trials.h"

#include <algorithm>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"

namespace dcc {

void RateTrialsParameters::describe_limits(ParameterVisitor& v, const char* paper,
                                           const char* initial_meaning) {
  v.field("packets", packets, {"2", "1000"},
          {"an interval lasts the time of so many full packets at least", paper});
  v.field("r_min", r_min, {"1Mbps", "1Tbps"}, {"a rate is never cut below this"});
  v.follows(true, "1/500 of the slowest link's rate",
            [this](const NetworkScale& network) { r_min = network.share(Ratio(1, 500)); });
  v.field("initial_rate", initial, "auto", {"1Mbps", "10Tbps"}, {initial_meaning});
}

void RateTrialsParameters::check(Bytes) const {
  if (initial && *initial < r_min) {
    throw ParameterError({"initial_rate", "r_min"},
                         "initial_rate " + text_of(*initial) + " is below r_min " + text_of(r_min));
  }
}

RateTrials::RateTrials(AlgorithmHost& host, const RateTrialsParameters& limits, std::uint32_t mtu,
                       const char* stream, std::uint64_t seed, std::uint64_t index)
    : host_(host),
      packets_(limits.packets),
      mtu_(mtu),
      line_(to_mbps(host.line_rate())),
      r_min_(std::min(line_, to_mbps(limits.r_min))),
      initial_(limits.initial),
      random_(seed, stream, index) {}

AlgorithmNeeds RateTrials::needs() const {
  AlgorithmNeeds needs;
  needs.acks = true;
  needs.ack_each = true;
  needs.on_sent = true;
  return needs;
}

long double RateTrials::Interval::growth() const {
  const long double spread = n * tt - t * t;
  return n < 2 || spread <= 0 ? 0 : (n * t_rtt - t * rtt) / spread;
}

long double RateTrials::Interval::loss() const {
  return static_cast<long double>(std::min(lost, sent)) / static_cast<long double>(sent);
}

void RateTrials::on_flow_start(FlowNumber number, const FlowStart& start) {
  Flow& flow = flows_.keep(number);
  flow = Flow{};
  flow.rtt = static_cast<long double>(start.base_rtt.count);
  flow.rate = std::clamp(initial_ ? to_mbps(*initial_) : first_rate(start), r_min_, line_);
  begin(number);
  prepare(number, flow);
}

void RateTrials::on_flow_end(FlowNumber number) {
  host_.stop_timer(number, 0);
  flows_[number].stage = Stage::kReady;
}

bool RateTrials::is_quiescent(FlowNumber number) const {
  return flows_[number].stage != Stage::kSending;
}

/// Sets the rate of the trial interval that the flow's next packet begins.
void RateTrials::prepare(FlowNumber number, Flow& flow) {
  flow.stage = Stage::kReady;
  flow.current = 0;
  flow.intervals = {};
  Plan next;
  if (flow.starting) {
    next.count = 1;
    next.rates[0] = flow.rate;
  } else {
    next = plan(number, flow.rate);
  }
  flow.count = static_cast<std::uint8_t>(next.count);
  for (std::size_t i = 0; i < next.count; ++i) {
    flow.intervals[i].rate = std::min(line_, next.rates[i]);
  }
  host_.set_rate(number, from_mbps(flow.intervals[0].rate));
}

void RateTrials::begin_interval(FlowNumber number, Flow& flow) {
  Interval& interval = flow.intervals[flow.current];
  interval.first = interval.end = flow.next;
  interval.begin = host_.now();
  if (flow.current > 0) host_.set_rate(number, from_mbps(interval.rate));
  const long double packets = packets_ * mtu_ * 8e6L / flow.rate;
  const long double more = 1 + static_cast<long double>(random_.next_u32()) / 42949672960.0L;
  host_.start_timer(number, 0,
                    PicoSeconds(static_cast<std::int64_t>(std::max(flow.rtt, packets) * more) + 1));
}

void RateTrials::on_sent(FlowNumber number, const SentInfo& info) {
  Flow& flow = flows_[number];
  // The packet is retransmitted because its first copy was lost or came too late.
  if (info.psn < flow.next) {
    for (Interval& interval : flow.intervals) {
      if (interval.holds(info.psn)) ++interval.lost;
    }
    return;
  }
  flow.next = info.psn;
  if (flow.stage == Stage::kReady) {
    flow.stage = Stage::kSending;
    begin_interval(number, flow);
  }
  ++flow.next;
  if (flow.stage == Stage::kWaiting) return;
  Interval& interval = flow.intervals[flow.current];
  interval.end = flow.next;
  ++interval.sent;
}

void RateTrials::on_timer(FlowNumber number, int) {
  Flow& flow = flows_[number];
  if (flow.stage != Stage::kSending) return;
  if (flow.current + 1 < flow.count) {
    ++flow.current;
    begin_interval(number, flow);
    return;
  }
  flow.stage = Stage::kWaiting;
  host_.set_rate(number, from_mbps(flow.rate));
  if (flow.has_all_acks()) decide(number, flow);
}

void RateTrials::on_ack(FlowNumber number, const AckInfo& info) {
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
  if (flow.stage == Stage::kWaiting && flow.has_all_acks()) decide(number, flow);
}

void RateTrials::decide(FlowNumber number, Flow& flow) {
  const long double before = flow.rate;
  if (flow.starting) {
    double_rate(flow);
  } else {
    flow.rate = std::clamp(judge(number, flow.rate, flow.intervals), r_min_, line_);
  }
  if (flow.rate < before) ++counters_.rate_decreases;
  if (flow.rate > before) ++counters_.rate_increases;
  prepare(number, flow);
}

void RateTrials::double_rate(Flow& flow) {
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

Algorithm::View RateTrials::view(FlowNumber number) const {
  const Rate rate = from_mbps(flows_[number].rate);
  return {rate, rate, 0};
}

}  // namespace dcc
