#include "switch/dcbx/dcbx_ports.h"

namespace dcc {

void DcbxPorts::enable(Scheduler& scheduler, PacketPool& pool, int port, int of,
                       const DcbxEnd::Identity& identity, const DcbxSettings& settings,
                       PicoSeconds interval, std::uint32_t rank) {
  ends_.resize(static_cast<std::size_t>(of));
  ends_[static_cast<std::size_t>(port)] = std::make_unique<DcbxEnd>(
      scheduler, pool, identity, settings, interval, rank,
      [this, port](Packet* frame) {
        ports_.at(port).queue_link_frame(frame);
        ports_.try_send(port);
      },
      [this, port](std::uint8_t pfc) { ingress_.set_pfc_mask(port, pfc); });
}

void DcbxPorts::receive(const Packet& frame, int port) {
  ports_.at(port).pfc().received_queued();
  if (DcbxEnd* const dcbx = end(port)) dcbx->receive(frame);
}

void DcbxPorts::set_carrier(int port, bool up) {
  if (DcbxEnd* const dcbx = end(port)) dcbx->set_carrier(up);
}

}  // namespace dcc
