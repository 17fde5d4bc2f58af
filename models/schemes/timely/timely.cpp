#include "schemes/timely/timely.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"

namespace dcc {

namespace {
long double real(PicoSeconds t) { return static_cast<long double>(t.count); }

// Number of other flows' full packets for which a packet waits without congestion. Where a round
// trip holds few packets, RTT thresholds below this delay would make packets that meet by chance
// cut all rates.
constexpr Ratio kOthersPackets{8, 1};

/// Default of the additive step and of the minimum rate: 1/500 of the slowest link's rate, at least
/// 10 Mb/s. A flow learns from its own packets only: at a lower rate a full packet takes a
/// millisecond and more, and so does each step of a recovery.
BitRate paced_share(const NetworkScale& network) {
  const BitRate share = network.share(Ratio(1, 500));
  return share.bits_per_second < (10_Mbps).bits_per_second ? 10_Mbps : share;
}

const RegisteredAlgorithm<TimelyParameters> kTimely{
    "timely", "the rate follows the gradient of the round-trip time", kMakesAlgorithm<Timely>};
}  // namespace

void TimelyParameters::describe(ParameterVisitor& v) {
  const char* const paper = "TIMELY, SIGCOMM'15";
  v.choice("variant", variant, {"as published, or patched", "ECN or Delay, CoNEXT'16"});
  v.choice("update", update, {"the rate changes once a segment, or once a round trip", paper});
  v.choice("timestamp", timestamp,
           {"an RTT begins when the NIC is given a packet, or when it leaves", paper});
  v.field("ewma", ewma, {"0", "1"},
          {"weight of the newest RTT difference", "the authors' published code"});
  // Where a round trip holds few packets, a flow has about one segment in it, and the difference of
  // two RTTs is mostly the place of a packet among those of other flows. Smoothing makes the shares
  // of 4 to 16 flows two to five times as even, and costs two or three flows up to 5 % of the link.
  // Smoothing pays from 8 to 15 packets only: with fewer, two flows leave 8 % more of a 10 Gb/s
  // link idle; with more, the late reaction makes the queue swing. The bounds were found by
  // measurement.
  v.follows(true,
            "1/2: a round trip has many short segments; 1/8 where the product of slowest link and "
            "base RTT is 8 to 15 full packets",
            [this](const NetworkScale& network) {
              const unsigned packets = network.packets_in_flight(0, 16);
              ewma = packets < 8 || packets == 16 ? Ratio(1, 2) : Ratio(1, 8);
            });
  v.field("beta", beta, {"0", "1"}, {"gain of a decrease", paper});
  v.field("max_decrease", max_decrease, {"0", "1"},
          {"greatest share of a rate that one completion takes", "the authors' published code"});
  v.field("resolution", resolution, {"0ns", "1us"},
          {"smoothed RTT differences below this count as no gradient"});
  v.field("additive_step", additive_step, {"1Mbps", "1Tbps"}, {"delta", paper});
  v.follows(true, "1/500 of the slowest link's rate, at least the 10Mbps of the paper",
            [this](const NetworkScale& network) { additive_step = paced_share(network); });
  v.field("t_low", t_low, {"0us", "1s"}, {"RTT under which the rate rises", paper});
  v.follows(true, "4/3 base RTTs, at least a base RTT and 8 full packets' time",
            [this](const NetworkScale& network) {
              t_low = std::min(kSecond, std::max(network.round_trips(Ratio(4, 3)),
                                                 network.round_trips(Ratio(1)) +
                                                     network.packets_time(kOthersPackets)));
            });
  v.field("t_high", t_high, {"1us", "1s"}, {"RTT above which the rate falls", paper});
  v.follows(true, "3 base RTTs, at least a base RTT and 24 full packets' time, t_low, and 1us",
            [this](const NetworkScale& network) {
              const PicoSeconds others = network.round_trips(Ratio(1)) +
                                         network.packets_time(Ratio(3 * kOthersPackets.numerator));
              const PicoSeconds three = network.round_trips(Ratio(3), kMicroSecond);
              t_high = std::max(t_low, std::min(kSecond, std::max(three, others)));
            });
  v.field("min_rtt", min_rtt, {"100ns", "1s"}, {"RTT of the empty network", paper});
  v.follows(true, "the base RTT, at least 8 full packets' time and 100ns",
            [this](const NetworkScale& network) {
              min_rtt = std::max(network.round_trips(Ratio(1), kNanoSecond * 100),
                                 network.packets_time(kOthersPackets));
            });
  v.field("hai_after", hai_after, {"1", "255"}, {"increases before hyper increase", paper});
  v.field("hai_factor", hai_factor, {"1", "255"}, {"steps of a hyper increase", paper});
  v.field("hai_below_low", hai_below_low, {}, {"hyper increase also under t_low"});
  // Hyperactive increase is on by default from a base RTT of 32 us on, where a rate that the first
  // congestion cut to r_min would take up to 500 steps to recover, 20 ms and more. In a short
  // network hyperactive increases make the shares of many flows less even.
  v.follows(true, "on from a base RTT of 32us on", [this](const NetworkScale& network) {
    hai_below_low = network.base_rtt >= kMicroSecond * 32;
  });
  v.field("segment", segment, {"64B", "64KiB"}, {"bytes between two completions", paper});
  v.follows(true, "1/32 of the product of slowest link and base RTT, from a packet to 16KB",
            [this](const NetworkScale& network) {
              segment = std::min<Bytes>(16'000, network.products(Ratio(1, 32), 1));
            });
  v.field("bursts", bursts, {}, {"segments leave at line rate, gaps between them", paper});
  v.field("burst_rate", burst_rate, "link", {"1Mbps", "10Tbps"},
          {"rate of the packets in a burst", paper});
  v.field("app_limit", app_limit, {"0", "1"},
          {"share of its rate below which a flow's use prevents an increase", paper});
  v.field("outstanding", outstanding, "none", {"1KB", "1GB"},
          {"cap on unacknowledged bytes", paper});
  v.field("r_min", r_min, {"1Mbps", "1Tbps"}, {"a rate is never cut below this"});
  v.follows(true, "1/500 of the slowest link's rate, at least the 10Mbps of the paper",
            [this](const NetworkScale& network) { r_min = paced_share(network); });
  v.field("initial_rate", initial_rate, "link", {"1Mbps", "10Tbps"},
          {"rate at which a flow starts"});
}

void TimelyParameters::check(Bytes) const {
  if (t_high < t_low) {
    throw ParameterError({"t_low", "t_high"},
                         "t_low " + text_of(t_low) + " is above t_high " + text_of(t_high));
  }
}

Timely::Timely(AlgorithmHost& host, const TimelyParameters& parameters)
    : host_(host),
      parameters_(parameters),
      line_(to_mbps(host.line_rate())),
      step_(to_mbps(parameters.additive_step)),
      r_min_(to_mbps(parameters.r_min)),
      min_rtt_(real(parameters.min_rtt)),
      resolution_(real(parameters.resolution)),
      ewma_(to_real(parameters.ewma)),
      beta_(to_real(parameters.beta)),
      least_left_(1 - to_real(parameters.max_decrease)),
      app_limit_(to_real(parameters.app_limit)) {
  if (parameters.min_rtt.count <= 0 || parameters.segment <= 0) {
    throw std::invalid_argument("timely: minimum RTT and segment must be positive");
  }
}

AlgorithmNeeds Timely::needs() const {
  AlgorithmNeeds needs;
  needs.acks = true;
  needs.on_sent = true;
  needs.rtt_from_due = parameters_.timestamp == TimelyParameters::Timestamp::kNicQueue;
  if (parameters_.bursts) {
    needs.burst = parameters_.segment;
    if (parameters_.burst_rate) needs.burst_rate = Rate::from(*parameters_.burst_rate);
  }
  return needs;
}

void Timely::on_flow_start(FlowNumber number, const FlowStart& start) {
  Flow& flow = flows_.keep(number);
  flow = Flow{};
  flow.rate = start.initial_rate.raw != 0 ? to_mbps(start.initial_rate)
              : parameters_.initial_rate  ? to_mbps(*parameters_.initial_rate)
                                          : line_;
  flow.allowed_until = host_.now();
  give_rate(number, flow);
  host_.set_window(number, parameters_.outstanding.value_or(std::numeric_limits<Bytes>::max()));
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
  // The time since the previous packet was sent counts as used by that packet's bytes.
  flow.sent += flow.last_wire;
  flow.last_wire = info.wire_bytes;
  flow.segment_sent += info.payload_bytes;
  if (flow.segment_sent < parameters_.segment) return;
  flow.app_limited = flow.sent < app_limit_ * flow.allowed;
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

// Computes the flow's new rate from a new RTT by TIMELY's algorithm 1.
void Timely::completion(FlowNumber number, Flow& flow, PicoSeconds rtt, Bytes bytes) {
  if (!flow.measured) {
    flow.measured = true;
    flow.last_rtt = rtt;
    return;
  }
  const long double newest = real(rtt) - real(flow.last_rtt);
  flow.last_rtt = rtt;
  flow.rtt_diff += ewma_ * (newest - flow.rtt_diff);
  flow.gradient = std::fabs(flow.rtt_diff) < resolution_ ? 0 : flow.rtt_diff / min_rtt_;

  const long double before = flow.rate;
  long double wanted = std::max(next_rate(flow, rtt), before * least_left_);
  if (parameters_.update == TimelyParameters::Update::kSegment && bytes > 0) {
    const long double completions =
        bytes_at(before, parameters_.min_rtt) / static_cast<long double>(bytes);
    if (completions > 1) wanted = before + (wanted - before) / completions;
  }
  wanted = std::min(line_, std::max(r_min_, wanted));
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
    return rate * (1 - beta_ * (1 - real(parameters_.t_high) / real(rtt)));
  }
  if (parameters_.variant == TimelyParameters::Variant::kPatched) {
    const long double weight = std::min(1.0L, std::max(0.0L, 2 * flow.gradient + 0.5L));
    const long double error = (real(rtt) - real(parameters_.t_low)) / real(parameters_.t_low);
    return step_ * (1 - weight) + rate * (1 - beta_ * weight * error);
  }
  if (flow.gradient <= 0) return rise(true);
  flow.rises = 0;
  return rate * (1 - beta_ * flow.gradient);
}

Algorithm::View Timely::view(FlowNumber number) const {
  const Flow& flow = flows_[number];
  const Rate rate = from_mbps(flow.rate);
  return {rate, rate, static_cast<double>(flow.gradient)};
}

}  // namespace dcc
