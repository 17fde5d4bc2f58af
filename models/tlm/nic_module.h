// SystemC module of a NIC: packet sockets, the device, and (where software drives it) its host
// side.
#pragma once

#include <memory>
#include <systemc>

#include "apb.h"
#include "dma_engine.h"
#include "nic/credit_gate.h"
#include "nic/host/host_link.h"
#include "nic/host/nic_host_interface.h"
#include "nic/nic_device.h"
#include "packet_socket.h"

namespace dcc::model {

/// A NIC with or without packet sockets. A SystemC module takes some hundred bytes, so it exists
/// only for a NIC with sockets.
class NicModule final {
 public:
  NicModule(const char* name, Scheduler& scheduler, PacketPool& pool, FlowLedger& ledger,
            const NicParameters& parameters, std::uint32_t rank, bool sockets = true)
      : scheduler_(scheduler),
        device_(scheduler, pool, ledger, parameters, rank),
        gate_(parameters.credit_buffer
                  ? std::make_unique<CreditGate>(
                        device_, pool,
                        LaneCredits(*parameters.credit_buffer, parameters.largest_packet))
                  : nullptr) {
    if (gate_ != nullptr) device_.connect(*gate_);
    if (!sockets) return;
    sockets_ = std::make_unique<Sockets>(name, *this);
    connect(sockets_->out);
  }

  /// Adds registers, descriptor rings and the link to the host's memory to the NIC. Call during
  /// elaboration, at most once.
  void add_host_interface(ConnectionManager& connections, std::uint32_t rank,
                          const sc_core::sc_time& register_latency) {
    dma_ = std::make_unique<DmaEngine>("dma");
    link_ = std::make_unique<HostLink>(scheduler_, *dma_, device_.parameters().dma, rank);
    host_ = std::make_unique<NicHostInterface>(scheduler_, device_, *link_, connections, rank);
    apb_ = std::make_unique<ApbTarget>("registers", host_->registers(), register_latency);
  }

  // Functions for a NIC with packet sockets
  PacketTargetSocket& in() { return sockets_->in.socket; }
  PacketInitiatorSocket& out() { return sockets_->out.socket; }
  // Functions for a NIC without packet sockets
  PacketSink& sink() { return gate_ != nullptr ? static_cast<PacketSink&>(*gate_) : device_; }
  void connect(PacketOut& wire) { gate_ != nullptr ? gate_->connect(wire) : device_.connect(wire); }

  NicDevice& device() { return device_; }
  const NicDevice& device() const { return device_; }
  /// Host interface of the NIC; null: the NIC has none.
  NicHostInterface* host() { return host_.get(); }
  DmaEngine* dma() { return dma_.get(); }
  const HostLink* link() const { return link_.get(); }
  /// Gate that counts the credits of the NIC's link; null: the link has no credits.
  const CreditGate* gate() const { return gate_.get(); }
  ApbTarget* apb() { return apb_.get(); }

 private:
  struct Sockets final : sc_core::sc_module {
    Sockets(const sc_core::sc_module_name& name, NicModule& owner)
        : sc_module(name), in("in", owner.sink(), 0), out("out"), nic(owner) {}
    void start_of_simulation() override {
      PacketOut* const wire = out.direct_access().wire;
      if (wire != nullptr) nic.connect(*wire);
    }

    PacketInPort in;
    PacketOutPort out;
    NicModule& nic;
  };

  Scheduler& scheduler_;
  NicDevice device_;
  // gate that counts the credits of the NIC's link; null: the link has no credits
  std::unique_ptr<CreditGate> gate_;
  std::unique_ptr<Sockets> sockets_;  // packet sockets of the NIC; null: no sockets
  std::unique_ptr<DmaEngine> dma_;
  std::unique_ptr<HostLink> link_;
  std::unique_ptr<NicHostInterface> host_;
  std::unique_ptr<ApbTarget> apb_;
};

}  // namespace dcc::model
