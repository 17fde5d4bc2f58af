// The requester's half of reliable delivery: effects of acknowledgements, NAKs, responses and
// timeouts on the work requests of RoCE queue pairs.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "nic/algorithm/algorithm.h"
#include "nic/completion_sink.h"
#include "nic/end_to_end.h"
#include "nic/host/host_clock.h"
#include "nic/nic_parameters.h"
#include "nic/recovery/retransmission.h"
#include "nic/send_queue_pair.h"
#include "sim/scheduler.h"
#include "stats/class_delays.h"
#include "stats/flow_ledger.h"
#include "stats/log_histogram.h"
#include "stats/numbered_table.h"
#include "stats/proportion.h"
#include "wire/packet.h"

namespace dcc {

class Transmitter;

/// The requester of RoCE queue pairs: completes posted work, decides which packets are
/// retransmitted and which requests fail, and reports acknowledged bytes to the algorithm. The
/// transmitter owns the queue pairs and sends packets; the requester calls Transmitter::resume()
/// when a queue pair may have become sendable.
class Requester {
 public:
  using Status = CompletionSink::Status;

  Requester(Transmitter& sender, Scheduler& scheduler, FlowLedger& ledger, NicCounters& counters,
            const NicParameters& parameters, NumberedTable<SendQueuePair>& pairs,
            std::uint32_t rank);

  void set_algorithm(Algorithm* algorithm, const AlgorithmNeeds& needs) {
    algorithm_ = algorithm;
    needs_ = needs;
  }
  void set_completion_sink(CompletionSink* sink) { completions_ = sink; }

  // ---- Received packets

  void on_ack(const Packet& ack);
  void on_nak(const Packet& nak);
  /// A response to a READ or atomic request arrived.
  void on_response(const Packet& packet);

  // ---- The state of queue pairs

  /// A queue pair was created.
  void begin(Qpn qpn) {
    if (delays_ != nullptr) delays_->messages().forget(qpn);
  }
  /// A packet of a request is being sent.
  void note_sent(Qpn qpn, const SendQueuePair& pair, const PacketPlan& plan, Psn psn) {
    if (delays_ == nullptr) return;
    delays_->messages().sent(qpn, psn, pair.work.next_psn(), plan.first, plan.last,
                             plan.message_bytes, now());
  }
  bool expects_acks(const SendQueuePair& pair) const {
    return parameters_.ack != AckMode::kNone && is_reliable(pair.config.service);
  }
  static ReadState& read_state(SendQueuePair& pair);
  void complete(Qpn qpn, const WorkItem& item, Status status) {
    if (datagrams_ != nullptr && datagrams_->has(qpn)) {
      complete_message(qpn, item, status);
    } else {
      report(qpn, item, status);
    }
  }
  /// Sets the end-to-end contexts that learn of ended messages of reliable datagrams. The requester
  /// does not own the contexts.
  void set_contexts(EndToEndContexts* contexts) { datagrams_ = contexts; }
  /// Acknowledges all packets of a queue pair before `psn`. Returns the payload bytes that were not
  /// acknowledged before.
  Bytes complete_before(Qpn qpn, SendQueuePair& pair, Psn psn);
  void refused(Qpn qpn, SendQueuePair& pair, Psn psn, Status status);
  bool fail_if_refused(Qpn qpn, SendQueuePair& pair);
  void fail(Qpn qpn, SendQueuePair& pair, Status status);
  Retransmission& retransmission() { return retransmission_; }
  const Retransmission& retransmission() const { return retransmission_; }

  // ---- Statistics

  /// Counts `bytes` of payload of a flow that were acknowledged for the first time.
  void acknowledged(FlowRecord& record, Bytes bytes) { tally_.acknowledged(record, bytes, now()); }
  /// Counts `bytes` of payload as acknowledged without packets (fast-forward only).
  void add_acknowledged(Bytes bytes) { tally_.acknowledged_bytes += bytes; }
  void round_trip(PicoSeconds rtt) {
    rtt_ns_.add(static_cast<std::uint64_t>(rtt.count / kNanoSecond.count));
  }
  /// Histogram of the round-trip times of acknowledged packets since reset_statistics(), in
  /// nanoseconds.
  const LogHistogram& rtt_ns() const { return rtt_ns_; }
  void reset_statistics() { rtt_ns_ = LogHistogram(); }
  /// Adds the changes of the statistics since `earlier` `times` more times (fast-forward only).
  void repeat_statistics(const LogHistogram& earlier, const Proportion& times) {
    rtt_ns_.repeat_since(earlier, times);
  }
  /// Records round-trip times by traffic class from now on; null: records none. The requester does
  /// not own the record.
  void observe_delays(DelaysByClass* delays) { delays_ = delays; }
  const FlowTally& tally() const { return tally_; }
  /// Records the sizes of flows that finish from now on.
  void keep_finished_sizes() { tally_.keeps_sizes = true; }
  /// Returns the sizes of finished flows recorded since the last call.
  std::vector<Bytes> take_finished_sizes() { return std::exchange(tally_.sizes, {}); }
  /// Notifies `sink` of each flow that finishes from now on; null: no sink. The requester does not
  /// own the sink.
  void tell_finished(SentSink* sink) { tally_.awaited_by = sink; }

 private:
  void report(Qpn qpn, const WorkItem& item, Status status) {
    if (completions_ != nullptr) completions_->work_done(qpn, item, status);
  }
  void complete_message(Qpn qpn, const WorkItem& message, Status status);
  void flush_datagrams(Qpn qpn);
  PicoSeconds now() const { return scheduler_.now(); }
  /// The queue pair to which a response is addressed; null, and counted, if the queue pair does not
  /// exist.
  SendQueuePair* known_pair(Qpn qpn) {
    SendQueuePair* const pair = pairs_.find(qpn);
    if (pair != nullptr && pair->created) return pair;
    ++counters_.unknown_qp;
    return nullptr;
  }
  void note_messages(Qpn qpn, const SendQueuePair& pair) {
    if (delays_ == nullptr || pair.failed || !expects_acks(pair)) return;
    delays_->acknowledged(qpn, pair.config.dscp, pair.work.oldest_unacked(), now());
  }
  void retransmit(Qpn qpn, SendQueuePair& pair);
  void retry_or_fail(Qpn qpn, SendQueuePair& pair);
  void check_timeouts();
  void tell_algorithm(Qpn qpn, const SendQueuePair& pair, const Packet& packet, PicoSeconds rtt,
                      bool ce, Bytes newly_acked);
  PicoSeconds measured_rtt(const SendQueuePair& pair, PicoSeconds rtt, bool ce);

  Transmitter& sender_;
  Scheduler& scheduler_;
  FlowLedger& ledger_;
  NicCounters& counters_;
  const NicParameters& parameters_;
  NumberedTable<SendQueuePair>& pairs_;
  Algorithm* algorithm_ = nullptr;
  AlgorithmNeeds needs_;
  CompletionSink* completions_ = nullptr;
  // end-to-end contexts; null: no queue pair for reliable datagrams
  EndToEndContexts* datagrams_ = nullptr;
  Retransmission retransmission_;
  FlowTally tally_;
  LogHistogram rtt_ns_;
  DelaysByClass* delays_ = nullptr;
  std::unique_ptr<HostClock> clock_;  // clock that measures RTTs; null: an exact clock
};

}  // namespace dcc
