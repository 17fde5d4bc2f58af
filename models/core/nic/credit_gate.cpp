#include "nic/credit_gate.h"

namespace dcc {

PicoSeconds CreditGate::send(Packet* packet) {
  if (!is_link_control(packet->kind)) credits_.sent(packet->priority, packet->wire_bytes);
  const PicoSeconds busy = wire_->send(packet);
  tell();
  return busy;
}

void CreditGate::receive(Packet* packet, int port) {
  if (is_link_control(packet->kind)) {
    ++nic_.counters().packets_received;
    credits_.receive_frame(*packet);
    pool_.free(packet);
  } else {
    const int lane = packet->priority;
    const Bytes bytes = packet->wire_bytes;
    credits_.arrived(lane, bytes);
    credits_.took(lane, bytes);
    nic_.receive(packet, port);
    credits_.left(lane, bytes);
  }
  tell();
}

/// Sends due credit frames to the far end, and tells the NIC which priorities lack credit.
void CreditGate::tell() {
  while (credits_.owed() != 0) {
    Packet* const frame = pool_.allocate();
    credits_.write_frame(*frame);
    nic_.transmitter().send_link_control(frame);
  }
  if (credits_.exhausted() == blocked_) return;
  blocked_ = credits_.exhausted();
  nic_.transmitter().block(blocked_);
}

}  // namespace dcc
