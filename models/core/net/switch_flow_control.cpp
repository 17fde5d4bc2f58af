// How a switch and its neighbours keep each other from sending more than there is room for.
#include "net/switch_device.h"

namespace dcc {

void SwitchDevice::honour(Packet* link_control, int port) {
  Port& egress = at(port);
  if (egress.credits == nullptr) {
    egress.pfc.receive_frame(*link_control, scheduler_.now());
  } else {
    egress.credits->receive_frame(*link_control);
    egress.pfc.received_credits(egress.credits->exhausted(), scheduler_.now());
    if (egress.credits->owed() != 0) egress.pfc.owe_frame();
  }
  pool_.give_back(link_control);
  kick(egress);
}

void SwitchDevice::write_frame(Port& egress, Packet& frame) {
  if (egress.credits == nullptr) {
    egress.pfc.write_frame(frame);
    return;
  }
  egress.credits->write_frame(frame);
  egress.pfc.sent_credits(egress.credits->owed() != 0);
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
