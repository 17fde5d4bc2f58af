// The ports of a switch that speak DCBX.
#pragma once

#include <memory>
#include <vector>

#include "sim/state_digest.h"
#include "switch/dcbx/dcbx.h"
#include "switch/egress_ports.h"
#include "switch/ingress_control.h"

namespace dcc {

/// Connects a DcbxEnd to each port that speaks DCBX: the end's frames go out through the port
/// before all packets, and the agreed priorities become the port's lossless ones.
class DcbxPorts {
 public:
  DcbxPorts(EgressPorts& ports, IngressControl& ingress) : ports_(ports), ingress_(ingress) {}

  /// Makes `port` speak DCBX from the next time that the port's link comes up. `rank` orders the
  /// DCBX events among others of the same instant; `of` is the number of ports.
  void enable(Scheduler& scheduler, PacketPool& pool, int port, int of,
              const DcbxEnd::Identity& identity, const DcbxSettings& settings, PicoSeconds interval,
              std::uint32_t rank);
  /// DCBX end of a port; null: the port does not speak DCBX.
  DcbxEnd* end(int port) const {
    return ends_.empty() ? nullptr : ends_[static_cast<std::size_t>(port)].get();
  }
  /// Handles an LLDP frame received at `port`; the caller keeps the frame.
  void receive(const Packet& frame, int port);
  void set_carrier(int port, bool up);

  void add_state(StateDigest& d) const {
    for (std::size_t port = 0; port < ends_.size(); ++port) {
      if (ends_[port] != nullptr) d(*ends_[port], ports_.at(static_cast<int>(port)).link_frames());
    }
  }

 private:
  EgressPorts& ports_;
  IngressControl& ingress_;
  std::vector<std::unique_ptr<DcbxEnd>> ends_;  // DCBX ends by port; empty: no port speaks DCBX
};

}  // namespace dcc
