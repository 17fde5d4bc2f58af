// SystemC module of a one-way link.
#pragma once

#include <systemc>

#include "net/link.h"
#include "packet_socket.h"

namespace dcc::model {

class LinkModule final : public sc_core::sc_module, private PacketSink, private PacketSource {
 public:
  LinkModule(const sc_core::sc_module_name& name, Scheduler& scheduler, PacketPool& pool,
             const LinkParameters& parameters, std::uint32_t rank)
      : sc_module(name),
        link_(scheduler, pool, parameters, rank),
        in_("in", *this, kEntry),
        out_("out", *this, kExit) {
    link_.connect(*this, kEntry, *this, kExit);
  }

  PacketTargetSocket& in() { return in_.socket; }
  PacketInitiatorSocket& out() { return out_.socket; }
  Link& link() { return link_; }
  const Link& link() const { return link_; }

 private:
  static constexpr int kEntry = 0;
  static constexpr int kExit = 1;

  void receive(Packet* packet, int where) override {
    if (where == kEntry) {
      last_ = packet;
      link_.send(packet);
    } else {
      out_.send(packet);
    }
  }
  void wire_free(int where) override {
    if (where != kEntry) return;  // a receiving device takes every packet at once
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay;
    in_.socket->nb_transport_bw(*last_, phase, delay);
  }

  Link link_;
  PacketInPort in_;
  PacketOutPort out_;
  Packet* last_ = nullptr;
};

}  // namespace dcc::model
