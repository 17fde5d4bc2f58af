#include "cc/timely.h"

#include <algorithm>
#include <stdexcept>

#include "cc/real_rate.h"

namespace dcc {

namespace {
long double real(PicoSeconds t) { return static_cast<long double>(t.count); }
}  // namespace

Timely::Timely(AlgorithmHost& host, const TimelyParameters& parameters)
    : host_(host),
      parameters_(parameters),
      line_(to_mbps(host.line_rate())),
      step_(to_mbps(parameters.step)),
      min_rtt_(real(parameters.min_rtt)) {
  if (parameters.min_rtt.count <= 0 || parameters.segment <= 0) {
    throw std::invalid_argument("timely: minimum RTT and segment must be positive");
  }
}

AlgorithmNeeds Timely::needs() const {
  AlgorithmNeeds needs;
  needs.acks = true;
  needs.on_sent = true;
  if (parameters_.bursts) needs.burst = parameters_.segment;
  return needs;
}

void Timely::on_flow_start(FlowNumber number, const FlowStart& start) {
  if (flows_.size() <= number) flows_.resize(number + 1);
  Flow& flow = flows_[number];
  flow = Flow{};
  const Rate own = start.initial_rate.raw != 0 ? start.initial_rate : parameters_.initial_rate;
  flow.rate = own.raw == 0 ? line_ : to_mbps(own);
  flow.allowed_until = host_.now();
  give_rate(number, flow);
  host_.set_window(number, parameters_.outstanding);
}

void Timely::account(Flow& flow) {
  flow.allowed += bytes_at(flow.given, host_.now() - flow.allowed_until);
  flow.allowed_until = host_.now();
}

void Timely::give_rate(FlowNumber number, Flow& flow) {
  flow.rise_pending = false;
  flow.given = flow.rate;
  host_.set_rate(number, from_mbps(flow.rate));
}

void Timely::on_sent(FlowNumber number, const SentInfo& info) {
  Flow& flow = flows_[number];
  account(flow);
  if (flow.rise_pending) give_rate(number, flow);
  // The time up to this packet was the one before's to fill.
  flow.sent += flow.last_wire;
  flow.last_wire = info.wire_bytes;
  flow.segment_sent += info.payload_bytes;
  if (flow.segment_sent < parameters_.segment) return;
  flow.app_limited = flow.sent < parameters_.app_limit * flow.allowed;
  flow.sent = flow.allowed = 0;
  flow.segment_sent = 0;
}

void Timely::on_ack(FlowNumber number, const AckInfo& info) {
  Flow& flow = flows_[number];
  flow.acked += info.newly_acked;
  if (parameters_.update == TimelyParameters::Update::kRoundTrip) {
    if (info.psn < flow.last_update) return;
    flow.last_update = info.next_psn;
  } else if (flow.acked < parameters_.segment && !info.last_of_message) {
    return;
  }
  const Bytes bytes = flow.acked;
  flow.acked = 0;
  completion(number, flow, info.rtt, bytes);
}

// Algorithm 1: from a new RTT to a new rate.
void Timely::completion(FlowNumber number, Flow& flow, PicoSeconds rtt, Bytes bytes) {
  if (!flow.measured) {
    flow.measured = true;
    flow.last_rtt = rtt;
    return;
  }
  const long double newest = real(rtt) - real(flow.last_rtt);
  flow.last_rtt = rtt;
  flow.rtt_diff += parameters_.ewma * (newest - flow.rtt_diff);
  flow.gradient = flow.rtt_diff / min_rtt_;

  const long double before = flow.rate;
  long double wanted = next_rate(flow, rtt);
  if (parameters_.update == TimelyParameters::Update::kSegment && bytes > 0) {
    const long double completions =
        bytes_at(before, parameters_.min_rtt) / static_cast<long double>(bytes);
    if (completions > 1) wanted = before + (wanted - before) / completions;
  }
  wanted = std::min(line_, std::max(to_mbps(parameters_.r_min), wanted));
  if (wanted > before && flow.app_limited) return;
  if (wanted == before) return;
  flow.rate = wanted;
  if (wanted > before) {
    ++counters_.rate_increases;
    flow.rise_pending = true;
    return;
  }
  ++counters_.rate_decreases;
  account(flow);
  give_rate(number, flow);
}

long double Timely::next_rate(Flow& flow, PicoSeconds rtt) {
  const long double rate = flow.rate;
  const auto rise = [&](bool counts) {
    if (!counts) {
      flow.rises = 0;
      return rate + step_;
    }
    ++flow.rises;
    return rate + (flow.rises > parameters_.hai_after ? parameters_.hai_factor : 1u) * step_;
  };
  if (rtt < parameters_.t_low) return rise(parameters_.hai_below_low);
  if (rtt > parameters_.t_high) {
    flow.rises = 0;
    return rate * (1 - parameters_.beta * (1 - real(parameters_.t_high) / real(rtt)));
  }
  if (parameters_.variant == TimelyParameters::Variant::kPatched) {
    const long double weight = std::min(1.0L, std::max(0.0L, 2 * flow.gradient + 0.5L));
    const long double error = (real(rtt) - real(parameters_.t_low)) / real(parameters_.t_low);
    return step_ * (1 - weight) + rate * (1 - parameters_.beta * weight * error);
  }
  if (flow.gradient <= 0) return rise(true);
  flow.rises = 0;
  return rate * std::max(0.0L, 1 - parameters_.beta * flow.gradient);
}

Algorithm::View Timely::view(FlowNumber number) const {
  const Flow& flow = flows_[number];
  const Rate rate = from_mbps(flow.rate);
  return {rate, rate, static_cast<double>(flow.gradient)};
}

}  // namespace dcc
