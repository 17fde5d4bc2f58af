// The transmitter's ears: acknowledgements, notifications, pauses, and what to do without them.
#include <algorithm>
#include <optional>

#include "nic/transmitter.h"
#include "wire/roce_headers.h"

namespace dcc {

namespace {
bool repeats(const NicParameters& parameters) {
  return parameters.retransmit_timeout() != PicoSeconds::max();
}
}  // namespace

// ---------------------------------------------------------------- acknowledgements

Bytes Transmitter::complete_before(Qpn qpn, Flow& flow, Psn psn) {
  if (flow.reads != nullptr) flow.reads->acked_to = std::max(flow.reads->acked_to, psn);
  const Bytes newly = flow.work.acknowledge_before(psn, [&](const WorkItem& item) {
    if (completions_ != nullptr) {
      completions_->work_done(qpn, item, CompletionSink::Status::kOk);
    }
  });
  if (newly > 0) tally_.acknowledged(ledger_[flow.config.flow], newly, now());
  return newly;
}

// Of a host whose clock is not exact.
PicoSeconds Transmitter::measured(const Flow& flow, PicoSeconds rtt, bool marked) {
  const PicoSeconds read = clock_->between(rtt);
  if (delays_ != nullptr) delays_->of(flow.config.dscp).as_read.add(read, marked);
  if (!parameters_.clock.controls) return rtt;
  return read;
}

void Transmitter::progressed(Qpn qpn, Flow& flow, Bytes newly) {
  if (newly == 0) return;
  flow.progress = now();
  flow.tries = flow.waits = 0;
  // Nearly always: it is the last in the list, and stays it.
  if (flow.outstanding && flow.younger == kNoFlow && flow.work.has_unacked()) return;
  untrack(qpn, flow);
  if (flow.work.has_unacked()) track(qpn, flow);
}

void Transmitter::on_ack(const Packet& ack) {
  ++counters_.acks_received;
  const Qpn qpn = ack.destination_qpn;
  Flow* const known = flows_.find(qpn);
  if (known == nullptr || !known->created) {
    ++counters_.unknown_qp;
    return;
  }
  Flow& flow = *known;
  const PicoSeconds rtt = now() - ack.sent;
  rtt_ns_.add(static_cast<std::uint64_t>(rtt.count / kNanoSecond.count));
  if (delays_ != nullptr) delays_->of(flow.config.dscp).round_trip.add(rtt, ack.ce_echo);
  const Bytes newly = complete_before(qpn, flow, ack.psn + 1);
  progressed(qpn, flow, newly);
  if (needs_.acks && flow.config.governed && !flow.failed) {
    AckInfo info;
    info.rtt = clock_ == nullptr ? rtt : measured(flow, rtt, ack.ce_echo);
    info.newly_acked = newly;
    info.psn = ack.psn;
    info.next_psn = flow.work.next_psn();
    info.ce = ack.ce_echo;
    info.last_of_message = ack.last;
    info.telemetry = ack.telemetry;
    info.telemetry_hops = ack.telemetry_hops;
    algorithm_->on_ack(qpn, info);
  }
  consider(qpn, flow);
  try_send();
}

void Transmitter::on_nak(const Packet& nak) {
  const Qpn qpn = nak.destination_qpn;
  if (!exists(qpn)) {
    ++counters_.unknown_qp;
    return;
  }
  Flow& flow = flows_[qpn];
  // The PSN is the one expected: everything before it has arrived.
  if (complete_before(qpn, flow, nak.psn) > 0) flow.tries = flow.waits = 0;
  if (nak.nak == NakReason::kAccess) {
    refused(qpn, flow, nak.psn, CompletionSink::Status::kRemoteError);
  } else if (nak.nak == NakReason::kInvalid) {
    refused(qpn, flow, nak.psn, CompletionSink::Status::kRemoteInvalid);
  } else if (!repeats(parameters_)) {
    consider(qpn, flow);  // what arrived before the gap may have opened the window
    try_send();
  } else if (nak.nak == NakReason::kNotReady) {
    const std::optional<unsigned>& most = parameters_.recovery.not_ready_retries;
    if (most && flow.waits >= *most) {
      fail(qpn, flow, CompletionSink::Status::kNotReady);
      return;
    }
    if (flow.waits < 255) ++flow.waits;
    flow.not_before = now() + roce::not_ready_time(nak.rnr_timer);
    pacing_.deactivate(qpn);
    repeat_from_oldest(qpn, flow);
  } else if (gives_up(flow)) {
    fail(qpn, flow, CompletionSink::Status::kRetryExceeded);
  } else {
    repeat_from_oldest(qpn, flow);
  }
}

/// Counts a repeat for want of an answer.
bool Transmitter::gives_up(Flow& flow) const {
  const std::optional<unsigned>& most = parameters_.recovery.retries;
  if (most && flow.tries >= *most) return true;
  if (flow.tries < 255) ++flow.tries;
  return false;
}

// The refusal may have overtaken answers to what was asked before.
void Transmitter::refused(Qpn qpn, Flow& flow, Psn psn, CompletionSink::Status status) {
  if (flow.reads == nullptr || flow.work.oldest_unacked() >= psn) {
    fail(qpn, flow, status);
    return;
  }
  flow.reads->refused = true;
  flow.reads->refused_at = psn;
  flow.reads->refusal = status;
}

void Transmitter::repeat_from_oldest(Qpn qpn, Flow& flow) {
  const std::uint64_t repeated = flow.work.go_back();
  counters_.retransmits += repeated;
  ledger_[flow.config.flow].retransmits += repeated;
  untrack(qpn, flow);
  if (demotes_) wait_by_next(qpn, flow);
  consider(qpn, flow);
  try_send();
}

// ---------------------------------------------------------------- nothing heard for too long

// Flows with packets out form a list by their last progress; the timeout is the same for all, so
// the oldest is the only one to look at.
void Transmitter::track(Qpn qpn, Flow& flow) {
  if (!repeats(parameters_)) return;
  flow.outstanding = true;
  flow.older = youngest_;
  flow.younger = kNoFlow;
  if (youngest_ == kNoFlow) {
    oldest_ = qpn;
  } else {
    flows_[youngest_].younger = qpn;
  }
  youngest_ = qpn;
  if (!timeout_.is_scheduled()) {
    scheduler_.schedule_at(timeout_, flow.progress + parameters_.retransmit_timeout());
  }
}

void Transmitter::untrack(Qpn, Flow& flow) {
  if (!flow.outstanding) return;
  flow.outstanding = false;
  if (flow.older == kNoFlow) {
    oldest_ = flow.younger;
  } else {
    flows_[flow.older].younger = flow.younger;
  }
  if (flow.younger == kNoFlow) {
    youngest_ = flow.older;
  } else {
    flows_[flow.younger].older = flow.older;
  }
}

void Transmitter::check_timeouts() {
  while (oldest_ != kNoFlow) {
    const Qpn qpn = oldest_;
    Flow& flow = flows_[qpn];
    const PicoSeconds deadline = flow.progress + parameters_.retransmit_timeout();
    if (deadline > now()) {
      scheduler_.schedule_at(timeout_, deadline);
      return;
    }
    ++counters_.timeouts;
    if (gives_up(flow)) {
      fail(qpn, flow, CompletionSink::Status::kRetryExceeded);
    } else {
      repeat_from_oldest(qpn, flow);
    }
  }
}

// ---------------------------------------------------------------- notifications

void Transmitter::on_cnp(const Packet& cnp) {
  ++counters_.cnps_received;
  const Flow* const flow = flows_.find(cnp.destination_qpn);
  if (flow == nullptr || !flow->created) {
    ++counters_.unknown_qp;
    return;
  }
  if (needs_.cnp && flow->config.governed) {
    algorithm_->on_cnp(cnp.destination_qpn, {cnp.cnp_marks, cnp.cnp_packets});
  }
}

void Transmitter::on_cnm(const Packet& cnm) {
  if (!exists(cnm.destination_qpn)) {
    ++counters_.unknown_qp;
    return;
  }
  if (algorithm_ != nullptr && flows_[cnm.destination_qpn].config.governed) {
    algorithm_->on_cnm(cnm.destination_qpn, cnm.qcn_feedback);
  }
}

void Transmitter::on_pause(unsigned classes) {
  ++counters_.pauses_received;
  pause(classes & pfc_mask_);
  try_send();
}

void Transmitter::set_pfc_mask(std::uint8_t priorities) {
  pfc_mask_ = priorities;
  if ((paused_ & ~pfc_mask_) == 0) return;
  pause(paused_ & pfc_mask_);
  try_send();
}

void Transmitter::set_carrier(bool up) {
  pause(0);
  if (!up) blocked_ = 0xFF;
  try_send();
}

void Transmitter::pause(unsigned classes) {
  if (paused_ == 0 && classes != 0) pause_started_ = now();
  if (paused_ != 0 && classes == 0) paused_time_ += now() - pause_started_;
  paused_ = blocked_ = classes;
}

PicoSeconds Transmitter::paused_time() const {
  return paused_ == 0 ? paused_time_ : paused_time_ + (now() - pause_started_);
}

}  // namespace dcc
