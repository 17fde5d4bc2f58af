#include "nic/receive_buffer.h"

#include <utility>

#include "wire/wire_size.h"

namespace dcc {

ReceiveBuffer::ReceiveBuffer(const NicParameters& parameters, SendPause send_pause)
    : parameters_(parameters), send_pause_(std::move(send_pause)) {
  const Bytes packet = roce::data_wire_bytes(parameters.mtu, true, true);
  stop_above_ = std::max<Bytes>(0, parameters.receive_buffer.size - parameters.pause_headroom());
  resume_at_ = std::max<Bytes>(0, stop_above_ - 2 * packet);
}

void ReceiveBuffer::enter(const Packet& packet) {
  arrivals_.push_back({packet.flow, packet.payload_bytes, packet.sent, packet.dscp,
                       packet.ecn == Ecn::kCe, is_response(packet.operation)});
  bytes_ += packet.payload_bytes;
  most_ = std::max(most_, bytes_);
  if (stopped_ || parameters_.pfc_priorities == 0 || bytes_ <= stop_above_ ||
      parameters_.receive_buffer.when_full != ReceiveBufferParameters::WhenFull::kPause) {
    return;
  }
  stopped_ = true;
  send_pause_(parameters_.pfc_priorities);
}

ReceiveBuffer::Arrival ReceiveBuffer::leave() {
  const Arrival arrival = arrivals_.front();
  arrivals_.pop_front();
  bytes_ -= arrival.bytes;
  if (bytes_ <= resume_at_) resume();
  return arrival;
}

void ReceiveBuffer::clear() {
  arrivals_.clear();
  bytes_ = 0;
  resume();
}

void ReceiveBuffer::resume() {
  if (!std::exchange(stopped_, false)) return;
  send_pause_(0);
}

}  // namespace dcc
