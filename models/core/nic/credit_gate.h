// The NIC's end of InfiniBand flow control: packets leave only as far as the switch has granted
// credits.
#pragma once

#include "nic/nic_device.h"
#include "sim/state_digest.h"
#include "switch/credits.h"
#include "wire/link.h"

namespace dcc {

/// Gate between a NIC and the wire of a link with credits. The gate charges each packet that the
/// NIC sends, and blocks priorities without credit. The gate returns the credit of each arriving
/// packet at once, since a NIC does not queue packets at its port.
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
  void add_state(StateDigest& d) const { d(credits_, blocked_); }

 private:
  void tell();

  NicDevice& nic_;
  PacketPool& pool_;
  LaneCredits credits_;
  PacketOut* wire_ = nullptr;
  std::uint8_t blocked_ = 0;  // bit p: the gate told the NIC not to send priority p
};

}  // namespace dcc
