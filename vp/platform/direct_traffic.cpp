#include "platform/direct_traffic.h"

#include <algorithm>

namespace dcc::vp {

namespace {
// Work without end: enough for 12 days at 400 Gb/s, and no counter near it overflows.
constexpr Bytes kUnlimited = Bytes{1} << 55;
}  // namespace

DirectTraffic::DirectTraffic(Scheduler& scheduler, FlowPlan& plan,
                             std::function<NicDevice&(HostId)> nic_of,
                             std::function<bool(HostId)> is_direct,
                             std::function<bool(HostId)> is_here, std::uint32_t rank)
    : scheduler_(scheduler),
      plan_(plan),
      nic_of_(std::move(nic_of)),
      is_direct_(std::move(is_direct)),
      is_here_(std::move(is_here)),
      start_event_(Event::calling<&DirectTraffic::start_due>(*this, rank)),
      stop_event_(Event::calling<&DirectTraffic::stop_due>(*this, rank)) {
  for (const PlannedFlow& flow : plan_.flows()) {
    if (flow.spec.stop != PicoSeconds::max() && is_direct_(flow.spec.from) &&
        is_here_(flow.spec.from)) {
      stops_.push_back(flow.spec.id);
    }
  }
  std::stable_sort(stops_.begin(), stops_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return plan_.flow(a).spec.stop < plan_.flow(b).spec.stop;
  });
}

void DirectTraffic::begin() {
  if (!plan_.flows().empty()) {
    scheduler_.schedule_at(start_event_, plan_.flows().front().spec.start);
  }
  if (!stops_.empty()) scheduler_.schedule_at(stop_event_, plan_.flow(stops_.front()).spec.stop);
}

void DirectTraffic::create(HostId host, Qpn qpn) {
  if (!is_direct_(host)) return;
  const QueuePairConfig config = plan_.queue_pair(host, qpn);
  if (is_here_(host)) nic_of_(host).create_queue_pair(qpn, config);
  plan_.created(host, qpn, config.remote_host, config.remote_qpn);
}

void DirectTraffic::start(const PlannedFlow& flow) {
  create(flow.spec.to, flow.to_qpn);
  create(flow.spec.from, flow.from_qpn);
  if (!is_direct_(flow.spec.from) || !is_here_(flow.spec.from) || flow.spec.is_gated()) return;
  post_flow(nic_of_(flow.spec.from), flow);
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
  const auto& flows = plan_.flows();
  while (next_start_ < flows.size() && flows[next_start_].spec.start <= scheduler_.now()) {
    start(flows[next_start_++]);
  }
  if (next_start_ < flows.size()) {
    scheduler_.schedule_at(start_event_, flows[next_start_].spec.start);
  }
}

void DirectTraffic::stop_due() {
  while (next_stop_ < stops_.size() &&
         plan_.flow(stops_[next_stop_]).spec.stop <= scheduler_.now()) {
    const PlannedFlow& flow = plan_.flow(stops_[next_stop_++]);
    nic_of_(flow.spec.from).transmitter().stop(flow.from_qpn);
  }
  if (next_stop_ < stops_.size()) {
    scheduler_.schedule_at(stop_event_, plan_.flow(stops_[next_stop_]).spec.stop);
  }
}

}  // namespace dcc::vp
