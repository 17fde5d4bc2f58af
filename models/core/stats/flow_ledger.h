// The record of each traffic flow, written by the NICs at both ends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "stats/metric.h"
#include "stats/numbered_table.h"
#include "units.h"

namespace dcc {

/// Interface to which the end of a flow is reported: its last byte arrived at the receiver, or was
/// acknowledged to its sender.
class ArrivalSink {
 public:
  virtual void flow_arrived() = 0;

 protected:
  ~ArrivalSink() = default;
};

struct FlowRecord;

/// Interface that learns when every byte of a flow is acknowledged to its sender.
class SentSink {
 public:
  virtual void flow_sent(const FlowRecord& record) = 0;

 protected:
  ~SentSink() = default;
};

/// The record of one flow. One cache line holds the fields of the sending NIC, another one the
/// fields of the receiving NIC, because the NICs may run on different processors.
struct alignas(64) FlowRecord {
  PicoSeconds posted = PicoSeconds::max();  // time at which the flow's first work item was posted
  PicoSeconds last_ack{};
  Bytes target_bytes = 0;  // total payload bytes to send; 0: unlimited
  Bytes posted_bytes = 0;
  Bytes acked_bytes = 0;
  // wire bits sent by the flow, link overhead and retransmissions included
  std::uint64_t sent_wire_bits = 0;
  std::uint64_t packets = 0;
  std::uint64_t retransmits = 0;

  PicoSeconds last_received{};
  Bytes received_bytes = 0;  // payload bytes received, without duplicates
  std::uint64_t ce_received = 0;
  std::uint64_t cnps_sent = 0;
  // The ledger updates the fields below.
  // payload bytes received in the measured window; until the window's end: received before it
  Bytes received_measured = 0;
  Bytes received_sampled = 0;  // value of received_bytes at the last sample
  // object notified once all bytes of the flow have arrived; null: none
  ArrivalSink* awaited_by = nullptr;
  std::uint8_t dscp = 0;

  /// Records payload bytes of the flow that arrive for the first time.
  void received(Bytes payload, PicoSeconds now) {
    received_bytes += payload;
    last_received = now;
    if (awaited_by != nullptr && received_bytes >= target_bytes) {
      std::exchange(awaited_by, nullptr)->flow_arrived();
    }
  }

  /// The counters that results show for each flow and, as a sum, for the run (stats/metric.h). One
  /// line describes a counter everywhere: the ledger, results and sums over processes read it here.
  template <class Visitor>
  static constexpr void describe(Visitor&& v) {
    v(&FlowRecord::retransmits, "retransmits", {"packets sent again", "packets", "sent again"});
  }
};
static_assert(offsetof(FlowRecord, last_received) == 64 && sizeof(FlowRecord) == 128);

inline constexpr std::size_t kFlowCounters = [] {
  std::size_t number = 0;
  FlowRecord::describe([&number](auto, const char*, const CounterAbout&) { ++number; });
  return number;
}();

/// The described counters of one flow, in the order in which they are described.
class FlowCounts {
 public:
  FlowCounts() = default;
  explicit FlowCounts(const FlowRecord& record) {
    std::size_t i = 0;
    FlowRecord::describe(
        [&](auto member, const char*, const CounterAbout&) { values_[i++] = record.*member; });
  }
  void write_to(FlowRecord& record) const {
    std::size_t i = 0;
    FlowRecord::describe(
        [&](auto member, const char*, const CounterAbout&) { record.*member = values_[i++]; });
  }
  /// Value of a described counter. Precondition: the counter is described.
  std::uint64_t of(std::uint64_t FlowRecord::*counter) const {
    FlowRecord record;
    write_to(record);
    return record.*counter;
  }
  /// Calls visit(name, about, value) for each described counter of the flow.
  template <class Visit>
  void each(Visit visit) const {
    std::size_t i = 0;
    FlowRecord::describe([&](auto, const char* name, const CounterAbout& about) {
      visit(name, about, values_[i++]);
    });
  }

