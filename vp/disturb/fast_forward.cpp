#include "disturb/fast_forward.h"

#include <algorithm>

#include "build/platform.h"
#include "build/ranks.h"
#include "config/yaml_reader.h"
#include "traffic/flow_kinds.h"

namespace dcc::vp {

namespace {
// Relative bound: observed quantities (rates, queues, marks) may differ between the two halves of
// the window by this share.
constexpr double kWitnessBound = 0.2;
// Absolute bounds: rates by this share of the line rate, queues by this number of full packets,
// marks and pauses by this share of the packets that the line carries.
constexpr double kRateFloor = 0.01;
constexpr double kQueueFloor = 2;
constexpr double kMarkFloor = 0.005;
// A skip of time is made only if it is at least 1/kWorthWhile of the time watched for it.
constexpr std::int64_t kWorthWhile = 4;

double raw(Rate rate) { return static_cast<double>(rate.raw); }
}  // namespace

FastForward::FastForward(Platform& platform)
    : p_(platform),
      measurement_(*platform.part<Measurement>()),
      look_event_(Event::calling<&FastForward::look>(*this, kFastForwardRank)) {
  owed_.resize(p_.plan.count());
}

void FastForward::begin() { restart(); }

void FastForward::finish(RunResults& results) { results.fast_forwarded = p_.clock.skipped(); }

Bytes FastForward::received(std::size_t active) const {
  return p_.ledger[active_[active]->spec.id].received_bytes;
}

Bytes FastForward::mtu_of(const PlannedFlow& flow) const {
  return p_.config.path_mtu(flow.spec.from, flow.spec.to);
}

Transmitter& FastForward::sender(const PlannedFlow& flow) const {
  return p_.nic_of(flow.spec.from).transmitter();
}

// ---------------------------------------------------------------- watching before a skip

FastForward::Disturbance FastForward::disturbance() const {
  Disturbance d;
  d.next_kept = p_.clock.next_kept();
  for (const Wire& wire : p_.network.wires()) d.losses += wire.link().counters().lost;
  for (const auto& module : p_.network.switches()) {
    if (module == nullptr) continue;
    const SwitchCounters totals = module->device().totals();
    d.losses += totals.dropped + totals.unroutable + totals.credits_dropped;
  }
  for (const auto& host : p_.hosts) {
    const NicDevice& nic = host->nic().device();
    d.losses += nic.counters().retransmits + nic.counters().timeouts + nic.counters().naks_sent;
    d.finished += nic.transmitter().requester().tally().finished_flows;
  }
  return d;
}

FastForward::Base FastForward::base() const {
  Base base;
  base.from = p_.scheduler.now();
  base.watch = measurement_.watch();
  for (std::size_t i = 0; i < active_.size(); ++i) base.received.push_back(received(i));
  return base;
}

void FastForward::restart() {
  before_ = disturbance();
  active_.clear();
  for (const PlannedFlow& flow : p_.plan.flows()) {
    const FlowRecord& record = p_.ledger[flow.spec.id];
    // A stopped flow has unacknowledged bytes but has nothing more to send.
    if (record.posted != PicoSeconds::max() && !FlowLedger::finished(record) &&
        p_.clock.now() < flow.spec.stop) {
      active_.push_back(&flow);
    }
  }
  detector_.restart(quantities());
  start_ = base();
  received_ = start_.received;
  seen();  // seen() restarts the counts of the window
  looks_ = 0;
  p_.scheduler.schedule_in(look_event_, PicoSeconds(p_.config.fast_forward.window.count / kLooks));
}

std::vector<RestDetector::Quantity> FastForward::quantities() {
  const double tolerance = p_.config.fast_forward.tolerance.value();
  std::vector<RestDetector::Quantity> all;
  group_of_ = kinds_of(active_, p_.network.topology(), p_.network.routing());
  members_.clear();
  double line = 0;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    members_.resize(std::max<std::size_t>(members_.size(), group_of_[i] + 1));
    ++members_[group_of_[i]];
    all.push_back({tolerance, 0, group_of_[i] + 1});
    line = std::max(line, raw(sender(*active_[i]).line_rate()));
  }
  looked_.assign(2 * members_.size() + p_.network.queues().size(), 0);
  all.resize(all.size() + 2 * members_.size(), {kWitnessBound, kRateFloor * line, 0});
  const double mtu = p_.config.largest_mtu();
  all.resize(active_.size() + looked_.size(), {kWitnessBound, kQueueFloor * mtu, 0});
  const double packets = line / 256 * 1e6 * to_seconds(p_.config.fast_forward.window) / (8 * mtu);
  all.resize(all.size() + 2, {kWitnessBound, kMarkFloor * packets, 0});
  return all;
}

/// Returns the sampled quantities of the window that ends now, and begins a new window.
std::vector<double> FastForward::seen() {
  std::vector<double> values;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    values.push_back(static_cast<double>(received(i) - received_[i]));
    received_[i] = received(i);
  }
  for (double& sum : looked_) {
    values.push_back(sum / kLooks);
    sum = 0;
  }
  std::uint64_t marks = 0;
  std::uint64_t pauses = 0;
  for (const auto& module : p_.network.switches()) {
    if (module == nullptr) continue;
    marks += module->device().totals().ecn_marks;
    pauses += module->device().pfc_totals().pauses_sent;
  }
  values.push_back(static_cast<double>(marks - marks_));
  values.push_back(static_cast<double>(pauses - pauses_));
  marks_ = marks;
  pauses_ = pauses;
  return values;
}

