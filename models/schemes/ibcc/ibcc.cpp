#include "schemes/ibcc/ibcc.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "describe/class_ranges.h"
#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"
#include "nic/nic_parameters.h"
#include "switch/switch_device.h"

namespace dcc {

namespace {
constexpr std::size_t kServiceLevels = 64;  // number of service levels, one for each DSCP
// number of bytes of queue length between two neighbouring marking thresholds
constexpr Bytes kThresholdStep = 16_KiB;
// Without cct_scale, the rates of the table fall in equal steps to this fraction of the full rate,
// from there in equal ratios, with the ratio of the last equal step: rates that many flows share
// have finer steps.
constexpr unsigned kLinearTo = 8;
// Number of packet times that CCTI_Timer must cover at least. The timer must outlast the gaps
// between a flow's BECNs while some dozens of senders share the link, and pauses bunch the packets
// of a sender.
constexpr int kTimerPackets = 64;

// A marked flow loses 1/13 of its rate in a base RTT.
constexpr std::uint32_t kStepsRatio = 13;
// lower and upper limit of the default value of cct_steps
constexpr unsigned kLeastSteps = 64, kMostSteps = 384;

PicoSeconds timer_for(const NetworkScale& network) {
  const PicoSeconds packet = serialization_time(network.packet, network.rate);
  return network.round_trips(Ratio(3, 2), std::max(kMicroSecond, packet * kTimerPackets));
}
/// Greatest default of cct_steps. CCTI falls by one step per expiry of CCTI_Timer, so fewer steps
/// let the rate recover in time.
unsigned most_steps(const NetworkScale& network) {
  return NetworkScale::recovery_steps(kMilliSecond * 6, timer_for(network), kLeastSteps,
                                      kMostSteps);
}

/// Default injection delay of entry 0: the delay that spaces full packets as the slowest link does,
/// limited to the parameter's range.
PicoSeconds base_for(const NetworkScale& network, IbccParameters::Gate gate, unsigned aggregate) {
  const PicoSeconds packet = serialization_time(network.packet, network.rate);
  const PicoSeconds exact = gate == IbccParameters::Gate::kLiteral
                                ? packet * aggregate
                                : PicoSeconds(packet.count / aggregate);
  return std::clamp(exact, PicoSeconds(1), kSecond);
}

const RegisteredAlgorithm<IbccParameters> kIbcc{
    "ibcc", "InfiniBand's: notifications climb a table of injection delays",
    [](const IbccParameters& parameters, const AlgorithmContext& context) {
      return std::make_unique<Ibcc>(context.host, parameters, context.mtu, parameters.table());
    }};
}  // namespace

void IbccParameters::describe(ParameterVisitor& v) {
  const char* const iba = "InfiniBand spec. vol. 1, annex A10";
  // The ranges of parameters include the values that a scheduled change can set.
  const Range increases{"1", "65535"}, limits{"1", "65535"}, leasts{"0", "65535"},
      timers{"1us", "1s"};
  v.field("ccti_increase", ccti_increase, increases, {"CCTI steps a BECN", iba});
  v.field("becn_every", becn_every, {"1", "65535"}, {"number of BECNs of which one counts"});
  v.follows(true,
            "1/24 of the full packets in the product of slowest link and base RTT; as many more as "
            "the limit of cct_steps asks",
            [this](const NetworkScale& network) {
              const Bytes packets = network.products(Ratio(1, 24), 1) / network.packet;
              const Bytes for_steps =
                  network.products(Ratio(kStepsRatio), 1) / network.packet / most_steps(network);
              becn_every =
                  static_cast<unsigned>(std::clamp<Bytes>(std::max(packets, for_steps), 1, 65'535));
            });
  v.field("cct_scale", cct_scale, "by cct_steps", {"1/1000000", "1000"},
          {"table: delay of entry i is scale x i^2 in us", "14 i^2 / 106^2"});
  v.field("cct_base", cct_base, {"1ps", "1s"}, {"table without cct_scale: delay of entry 0", iba});
  v.follows(
      true,
      "a full packet's time on the slowest link over aggregate; gate: literal: times aggregate",
      [this](const NetworkScale& network) { cct_base = base_for(network, gate, aggregate); });
  v.field(
      "cct_steps", cct_steps, {"8", "1024"},
      {"table without cct_scale: entry i leaves 1 - i/cct_steps of the full rate, to 1/8 of it; "
       "then every entry falls by the same ratio",
       iba});
  v.follows(
      true,
      "so that marked flows lose 1/13 of their rate in a base RTT: 13 x the full packets in "
      "the product of slowest link and base RTT over becn_every; from 64 to as many as timers "
      "fit into 6 ms, at most 384",
      [this](const NetworkScale& network) {
        const Bytes packets = network.products(Ratio(kStepsRatio), 1) / network.packet;
        cct_steps = static_cast<unsigned>(
            std::clamp<Bytes>(packets / becn_every, kLeastSteps, most_steps(network)));
      });
  v.field("ccti_min", ccti_min, leasts, {"least CCTI", iba});
  v.field("ccti_limit", ccti_limit, limits, {"greatest CCTI", iba});
  v.follows(true, "4/3 x cct_steps: without cct_scale about 1/270 of the slowest link's rate",
            [this](const NetworkScale&) { ccti_limit = std::max(ccti_min, cct_steps * 4 / 3); });
  v.field("ccti_timer", ccti_timer, timers, {"CCTI falls by one after this", iba});
  v.follows(true, "3/2 base RTTs, from 64 full packets' time on the slowest link",
            [this](const NetworkScale& network) { ccti_timer = timer_for(network); });
  v.field("ccti_timer_restart", ccti_timer_restart, {},
          {"a BECN starts the timer anew; false: it runs free"});
  v.field("threshold", threshold, {"0", "15"}, {"0: never mark … 15: mark earliest", iba});
  v.follows(threshold_of == ThresholdOf::kQueue,
            "the step of 16 KiB next to 1/2 of the product of slowest link and base RTT",
            [this](const NetworkScale& network) {
              const Bytes steps = network.products(Ratio(1, 2), 1) / kThresholdStep;
              threshold = static_cast<unsigned>(16 - std::clamp<Bytes>(steps, 1, 15));
            });
  v.choice(
      "threshold_of", threshold_of,
      {"thresholds are steps of the egress queue, or of the link's load: 15 is 60 %, 1 all of it",
       "thresholds are the switch's own to define; 15 as packets of 256 bytes with gaps of 176"});
  v.field("marking_rate", marking_rate, {"0", "65535"}, {"packets between two marked ones", iba});
  v.field("aggregate", aggregate, {"1", "64"}, {"packets between two looks at the delay", iba});
  v.choice("gate", gate, {"packet spacing of 4 delays, or 4 packets in one delay"});
  v.choice("becn", becn, {"BECNs come in notification packets, or in ACKs", iba});
  v.list("schedule", schedule, {"changes by the central manager, in order of time"},
         [&](Change& change) {
           v.field("at", change.at, {"0us", "1000s"}, {"time from which the entry applies"});
           v.field("dscp", change.dscp, any_dscp(),
                   {"DSCP of the flows to which the entry applies"});
           v.field("ccti_increase", change.ccti_increase, increases, {"CCTI steps a BECN", iba});
           v.field("ccti_min", change.ccti_min, "unchanged", leasts, {"least CCTI", iba});
           v.field("ccti_limit", change.ccti_limit, "unchanged", limits,
                   {"greatest CCTI, at most the one outside the schedule", iba});
           v.field("ccti_timer", change.ccti_timer, "unchanged", timers,
                   {"CCTI falls by one after this", iba});
         });
  v.field("per_qp", per_qp, {}, {"control queue pairs, not service levels", iba});
}

void IbccParameters::check(Bytes) const {
  if (ccti_limit < ccti_min) {
    throw ParameterError({"ccti_min", "ccti_limit"}, "ccti_min is above ccti_limit");
  }
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    const unsigned least = schedule[i].ccti_min.value_or(ccti_min);
    const unsigned most = schedule[i].ccti_limit.value_or(ccti_limit);
    if (least <= most && most <= ccti_limit) continue;
    throw ParameterError({"schedule." + std::to_string(i)},
                         "ccti_min to ccti_limit must lie within 0 to the outer ccti_limit");
  }
}

void IbccParameters::preset(CnpParameters& cnp) const { cnp.interval = PicoSeconds(0); }

// Load of a link above which threshold 1 … 15 marks: 15 stands for 60 % of the link's rate, 1 for
// the whole rate, linear between.
Ratio IbccParameters::load_of(unsigned threshold) {
  return Ratio(600 * 14 + (15 - threshold) * 400, 1000 * 14);
}

void IbccParameters::ask_switch(SwitchParameters& parameters) const {
  // The specification leaves the meaning of the sixteen thresholds to the switch. Here each step is
  // 16 KiB of the egress queue, and 15 is the lowest threshold.
  EcnParameters& ecn = parameters.ecn;
  ecn.enabled = threshold != 0;
  ecn.kmin = ecn.kmax = (16 - static_cast<Bytes>(threshold)) * kThresholdStep;
  ecn.pmax = Ratio(1);
  if (threshold_of == ThresholdOf::kLoad && threshold != 0) {
    // A phantom queue that drains at a share of the link's rate does the marking. The phantom queue
    // stays about a packet long while the load is below that share, and grows while the load is
    // above.
    ecn.kmin = ecn.kmax = kMaxThreshold;
    ecn.phantom_drain = load_of(threshold);
    ecn.phantom_threshold = parameters.largest_packet + 256;
  }
  ecn.reference_rate.reset();
  ecn.unmarked_between = marking_rate;
}

std::vector<PicoSeconds> IbccParameters::table() const {
  std::vector<PicoSeconds> delays(ccti_limit + std::size_t{1});
  // index of the last table entry whose rate falls by an equal step
  const std::size_t linear = cct_steps - cct_steps / kLinearTo;
  for (std::size_t i = 0; i < delays.size(); ++i) {
    if (cct_scale) {
      delays[i] =
          PicoSeconds(static_cast<std::int64_t>(static_cast<Uint128>(i) * i * cct_scale->numerator *
                                                1'000'000u / cct_scale->denominator));
    } else if (i <= linear) {
      const auto left = static_cast<std::int64_t>(cct_steps - i);
      delays[i] = std::min(kSecond, PicoSeconds(cct_base.count * cct_steps / left));
    } else {
      delays[i] =
          std::min(kSecond, PicoSeconds(delays[i - 1].count * (cct_steps + kLinearTo) / cct_steps));
    }
  }
  return delays;
}

Ibcc::Ibcc(AlgorithmHost& host, const IbccParameters& parameters, std::uint32_t mtu,
           std::vector<PicoSeconds> table)
    : host_(host), parameters_(parameters), table_(std::move(table)), mtu_(mtu), wire_(mtu) {
  const auto check = [&](unsigned min, unsigned limit) {
    if (limit >= table_.size()) {
      throw std::invalid_argument("ibcc: CCTI_Limit lies beyond the table");
    }
    if (min > limit) throw std::invalid_argument("ibcc: CCTI_Min is above CCTI_Limit");
  };
  check(parameters.ccti_min, parameters.ccti_limit);
  for (const IbccParameters::Change& change : parameters.schedule) {
    check(change.ccti_min.value_or(parameters.ccti_min),
          change.ccti_limit.value_or(parameters.ccti_limit));
  }
  if (parameters.aggregate == 0) throw std::invalid_argument("ibcc: a group of no packets");
  if (!parameters.per_qp) {
    groups_.resize(kServiceLevels);
    for (Group& group : groups_) group.ccti = parameters.ccti_min;
  }
}

AlgorithmNeeds Ibcc::needs() const {
  AlgorithmNeeds needs;
  if (parameters_.becn == IbccParameters::Becn::kCnp) {
    needs.cnp = true;
  } else {
    needs.acks = needs.ack_each = needs.marks = true;
  }
  needs.on_sent = true;
  needs.burst = static_cast<Bytes>(parameters_.aggregate) * mtu_;
  return needs;
}

void Ibcc::on_flow_start(FlowNumber number, const FlowStart& start) {
  if (flows_.size() <= number) flows_.resize(number + 1);
  Flow& flow = flows_[number];
  flow.dscp = start.dscp;
  if (!parameters_.per_qp) {
    flow.group = start.dscp % kServiceLevels;
  } else {
    flow.group = number;
    if (groups_.size() <= number) groups_.resize(number + 1);
    groups_[number] = Group{};
    groups_[number].ccti = settings_of(flow).min;
  }
  Group& group = group_of(number);
  if (std::find(group.flows.begin(), group.flows.end(), number) == group.flows.end()) {
    group.flows.push_back(number);
  }
  host_.set_rate(number, rate_of(group.ccti));
  // A group without flows keeps its CCTI but not its timer. A queue pair that is created again
  // without having been destroyed has lost its timer too.
  if (group.timed == number) group.running = false;
  if (!group.running && group.ccti > settings_of(flow).min) start_timer(group, number);
}

void Ibcc::on_flow_end(FlowNumber number) {
  Group& group = group_of(number);
  group.flows.erase(std::remove(group.flows.begin(), group.flows.end(), number), group.flows.end());
  if (!group.running || group.timed != number) return;
  host_.stop_timer(number, 0);
  group.running = false;
  if (!group.flows.empty()) start_timer(group, group.flows.front());
}

bool Ibcc::change_class(FlowNumber number, std::uint8_t dscp) {
  if (!parameters_.per_qp) return false;
  flows_[number].dscp = dscp;
  return true;
}

void Ibcc::start_timer(Group& group, FlowNumber flow) {
  group.running = true;
  group.timed = flow;
  host_.start_timer(flow, 0, settings_of(flows_[flow]).timer);
}

// The table's delay is a time per packet, while pacing counts bits, so the pacing rate includes the
// headers and overhead of a message's first packets.
void Ibcc::on_sent(FlowNumber number, const SentInfo& info) {
  if (info.payload_bytes != mtu_ || (wire_seen_ && info.wire_bytes >= wire_)) return;
  wire_seen_ = true;
  wire_ = info.wire_bytes;
  apply(group_of(number));
}

PicoSeconds Ibcc::spacing(unsigned ccti) const {
  const PicoSeconds delay = table_[ccti];
  return parameters_.gate == IbccParameters::Gate::kLiteral
             ? PicoSeconds(delay.count / parameters_.aggregate)
             : delay * parameters_.aggregate;
}

Rate Ibcc::rate_of(unsigned ccti) const {
  const PicoSeconds each = spacing(ccti);
  if (each.count == 0) return host_.line_rate();
  return std::min(host_.line_rate(),
                  from_mbps(8e6L * wire_ / static_cast<long double>(each.count)));
}

void Ibcc::apply(const Group& group) {
  const Rate rate = rate_of(group.ccti);
  for (const FlowNumber flow : group.flows) host_.set_rate(flow, rate);
}

Ibcc::Settings Ibcc::settings_of(const Flow& flow) const {
  Settings now{parameters_.ccti_increase, parameters_.ccti_min, parameters_.ccti_limit,
               parameters_.ccti_timer};
  for (const IbccParameters::Change& change : parameters_.schedule) {
    if (host_.now() < change.at || change.dscp != flow.dscp) continue;
    now.increase = change.ccti_increase;
    now.min = change.ccti_min.value_or(now.min);
    now.limit = change.ccti_limit.value_or(now.limit);
    now.timer = change.ccti_timer.value_or(now.timer);
  }
  const Managed& managed = managed_[flow.dscp % kServiceLevels];
  if (managed.increase != 0) {
    now.increase = managed.increase;
    now.timer = managed.timer;
    now.min = managed.min.value_or(now.min);
  }
  return now;
}

CongestionAgent::Setting Ibcc::setting(std::uint8_t level) const {
  const Settings now = settings_of(Flow{0, level});
  return {now.increase, now.min, now.timer};
}

bool Ibcc::set(std::uint8_t level, const Setting& setting) {
  if (setting.increase == 0 || setting.timer.count <= 0 || setting.min > parameters_.ccti_limit) {
    return false;
  }
  managed_[level % kServiceLevels] = {setting.increase, setting.timer, setting.min};
  return true;
}

void Ibcc::on_weight(std::uint8_t dscp, const Ratio& weight) {
  constexpr Uint128 kResolution = CongestionAgent::kTimerUnit;
  const std::uint64_t weighed = parameters_.ccti_increase * weight.denominator;
  const std::uint64_t increase = std::max<std::uint64_t>(1, weighed / weight.numerator);
  const Uint128 whole = static_cast<Uint128>(parameters_.ccti_timer.count) * weighed;
  const Uint128 part = kResolution * weight.numerator * increase;
  const Uint128 units = std::max<Uint128>(1, (whole + part / 2) / part);
  Managed& managed = managed_[dscp % kServiceLevels];
  managed.increase = static_cast<unsigned>(increase);
  managed.timer = PicoSeconds(static_cast<std::int64_t>(units * kResolution));
}

void Ibcc::on_cnp(FlowNumber number, const CnpInfo& info) {
  if (info.marks != 0) becn(number);  // a CNP without marks is a clear notification, not a BECN
}

void Ibcc::on_ack(FlowNumber number, const AckInfo& info) {
  if (info.ce) becn(number);
}

// Handles a BECN, as lines 4 to 8 of the partition paper's algorithm 1 do.
void Ibcc::becn(FlowNumber number) {
  Group& group = group_of(number);
  if (++group.becns >= parameters_.becn_every) {
    group.becns = 0;
    const Settings now = settings_of(flows_[number]);
    if (group.ccti < now.limit) {
      group.ccti = std::max(now.min, std::min(now.limit, group.ccti + now.increase));
      ++counters_.rate_decreases;
      apply(group);
    }
  }
  if (group.running && !parameters_.ccti_timer_restart) return;
  if (group.running && group.timed != number) host_.stop_timer(group.timed, 0);
  start_timer(group, number);
}

// Handles an expired CCTI_Timer, as lines 9 to 13 of the partition paper's algorithm 1 do.
void Ibcc::on_timer(FlowNumber number, int) {
  Group& group = group_of(number);
  const Settings now = settings_of(flows_[number]);
  const unsigned least = now.min;
  if (group.ccti > least) {
    --group.ccti;
    ++counters_.rate_increases;
    apply(group);
  }
  group.running = group.ccti > least;
  if (group.running) host_.start_timer(number, 0, now.timer);
}

Algorithm::View Ibcc::view(FlowNumber number) const {
  const unsigned index = ccti(number);
  const Rate rate = rate_of(index);
  return {rate, rate, static_cast<double>(index)};
}

}  // namespace dcc
