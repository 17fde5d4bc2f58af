#include "schemes/common/message_transport.h"

#include <algorithm>
#include <utility>

#include "sim/state_digest.h"

namespace dcc {

void MessageTransport::create_queue_pair(Qpn qpn, const QueuePairConfig& config) {
  while (connections_.size() <= qpn) connections_.emplace_back(context_.nic.mtu);
  if (connections_[qpn].created) end(qpn);
  Connection& connection = connections_[qpn];
  connection = Connection(context_.port.path_mtu(config.remote_host));
  connection.created = true;
  connection.config = config;
  begin(qpn);
}

void MessageTransport::connect_queue_pair(Qpn qpn) {
  Connection& connection = at(qpn);
  connection.connected = true;
  if (connection.next < connection.out.end()) work_changed(qpn);
}

void MessageTransport::destroy_queue_pair(Qpn qpn) {
  if (!exists(qpn)) return;
  end(qpn);
  at(qpn).out.flush([&](const WorkItem& item) {
    context_.port.work_done(qpn, item, CompletionSink::Status::kFlushed);
  });
  at(qpn).created = at(qpn).connected = false;
}

void MessageTransport::post(Qpn qpn, const WorkItem& item) {
  Connection& connection = at(qpn);
  connection.out.post(item);
  if (connection.connected) work_changed(qpn);
}

void MessageTransport::stop(Qpn qpn) {
  remove_unsent(qpn);
  if (at(qpn).connected) work_changed(qpn);
}

void MessageTransport::receive(Packet* packet) {
  const Qpn qpn = packet->destination_qpn;
  if (packet->kind == PacketKind::kData) ++context_.counters.data_received;
  if (exists(qpn)) {
    arrived(qpn, *packet);
  } else if (qpn == kHostItself) {
    arrived_for_host(*packet);
  } else {
    ++context_.counters.unknown_qp;
  }
  context_.pool.free(packet);
}

void MessageTransport::add_state(StateDigest& d) const {
  d(connections_);
  add_own_state(d);
}

Packet* MessageTransport::make_data(Qpn qpn, Psn psn) {
  Connection& connection = at(qpn);
  const QueuePairConfig& config = connection.config;
  const SendBuffer::Cut cut = connection.out.cut(psn);
  Packet* const packet = context_.pool.allocate();
  packet->kind = PacketKind::kData;
  packet->ecn = Ecn::kNotEct;
  packet->dscp = config.dscp;
  packet->priority = config.priority;
  packet->first = cut.first;
  packet->last = cut.last;
  packet->payload_bytes = cut.payload_bytes;
  packet->wire_bytes = static_cast<std::uint32_t>(framing_.data(cut.payload_bytes));
  packet->source = context_.nic.host;
  packet->destination = config.remote_host;
  packet->destination_qpn = config.remote_qpn;
  packet->source_qpn = qpn;
  packet->flow = config.flow;
  packet->psn = psn;
  if (psn >= connection.next) {
    for (Psn passed = connection.next; passed < psn; ++passed) {
      connection.not_sent.push_back(passed);
    }
    connection.next = psn + 1;
    return packet;
  }
  std::deque<Psn>& not_sent = connection.not_sent;
  const auto place = std::lower_bound(not_sent.begin(), not_sent.end(), psn);
  if (place != not_sent.end() && *place == psn) {
    not_sent.erase(place);
  } else {
    ++context_.counters.retransmits;
    ++context_.ledger[config.flow].retransmits;
  }
  return packet;
}

Packet* MessageTransport::make_control(Qpn qpn, PacketKind kind, std::uint32_t flow) {
  const QueuePairConfig& config = at(qpn).config;
  Packet* const packet = context_.pool.allocate();
  packet->kind = kind;
  packet->priority = kControlPriority;
  packet->dscp = config.dscp;
  packet->wire_bytes = static_cast<std::uint32_t>(framing_.control);
  packet->source = context_.nic.host;
  packet->destination = config.remote_host;
  packet->destination_qpn = config.remote_qpn;
  packet->source_qpn = qpn;
  packet->flow = flow;
  return packet;
}

Packet* MessageTransport::make_ack(Qpn qpn, const Packet& data) {
  Packet* const ack = make_control(qpn, PacketKind::kAck, data.flow);
  ack->psn = data.psn;
  ack->sent = data.sent;
  ++context_.counters.acks_sent;
  return ack;
}

void MessageTransport::say_end(Qpn qpn) {
  Packet* const end = make_control(qpn, PacketKind::kNak, at(qpn).config.flow);
  end->psn = at(qpn).out.end();
  ++context_.counters.naks_sent;
  send_control(end);
}

Packet* MessageTransport::make_for_host(HostId host, PacketKind kind) {
  Packet* const packet = context_.pool.allocate();
  packet->kind = kind;
  packet->priority = kControlPriority;
  packet->wire_bytes = static_cast<std::uint32_t>(framing_.control);
  packet->source = context_.nic.host;
  packet->destination = host;
  packet->destination_qpn = packet->source_qpn = kHostItself;
  return packet;
}

void MessageTransport::answer(Qpn qpn, Packet& packet, PacketKind kind) {
  Packet* const reply = make_control(qpn, kind, packet.flow);
  reply->psn = packet.psn;
  reply->sent = packet.sent;
  reply->immediate = packet.immediate;
  std::swap(reply->telemetry, packet.telemetry);
  reply->telemetry_hops = packet.telemetry_hops;
  send_control(reply);
}

std::uint64_t MessageTransport::packets_left(Qpn qpn, const Outstanding& packets) const {
  const Connection& connection = at(qpn);
  const Psn end = connection.out.end();
  return packets.again() + (end > connection.next ? end - connection.next : 0);
}

Bytes MessageTransport::bytes_left(Qpn qpn, const Outstanding& packets) const {
  const Connection& connection = at(qpn);
  const Psn end = connection.out.end();
  const Bytes payload = full_packet(qpn);
  const Bytes full = payload + context_.nic.link_overhead;
  const Bytes all = static_cast<Bytes>(packets_left(qpn, packets)) * full;
  if (end <= connection.next) return all;
  return all - (payload - framing_.data(connection.out.cut(end - 1).payload_bytes));
}

bool MessageTransport::accept(Qpn qpn, const Packet& data) {
  Connection& connection = at(qpn);
  const Psn expected = connection.in.first_missing();
  if (!connection.in.insert(data.psn)) {
    ++context_.counters.duplicates;
    return false;
  }
  if (data.psn != expected) ++context_.counters.out_of_order;
  const std::uint64_t behind = connection.furthest.behind(data.psn, data.sent);
  if (context_.reordering != nullptr) context_.reordering->add(behind);
  context_.counters.bytes_received += data.payload_bytes;
  context_.ledger[data.flow].received(data.payload_bytes, now());
  return true;
}

bool MessageTransport::count_mark(const Packet& data) {
  if (data.ecn != Ecn::kCe) return false;
  ++context_.counters.ce_received;
  ++context_.ledger[data.flow].ce_received;
  return true;
}

void MessageTransport::acknowledge_whole(Qpn qpn, std::uint32_t flow, PicoSeconds sent) {
  Packet* const ack = make_control(qpn, PacketKind::kAck, flow);
  ack->psn = at(qpn).in.first_missing();
  ack->sent = sent;
  ++context_.counters.acks_sent;
  send_control(ack);
}

void MessageTransport::on_whole(Qpn qpn, const Packet& ack) {
  ++context_.counters.acks_received;
  if (ack.sent != PicoSeconds()) context_.port.round_trip(now() - ack.sent);
  delivered_before(qpn, ack.psn);
}

void MessageTransport::remove_unsent(Qpn qpn) {
  at(qpn).out.truncate(at(qpn).next, [&](const WorkItem& item) {
    context_.port.work_done(qpn, item, CompletionSink::Status::kOk);
  });
}

Bytes MessageTransport::acknowledged(Qpn qpn, Psn psn, PicoSeconds sent) {
  context_.port.round_trip(now() - sent);
  return delivered(qpn, psn);
}

Bytes MessageTransport::delivered(Qpn qpn, Psn psn) {
  Connection& connection = at(qpn);
  const Bytes bytes = connection.out.deliver(psn, [&](const WorkItem& item) {
    context_.port.work_done(qpn, item, CompletionSink::Status::kOk);
  });
  if (bytes > 0) context_.port.acknowledged(connection.config.flow, bytes);
  return bytes;
}

void MessageTransport::delivered_before(Qpn qpn, Psn end) {
  for (Psn psn = at(qpn).out.first_undelivered(); psn < std::min(end, at(qpn).out.end()); ++psn) {
    delivered(qpn, psn);
  }
}

}  // namespace dcc
