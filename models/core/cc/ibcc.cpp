#include "cc/ibcc.h"

#include <algorithm>
#include <stdexcept>

#include "cc/real_rate.h"

namespace dcc {

namespace {
constexpr std::size_t kServiceLevels = 64;  // by DSCP
}

Ibcc::Ibcc(AlgorithmHost& host, const IbccParameters& parameters, std::uint32_t mtu)
    : host_(host), parameters_(parameters), mtu_(mtu), wire_(mtu) {
  const auto check = [&](unsigned min, unsigned limit) {
    if (limit >= parameters.table.size()) {
      throw std::invalid_argument("ibcc: CCTI_Limit lies beyond the table");
    }
    if (min > limit) throw std::invalid_argument("ibcc: CCTI_Min is above CCTI_Limit");
  };
  check(parameters.min, parameters.limit);
  for (const IbccParameters::Change& change : parameters.schedule) {
    check(change.min.value_or(parameters.min), change.limit.value_or(parameters.limit));
  }
  if (parameters.aggregate == 0) throw std::invalid_argument("ibcc: a group of no packets");
  if (parameters.by_service_level) {
    groups_.resize(kServiceLevels);
    for (Group& group : groups_) group.ccti = parameters.min;
  }
}

AlgorithmNeeds Ibcc::needs() const {
  AlgorithmNeeds needs;
  needs.cnp = true;
  needs.on_sent = true;
  needs.burst = static_cast<Bytes>(parameters_.aggregate) * mtu_;
  return needs;
}

void Ibcc::on_flow_start(FlowNumber number, const FlowStart& start) {
  if (flows_.size() <= number) flows_.resize(number + 1);
  Flow& flow = flows_[number];
  flow.dscp = start.dscp;
  if (parameters_.by_service_level) {
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
  // A level that has lost all its flows keeps its index, but not its timer; and a queue pair that
  // is made again without having been destroyed has lost the timer that it had.
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

void Ibcc::start_timer(Group& group, FlowNumber flow) {
  group.running = true;
  group.timed = flow;
  host_.start_timer(flow, 0, parameters_.timer);
}

// A delay is a time per packet, a pace is in bits: headers and overhead show in the first packets.
void Ibcc::on_sent(FlowNumber number, const SentInfo& info) {
  if (info.payload_bytes != mtu_ || (wire_seen_ && info.wire_bytes >= wire_)) return;
  wire_seen_ = true;
  wire_ = info.wire_bytes;
  apply(group_of(number));
}

PicoSeconds Ibcc::spacing(unsigned ccti) const {
  const PicoSeconds delay = parameters_.table[ccti];
  return parameters_.literal_gate ? PicoSeconds(delay.count / parameters_.aggregate)
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
  Settings now{parameters_.increase, parameters_.min, parameters_.limit};
  for (const IbccParameters::Change& change : parameters_.schedule) {
    if (host_.now() < change.at || change.dscp != flow.dscp) continue;
    now.increase = change.increase;
    now.min = change.min.value_or(now.min);
    now.limit = change.limit.value_or(now.limit);
  }
  return now;
}

// Algorithm 1, lines 4 to 8.
void Ibcc::on_cnp(FlowNumber number, const CnpInfo&) {
  Group& group = group_of(number);
  const Settings now = settings_of(flows_[number]);
  if (group.ccti < now.limit) {
    group.ccti = std::max(now.min, std::min(now.limit, group.ccti + now.increase));
    ++counters_.rate_decreases;
    apply(group);
  }
  if (group.running && !parameters_.timer_restart) return;
  if (group.running && group.timed != number) host_.stop_timer(group.timed, 0);
  start_timer(group, number);
}

// Lines 9 to 13.
void Ibcc::on_timer(FlowNumber number, int) {
  Group& group = group_of(number);
  const unsigned least = settings_of(flows_[number]).min;
  if (group.ccti > least) {
    --group.ccti;
    ++counters_.rate_increases;
    apply(group);
  }
  group.running = group.ccti > least;
  if (group.running) host_.start_timer(number, 0, parameters_.timer);
}

Algorithm::View Ibcc::view(FlowNumber number) const {
  const unsigned index = ccti(number);
  const Rate rate = rate_of(index);
  return {rate, rate, static_cast<double>(index)};
}

}  // namespace dcc
