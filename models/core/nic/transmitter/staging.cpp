// The part of the transmitter that holds packets until DMA has brought their payload.
#include <algorithm>

#include "nic/transmitter.h"
#include "wire/roce_headers.h"

namespace dcc {

using Status = CompletionSink::Status;

bool Transmitter::staged_packet_is_ready() const {
  const Packet* const packet = staging_.front_ready();
  return packet != nullptr && (allowed() & (1u << packet->priority)) != 0;
}

/// True if a staged packet must no longer be sent, because its queue pair has failed, or
/// because it is a request or data behind a READ or atomic operation that the receiver refused.
bool Transmitter::is_withdrawn(const Packet& packet) const {
  const SendQueuePair& pair = pairs_[packet.source_qpn];
  if (pair.failed) return true;
  return pair.reads != nullptr && pair.reads->refused && packet.psn >= pair.reads->refused_at &&
         !is_response(packet.operation);
}

void Transmitter::stage_packets() {
  while (const Packet* const packet = staging_.front_ready()) {
    if (!is_withdrawn(*packet)) break;
    pool_.free(staging_.pop_ready());
  }
  while (staging_.has_room()) {
    awaits_payload_ = false;
    Packet* const packet = next_data_packet();
    if (packet == nullptr) break;
    staging_.push(packet, awaits_payload_);
  }
}

void Transmitter::dma_done(std::uint32_t, bool ok) {
  if (ok) {
    Packet& packet = *staging_.oldest_pending();
    if (packet.operation == Operation::kAtomicResponse) {
      SendQueuePair& pair = pairs_[packet.source_qpn];
      // If the responder state is missing, the queue pair has been created anew in the meantime.
      if (pair.reads != nullptr) ReadResponder::keep_result(pair.reads->responder, packet);
    }
    packet.icrc = roce::icrc_of(packet);
    staging_.payload_arrived();
  } else {
    Packet* const packet = staging_.remove_pending();
    const Qpn qpn = packet->source_qpn;
    SendQueuePair& pair = pairs_[qpn];
    if (is_response(packet->operation)) {
      ResponderState* const state = pair.reads != nullptr ? &pair.reads->responder : nullptr;
      send_control(responder_.refuse(state, *packet));
    } else if (!pair.failed) {
      requester_.refused(qpn, pair, packet->psn, Status::kLocalError);
    }
    pool_.free(packet);
  }
  try_send();
}

void Transmitter::send_one_staged() {
  if (!staged_packet_is_ready()) return;
  Packet* const packet = staging_.pop_ready();
  const Qpn qpn = packet->source_qpn;
  const Psn psn = packet->psn;
  const bool own = !is_response(packet->operation);
  const bool asks = packet->ack_requested || expects_response(packet->operation);
  send_data(packet);
  if (!own) return;
  SendQueuePair& pair = pairs_[qpn];
  if (asks && requester_.retransmission().is_on() && !pair.failed) {
    // A timeout may have withdrawn this packet, which then waits for no answer.
    requester_.retransmission().sent(qpn, pair, std::min(psn + 1, pair.work.next_psn()), asks);
  }
  // Without ACKs a packet counts as done when its payload has been read, since software may then
  // reuse the memory.
  if (!requester_.expects_acks(pair)) {
    requester_.complete_before(qpn, pair, psn + 1);
    requester_.fail_if_refused(qpn, pair);
  }
}

}  // namespace dcc