void FastForward::look() {
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const PlannedFlow& flow = *active_[i];
    const Rate rate = sender(flow).view(flow.from_qpn).rate;
    const Algorithm* const algorithm = p_.hosts[flow.spec.from]->algorithm();
    const bool governed = algorithm != nullptr && !flow.spec.background;
    const Rate target = governed ? algorithm->view(flow.from_qpn).target : rate;
    const std::size_t group = 2 * group_of_[i];
    looked_[group] += raw(rate) / members_[group_of_[i]];
    looked_[group + 1] += raw(target) / members_[group_of_[i]];
  }
  std::size_t at = 2 * members_.size();
  for (const auto& queue : p_.network.queues()) {
    looked_[at++] += static_cast<double>(queue.device->queue_bytes(queue.port_number));
  }
  p_.scheduler.schedule_in(look_event_, PicoSeconds(p_.config.fast_forward.window.count / kLooks));
  if (++looks_ < kLooks) return;
  looks_ = 0;
  window_over();
}

void FastForward::window_over() {
  if (!(disturbance() == before_)) {
    restart();
    return;
  }
  detector_.add(seen());
  const RestDetector::Verdict verdict = detector_.verdict();
  if (verdict == RestDetector::Verdict::kRest && skip()) {
    restart();
    return;
  }
  if (verdict != RestDetector::Verdict::kOpen) {
    if (verdict == RestDetector::Verdict::kTrend) start_ = std::move(middle_);
    detector_.go_on(verdict);
  }
  if (detector_.is_half_full()) middle_ = base();
}

// ---------------------------------------------------------------- the skip of time

bool FastForward::skip() {
  if (active_.empty()) return false;
  const PicoSeconds watched = p_.scheduler.now() - start_.from;
  // The bytes that each flow will transfer in a time as long as the watched one.
  std::vector<Bytes> bytes;
  std::vector<Bytes> together(members_.size());
  for (std::size_t i = 0; i < active_.size(); ++i) {
    bytes.push_back(received(i) - start_.received[i]);
    together[group_of_[i]] += bytes.back();
  }
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const unsigned group = group_of_[i];
    if (detector_.is_pooled(group + 1)) bytes[i] = together[group] / members_[group];
  }
  PicoSeconds time = p_.clock.next_kept() - p_.clock.now() - PicoSeconds(1);
  if (time.count <= 0) return false;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Bytes unsent = sender(*active_[i]).unsent(active_[i]->from_qpn);
    if (bytes[i] == 0 || active_[i]->spec.bytes == 0) continue;
    // One window before the end of a flow, packets are simulated again.
    const Proportion window{p_.config.fast_forward.window, watched};
    const Bytes left = std::max<Bytes>(0, unsent - window.of(bytes[i]) - mtu_of(*active_[i]));
    const Uint128 until = static_cast<Uint128>(left) * static_cast<Uint128>(watched.count) /
                          static_cast<Uint128>(bytes[i]);
    if (until < static_cast<Uint128>(time.count))
      time = PicoSeconds(static_cast<std::int64_t>(until));
  }
  const SeriesConfig& series = p_.config.output.series;
  const bool samples =
      series.flows != FlowSeries::kNone || series.queues != QueueSeries::kNone || series.classes;
  // time of the last sample, at a multiple of the interval
  if (samples) time = series.interval * (time / series.interval);
  if (time * kWorthWhile < watched) return false;
  const Proportion times{time, watched};
  std::vector<Bytes> left_out(p_.plan.count());
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const PlannedFlow& flow = *active_[i];
    const Bytes unsent = sender(flow).unsent(flow.from_qpn);
    Bytes& owed = owed_[flow.spec.id];
    owed += times.of(bytes[i]);
    const Bytes mtu = mtu_of(flow);
    const Bytes whole = std::min(owed, std::max<Bytes>(0, unsent - 1)) / mtu * mtu;
    owed -= whole;
    if (whole == 0) continue;
    left_out[flow.spec.id] = whole;
    sender(flow).mark_delivered(flow.from_qpn, whole);
  }
  measurement_.repeat_since(*start_.watch, time, left_out);
  p_.clock.skip(time);
  return true;
}

namespace {
[[noreturn]] void refuse_fast_forward(const char* why) {
  throw SettingError("fast_forward.enabled", why);
}

const PartKind kFastForwardKind(
    PartKind::kFastForward, [](Platform& p) -> std::unique_ptr<PlatformPart> {
      if (!p.config.fast_forward.enabled) return nullptr;
      if (p.setup.group != nullptr) {
        refuse_fast_forward(
            "several processes cannot skip time: run one process, on any number of threads");
      }
      if (p.setup.interactive || p.setup.machine != nullptr) {
        refuse_fast_forward("a prompt or a debugger looks at single events, which may be skipped");
      }
      if (p.setup.late_change) {
        refuse_fast_forward("the run is to be changed at a moment that may be skipped");
      }
      return std::make_unique<FastForward>(p);
    });
}  // namespace

}  // namespace dcc::vp
