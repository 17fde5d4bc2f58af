#include "nic/request_packet.h"

#include "wire/wire_size.h"

namespace dcc {

namespace {
bool asks_for_ack(const PacketPlan& plan, Psn psn, const NicParameters& parameters,
                  bool within_message) {
  switch (parameters.ack) {
    case AckMode::kNone:
      return false;
    case AckMode::kPerPacket:
      return parameters.ack_every == 1 || plan.last || within_message ||
             (psn + 1) % parameters.ack_every == 0;
    case AckMode::kPerMessage:
      return plan.last || within_message;
  }
  return true;
}
}  // namespace

void fill_request(Packet& packet, const PacketPlan& plan, Psn psn, Qpn qpn,
                  const QueuePairConfig& config, const NicParameters& parameters,
                  bool ack_within_message) {
  const WorkItem& item = *plan.item;
  const bool with_immediate = plan.ends_item && item.with_immediate;
  packet.kind = PacketKind::kData;
  packet.ecn = config.ecn_capable ? Ecn::kEct0 : Ecn::kNotEct;
  packet.dscp = config.dscp;
  packet.first = plan.first;
  packet.last = plan.last;
  packet.has_immediate = with_immediate;
  packet.ack_requested = asks_for_ack(plan, psn, parameters, ack_within_message);
  packet.payload_bytes = plan.payload_bytes;
  packet.source = parameters.host;
  packet.destination = config.remote_host;
  packet.destination_qpn = config.remote_qpn;
  packet.source_qpn = qpn;
  packet.flow = config.flow;
  packet.immediate = item.immediate;
  packet.psn = psn;
  packet.message_bytes = static_cast<std::uint32_t>(plan.message_bytes);
  packet.remote_address = item.remote_address + static_cast<std::uint64_t>(plan.item_offset);
  packet.operation = item.operation;
  packet.service = config.service;
  std::uint32_t more_headers = 0;
  if (packet.service != Service::kRc) {
    if (packet.service == Service::kRd) {
      packet.ee_context = config.ee_context;
      more_headers = roce::kReliableDatagram;
    } else {
      packet.ack_requested = false;
    }
    if (packet.service == Service::kUd) {
      packet.destination = item.remote_host;
      packet.destination_qpn = item.remote_qpn;
    }
  }
  switch (packet.operation) {
    case Operation::kWrite:
      packet.wire_bytes =
          roce::data_wire_bytes(plan.payload_bytes, plan.first, with_immediate) + more_headers;
      return;
    case Operation::kSend:
      packet.wire_bytes = roce::send_wire_bytes(plan.payload_bytes, with_immediate,
                                                packet.service == Service::kUd) +
                          more_headers;
      return;
    default:
      // The response both acknowledges the request and carries the payload, so the request has
      // none.
      packet.payload_bytes = 0;
      packet.ack_requested = false;
      packet.wire_bytes = packet.operation == Operation::kRead ? roce::read_request_wire_bytes()
                                                               : roce::atomic_request_wire_bytes();
  }
}

std::uint32_t response_wire_bytes(const PacketPlan& request, std::uint32_t mtu,
                                  Bytes link_overhead) {
  const auto overhead = static_cast<std::uint32_t>(link_overhead);
  if (is_atomic(request.item->operation)) return roce::atomic_response_wire_bytes() + overhead;
  const std::uint32_t n = request.packets;
  if (n == 1) return roce::read_response_wire_bytes(request.payload_bytes, true, true) + overhead;
  const std::uint32_t last = request.payload_bytes - (n - 1) * mtu;
  return roce::read_response_wire_bytes(mtu, true, false) +
         (n - 2) * roce::read_response_wire_bytes(mtu, false, false) +
         roce::read_response_wire_bytes(last, false, true) + n * overhead;
}

}  // namespace dcc
