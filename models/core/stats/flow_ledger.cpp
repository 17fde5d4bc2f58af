#include "stats/flow_ledger.h"

#include "stats/metric.h"

namespace dcc {

namespace {
void add_described(FlowRecord& sum, const FlowRecord& record) {
  FlowRecord::describe(
      [&](auto member, const char*, const CounterAbout&) { sum.*member += record.*member; });
}
}  // namespace

FlowRecord FlowLedger::sum_up(std::size_t flow) {
  FlowRecord record = records_[flow];
  add_described(closed_total_, record);
  closed_since_sample_[record.dscp] += record.received_bytes - record.received_sampled;
  if (window_ == Window::kWithin) {
    record.received_measured = record.received_bytes - record.received_measured;
  }
  records_.drop(flow);
  return record;
}

void FlowLedger::close(std::size_t flow) {
  const FlowRecord record = sum_up(flow);
  if (closed_.size() <= flow) closed_.resize(flow + 1);
  Closed& closed = closed_[flow];
  closed.last_ack = record.last_ack;
  closed.last_received = record.last_received;
  closed.counts = FlowCounts(record);
  closed.received_measured = record.received_measured;
}

FlowRecord FlowLedger::record(std::size_t flow, PicoSeconds start, Bytes bytes) const {
  if (records_.has(flow)) return records_[flow];
  FlowRecord record;
  record.target_bytes = bytes;
  if (flow >= closed_.size() || closed_[flow].last_ack == PicoSeconds::max()) return record;
  const Closed& closed = closed_[flow];
  record.posted = start;
  record.last_ack = closed.last_ack;
  record.posted_bytes = record.acked_bytes = record.received_bytes = bytes;
  closed.counts.write_to(record);
  record.last_received = closed.last_received;
  record.received_measured = closed.received_measured;
  return record;
}

FlowRecord FlowLedger::total() const {
  FlowRecord sum = closed_total_;
  records_.each([&](std::size_t, const FlowRecord& record) { add_described(sum, record); });
  return sum;
}

void FlowLedger::begin_window() {
  window_ = Window::kWithin;
  records_.each(
      [](std::size_t, FlowRecord& record) { record.received_measured = record.received_bytes; });
}

void FlowLedger::end_window() {
  window_ = Window::kAfter;
  records_.each([](std::size_t, FlowRecord& record) {
    record.received_measured = record.received_bytes - record.received_measured;
  });
}

std::array<Bytes, 64> FlowLedger::received_by_class() {
  std::array<Bytes, 64> received{};
  std::swap(received, closed_since_sample_);
  records_.each([&](std::size_t, FlowRecord& record) {
    received[record.dscp] += record.received_bytes - record.received_sampled;
    record.received_sampled = record.received_bytes;
  });
  return received;
}

}  // namespace dcc
