// How a switch and its neighbours keep each other from sending more than there is room for.
#include "switch/switch_device.h"

namespace dcc {

void SwitchDevice::honour(Packet* link_control, int port) {
  Port& egress = at(port);
  if (link_control->kind == PacketKind::kLldp) {
    egress.pfc.received_other();
    if (dcbx(port) != nullptr) dcbx_[static_cast<std::size_t>(port)].end->receive(*link_control);
    pool_.free(link_control);
    return;
  }
  if (egress.credits == nullptr) {
    egress.pfc.receive_frame(*link_control, scheduler_.now());
  } else {
    egress.credits->receive_frame(*link_control);
    egress.pfc.received_credits(egress.credits->exhausted(), scheduler_.now());
    if (egress.credits->owed() != 0) egress.pfc.owe_frame();
  }
  pool_.free(link_control);
  kick(egress);
}

Packet* SwitchDevice::next_frame(Port& egress) {
  if (egress.pfc.other_owed()) {
    PacketFifo& frames = dcbx_[static_cast<std::size_t>(number_of(egress))].frames;
    Packet* const frame = frames.pop();
    egress.pfc.sent_other(!frames.empty());
    return frame;
  }
  Packet* const frame = pool_.allocate();
  if (egress.credits == nullptr) {
    egress.pfc.write_frame(*frame);
  } else {
    egress.credits->write_frame(*frame);
    egress.pfc.sent_credits(egress.credits->owed() != 0);
  }
  return frame;
}

void SwitchDevice::enable_dcbx(int port, const DcbxEnd::Identity& identity,
                               const DcbxSettings& settings, PicoSeconds interval,
                               std::uint32_t rank) {
  dcbx_.resize(static_cast<std::size_t>(ports_));
  dcbx_[static_cast<std::size_t>(port)].end = std::make_unique<DcbxEnd>(
      scheduler_, pool_, identity, settings, interval, rank,
      [this, port](Packet* frame) {
        dcbx_[static_cast<std::size_t>(port)].frames.push(frame);
        at(port).pfc.owe_other();
        kick(at(port));
      },
      [this, port](std::uint8_t pfc) { pause_only(port, pfc); });
}

/// Whom it has stopped for the sake of another priority it lets go.
void SwitchDevice::pause_only(int port, std::uint8_t priorities) {
  Port& upstream = at(port);
  upstream.pfc.set_priorities(priorities, scheduler_.now());
  buffer_.set_lossless(port, priorities);
  for (int priority = 0; priority < kPriorities; ++priority) {
    if (!upstream.pfc.has_stopped(priority) || buffer_.is_lossless(port, priority)) continue;
    upstream.pfc.release(priority);
    --stopped_;
  }
  kick(upstream);
}

/// Of what the switch itself makes nobody was told room.
void SwitchDevice::take_credits(int input, int priority, Bytes bytes) {
  if (input == own_input()) return;
  LaneCredits& credits = *at(input).credits;
  if (!routing_again_) credits.arrived(priority, bytes);
  credits.took(priority, bytes);
}

void SwitchDevice::give_credits(int input, int priority, Bytes bytes) {
  if (input == own_input()) return;
  Port& upstream = at(input);
  upstream.credits->left(priority, bytes);
  if (upstream.credits->owed() == 0 || upstream.pfc.frame_owed()) return;
  upstream.pfc.owe_frame();
  kick(upstream);
}

void SwitchDevice::charge_credits(Port& egress, int priority, Bytes bytes) {
  egress.credits->sent(priority, bytes);
  egress.pfc.hold(egress.credits->exhausted(), scheduler_.now());
  if (egress.credits->owed() != 0) egress.pfc.owe_frame();
}

}  // namespace dcc
