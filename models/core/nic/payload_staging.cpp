#include "nic/payload_staging.h"

#include <cstdint>

namespace dcc {

void PayloadStaging::set_limit(const DmaParameters& dma, Bytes full_packet) {
  limit_ = static_cast<Bytes>(static_cast<Uint128>(dma.rate.bits_per_second) *
                              static_cast<std::uint64_t>(dma.latency.count) /
                              (8u * 1'000'000'000'000u)) +
           2 * full_packet;
}

void PayloadStaging::push(Packet* packet, bool awaits_payload) {
  if (packets_ == nullptr) packets_ = std::make_unique<std::deque<Staged>>();
  packets_->push_back({packet, awaits_payload});
  bytes_ += packet->wire_bytes;
  extend_ready();
}

Packet* PayloadStaging::pop_ready() {
  Packet* const packet = packets_->front().packet;
  packets_->pop_front();
  --ready_;
  bytes_ -= packet->wire_bytes;
  return packet;
}

void PayloadStaging::payload_arrived() {
  ++ready_;
  extend_ready();
}

Packet* PayloadStaging::remove_pending() {
  Packet* const packet = oldest_pending();
  bytes_ -= packet->wire_bytes;
  packets_->erase(packets_->begin() + static_cast<std::ptrdiff_t>(ready_));
  extend_ready();
  return packet;
}

void PayloadStaging::extend_ready() {
  while (ready_ < size() && !(*packets_)[ready_].awaits_payload) ++ready_;
}

}  // namespace dcc
