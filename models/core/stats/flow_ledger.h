// What happened to each traffic flow: one record a flow, written by the NICs at either end.
#pragma once

#include <cstdint>
#include <vector>

#include "units.h"

namespace dcc {

struct FlowRecord {
  PicoSeconds posted = PicoSeconds::max();  // first work posted
  PicoSeconds last_ack{};
  PicoSeconds last_received{};
  Bytes target_bytes = 0;  // what is to be sent in all; 0: without end
  Bytes posted_bytes = 0;
  Bytes acked_bytes = 0;
  Bytes received_bytes = 0;          // payload, in order, without repeats
  std::uint64_t sent_wire_bits = 0;  // link overhead and repeats included
  std::uint64_t packets = 0;
  std::uint64_t retransmits = 0;
  std::uint64_t ce_received = 0;
  std::uint64_t cnps_sent = 0;
};

/// Indexed by Packet::flow.
class FlowLedger {
 public:
  explicit FlowLedger(std::size_t flows = 0) : records_(flows) {}
  FlowRecord& operator[](std::size_t flow) { return records_[flow]; }
  const FlowRecord& operator[](std::size_t flow) const { return records_[flow]; }
  std::size_t size() const { return records_.size(); }
  auto begin() const { return records_.begin(); }
  auto end() const { return records_.end(); }

  /// The sender's NIC: so many payload bytes more are acknowledged.
  void acknowledged(std::size_t flow, Bytes bytes, PicoSeconds now) {
    FlowRecord& record = records_[flow];
    const bool was_finished = finished(record);
    record.acked_bytes += bytes;
    acknowledged_bytes_ += bytes;
    record.last_ack = now;
    if (!was_finished && finished(record)) ++finished_;
  }
  static bool finished(const FlowRecord& record) {
    return record.target_bytes != 0 && record.acked_bytes >= record.target_bytes;
  }
  /// Of all flows.
  Bytes acknowledged_bytes() const { return acknowledged_bytes_; }
  /// Flows of which every byte is acknowledged.
  std::size_t finished_flows() const { return finished_; }

 private:
  std::vector<FlowRecord> records_;
  std::size_t finished_ = 0;
  Bytes acknowledged_bytes_ = 0;
};

}  // namespace dcc
