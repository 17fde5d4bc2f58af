// What happened to each traffic flow: one record a flow, written by the NICs at either end.
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
  // The ledger's own:
  Bytes received_measured = 0;        // until the window is over, what had come when it began
  Bytes received_sampled = 0;         // at the last sample
  ArrivalSink* awaited_by = nullptr;  // once; null: nobody
  std::uint8_t dscp = 0;

  /// So much of its payload, for the first time.
  void received(Bytes payload, PicoSeconds now) {
    received_bytes += payload;
    last_received = now;
    if (awaited_by != nullptr && received_bytes >= target_bytes) {
      std::exchange(awaited_by, nullptr)->flow_arrived();
    }
  }

  /// The counters that results tell of each flow and, as a sum, of the run (stats/metric.h). One
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

/// The described counters of one flow, in the order of their description.
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
  /// Precondition: the counter is described.
  std::uint64_t of(std::uint64_t FlowRecord::*counter) const {
    FlowRecord record;
    write_to(record);
    return record.*counter;
  }
  /// `visit(name, about, value)` for each counter.
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

/// Indexed by Packet::flow. A record is open from the flow's start, or from the beginning, until it
/// is closed; of one that is closed the ledger keeps what results tell of it.
class FlowLedger {
 public:
  /// `open`: all of them are, from the beginning.
  explicit FlowLedger(std::size_t flows = 0, bool open = true) : size_(flows) {
    for (std::size_t flow = 0; open && flow < flows; ++flow) records_.keep(flow);
  }
  // Of an open record:
  FlowRecord& operator[](std::size_t flow) { return records_[flow]; }
  const FlowRecord& operator[](std::size_t flow) const { return records_[flow]; }
  std::size_t size() const { return size_; }
  /// Null: it is not open.
  const FlowRecord* find(std::size_t flow) const { return records_.find(flow); }

  FlowRecord& open(std::size_t flow) { return records_.keep(flow); }
  /// Of a flow that is over at both ends: everything is acknowledged, and has arrived.
  void close(std::size_t flow);
  /// The record, whether it is open, closed, or not yet open. Of a closed one that was posted at
  /// `start` and had so many bytes: no figures but bytes, times, FlowCounts and the window's.
  FlowRecord record(std::size_t flow, PicoSeconds start, Bytes bytes) const;
  /// `visit(flow, record)` of all open records.
  template <class Visit>
  void each_open(Visit visit) {
    records_.each(visit);
  }

  /// The described counters of all flows, also of those that are closed, in one record.
  FlowRecord total() const;
  /// The window in which `received_measured` counts: from one call to the other.
  void begin_window();
  void end_window();
  /// Payload received since the last call, by class.
  std::array<Bytes, 64> received_by_class();

  /// Every byte is acknowledged.
  static bool finished(const FlowRecord& record) {
    return record.target_bytes != 0 && record.acked_bytes >= record.target_bytes;
  }

 private:
  struct Closed {
    PicoSeconds last_ack = PicoSeconds::max();  // it is not closed
    PicoSeconds last_received{};
    Bytes received_measured = 0;
    FlowCounts counts;
  };
  enum class Window : std::uint8_t { kBefore, kWithin, kAfter };

  std::size_t size_;
  NumberedTable<FlowRecord> records_;
  std::deque<Closed> closed_;  // by flow, as far as the last that was closed
  FlowRecord closed_total_;
  std::array<Bytes, 64> closed_since_sample_{};  // payload, by class
  Window window_ = Window::kBefore;
};

/// What one sender has got acknowledged, of all its flows: the totals of a run are sums over the
/// senders, because there may be two at work in the same instant.
struct FlowTally {
  Bytes acknowledged_bytes = 0;
  std::size_t finished_flows = 0;
  bool keeps_sizes = false;
  std::vector<Bytes> sizes;  // of flows that finished, if they are kept, in that order

  void acknowledged(FlowRecord& record, Bytes bytes, PicoSeconds now) {
    const bool was_finished = FlowLedger::finished(record);
    record.acked_bytes += bytes;
    record.last_ack = now;
    acknowledged_bytes += bytes;
    if (was_finished || !FlowLedger::finished(record)) return;
    ++finished_flows;
    if (keeps_sizes) sizes.push_back(record.target_bytes);
  }
};

}  // namespace dcc
