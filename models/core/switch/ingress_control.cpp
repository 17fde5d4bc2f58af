#include "switch/ingress_control.h"

#include <limits>

#include "switch/egress_ports.h"

namespace dcc {

namespace {
SharedBufferParameters buffer_parameters(const SwitchParameters& parameters) {
  SharedBufferParameters buffer;
  // With credits each input has its own buffer and a neighbour never sends more than fits, so the
  // shared buffer must not be a limit. Half the maximum keeps sums from overflowing.
  buffer.size =
      parameters.has_credits() ? std::numeric_limits<Bytes>::max() / 2 : parameters.buffer;
  buffer.alpha_q16 = static_cast<std::uint32_t>(parameters.pfc.alpha.to_fixed(16));
  buffer.resume_offset = parameters.pfc.resume_below;
  buffer.lossless = parameters.lossless_priorities();
  for (const PoolParameters& pool : parameters.pools) buffer.pools.push_back(pool.size);
  buffer.cell = parameters.cell;
  if (parameters.pauses()) buffer.shared_headroom = parameters.pfc.shared_headroom;
  return buffer;
}
}  // namespace

IngressControl::IngressControl(const SwitchParameters& parameters, int ports, EgressPorts& egress)
    : buffer_(buffer_parameters(parameters), ports + 1),
      egress_(egress),
      own_input_(ports),
      paused_classes_(parameters.has_credits() ? 1 : 0),
      with_credits_(parameters.has_credits()) {
  set_marking(parameters.ecn);
}

void IngressControl::pause(int input, int priority) {
  PfcPort& pfc = egress_.at(input).pfc();
  if (pfc.has_stopped(priority)) return;
  pfc.stop(priority);
  ++paused_classes_;
  egress_.try_send(input);
  mark_if_asked(input, priority);
}

/// Marks the packets that wait for the outputs whose packets have filled an input, whatever input
/// they came through (Santos, Turner and Janakiraman, INFOCOM 2003).
void IngressControl::mark_if_asked(int input, int priority) {
  if ((marked_priorities_ >> priority & 1) != 0) egress_.mark_beside(input, priority);
}

void IngressControl::notify_release(int input, int priority, Bytes bytes) {
  if (with_credits_) {
    release_with_credits(input, priority, bytes);
    return;
  }
  PfcPort& pfc = egress_.at(input).pfc();
  if (!pfc.has_stopped(priority) || !buffer_.may_resume(input, priority)) return;
  pfc.release(priority);
  --paused_classes_;
  egress_.try_send(input);
}

void IngressControl::set_pfc_mask(int port, std::uint8_t priorities) {
  EgressPort& upstream = egress_.at(port);
  upstream.set_pfc_mask(priorities);
  buffer_.set_lossless(port, priorities);
  for (int priority = 0; priority < kPriorities; ++priority) {
    if (!upstream.pfc().has_stopped(priority) || buffer_.is_lossless(port, priority)) continue;
    upstream.pfc().release(priority);
    --paused_classes_;
  }
  egress_.try_send(port);
}

// Packets of the switch itself use no credits, since no neighbour sent them.
void IngressControl::store_with_credits(int input, int priority, Bytes bytes) {
  if (input == own_input_) return;
  LaneCredits& credits = *egress_.at(input).credits();
  if (!rerouting_) credits.arrived(priority, bytes);
  const bool was_full = credits.has_no_credit_to_give(priority);
  credits.stored(priority, bytes);
  if (!was_full && credits.has_no_credit_to_give(priority)) mark_if_asked(input, priority);
}

void IngressControl::release_with_credits(int input, int priority, Bytes bytes) {
  if (input == own_input_) return;
  EgressPort& upstream = egress_.at(input);
  upstream.credits()->released(priority, bytes);
  if (upstream.credits()->frames_due() == 0 || upstream.pfc().frame_due()) return;
  upstream.pfc().request_credit_frame();
  egress_.try_send(input);
}

void IngressControl::return_credits_of(const Packet& packet) {
  if (!with_credits_) return;
  store_with_credits(packet.ingress, packet.priority, packet.wire_bytes);
  release_with_credits(packet.ingress, packet.priority, packet.wire_bytes);
}

}  // namespace dcc
