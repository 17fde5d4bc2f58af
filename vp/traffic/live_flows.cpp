#include "traffic/live_flows.h"

#include <algorithm>

namespace dcc::vp {

LiveFlows::LiveFlows(FlowLedger& ledger, const Partitions& partitions,
                     std::function<NicDevice&(HostId)> nic_of)
    : ledger_(ledger), partitions_(partitions), nic_of_(std::move(nic_of)) {}

void LiveFlows::started(const PlannedFlow& flow) {
  live_.push_back({flow.spec.id, flow.spec.from, flow.spec.to, flow.from_qpn, flow.to_qpn,
                   ended_ ? std::make_unique<const PlannedFlow>(flow) : nullptr});
}

void LiveFlows::note_packets() {
  const std::uint32_t first = live_.front().id;
  under_way_.assign(live_.back().id - first + 1, false);
  partitions_.each_packet([&](const Packet& packet) {
    // index of the flow; flows before the first live one wrap to a large number
    const std::uint32_t at = packet.flow - first;
    if (at < under_way_.size()) under_way_[at] = true;
  });
}

bool LiveFlows::is_over(const Live& flow) const {
  const FlowRecord& record = ledger_[flow.id];
  return FlowLedger::finished(record) && record.received_bytes == record.target_bytes &&
         !under_way_[flow.id - live_.front().id] &&
         nic_of_(flow.from).is_quiescent(flow.from_qpn) &&
         nic_of_(flow.to).is_quiescent(flow.to_qpn);
}

void LiveFlows::release() {
  if (live_.size() < 2 * left_ + kWorthWhile) return;
  if (live_.size() - left_ < partitions_.packets_there() / 32) return;
  note_packets();
  const auto over = std::stable_partition(live_.begin(), live_.end(),
                                          [this](const Live& flow) { return !is_over(flow); });
  for (auto flow = over; flow != live_.end(); ++flow) {
    nic_of_(flow->from).release(flow->from_qpn);
    nic_of_(flow->to).release(flow->to_qpn);
    if (ended_) {
      ended_(*flow->planned, ledger_.take(flow->id));
    } else {
      ledger_.close(flow->id);
    }
  }
  live_.erase(over, live_.end());
  left_ = live_.size();
}

}  // namespace dcc::vp
