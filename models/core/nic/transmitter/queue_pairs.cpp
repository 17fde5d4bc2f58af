// The part of the transmitter that creates and ends queue pairs and takes their work.
#include <cassert>

#include "nic/transmitter.h"

namespace dcc {

using Status = CompletionSink::Status;

void Transmitter::create_queue_pair(Qpn qpn, const QueuePairConfig& config) {
  SendQueuePair& pair = pairs_.keep(qpn);
  if (pair.created) pacing_.deactivate(qpn);
  // A datagram's work request names its host itself, so the path MTU limits each request instead.
  pair = SendQueuePair(config.service == Service::kUd ? parameters_.mtu
                                                      : path_mtu(config.remote_host));
  pair.created = true;
  pair.goes_back = peers_ != nullptr && peers_->goes_back(config.remote_host);
  pair.config = config;
  pair.round_trip = config.base_rtt;
  pair.connected = config.service == Service::kUd;
  pair.open = pair.connected;
  if (config.service == Service::kRd) {
    if (datagrams_ == nullptr) {
      datagrams_ = std::make_unique<EndToEndContexts>([this](Qpn sender, const WorkItem& message) {
        post_work(sender, pairs_[sender], message);
      });
      requester_.set_contexts(datagrams_.get());
    }
    datagrams_->create(qpn, config);
  }
  requester_.begin(qpn);
  if (message_rate_ != nullptr) message_rate_->begin(qpn);
  pacing_.add_flow(qpn, config.priority);
  if (parser_ != nullptr) parser_->begin(qpn, {config.dscp, config.remote_qpn, config.flow});
  pair.has_window = parameters_.window.is_on();
  set_rate(qpn, line_rate_);
  if (algorithm_ != nullptr && config.governed) {
    algorithm_->on_flow_start(qpn, {config.dscp, config.remote_host, config.base_rtt,
                                    config.initial_rate, config.bytes, config.deadline});
  }
}

void Transmitter::connect_queue_pair(Qpn qpn) {
  SendQueuePair& pair = pairs_[qpn];
  pair.connected = true;
  pair.open = !is_stopped(pair.config.remote_host);
  activate_if_sendable(qpn, pair);
  try_send();
}

void Transmitter::destroy_queue_pair(Qpn qpn) {
  if (!exists(qpn)) return;
  if (algorithm_ != nullptr && pairs_[qpn].config.governed) algorithm_->on_flow_end(qpn);
  requester_.fail(qpn, pairs_[qpn], Status::kFlushed);
  pairs_[qpn].created = false;
  if (datagrams_ != nullptr) datagrams_->destroy(qpn);
  if (port_ != nullptr) port_->release(qpn);
  if (parser_ != nullptr) parser_->end(qpn);
}

bool Transmitter::change_class(Qpn qpn, std::uint8_t dscp) {
  if (!exists(qpn) || failed(qpn)) return false;
  QueuePairConfig& config = pairs_[qpn].config;
  if (algorithm_ != nullptr && config.governed && !algorithm_->change_class(qpn, dscp)) {
    return false;
  }
  config.dscp = dscp;
  if (parser_ != nullptr) parser_->begin(qpn, {dscp, config.remote_qpn, config.flow});
  return true;
}

void Transmitter::give_up(Qpn qpn) {
  if (exists(qpn)) requester_.fail(qpn, pairs_[qpn], Status::kRetryExceeded);
}

bool Transmitter::is_quiescent(Qpn qpn) const {
  const SendQueuePair& pair = pairs_[qpn];
  if (has_work(qpn) || pair.deadline.is_armed() || pacing_.is_active(qpn)) return false;
  if (has_response(pair) || (port_ != nullptr && port_->posted(qpn) > 0)) return false;
  return algorithm_ == nullptr || !pair.config.governed || algorithm_->is_quiescent(qpn);
}

void Transmitter::release(Qpn qpn) {
  if (algorithm_ != nullptr && pairs_[qpn].config.governed) algorithm_->release(qpn);
  pacing_.release(qpn);
  if (port_ != nullptr) port_->release(qpn);
  if (parser_ != nullptr) parser_->end(qpn);
  if (datagrams_ != nullptr) datagrams_->destroy(qpn);
  pairs_.drop(qpn);
}

void Transmitter::post(Qpn qpn, const WorkItem& item) {
  assert(exists(qpn) && item.bytes > 0);
  SendQueuePair& pair = pairs_[qpn];
  if (pair.failed) {
    requester_.complete(qpn, item, Status::kFlushed);
    return;
  }
  FlowRecord& record = ledger_[pair.config.flow];
  if (record.posted == PicoSeconds::max()) record.posted = now();
  record.posted_bytes += item.bytes;
  if (transport_ != nullptr) {
    transport_->post(qpn, item);
    return;
  }
  if (pair.config.service == Service::kRd) {
    post_datagram(qpn, pair, item);
  } else {
    post_work(qpn, pair, item);
  }
}

/// Work of a queue pair that is of another reliable datagram domain than its end-to-end context
/// fails (IBTA 9.7.8).
void Transmitter::post_datagram(Qpn qpn, SendQueuePair& pair, const WorkItem& item) {
  if (datagrams_->has(qpn)) {
    datagrams_->post(qpn, item);
    return;
  }
  pair.failed = true;
  requester_.complete(qpn, item, Status::kLocalError);
}

void Transmitter::post_work(Qpn qpn, SendQueuePair& pair, const WorkItem& item) {
  pair.work.post(item);
  if (expects_response(item.operation)) {
    if (port_ != nullptr) refuse_response(item.operation);
    Requester::read_state(pair);
  }
  activate_if_sendable(qpn, pair);
  try_send();
}

void Transmitter::stop(Qpn qpn) {
  if (transport_ != nullptr) {
    transport_->stop(qpn);
    return;
  }
  if (!exists(qpn)) return;
  SendQueuePair& pair = pairs_[qpn];
  const bool unsent = pair.work.truncate() > 0;
  if (datagrams_ != nullptr && datagrams_->has(qpn)) datagrams_->stop(qpn, unsent);
  pacing_.deactivate(qpn);
  activate_if_sendable(qpn, pair);  // the queue pair has packets to send again
}

void Transmitter::mark_delivered(Qpn qpn, Bytes bytes) {
  SendQueuePair& pair = pairs_[qpn];
  pair.work.mark_delivered(bytes);
  FlowRecord& record = ledger_[pair.config.flow];
  record.acked_bytes += bytes;
  record.received_bytes += bytes;
  requester_.add_acknowledged(bytes);
}

// A context of reliable datagrams hands over one message at a time, so more may wait behind it.
AlgorithmHost::Backlog Transmitter::backlog(FlowNumber flow) const {
  const SendQueuePair& pair = pairs_[flow];
  if (transport_ != nullptr || pair.config.service == Service::kRd) return {};
  const WorkQueue& work = pair.work;
  if (!has_response(pair)) {
    return {work.left_of_last(),
            static_cast<std::uint32_t>(work.next_psn() - work.oldest_unacked())};
  }
  const auto& responses = pair.reads->responder.responses;
  if (responses.size() > 1 || work.has_unsent()) return {};
  return {responses.front().bytes, 0};
}

}  // namespace dcc
