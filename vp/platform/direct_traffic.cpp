#include "platform/direct_traffic.h"

#include <algorithm>

namespace dcc::vp {

namespace {
// Work without end: enough for 12 days at 400 Gb/s, and no counter near it overflows.
constexpr Bytes kUnlimited = Bytes{1} << 55;
}  // namespace

DirectTraffic::DirectTraffic(Scheduler& scheduler, FlowPlan& plan, FlowLedger& ledger,
                             const Partitions& partitions, std::function<NicDevice&(HostId)> nic_of,
                             std::function<bool(HostId)> is_direct,
                             std::function<bool(HostId)> is_here, std::uint32_t rank)
    : scheduler_(scheduler),
      plan_(plan),
      ledger_(ledger),
      nic_of_(std::move(nic_of)),
      is_direct_(std::move(is_direct)),
      is_here_(std::move(is_here)),
      walk_(plan),
      live_(ledger, partitions, nic_of_),
      start_event_(Event::calling<&DirectTraffic::start_due>(*this, rank)),
      stop_event_(Event::calling<&DirectTraffic::stop_due>(*this, rank)) {}

void DirectTraffic::begin() {
  more_ = walk_.next(next_);
  if (more_) scheduler_.schedule_at(start_event_, next_.spec.start);
}

void DirectTraffic::create(const PlannedFlow& flow, bool sender) {
  const HostId host = sender ? flow.spec.from : flow.spec.to;
  if (!is_direct_(host)) return;
  const Qpn qpn = sender ? flow.from_qpn : flow.to_qpn;
  const QueuePairConfig config = FlowPlan::queue_pair(flow, sender);
  if (is_here_(host)) nic_of_(host).create_queue_pair(qpn, config);
  if (plan_.is_held()) plan_.created(host, qpn, config.remote_host, config.remote_qpn);
}

void DirectTraffic::start(const PlannedFlow& flow) {
  if (!plan_.is_held()) {
    FlowRecord& record = ledger_.open(flow.spec.id);
    record.target_bytes = flow.spec.bytes;
    record.dscp = flow.spec.dscp;
    live_.started(flow);
  }
  create(flow, false);
  create(flow, true);
  if (!plan_.is_held()) plan_.connect(flow);
  if (!is_direct_(flow.spec.from) || !is_here_(flow.spec.from) || flow.spec.is_gated()) return;
  post_flow(nic_of_(flow.spec.from), flow);
  if (flow.spec.stop == PicoSeconds::max()) return;
  stops_.push_back({flow.spec.stop, flow.spec.id, flow.spec.from, flow.from_qpn});
  std::push_heap(stops_.begin(), stops_.end(), Stop::later);
}

void post_flow(NicDevice& sender, const PlannedFlow& flow) {
  WorkItem item;
  item.bytes = flow.spec.bytes == 0 ? kUnlimited : flow.spec.bytes;
  item.message_bytes = flow.spec.message;
  item.operation = flow.spec.operation;
  item.remote_host = flow.spec.to;
  item.remote_qpn = flow.to_qpn;
  sender.transmitter().post(flow.from_qpn, item);
}

void DirectTraffic::start_due() {
  while (more_ && next_.spec.start <= scheduler_.now()) {
    start(next_);
    more_ = walk_.next(next_);
  }
  plan_stop();
  if (more_) scheduler_.schedule_at(start_event_, next_.spec.start);
}

void DirectTraffic::stop_due() {
  while (!stops_.empty() && stops_.front().at <= scheduler_.now()) {
    nic_of_(stops_.front().from).transmitter().stop(stops_.front().qpn);
    std::pop_heap(stops_.begin(), stops_.end(), Stop::later);
    stops_.pop_back();
  }
  plan_stop();
}

void DirectTraffic::plan_stop() {
  if (stops_.empty()) return;
  const PicoSeconds at = stops_.front().at;
  if (!stop_event_.is_scheduled() || at < stop_event_.due()) {
    scheduler_.schedule_at(stop_event_, at);
  }
}

void DirectTraffic::let_go() {
  if (!plan_.is_held()) live_.let_go();
}

}  // namespace dcc::vp
