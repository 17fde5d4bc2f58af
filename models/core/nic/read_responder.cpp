#include "nic/read_responder.h"

#include <algorithm>

#include "wire/byte_order.h"
#include "wire/roce_headers.h"
#include "wire/wire_size.h"

namespace dcc {

using Response = ResponderState::Response;
using AtomicResult = ResponderState::AtomicResult;

bool ReadResponder::enqueue(ResponderState& state, const Packet& request) {
  Response response;
  if (is_atomic(request.operation) && !state.atomics.empty() &&
      request.psn <= state.atomics.back().psn) {
    const auto executed = std::find_if(state.atomics.begin(), state.atomics.end(),
                                       [&](const AtomicResult& a) { return a.psn == request.psn; });
    // If the result is missing, the requester exceeds the agreed number of outstanding requests. If
    // it is neither known nor refused, the response is being made.
    if (executed == state.atomics.end() || (!executed->known && !executed->refused)) return false;
    response.repeated = executed->known;
    response.original = executed->original;
  }
  std::deque<Response>& responses = state.responses;
  while (!responses.empty() && responses.back().psn >= request.psn) responses.pop_back();
  response.operation = request.operation;
  response.operands = roce::operands_of(request);
  response.psn = request.psn;
  response.address = request.remote_address;
  response.bytes = request.message_bytes;
  response.flow = request.flow;
  response.echo = request.sent;
  responses.push_back(response);
  return true;
}

ReadResponder::Made ReadResponder::make_packet(ResponderState& state, Qpn qpn,
                                               const QueuePairConfig& config, std::uint32_t mtu,
                                               bool with_telemetry) {
  Response& response = state.responses.front();
  Made made;
  PacketPlan& plan = made.plan;
  plan.payload_bytes = std::min(response.bytes, mtu);
  plan.first = !response.begun;
  plan.last = plan.payload_bytes == response.bytes;
  Packet* const packet = made.packet = pool_.allocate();
  packet->kind = PacketKind::kData;
  const bool atomic = is_atomic(response.operation);
  packet->operation = atomic ? Operation::kAtomicResponse : Operation::kReadResponse;
  packet->ecn = config.ecn_capable ? Ecn::kEct0 : Ecn::kNotEct;
  packet->dscp = config.dscp;
  packet->priority = config.priority;
  packet->first = plan.first;
  packet->last = plan.last;
  packet->payload_bytes = plan.payload_bytes;
  packet->wire_bytes =
      atomic ? roce::atomic_response_wire_bytes()
             : roce::read_response_wire_bytes(plan.payload_bytes, plan.first, plan.last);
  packet->source = parameters_.host;
  packet->destination = config.remote_host;
  packet->destination_qpn = config.remote_qpn;
  packet->source_qpn = qpn;
  packet->flow = response.flow;
  packet->psn = response.psn;
  packet->sent = response.echo;
  if (with_telemetry) pool_.attach_telemetry(*packet);
  if (parameters_.real_payload()) {
    pool_.attach_payload(*packet, plan.payload_bytes);
    made.awaits_payload = fill(state, response, *packet);
  }
  ++response.psn;
  response.address += plan.payload_bytes;
  response.bytes -= plan.payload_bytes;
  response.begun = true;
  response.echo +=
      serialization_time(packet->wire_bytes + parameters_.link_overhead, parameters_.line_rate);
  if (response.bytes == 0) state.responses.pop_front();
  return made;
}

/// Starts the DMA request for the payload and returns true; returns false if the payload is a kept
/// result. An atomic operation is executed by this DMA request, exactly once and in order.
bool ReadResponder::fill(ResponderState& state, const Response& response, Packet& packet) {
  std::uint8_t* const bytes = packet.payload->data();
  if (response.repeated) {
    put_le64(bytes, response.original);
    packet.icrc = roce::icrc_of(packet);
    return false;
  }
  if (response.operation == Operation::kRead) {
    dma_->read(response.address, bytes, packet.payload_bytes, *client_, 0);
    return true;
  }
  start_atomic(state.atomics, response.psn);
  if (response.operation == Operation::kFetchAdd) {
    dma_->fetch_add(response.address, response.operands.swap_or_add, bytes, *client_, 0);
  } else {
    dma_->compare_swap(response.address, response.operands.compare, response.operands.swap_or_add,
                       bytes, *client_, 0);
  }
  return true;
}

void ReadResponder::start_atomic(std::deque<AtomicResult>& atomics, Psn psn) const {
  for (AtomicResult& atomic : atomics) {
    if (atomic.psn != psn) continue;
    atomic.refused = false;
    return;
  }
  if (atomics.size() >= parameters_.outstanding_reads) atomics.pop_front();
  atomics.emplace_back();
  atomics.back().psn = psn;
}

void ReadResponder::keep_result(ResponderState& state, const Packet& response) {
  for (AtomicResult& atomic : state.atomics) {
    if (atomic.psn != response.psn || atomic.known) continue;
    atomic.known = true;
    atomic.original = get_le64(response.payload->data());
  }
}

Packet* ReadResponder::refuse(ResponderState* state, const Packet& response) {
  if (state != nullptr) {
    state->responses.clear();
    for (AtomicResult& atomic : state->atomics) {
      if (atomic.psn == response.psn && !atomic.known) atomic.refused = true;
    }
  }
  ++counters_.mr_violations;
  Packet* const nak = pool_.allocate();
  nak->kind = PacketKind::kNak;
  nak->nak = NakReason::kAccess;
  nak->psn = response.psn;
  nak->source = parameters_.host;
  nak->destination = response.destination;
  nak->destination_qpn = response.destination_qpn;
  nak->source_qpn = response.source_qpn;
  nak->flow = response.flow;
  nak->dscp = response.dscp;
  nak->priority = response.priority;
  nak->wire_bytes = roce::ack_wire_bytes();
  ++counters_.naks_sent;
  return nak;
}

}  // namespace dcc
