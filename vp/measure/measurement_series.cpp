// The series of Measurement: samples of flows, classes and queues.
#include <cstring>

#include "measure/measurement.h"
#include "parallel/all_reduce.h"
#include "traffic/flow_gates.h"

namespace dcc::vp {

namespace {
double gbps(Bytes bytes, double seconds) { return static_cast<double>(bytes) * 8e-9 / seconds; }
// Converts a rate to Gb/s; `rate` is a Rate::raw.
double gbps(std::int64_t rate) { return static_cast<double>(rate) / 256e3; }
}  // namespace

void Measurement::sample() {
  const PicoSeconds now = clock_.now();
  const PicoSeconds interval = config_.output.series.interval;
  sample_flows(now, to_seconds(interval));
  sample_queues(now);
  clock_.schedule_in(sample_event_, interval);
}

void Measurement::sample_flows(PicoSeconds now, double interval_s) {
  if (!sample_flow_series_ && !config_.output.series.classes) return;
  std::array<Bytes, 64> by_class{};
  const std::vector<FlowRecord> gathered = complete_records();
  const std::vector<Sending> sending = senders();
  if (!plan_.is_held()) by_class = ledger_.received_by_class();
  // Adds a sample of the flow to the series. Returns true if all bytes of the flow are sampled.
  const auto add = [&](std::uint32_t flow) {
    const FlowRecord& record = gathered.empty() ? ledger_[flow] : gathered[flow];
    if (record.posted == PicoSeconds::max()) return false;
    const Bytes received = record.received_bytes - sampled_received_[flow];
    sampled_received_[flow] = record.received_bytes;
    by_class[plan_.flow(flow).spec.dscp] += received;
    const bool finished = FlowLedger::finished(record);
    if (!sample_flow_series_ || (received == 0 && finished)) {
      return finished && record.received_bytes >= record.target_bytes;
    }
    const Sending& sent = sending[flow];
    flow_rates_.t.push_back(now);
    flow_rates_.flow.push_back(flow);
    flow_rates_.rate_gbps.push_back(gbps(sent.rate));
    flow_rates_.target_gbps.push_back(gbps(sent.target));
    flow_rates_.alpha.push_back(sent.alpha);
    flow_rates_.goodput_gbps.push_back(gbps(received, interval_s));
    return false;
  };
  // A gated flow may begin in another process, so with several processes all flows are sampled from
  // their start time on.
  std::vector<std::uint32_t> begun;
  const bool alone = partitions_.group() == nullptr;
  if (alone) gates_.take_begun(begun);
  sampled_.add_started(plan_.flows(), now, alone ? &begun : nullptr);
  sampled_.each(add);
  if (!config_.output.series.classes) return;
  for (const unsigned dscp : dscps_) {
    class_series_.t.push_back(now);
    class_series_.dscp.push_back(dscp);
    class_series_.goodput_gbps.push_back(gbps(by_class[dscp], interval_s));
  }
}

std::vector<Measurement::Sending> Measurement::senders() const {
  std::vector<Sending> all;
  if (!sample_flow_series_) return all;
  all.resize(plan_.flows().size());
  for (const PlannedFlow& flow : plan_.flows()) {
    if (!is_here(flow.spec.from) || ledger_[flow.spec.id].posted == PicoSeconds::max()) continue;
    const Host& host = *hosts_[flow.spec.from];
    const Transmitter::FlowView sending = host.nic().device().transmitter().view(flow.from_qpn);
    Algorithm::View view{sending.rate, sending.rate, 0.0};
    if (host.algorithm() != nullptr && !flow.spec.background) {
      view = host.algorithm()->view(flow.from_qpn);
    }
    all[flow.spec.id] = {sending.rate.raw, view.target.raw, view.alpha};
  }
  if (partitions_.group() == nullptr) return all;
  // The values of alpha are added as bits, since each value comes from one process and zeros from
  // the others.
  std::vector<std::int64_t> alphas(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) std::memcpy(&alphas[i], &all[i].alpha, 8);
  AllReduce reduce(partitions_.group());
  reduce.add(alphas);
  for (Sending& one : all) {
    reduce.add(one.rate);
    reduce.add(one.target);
  }
  reduce.finish();
  for (std::size_t i = 0; i < all.size(); ++i) std::memcpy(&all[i].alpha, &alphas[i], 8);
  return all;
}

void Measurement::sample_queues(PicoSeconds now) {
  const std::size_t begin = queue_series_.bytes.size();
  for (const std::size_t index : sampled_queues_) {
    const EgressQueue& queue = network_.queues()[index];
    queue_series_.t.push_back(now);
    queue_series_.port.push_back(static_cast<std::uint32_t>(index));
    queue_series_.bytes.push_back(
        queue.device != nullptr ? queue.device->queue_bytes(queue.port_number) : 0);
  }
  AllReduce reduce(partitions_.group());
  for (std::size_t i = begin; i < queue_series_.bytes.size(); ++i) {
    reduce.add(queue_series_.bytes[i]);
  }
}

}  // namespace dcc::vp
