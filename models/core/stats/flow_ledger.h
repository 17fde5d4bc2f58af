// What happened to each traffic flow: one record a flow, written by the NICs at either end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "units.h"

namespace dcc {

/// Hears that the last byte of a flow has come to its receiver.
class ArrivalSink {
 public:
  virtual void flow_arrived() = 0;

 protected:
  ~ArrivalSink() = default;
};

/// A cache line for what the sending NIC writes and one for the receiving NIC's: they may run on
/// different processors.
struct alignas(64) FlowRecord {
  PicoSeconds posted = PicoSeconds::max();  // first work posted
  PicoSeconds last_ack{};
  Bytes target_bytes = 0;  // what is to be sent in all; 0: without end
  Bytes posted_bytes = 0;
  Bytes acked_bytes = 0;
  std::uint64_t sent_wire_bits = 0;  // link overhead and repeats included
  std::uint64_t packets = 0;
  std::uint64_t retransmits = 0;

  PicoSeconds last_received{};
  Bytes received_bytes = 0;  // payload, in order, without repeats
  std::uint64_t ce_received = 0;
  std::uint64_t cnps_sent = 0;
  ArrivalSink* awaited_by = nullptr;  // once; null: nobody

  /// So much of its payload, for the first time.
  void received(Bytes payload, PicoSeconds now) {
    received_bytes += payload;
    last_received = now;
    if (awaited_by != nullptr && received_bytes >= target_bytes) {
      std::exchange(awaited_by, nullptr)->flow_arrived();
    }
  }

  template <class Visitor>
  static void describe(Visitor&& v) {  // stats/metric.h
    v(&FlowRecord::retransmits, "retransmits", {"packets sent again", "packets", "sent again"});
  }
};
static_assert(offsetof(FlowRecord, last_received) == 64);

/// Indexed by Packet::flow.
class FlowLedger {
 public:
  explicit FlowLedger(std::size_t flows = 0) : records_(flows) {}
  FlowRecord& operator[](std::size_t flow) { return records_[flow]; }
  const FlowRecord& operator[](std::size_t flow) const { return records_[flow]; }
  std::size_t size() const { return records_.size(); }
  auto begin() const { return records_.begin(); }
  auto end() const { return records_.end(); }

  /// Every byte is acknowledged.
  static bool finished(const FlowRecord& record) {
    return record.target_bytes != 0 && record.acked_bytes >= record.target_bytes;
  }

 private:
  std::vector<FlowRecord> records_;
};

/// What one sender has got acknowledged, of all its flows: the totals of a run are sums over the
/// senders, because there may be two at work in the same instant.
struct FlowTally {
  Bytes acknowledged_bytes = 0;
  std::size_t finished_flows = 0;

  void acknowledged(FlowRecord& record, Bytes bytes, PicoSeconds now) {
    const bool was_finished = FlowLedger::finished(record);
    record.acked_bytes += bytes;
    record.last_ack = now;
    acknowledged_bytes += bytes;
    if (!was_finished && FlowLedger::finished(record)) ++finished_flows;
  }
};

}  // namespace dcc
