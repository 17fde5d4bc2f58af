// Credits at a NIC's end of its link: between the NIC, which takes whatever comes at once, and the
// wire.
#pragma once

#include "nic/nic_device.h"
#include "switch/credits.h"
#include "wire/link.h"

namespace dcc {

/// What the NIC sends is charged, and held where there is no credit; what arrives is given back at
/// once, for a NIC keeps nothing in its port. A NIC without it knows nothing of credits.
class CreditGate final : public PacketOut, public PacketSink {
 public:
  CreditGate(NicDevice& nic, PacketPool& pool, const LaneCredits& port)
      : nic_(nic), pool_(pool), credits_(port) {}

  void connect(PacketOut& wire) { wire_ = &wire; }
  PicoSeconds send(Packet* packet) override;
  void receive(Packet* packet, int port) override;
  void prefetch(const Packet& packet, int port) const override {
    if (!is_link_control(packet.kind)) nic_.prefetch(packet, port);
  }
  const LaneCredits& credits() const { return credits_; }
  template <class Digest>
  void add_state(Digest& d) const {
    d(credits_, blocked_);
  }

 private:
  void tell();

  NicDevice& nic_;
  PacketPool& pool_;
  LaneCredits credits_;
  PacketOut* wire_ = nullptr;
  std::uint8_t blocked_ = 0;  // priorities that the NIC was told not to send
};

}  // namespace dcc
