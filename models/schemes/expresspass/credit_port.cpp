#include "schemes/expresspass/credit_port.h"

#include "sim/state_digest.h"

namespace dcc {

namespace {
const Disciplines::Registered<CreditPortParameters> kCreditPort{
    "credit", "credits wait in their own queue behind a token bucket, and are sent before data",
    kMakes<CreditPort>};
}  // namespace

void CreditPortParameters::describe(ParameterVisitor& v) {
  queue.describe(v);
  v.field("data_limit", data_limit, {"1KB", "1GB"},
          {"bytes of all other packets that may wait", "ExpressPass, SIGCOMM'17"});
}

PortDiscipline::EnqueueResult CreditPort::enqueue(Packet* packet) {
  EnqueueResult result;
  if (packet->kind == PacketKind::kCredit) {
    if (Packet* const lost = credits_.push(packet, context_.random)) result.dropped.push(lost);
  } else if (data_bytes_ + packet->wire_bytes > limit_) {
    result.dropped.push(packet);
  } else {
    data_.push(packet);
    data_bytes_ += packet->wire_bytes;
  }
  return result;
}

Packet* CreditPort::take_data() {
  Packet* const packet = data_.pop();
  data_bytes_ -= packet->wire_bytes;
  return packet;
}

Packet* CreditPort::dequeue() {
  const PicoSeconds now = context_.clock.now();
  if (!credits_.empty() && credits_.ready_at() <= now) return credits_.pop(now);
  return data_.empty() ? nullptr : take_data();
}

Packet* CreditPort::evict() {
  return data_.empty() ? credits_.pop(context_.clock.now()) : take_data();
}

void CreditPort::add_state(StateDigest& d) const { d(credits_, data_); }

}  // namespace dcc
