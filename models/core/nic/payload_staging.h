// Packets that wait in the NIC for their payload from host memory.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "nic/nic_parameters.h"
#include "sim/state_digest.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// Queue of packets between the pacing scheduler and the wire, used with real payload only. The
/// scheduler runs ahead of the wire by the bytes that cover the DMA latency, so the wire stays
/// busy. Packets leave in the order in which they entered. DMA reads end in the order in which they
/// started, so the end of a read belongs to the oldest packet whose payload is missing.
class PayloadStaging {
 public:
  /// Sets the queue's byte limit so that staged packets cover the DMA latency at the DMA rate, plus
  /// two packets of `full_packet` wire bytes.
  void set_limit(const DmaParameters& dma, Bytes full_packet);

  /// True if the queue has room for another packet.
  bool has_room() const { return bytes_ < limit_; }
  /// Adds a packet to the queue. `awaits_payload`: a DMA read for the packet's payload is under
  /// way.
  void push(Packet* packet, bool awaits_payload);

  /// The oldest packet of the queue if its payload is complete; null otherwise.
  Packet* front_ready() const { return ready_ > 0 ? packets_->front().packet : nullptr; }
  /// Removes the packet that front_ready() returned.
  Packet* pop_ready();

  /// Oldest packet whose payload is missing. Precondition: a DMA read is under way.
  Packet* oldest_pending() const { return (*packets_)[ready_].packet; }
  /// The DMA read for the packet oldest_pending() succeeded.
  void payload_arrived();
  /// The DMA read for the packet oldest_pending() failed: removes that packet, which the caller
  /// then owns.
  Packet* remove_pending();

  std::size_t size() const { return packets_ == nullptr ? 0 : packets_->size(); }
  void add_state(StateDigest& d) const {
    d(ready_, bytes_);
    if (packets_ == nullptr) return;
    for (const Staged& staged : *packets_) d(*staged.packet, staged.awaits_payload);
  }

 private:
  struct Staged {
    Packet* packet;
    bool awaits_payload;
  };
  /// Counts as ready the packets behind the ready ones that need no payload: READ requests, and
  /// repeated atomic responses.
  void extend_ready();

  // staged packets in order; null: no packet was staged yet
  std::unique_ptr<std::deque<Staged>> packets_;
  std::size_t ready_ = 0;  // number of packets at the front whose payload is complete
  Bytes bytes_ = 0;        // wire bytes of all staged packets
  Bytes limit_ = 0;
};

}  // namespace dcc
