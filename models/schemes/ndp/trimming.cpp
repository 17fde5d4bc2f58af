#include "schemes/ndp/trimming.h"

#include <utility>

#include "describe/parameter_error.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
const Disciplines::Registered<TrimmingParameters> kTrimming{
    "trimming", "a full queue cuts payloads off and keeps the headers, which are sent first",
    [](const TrimmingParameters& parameters, const DisciplineContext& context) {
      return std::make_unique<TrimmingPort>(parameters, context.random);
    }};
}  // namespace

void TrimmingParameters::describe(ParameterVisitor& v) {
  const char* const paper = "NDP, SIGCOMM'17";
  v.field("data_packets", data_packets, {"1", "100000"},
          {"number of data packets that may wait", paper});
  v.field("header_queue", header_queue, {"64B", "1GB"},
          {"bytes of headers and control packets that may wait", paper});
  v.field("header", header, {"20B", "1KB"}, {"bytes of a trimmed packet on the wire", paper});
  v.field("headers_a_packet", headers_a_packet, {"1", "1000"},
          {"number of headers sent for each data packet when both wait", paper});
  v.field("return_to_sender", return_to_sender, {},
          {"a header that finds no room is returned to its sender", paper});
  v.field("ecn", ecn, {},
          {"a data packet that leaves many bytes in the queue is marked", "uet-htsim, 2025"});
  v.when(ecn, "ecn: true", [&] {
    v.field("kmin", kmin, {"0B", kMaxThreshold},
            {"data bytes left in the queue up to which no packet is marked", "uet-htsim, 2025"});
    v.field("kmax", kmax, {"0B", kMaxThreshold},
            {"... above which every packet is marked; in between the probability rises linearly",
             "uet-htsim, 2025"});
  });
}

void TrimmingParameters::check() const {
  if (ecn && kmax < kmin) throw ParameterError({"kmax", "kmin"}, "kmax is below kmin");
}

void TrimmingPort::attach(const LinkParameters& link) {
  EcnParameters ecn;
  ecn.enabled = parameters_.ecn;
  ecn.kmin = parameters_.kmin;
  ecn.kmax = parameters_.kmax;
  ecn.pmax = Ratio(1);
  ecn.mark_at = EcnParameters::MarkAt::kDequeue;
  marker_ = EcnMarker(ecn, link.rate);
}

PortDiscipline::EnqueueResult TrimmingPort::enqueue(Packet* packet) {
  EnqueueResult result;
  if (packet->kind != PacketKind::kData) {
    keep_header(packet, result);
    return result;
  }
  if (data_count_ == parameters_.data_packets) {
    Packet* const loser = (random_.next_u32() >> 31) != 0 ? packet : replace_last(packet);
    result.trim(*loser, parameters_.header);
    keep_header(loser, result);
    return result;
  }
  before_last_ = data_count_ == 0 ? nullptr : data_.back();
  data_.push(packet);
  ++data_count_;
  data_bytes_ += packet->wire_bytes;
  return result;
}

/// Replaces the last packet of the data queue by `packet` and returns the replaced packet.
Packet* TrimmingPort::replace_last(Packet* packet) {
  Packet* const last = data_.back();
  data_bytes_ += Bytes{packet->wire_bytes} - Bytes{last->wire_bytes};
  data_.replace_back(before_last_, packet);
  return last;
}

void TrimmingPort::keep_header(Packet* packet, EnqueueResult& result) {
  if (header_bytes_ + packet->wire_bytes > parameters_.header_queue) {
    if (packet->kind == PacketKind::kTrimmed && parameters_.return_to_sender) {
      packet->kind = PacketKind::kReturned;
      std::swap(packet->source, packet->destination);
      std::swap(packet->source_qpn, packet->destination_qpn);
      result.returned = packet;
    } else {
      result.dropped.push(packet);
    }
    return;
  }
  headers_.push(packet);
  header_bytes_ += packet->wire_bytes;
}

Packet* TrimmingPort::dequeue() {
  const bool both = data_count_ != 0 && !headers_.empty();
  const bool data_now = both ? headers_in_turn_ == parameters_.headers_a_packet : headers_.empty();
  if (!data_now) {
    Packet* const header = headers_.pop();
    header_bytes_ -= header->wire_bytes;
    headers_in_turn_ = both ? headers_in_turn_ + 1 : 0;
    return header;
  }
  headers_in_turn_ = 0;
  Packet* const packet = data_.pop();
  if (packet == before_last_) before_last_ = nullptr;
  --data_count_;
  data_bytes_ -= packet->wire_bytes;
  if (marker_.marks_at(EcnParameters::MarkAt::kDequeue) &&
      marker_.congested(data_bytes_, random_) && EcnMarker::mark(*packet)) {
    ++departure_marks_;
  }
  return packet;
}

void TrimmingPort::add_state(StateDigest& d) const {
  d(data_, headers_, headers_in_turn_, marker_);
}

}  // namespace dcc