 private:
  std::array<std::uint64_t, kFlowCounters> values_{};
};

/// All flow records, indexed by Packet::flow. A record is open from the flow's start, or from the
/// beginning, until it is closed. Of a closed record the ledger keeps only the figures that results
/// show.
class FlowLedger {
 public:
  /// Makes a ledger for `flows` flows; `open`: true opens all records at once.
  explicit FlowLedger(std::size_t flows = 0, bool open = true) : size_(flows) {
    for (std::size_t flow = 0; open && flow < flows; ++flow) records_.keep(flow);
  }
  // The open record of a flow. Precondition: the record is open.
  FlowRecord& operator[](std::size_t flow) { return records_[flow]; }
  const FlowRecord& operator[](std::size_t flow) const { return records_[flow]; }
  std::size_t size() const { return size_; }
  /// The flow's record if it is open, else null.
  const FlowRecord* find(std::size_t flow) const { return records_.find(flow); }

  FlowRecord& open(std::size_t flow) { return records_.keep(flow); }
  /// Closes the record of a flow whose bytes have all arrived and are all acknowledged.
  void close(std::size_t flow);
  /// Closes the record of a flow and returns it with the figures of the measured window; the ledger
  /// keeps only sums.
  FlowRecord take(std::size_t flow) { return sum_up(flow); }
  /// The record of a flow, whether open, closed, or not yet open. `start` and `bytes` describe a
  /// closed flow, whose record has only bytes, times, FlowCounts and the figures of the window.
  FlowRecord record(std::size_t flow, PicoSeconds start, Bytes bytes) const;

  /// Sums of the described counters over all flows, open and closed.
  FlowRecord total() const;
  /// The functions begin and end the window in which the ledger counts `received_measured`.
  void begin_window();
  void end_window();
  /// Payload bytes received since the last call, as sums by DSCP.
  std::array<Bytes, 64> received_by_class();

  /// True if every byte of the flow is acknowledged.
  static bool finished(const FlowRecord& record) {
    return record.target_bytes != 0 && record.acked_bytes >= record.target_bytes;
  }

 private:
  struct Closed {
    // time of the flow's last ACK; max(): the record is open
    PicoSeconds last_ack = PicoSeconds::max();
    PicoSeconds last_received{};
    Bytes received_measured = 0;
    FlowCounts counts;
  };
  /// Adds a flow's record to the sums, completes the record, and removes it from the open records.
  FlowRecord sum_up(std::size_t flow);
  enum class Window : std::uint8_t { kBefore, kWithin, kAfter };

  std::size_t size_;
  NumberedTable<FlowRecord> records_;
  // closed records, indexed by flow number up to the highest closed flow
  std::deque<Closed> closed_;
  FlowRecord closed_total_;
  // payload received since a sample by flows that are closed now, by DSCP
  std::array<Bytes, 64> closed_since_sample_{};
  Window window_ = Window::kBefore;
};

/// Acknowledged bytes and finished flows of one sender. The totals of a run are sums over senders,
/// because several senders may run at the same time in different threads.
struct FlowTally {
  Bytes acknowledged_bytes = 0;
  std::size_t finished_flows = 0;
  bool keeps_sizes = false;
  std::vector<Bytes> sizes;        // sizes of finished flows in order of time, if keeps_sizes
  SentSink* awaited_by = nullptr;  // object notified of each finished flow; null: none

  void acknowledged(FlowRecord& record, Bytes bytes, PicoSeconds now) {
    const bool was_finished = FlowLedger::finished(record);
    record.acked_bytes += bytes;
    record.last_ack = now;
    acknowledged_bytes += bytes;
    if (was_finished || !FlowLedger::finished(record)) return;
    ++finished_flows;
    if (keeps_sizes) sizes.push_back(record.target_bytes);
    if (awaited_by != nullptr) awaited_by->flow_sent(record);
  }
};

}  // namespace dcc
