#include "switch/ecn_marker.h"

#include <algorithm>
#include <stdexcept>

#include "describe/network_scale.h"
#include "describe/parameter_error.h"
#include "describe/visitor.h"

namespace dcc {

namespace {
/// Ratio of the ECN thresholds kmax and kmin if one of them is derived from the other, as in the
/// dcqcn rule.
constexpr Bytes kFollowingRatio = 4;

/// Scales an ECN threshold to the port's rate. The result saturates at kMaxThreshold + 1.
Bytes scaled(Bytes threshold, BitRate port_rate, const std::optional<BitRate>& reference) {
  if (!reference || threshold < 0) return threshold;
  const Uint128 wide =
      static_cast<Uint128>(threshold) * port_rate.bits_per_second / reference->bits_per_second;
  return wide > kMaxThreshold ? kMaxThreshold + 1 : static_cast<Bytes>(wide);
}
}  // namespace

void MarkingParameters::describe(ParameterVisitor& v) {
  constexpr const char* kAuto = "auto";
  v.field("enabled", enabled, kAuto, {}, {"marks packets; auto: as switch.ecn", "", kRuntime});
  v.field("kmin", kmin, kAuto, {"0B", kMaxThreshold},
          {"queue length up to which no packet is marked; auto: as switch.ecn", "", kRuntime});
  v.field("kmax", kmax, kAuto, {"0B", kMaxThreshold},
          {"queue length above which every packet is marked; auto: as switch.ecn", "", kRuntime});
  v.field("pmax", pmax, kAuto, {"0", "1"},
          {"probability of a mark at kmax; auto: as switch.ecn", "", kRuntime});
}

void MarkingParameters::apply_to(EcnParameters& ecn) const {
  if (enabled) ecn.enabled = *enabled;
  // ECN thresholds that a user wrote for a port apply at any link rate
  if (kmin || kmax) ecn.reference_rate.reset();
  if (kmin) ecn.kmin = *kmin;
  if (kmax) ecn.kmax = *kmax;
  if (pmax) ecn.pmax = *pmax;
}

void EcnParameters::describe(ParameterVisitor& v) {
  v.field("enabled", enabled, {}, {"marks packets", "", kRuntime});
  v.choice("rule", rule,
           {"kmin, kmax, pmax and reference_rate by the slowest link and the longest base RTT; "
            "dcqcn: kmin 1/2 and kmax 2 products of both, pmax 1/5; dctcp: all packets above 1/7 "
            "product; long_flows, short_flows: for policy: proportional, with mark_at; given: as "
            "they stand; auto: the algorithm's rule, given without one or if one of the values is "
            "written",
            "dctcp: SIGCOMM'10, section 3.4; dcqcn: pmax as in HPCC, SIGCOMM'19, section 5"});
  v.field("kmin", kmin, {"0B", kMaxThreshold},
          {"queue length up to which no packet is marked", "SIGCOMM'15", kRuntime});
  const Bytes least_kmax = std::min(kMaxThreshold, kmin * kFollowingRatio);
  const bool far_apart = least_kmax <= kmax;
  v.follows(!far_apart, "at most 1/4 of a kmax that is written alone",
            [this](const NetworkScale&) { kmin = kmax / kFollowingRatio; });
  v.field("kmax", kmax, {"0B", kMaxThreshold},
          {"queue length above which every packet is marked", "SIGCOMM'15", kRuntime});
  v.follows(!far_apart, "at least 4 times a kmin that is written alone",
            [this, least_kmax](const NetworkScale&) { kmax = least_kmax; });
  v.field("pmax", pmax, {"0", "1"}, {"probability of a mark at kmax", "SIGCOMM'15", kRuntime});
  v.choice("mark_at", mark_at,
           {"when the queue length is compared. input_full: no length is compared; an input that "
            "has filled, so that its neighbour waits, marks all packets of its priority at the "
            "outputs where its packets wait, except outputs that wait for their own neighbour",
            "input_full: Santos et al., INFOCOM'03", kRuntime});
  v.choice("per", scope,
           {"the length that counts: of the priority's queue, or of the whole port", "", kRuntime});
  v.choice("draw", draw,
           {"the number that a mark's probability is compared with. random: a new one in every "
            "switch, so that the marks of a path add up; packet: a hash of the packet, the same in "
            "all switches, so that the most congested port of a path decides, and policy: "
            "proportional has an increase_timer of 168us or more if none is written. For drops "
            "always random",
            "", kRuntime});
  v.field("reference_rate", reference_rate, "none", {"1Mbps", "10Tbps"},
          {"port rate that kmin and kmax are for; both scale with the port's rate", "", kRuntime});
  v.bits("priorities", priorities, {"priorities whose queues mark"});
  v.rate_map("by_speed", by_speed,
             {"marking by the port's rate: differences for ports of exactly this rate; rule and "
              "reference_rate do not go with it"},
             [&](MarkingParameters& one) { one.describe(v); });
  v.map(
      "by_dscp", by_dscp, 64, MarkingParameters{},
      {"marking by the packet's DSCP: differences for classes that share a queue, after by_speed"},
      [&](MarkingParameters& one) { one.describe(v); });
  v.field("phantom_drain", phantom_drain, {"0", "1"},
          {"drain rate of a phantom queue as a share of the port's rate; 0: no phantom queue",
           "HULL, NSDI'12", kRuntime});
  v.field("phantom_threshold", phantom_threshold, {"0B", "1GB"},
          {"length of the phantom queue above which every packet is marked", "HULL, NSDI'12",
           kRuntime});
}

void EcnParameters::follow_rule(const NetworkScale& network) {
  if (rule == Rule::kGiven || rule == Rule::kAuto) {
    rule = Rule::kGiven;
    return;
  }
  // The limit exceeds the product of any real network. check() catches values that exceed
  // kMaxThreshold after scaling.
  const Bytes product = std::min<Bytes>(network.bdp(), kMaxThreshold / 16);
  const auto at_least = [&](Bytes wanted, Bytes packets) {
    return std::max(wanted, packets * network.packet);
  };
  pmax = Ratio(1);
  reference_rate = network.rate;
  switch (rule) {
    case Rule::kAuto:
    case Rule::kGiven:
      break;
    case Rule::kDcqcn:
      // Flows that adapt their rates overshoot by the bytes that they send within their reaction
      // time. A threshold of a few packets would mark at random, so each threshold is several
      // packets long.
      kmin = at_least(product / 2, 3);
      kmax = at_least(product * 2, 12);
      pmax = Ratio(1, 5);
      break;
    case Rule::kDctcp:
      // SIGCOMM'10, inequality 13: K > C · RTT / 7 keeps the link busy.
      kmin = kmax = at_least(product / 7, 3);
      break;
    case Rule::kLongFlows:
      kmin = product * 105 / 100;
      kmax = product * 840 / 100;
      mark_at = MarkAt::kDequeue;
      break;
    case Rule::kShortFlows:
      kmin = 10 * network.packet;
      kmax = kmin + product * 120 / 100;
      mark_at = MarkAt::kDequeue;
      break;
  }
  rule = Rule::kGiven;
}

EcnParameters EcnParameters::at_rate(BitRate rate) const {
  EcnParameters to = *this;
  const auto found = by_speed.find(static_cast<unsigned>(rate.bits_per_second / 1'000'000));
  if (found != by_speed.end() && rate.bits_per_second % 1'000'000 == 0) found->second.apply_to(to);
  return to;
}

void EcnParameters::check(BitRate fastest_port) const {
  if (!by_speed.empty() && reference_rate) {
    throw ParameterError({"by_speed", "reference_rate"},
                         "by_speed and reference_rate exclude each other");
  }
  for (const auto& [mbps, one] : by_speed) {
    const Bytes low = one.kmin.value_or(kmin);
    const Bytes high = one.kmax.value_or(kmax);
    if (low <= high) continue;
    const std::string of = "by_speed." + text_of(BitRate(mbps * std::uint64_t{1'000'000}));
    throw ParameterError({of + ".kmin", of + ".kmax"},
                         "kmin " + text_of(low) + " is above kmax " + text_of(high));
  }
  for (const auto& [dscp, one] : by_dscp) {
    const Bytes low = one.kmin.value_or(kmin);
    const Bytes high = one.kmax.value_or(kmax);
    if (low <= high) continue;
    const std::string of = "by_dscp." + std::to_string(dscp);
    throw ParameterError({of + ".kmin", of + ".kmax"},
                         "kmin " + text_of(low) + " is above kmax " + text_of(high));
  }
  if (kmax < kmin) {
    throw ParameterError({"kmin", "kmax"},
                         "kmin " + text_of(kmin) + " is above kmax " + text_of(kmax));
  }
  if (scaled(kmax, fastest_port, reference_rate) > kMaxThreshold) {
    throw ParameterError({"reference_rate", "kmax"},
                         "kmax " + text_of(kmax) + " at " + text_of(*reference_rate) +
                             " reaches 2GiB at " + text_of(fastest_port));
  }
  if (phantom_drain.numerator != 0 && phantom_drain.to_fixed(16) == 0) {
    throw ParameterError({"phantom_drain"}, "is too small; the least value is 1/65536 (1.5e-5)");
  }
}

EcnMarker::EcnMarker(const EcnParameters& parameters, BitRate port_rate)
    : enabled_(parameters.enabled),
      draws_(parameters.enabled && parameters.draw == EcnParameters::Draw::kRandom),
      has_rare_rules_(parameters.draw == EcnParameters::Draw::kPacket),
      per_port_(parameters.scope == EcnParameters::Scope::kPort),
      mark_at_(parameters.mark_at),
      kmin_(scaled(parameters.kmin, port_rate, parameters.reference_rate)),
      kmax_(scaled(parameters.kmax, port_rate, parameters.reference_rate)),
      pmax_q32_(parameters.pmax.to_fixed(32)),
      unmarked_between_(parameters.unmarked_between) {
  if (parameters.kmin < 0) throw std::invalid_argument("ecn: kmin is negative");
  if (kmax_ < kmin_) throw std::invalid_argument("ecn: kmax is less than kmin");
  if (kmax_ > kMaxThreshold) {
    throw std::invalid_argument("ecn: kmax (scaled to the port's rate) reaches 2 GiB");
  }
  if (pmax_q32_ > std::uint64_t{1} << 32) throw std::invalid_argument("ecn: pmax is above 1");
  const std::uint64_t drain_q16 = parameters.phantom_drain.to_fixed(16);
  if (drain_q16 != 0) {
    if (drain_q16 > 65536) {
      throw std::invalid_argument("ecn: the phantom queue drains faster than the port");
    }
    const BitRate drain(static_cast<std::uint64_t>(
        static_cast<Uint128>(port_rate.bits_per_second) * drain_q16 >> 16));
    if (drain.bits_per_second == 0) throw std::invalid_argument("ecn: the port has no rate");
    phantom_ps_per_kib_ = serialization_time(1024, drain).count;
    phantom_limit_ = serialization_time(parameters.phantom_threshold, drain);
    has_rare_rules_ = true;
  }
  for (const auto& [dscp, marking] : parameters.by_dscp) {
    EcnParameters of_class = parameters;
    of_class.by_dscp.clear();
    of_class.phantom_drain = Ratio(0);
    marking.apply_to(of_class);
    classes_.emplace_back(of_class, port_rate);
    classes_.back().dscp_ = static_cast<std::uint8_t>(dscp);
    has_rare_rules_ = true;
  }
}

bool EcnMarker::congested_by_packet(Bytes queue, const Packet& packet) {
  if (queue <= kmin_) return false;
  if (queue <= kmax_) {
    // The hash covers fields that no switch changes. A retransmitted packet has the same sequence
    // number again.
    const std::uint64_t pair = std::uint64_t{packet.source} << 32 | packet.destination;
    const std::uint64_t place = std::uint64_t{packet.flow} << 32 ^ packet.psn;
    if (!is_below_ramp(mix64(mix64(pair) ^ place) >> 32, queue)) return false;
  }
  if (unmarked_left_ != 0) {
    --unmarked_left_;
    return false;
  }
  unmarked_left_ = unmarked_between_;
  return true;
}

}  // namespace dcc
