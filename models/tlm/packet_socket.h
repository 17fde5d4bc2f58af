// Packets over TLM-2.0 sockets: a protocol of its own (not the generic payload) and its two ends.
//
// Rules of the protocol, non-blocking only:
//   forward BEGIN_REQ   the packet's ownership is passed on; the caller must not use it again
//   returned by a wire  TLM_UPDATED with END_REQ annotated: the wire is free after that delay, and
//                       the next BEGIN_REQ may not come before
//   returned by a device TLM_ACCEPTED: the device takes every packet at once. There is no backward
//   path, because all times are known when the packet leaves.
//
// A target may offer direct access, as memories do with DMI: a pointer to the object behind its
// socket, which is called with the same meaning. Links and devices use direct access from the start
// of the simulation, because two transport calls per hop take an eighth of a large network's time;
// any other module at either end of a socket gets its packets by transport.
#pragma once

#include <systemc>
#include <tlm>

#include "sc_time.h"
#include "wire/link.h"
#include "wire/packet.h"

namespace dcc::model {

struct PacketProtocol {
  using tlm_payload_type = Packet;
  using tlm_phase_type = tlm::tlm_phase;
};

// bus width of packet sockets in bits; only sockets of the same width bind to each other
constexpr unsigned kPacketBusWidth = 8;
using PacketInitiatorSocket = tlm::tlm_initiator_socket<kPacketBusWidth, PacketProtocol>;
using PacketTargetSocket = tlm::tlm_target_socket<kPacketBusWidth, PacketProtocol>;

/// Reports an error for a blocking transport, which the packet protocol does not have.
inline void refuse_blocking() {
  SC_REPORT_ERROR("packet_socket", "b_transport is not part of the packet protocol");
}

/// The object behind a target socket: a wire, a device with its port number, or none of them.
struct DirectAccess {
  PacketOut* wire = nullptr;
  PacketSink* device = nullptr;
  int port = 0;
};

/// Interface of a target that offers direct access.
class DirectTarget {
 public:
  virtual DirectAccess direct_access() = 0;

 protected:
  ~DirectTarget() = default;
};

/// Output port of a device: implements PacketOut for the device and has an initiator socket.
class PacketOutPort final : public PacketOut, public tlm::tlm_bw_transport_if<PacketProtocol> {
 public:
  explicit PacketOutPort(const char* name) : socket(name) { socket.bind(*this); }

  PacketInitiatorSocket socket;

  PicoSeconds send(Packet* packet) override {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    socket->nb_transport_fw(*packet, phase, delay);
    return from_sc_time(delay);
  }

  /// The direct access that the bound target offers; valid from start_of_simulation() on.
  DirectAccess direct_access() {
    auto* const target = dynamic_cast<DirectTarget*>(socket.get_base_port().get_interface());
    return target != nullptr ? target->direct_access() : DirectAccess{};
  }

 private:
  tlm::tlm_sync_enum nb_transport_bw(Packet&, tlm::tlm_phase&, sc_core::sc_time&) override {
    SC_REPORT_ERROR("packet_socket", "the packet protocol has no backward path");
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

/// Input port of a device: has a target socket and passes packets to a PacketSink.
class PacketInPort final : public tlm::tlm_fw_transport_if<PacketProtocol>, public DirectTarget {
 public:
  PacketInPort(const char* name, PacketSink& sink, int port)
      : socket(name), sink_(sink), port_(port) {
    socket.bind(*this);
  }

  PacketTargetSocket socket;

  DirectAccess direct_access() override { return {nullptr, &sink_, port_}; }

 private:
  tlm::tlm_sync_enum nb_transport_fw(Packet& packet, tlm::tlm_phase&, sc_core::sc_time&) override {
    sink_.receive(&packet, port_);
    return tlm::TLM_ACCEPTED;
  }
  void b_transport(Packet&, sc_core::sc_time&) override { refuse_blocking(); }
  bool get_direct_mem_ptr(Packet&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(Packet&) override { return 0; }

  PacketSink& sink_;
  int port_;
};

}  // namespace dcc::model
