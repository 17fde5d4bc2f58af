// SystemC module of a one-way link between two devices.
#pragma once

#include <systemc>

#include "packet_socket.h"
#include "wire/link.h"

namespace dcc::model {

class LinkModule final : public sc_core::sc_module,
                         public tlm::tlm_fw_transport_if<PacketProtocol>,
                         public DirectTarget,
                         private PacketSink {
 public:
  LinkModule(const sc_core::sc_module_name& name, Scheduler& scheduler, PacketPool& pool,
             const LinkParameters& parameters, std::uint32_t rank)
      : sc_module(name), link_(scheduler, pool, parameters, rank), in_("in"), out_("out") {
    in_.bind(*this);
    link_.connect(*this, 0);
  }

  PacketTargetSocket& in() { return in_; }
  PacketInitiatorSocket& out() { return out_.socket; }
  Link& link() { return link_; }
  const Link& link() const { return link_; }

 private:
  tlm::tlm_sync_enum nb_transport_fw(Packet& packet, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    delay = to_sc_time(link_.send(&packet));
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  void b_transport(Packet&, sc_core::sc_time&) override { refuse_blocking(); }
  bool get_direct_mem_ptr(Packet&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(Packet&) override { return 0; }

  DirectAccess direct_access() override { return {&link_, nullptr, 0}; }
  void start_of_simulation() override {
    const DirectAccess target = out_.direct_access();
    if (target.device != nullptr) link_.connect(*target.device, target.port);
  }

  void receive(Packet* packet, int) override { out_.send(packet); }

  Link link_;
  PacketTargetSocket in_;
  PacketOutPort out_;
};

}  // namespace dcc::model
