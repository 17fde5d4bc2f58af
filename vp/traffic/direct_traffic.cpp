#include "traffic/direct_traffic.h"

#include <algorithm>

#include "build/platform.h"
#include "build/ranks.h"
#include "traffic/memory_need.h"

namespace dcc::vp {

namespace {
// Size in bytes of a flow without end: 12 days at 400 Gb/s, which overflows no counter.
constexpr Bytes kUnlimited = Bytes{1} << 55;
}  // namespace

void post_flow(NicDevice& sender, const PlannedFlow& flow) { post_rest(sender, flow, 0); }

void post_rest(NicDevice& sender, const PlannedFlow& flow, Bytes done) {
  WorkItem item;
  item.bytes = (flow.spec.bytes == 0 ? kUnlimited : flow.spec.bytes) - done;
  item.message_bytes = flow.spec.message;
  item.operation = flow.spec.operation;
  item.remote_host = flow.spec.to;
  item.remote_qpn = flow.to_qpn;
  const Bytes message = flow.spec.message;
  if (message > 0 && done % message != 0 && message - done % message < item.bytes) {
    WorkItem rest_of_message = item;
    rest_of_message.bytes = message - done % message;
    sender.transmitter().post(flow.from_qpn, rest_of_message);
    item.bytes -= rest_of_message.bytes;
  }
  sender.transmitter().post(flow.from_qpn, item);
}

// ---------------------------------------------------------------- the flows of one partition

FlowStarter::FlowStarter(PlatformClock& clock, const Actions& actions, std::uint32_t rank)
    : clock_(clock),
      actions_(actions),
      stop_event_(Event::calling<&FlowStarter::stop_due>(*this, rank)),
      start_event_(Event::calling<&FlowStarter::start_due>(*this, rank + 1)) {
  clock.keep(stop_event_);
  clock.keep(start_event_);
}

void FlowStarter::add(const PlannedFlow& flow, bool sender) {
  if (ends_.empty()) clock_.schedule_at(start_event_, flow.spec.start);
  ends_.push_back({&flow, sender});
}

void FlowStarter::start_due() {
  while (!ends_.empty() && ends_.front().flow->spec.start <= clock_.now()) {
    const End end = ends_.front();
    ends_.pop_front();
    clock_.begin_part(2 * std::uint64_t{end.flow->spec.id} + (end.sender ? 1 : 0));
    actions_.begin(*end.flow, end.sender);
  }
  plan_stop();
  if (!ends_.empty()) clock_.schedule_at(start_event_, ends_.front().flow->spec.start);
}

void FlowStarter::stop_at(PicoSeconds when, const PlannedFlow& flow) {
  stops_.push_back({when, flow.spec.id, flow.spec.from, flow.from_qpn});
  std::push_heap(stops_.begin(), stops_.end(), Stop::later);
}

void FlowStarter::stop_due() {
  while (!stops_.empty() && stops_.front().at <= clock_.now()) {
    clock_.begin_part(stops_.front().flow);
    actions_.stop(stops_.front().flow, stops_.front().from, stops_.front().qpn);
    std::pop_heap(stops_.begin(), stops_.end(), Stop::later);
    stops_.pop_back();
  }
  plan_stop();
}

void FlowStarter::plan_stop() {
  if (stops_.empty()) return;
  const PicoSeconds at = stops_.front().at;
  if (!stop_event_.is_scheduled() || at < clock_.due(stop_event_)) {
    clock_.schedule_at(stop_event_, at);
  }
}

// ---------------------------------------------------------------- the flows of all partitions

DirectTraffic::DirectTraffic(Platform& platform)
    : p_(platform),
      plan_(platform.plan),
      walk_(plan_),
      live_(platform.ledger, platform.partitions,
            [&platform](HostId host) -> NicDevice& { return platform.nic_of(host); }),
      actions_{[this](const PlannedFlow& flow, bool sender) { begin_end(flow, sender); },
               [this](std::uint32_t id, HostId from, Qpn qpn) {
                 // A flow that moved to another port (disturb/port_failover.h) stops at that port.
                 const bool held = plan_.is_held();
                 const HostId host = held ? plan_.flow(id).spec.from : from;
                 p_.nic_of(host).transmitter().stop(held ? plan_.flow(id).from_qpn : qpn);
               }},
      look_ahead_event_(Event::calling<&DirectTraffic::look_ahead>(*this, kTrafficRank)) {
  p_.clock.keep(look_ahead_event_);
  // Platform events need one order if DCBX or fast-forward is enabled: links that come up with DCBX
  // do so before flows start, and fast-forward skips time for the platform's own events.
  const bool in_one_order =
      p_.config.dcbx.enabled || p_.config.fast_forward.enabled || p_.config.fast_forward.memo;
  const unsigned starters = in_one_order ? 1 : p_.partitions.count();
  for (unsigned i = 0; i < starters; ++i) {
    PlatformClock& its =
        starters == 1 ? p_.clock : clocks_.emplace_back(p_.partitions.scheduler(i));
    starters_.emplace_back(its, actions_, kTrafficRank + 1);
  }
}

void DirectTraffic::begin() {
  more_ = walk_.next(next_);
  look_ahead();
}

// Looks ahead: adds the flows of the next interval to their starters. All flows found by the
// previous look ahead have started by now.
void DirectTraffic::look_ahead() {
  ahead_.clear();
  ahead_entries_.clear();
  const PicoSeconds end = p_.clock.now() + kAhead;
  for (; more_ && next_.spec.start < end; more_ = walk_.next(next_)) {
    prepare(plan_.is_held() ? plan_.flow(next_.spec.id) : ahead_.emplace_back(next_));
    if (ahead_.size() % kFlowsBetweenChecks == kFlowsBetweenChecks - 1) {
      require_memory(ahead_.size(), kLiveFlowBytes, "flows that start at nearly the same time",
                     available_memory(), ahead_entries_);
    }
  }
  if (more_) p_.clock.schedule_at(look_ahead_event_, next_.spec.start);
}

void DirectTraffic::prepare(const PlannedFlow& flow) {
  if (!plan_.is_held()) {
    FlowRecord& record = p_.ledger.open(flow.spec.id);
    record.target_bytes = flow.spec.bytes;
    record.dscp = flow.spec.dscp;
    live_.started(flow);
    ahead_entries_.add(flow.spec.entry);
    started_entries_.add(flow.spec.entry);
  }
  for (const bool sender : {false, true}) {
    const HostId host = sender ? flow.spec.from : flow.spec.to;
    if (p_.hosts[host]->is_direct() && p_.is_here(host)) starter_of(host).add(flow, sender);
  }
}

FlowStarter& DirectTraffic::starter_of(HostId host) {
  return starters_[starters_.size() == 1 ? 0 : p_.partitions.of(p_.topology.node_of(host))];
}

// If software creates the other end of a flow, both ends are connected once both exist. Otherwise
// the platform creates both ends at the same instant.
void DirectTraffic::begin_end(const PlannedFlow& flow, bool sender) {
  if (sender && desk_ != nullptr && desk_->asks(flow)) return;
  begin_admitted(flow, sender);
}

void DirectTraffic::begin_admitted(const PlannedFlow& flow, bool sender) {
  const bool waits = flow.spec.is_gated() && !plan_.is_released(flow.spec.id);
  if (waits && memory_ != nullptr) return;
  const HostId host = sender ? flow.spec.from : flow.spec.to;
  const Qpn qpn = sender ? flow.from_qpn : flow.to_qpn;
  const QueuePairConfig config = FlowPlan::queue_pair(flow, sender);
  NicDevice& nic = p_.nic_of(host);
  nic.create_queue_pair(qpn, config);
  if (p_.hosts[config.remote_host]->is_direct()) {
    nic.connect_queue_pair(qpn);
  } else {
    plan_.created(host, qpn, config);
  }
  if (!sender || waits) return;
  if (memory_ == nullptr || !memory_->begins(flow, false)) post_flow(nic, flow);
  if (flow.spec.stop != PicoSeconds::max()) starter_of(host).stop_at(flow.spec.stop, flow);
}

void DirectTraffic::heartbeat() {
  if (plan_.is_held()) return;
  live_.release();
  if (live_.size() < checked_ + kFlowsBetweenChecks) return;
  checked_ = live_.size();
  require_memory(kFlowsBetweenChecks, kLiveFlowBytes, "more flows beside those under way",
                 available_memory(), started_entries_);
}

namespace {
const PartKind kDirectTrafficKind(PartKind::kTraffic,
                                  [](Platform& p) { return std::make_unique<DirectTraffic>(p); });
}  // namespace

}  // namespace dcc::vp
