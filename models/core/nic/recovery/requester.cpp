#include "nic/recovery/requester.h"

#include <algorithm>
#include <optional>

#include "nic/algorithm/listeners.h"
#include "nic/transmitter.h"
#include "wire/roce_headers.h"

namespace dcc {

using Status = CompletionSink::Status;

namespace {
void tell_of_gap(Algorithm* algorithm, const SendQueuePair& pair, Qpn qpn, Psn psn) {
  auto* const listener = dynamic_cast<NackListener*>(algorithm);
  if (listener != nullptr && pair.config.governed) listener->on_nack(qpn, psn);
}
}  // namespace

Requester::Requester(Transmitter& sender, Scheduler& scheduler, FlowLedger& ledger,
                     NicCounters& counters, const NicParameters& parameters,
                     NumberedTable<SendQueuePair>& pairs, std::uint32_t rank)
    : sender_(sender),
      scheduler_(scheduler),
      ledger_(ledger),
      counters_(counters),
      parameters_(parameters),
      pairs_(pairs),
      retransmission_(scheduler, parameters,
                      Event::calling<&Requester::check_timeouts>(*this, rank)) {
  if (!parameters.clock.exact()) {
    clock_ = std::make_unique<HostClock>(parameters.clock, parameters.seed, parameters.host);
  }
}

ReadState& Requester::read_state(SendQueuePair& pair) {
  if (pair.reads == nullptr) pair.reads = std::make_unique<ReadState>();
  return *pair.reads;
}

/// Ends a message of reliable datagrams. Each message is a work item of its own in the work queue;
/// the work that the application posted completes with its last message.
void Requester::complete_message(Qpn qpn, const WorkItem& message, Status status) {
  const bool failed = status != Status::kOk;
  const std::optional<WorkItem> item = datagrams_->ended(qpn, message, failed);
  if (item) report(qpn, *item, status);
}

/// Ends the send requests of a queue pair that has failed: each request that the application posted
/// and that is still in the work queue gets a completion with status kFlushed. For queue pairs of
/// the service `rd` (reliable datagrams).
void Requester::flush_datagrams(Qpn qpn) {
  datagrams_->flush(qpn, [&](const WorkItem& item) { report(qpn, item, Status::kFlushed); });
}

Bytes Requester::complete_before(Qpn qpn, SendQueuePair& pair, Psn psn) {
  if (pair.reads != nullptr) pair.reads->acked_to = std::max(pair.reads->acked_to, psn);
  if (psn > pair.work.next_psn()) {
    const std::uint64_t spared = pair.work.restore(psn);
    counters_.retransmits -= spared;
    ledger_[pair.config.flow].retransmits -= spared;
  }
  const Bytes newly = pair.work.acknowledge_before(
      psn, [&](const WorkItem& item) { complete(qpn, item, Status::kOk); });
  Retransmission::acknowledged(pair, newly);
  if (newly > 0) tally_.acknowledged(ledger_[pair.config.flow], newly, now());
  note_messages(qpn, pair);
  return newly;
}

/// Returns the round-trip time as the host's clock reads it.
PicoSeconds Requester::measured_rtt(const SendQueuePair& pair, PicoSeconds rtt, bool ce) {
  const PicoSeconds read = clock_->between(rtt);
  if (delays_ != nullptr) delays_->of(pair.config.dscp).as_read.add(read, ce);
  if (!parameters_.clock.controls) return rtt;
  return read;
}

/// Handles an acknowledgement: `packet` is an ACK, or a packet of a response.
[[gnu::always_inline]] inline void Requester::tell_algorithm(Qpn qpn, const SendQueuePair& pair,
                                                             const Packet& packet, PicoSeconds rtt,
                                                             bool ce, Bytes newly_acked) {
  AckInfo info;
  info.rtt = clock_ == nullptr ? rtt : measured_rtt(pair, rtt, ce);
  info.newly_acked = newly_acked;
  info.psn = packet.psn;
  info.next_psn = pair.work.next_psn();
  info.ce = ce;
  info.last_of_message = packet.last;
  info.telemetry = packet.telemetry;
  info.telemetry_hops = packet.telemetry_hops;
  algorithm_->on_ack(qpn, info);
}

void Requester::on_ack(const Packet& ack) {
  ++counters_.acks_received;
  const Qpn qpn = ack.destination_qpn;
  SendQueuePair* const known = known_pair(qpn);
  if (known == nullptr) return;
  SendQueuePair& pair = *known;
  const PicoSeconds rtt = now() - ack.sent;
  round_trip(rtt);
  retransmission_.heard_after(pair, rtt);
  if (delays_ != nullptr) delays_->of(pair.config.dscp).round_trip.add(rtt, ack.ce_echo);
  const Bytes newly = complete_before(qpn, pair, ack.psn + 1);
  retransmission_.progressed(qpn, pair, newly);
  if (pair.reads != nullptr && fail_if_refused(qpn, pair)) return;
  if (needs_.acks && pair.config.governed && !pair.failed) {
    tell_algorithm(qpn, pair, ack, rtt, ack.ce_echo, newly);
  }
  sender_.resume(qpn, pair);
}

void Requester::on_nak(const Packet& nak) {
  const Qpn qpn = nak.destination_qpn;
  SendQueuePair* const known = known_pair(qpn);
  if (known == nullptr) return;
  SendQueuePair& pair = *known;
  if (nak.nak == NakReason::kSequence) ++counters_.sequence_naks_received;
  if (nak.nak == NakReason::kNotReady) ++counters_.not_ready_naks_received;
  // A NAK carries the sequence number that the responder expects, so all packets before this number
  // have arrived.
  const Bytes newly = complete_before(qpn, pair, nak.psn);
  if (newly > 0) pair.retries = pair.rnr_retries = 0;
  if (fail_if_refused(qpn, pair)) return;
  if (nak.remote_address != 0 && retransmission_.repeats_selectively(pair)) {
    retransmission_.progressed(qpn, pair, newly);
    const bool had_gap = pair.selective != nullptr;
    retransmission_.arrived_early(pair, nak.remote_address);
    if (!had_gap && pair.selective != nullptr) tell_of_gap(algorithm_, pair, qpn, nak.psn);
    sender_.resume(qpn, pair);
    return;
  }
  if (nak.nak == NakReason::kSequence) {
    retransmission_.gap_reported(pair);
    tell_of_gap(algorithm_, pair, qpn, nak.psn);
  }
  if (nak.nak == NakReason::kAccess) {
    refused(qpn, pair, nak.psn, Status::kRemoteError);
  } else if (nak.nak == NakReason::kInvalid) {
    refused(qpn, pair, nak.psn, Status::kRemoteInvalid);
  } else if (!retransmission_.is_on()) {
    sender_.resume(qpn, pair);  // the acknowledged packets may have opened the window
  } else if (nak.nak == NakReason::kNotReady) {
    if (!retransmission_.count_not_ready(pair)) {
      refused(qpn, pair, nak.psn, Status::kNotReady);
      return;
    }
    pair.not_before = now() + roce::not_ready_time(nak.rnr_timer);
    sender_.withdraw(qpn);
    retransmit(qpn, pair);
  } else {
    retry_or_fail(qpn, pair);
  }
}

void Requester::retry_or_fail(Qpn qpn, SendQueuePair& pair) {
  if (retransmission_.count_retry(pair)) {
    retransmit(qpn, pair);
  } else {
    fail(qpn, pair, Status::kRetryExceeded);
  }
}

/// Makes the queue pair send again from its oldest unacknowledged packet.
void Requester::retransmit(Qpn qpn, SendQueuePair& pair) {
  pair.selective.reset();
  const std::uint64_t repeated = pair.work.go_back();
  counters_.retransmits += repeated;
  ledger_[pair.config.flow].retransmits += repeated;
  Retransmission::went_back(pair);
  sender_.went_back(qpn, pair);
}

void Requester::check_timeouts() {
  retransmission_.expire([this](Qpn qpn) { return pairs_.find(qpn); },
                         [this](const SendQueuePair& pair) { return sender_.has_turn(pair); },
                         [this](Qpn qpn, SendQueuePair& pair, bool counts) {
                           ++counters_.timeouts;
                           if (counts && !retransmission_.count_retry(pair)) {
                             fail(qpn, pair, Status::kRetryExceeded);
                           } else if (retransmission_.repeats_selectively(pair)) {
                             retransmission_.repeat_unheard(pair);
                             sender_.resume(qpn, pair);
                           } else {
                             retransmit(qpn, pair);
                           }
                         });
}

/// The responder, or this host's memory, refused request `psn`. Responses to earlier requests may
/// still be in flight; then the queue pair sends nothing from `psn` on, and fails after these
/// responses.
void Requester::refused(Qpn qpn, SendQueuePair& pair, Psn psn, Status status) {
  if (pair.work.oldest_unacked() >= psn) {
    fail(qpn, pair, status);
    return;
  }
  ReadState& state = read_state(pair);
  if (state.refused && state.refused_at <= psn) return;
  state.refused = true;
  state.refused_at = psn;
  state.refusal = status;
  // No packet before `psn` in its message requested an ACK, so the last packet is sent again and
  // requests one.
  if (status == Status::kLocalError && parameters_.ack == AckMode::kPerMessage &&
      retransmission_.is_on()) {
    retransmit(qpn, pair);
  }
}

/// Fails the queue pair if the oldest request without a response was refused.
bool Requester::fail_if_refused(Qpn qpn, SendQueuePair& pair) {
  if (pair.reads == nullptr || !pair.reads->refused || pair.failed) return false;
  if (pair.work.oldest_unacked() < pair.reads->refused_at) return false;
  fail(qpn, pair, pair.reads->refusal);
  return true;
}

/// Enters the error state (IBTA 10.3.1): the oldest work item completes with `status`, all later
/// items as flushed. The queue pair sends nothing until it is created anew.
void Requester::fail(Qpn qpn, SendQueuePair& pair, Status status) {
  pair.failed = true;
  pair.selective.reset();
  if (pair.reads != nullptr) pair.reads->responder.responses.clear();
  sender_.withdraw(qpn);
  Retransmission::cancel(pair);
  pair.work.flush([&](const WorkItem& item) {
    complete(qpn, item, status);
    status = Status::kFlushed;
  });
  if (datagrams_ != nullptr && datagrams_->has(qpn)) flush_datagrams(qpn);
}

void Requester::on_response(const Packet& packet) {
  const Qpn qpn = packet.destination_qpn;
  SendQueuePair& pair = pairs_[qpn];
  if (pair.failed || pair.reads == nullptr || packet.psn >= pair.work.next_psn()) {
    // no request awaits this response: the queue pair has failed, or the request was withdrawn and
    // will be repeated
    ++counters_.duplicates;
    ++counters_.responses_repeated;
    return;
  }
  complete_before(qpn, pair, packet.psn);  // the responder executes requests in order
  const Psn oldest = pair.work.oldest_unacked();
  if (packet.psn < oldest) {
    ++counters_.duplicates;
    ++counters_.responses_repeated;
    return;
  }
  ReadState& reads = *pair.reads;
  if (packet.psn > oldest) {
    ++counters_.out_of_order;
    ++counters_.responses_early;
    if (reads.gap || !retransmission_.is_on()) return;
    reads.gap = true;  // each gap in a response is requested again once
    retry_or_fail(qpn, pair);
    return;
  }
  const PacketPlan plan = pair.work.plan_oldest();
  const Operation asked = plan.item->operation;
  if (!expects_response(asked) ||
      is_atomic(asked) != (packet.operation == Operation::kAtomicResponse) ||
      plan.payload_bytes != packet.payload_bytes) {
    fail(qpn, pair, Status::kLocalError);  // the two ends of the queue pair use different MTUs
    return;
  }
  reads.gap = false;
  const bool counted_later =
      completions_ != nullptr &&
      completions_->read_data(
          qpn, plan.item->local_address + static_cast<std::uint64_t>(plan.item_offset), packet);
  FlowRecord& record = ledger_[pair.config.flow];
  if (!counted_later) {
    counters_.bytes_received += packet.payload_bytes;
    record.received_bytes += packet.payload_bytes;
    record.last_received = now();
  }
  record.sent_wire_bits +=
      std::uint64_t{8} *
      (packet.wire_bytes + static_cast<std::uint32_t>(parameters_.link_overhead));
  ++record.packets;
  const bool ce = packet.ecn == Ecn::kCe;
  const PicoSeconds rtt = now() - packet.sent;
  round_trip(std::max(rtt, PicoSeconds{}));
  pair.heard_after(rtt);
  if (delays_ != nullptr) delays_->of(pair.config.dscp).round_trip.add(rtt, ce);
  const Bytes newly =
      pair.work.response_arrived([&](const WorkItem& item) { complete(qpn, item, Status::kOk); });
  tally_.acknowledged(record, newly, now());
  note_messages(qpn, pair);
  complete_before(qpn, pair, reads.acked_to);
  retransmission_.progressed(qpn, pair, newly);
  if (needs_.acks && pair.config.governed) {
    tell_algorithm(qpn, pair, packet, rtt, ce, newly);
  }
  if (fail_if_refused(qpn, pair)) return;
  sender_.resume(qpn, pair);
}

}  // namespace dcc
