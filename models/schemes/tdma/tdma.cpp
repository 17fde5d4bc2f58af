#include "schemes/tdma/tdma.h"

#include <algorithm>

#include "describe/visitor.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
const Transports::Registered<TdmaParameters> kTdma{
    "tdma", "hosts take turns by the clock, in pairs that change with every slot", kMakes<Tdma>};

/// Number of full packets in a TDMA slot whose length is not configured.
constexpr int kPacketsOfASlot = 20;

PicoSeconds packet_time(const TdmaParameters& parameters, const TransportContext& context) {
  return serialization_time(parameters.framing.data(context.nic.mtu) + context.nic.link_overhead,
                            context.nic.line_rate);
}

PicoSeconds guard_of(const TdmaParameters& parameters, const TransportContext& context) {
  return parameters.guard.value_or(context.longest_base_rtt);
}

PicoSeconds slot_of(const TdmaParameters& parameters, const TransportContext& context) {
  return parameters.slot.value_or(guard_of(parameters, context) +
                                  packet_time(parameters, context) * kPacketsOfASlot);
}
}  // namespace

void TdmaParameters::describe(ParameterVisitor& v) {
  const char* const paper = "Practical TDMA, EuroSys'12";
  describe_framing(v);
  v.field(
      "slot", slot, "auto", {"100ns", "1s"},
      {"time in which a host sends to one other; auto: the guard and 20 full packets. The paper "
       "has 300 us",
       paper});
  v.field("guard", guard, "auto", {"0ns", "1s"},
          {"part at the end of a slot in which nothing leaves; auto: the longest base RTT. The "
           "paper has 15 us",
           paper});
  v.field(
      "timeout", timeout, {"1us", "10s"},
      {"a packet of which nothing is heard for so long, and for two turns of all hosts and a base "
       "RTT, is sent again"});
}

Tdma::Tdma(const TransportContext& context, const TdmaParameters& parameters)
    : MessageTransport(context, parameters.framing),
      hosts_(std::max<HostId>(context.hosts, 2)),
      slot_(slot_of(parameters, context)),
      last_start_(std::max(
          PicoSeconds(), slot_ - guard_of(parameters, context) - packet_time(parameters, context))),
      timeout_(std::max(parameters.timeout,
                        slot_ * (2 * std::int64_t{hosts_}) + context.longest_base_rtt)),
      waiting_(hosts_),
      turn_(Event::calling<&Tdma::begin_slot>(*this, context.rank)),
      timeouts_(context.scheduler, Event::calling<&Tdma::ring_timeouts>(*this, context.rank)) {}

void Tdma::begin(Qpn qpn) { renew(senders_, qpn); }

void Tdma::end(Qpn qpn) {
  set_waiting(qpn, false);
  timeouts_.clear(qpn);
  senders_[qpn] = Sender{};
}

void Tdma::add_own_state(StateDigest& d) const { d(senders_, waiting_, turn_, timeouts_); }

HostId Tdma::peer_in(std::int64_t slot) const {
  const auto others = static_cast<std::int64_t>(hosts_) - 1;
  return static_cast<HostId>((context_.nic.host + 1 + slot % others) % hosts_);
}

bool Tdma::has_work_in(std::int64_t slot) const { return !waiting_[peer_in(slot)].empty(); }

void Tdma::set_waiting(Qpn qpn, bool waits) {
  Sender& sender = senders_[qpn];
  if (sender.waits == waits) return;
  sender.waits = waits;
  std::deque<Qpn>& line = waiting_[at(qpn).config.remote_host];
  if (waits) {
    line.push_back(qpn);
    if (line.size() == 1) set_turn();
  } else {
    line.erase(std::find(line.begin(), line.end(), qpn));
    if (line.empty()) set_turn();
  }
}

void Tdma::work_changed(Qpn qpn) {
  if (!at(qpn).connected) return;
  settle(qpn);
  context_.port.data_ready();
}

/// Updates a queue pair's place among the waiting queue pairs, and its timeout.
void Tdma::settle(Qpn qpn) {
  Sender& sender = senders_[qpn];
  set_waiting(qpn, packets_left(qpn, sender.packets) > 0);
  timeouts_.set(qpn, std::max(now(), sender.packets.overdue_at(timeout_)));
}

/// Schedules the event for the next TDMA slot for which a packet waits.
void Tdma::set_turn() {
  context_.scheduler.cancel(turn_);
  const std::int64_t first = slot_now() + 1;
  for (std::int64_t slot = first; slot < first + hosts_ - 1; ++slot) {
    if (!has_work_in(slot)) continue;
    context_.scheduler.schedule_at(turn_, begin_of(slot));
    return;
  }
}

void Tdma::begin_slot() {
  set_turn();
  context_.port.data_ready();
}

bool Tdma::has_packet() const {
  const std::int64_t slot = slot_now();
  return has_work_in(slot) && now() - begin_of(slot) <= last_start_;
}

Packet* Tdma::next_packet() {
  std::deque<Qpn>& line = waiting_[peer_in(slot_now())];
  const Qpn qpn = line.front();
  line.pop_front();
  line.push_back(qpn);
  Packet* const packet = make_data(qpn, senders_[qpn].packets.send(at(qpn).next, now()));
  settle(qpn);
  return packet;
}

void Tdma::ring_timeouts() {
  timeouts_.expire([this](Qpn qpn) {
    Outstanding& packets = senders_[qpn].packets;
    while (const auto psn = packets.overdue(now(), timeout_)) {
      packets.lost(*psn);
      ++context_.counters.timeouts;
    }
    settle(qpn);
  });
  context_.port.data_ready();
}

void Tdma::arrived(Qpn qpn, Packet& packet) {
  if (packet.kind == PacketKind::kData) {
    accept(qpn, packet);
    send_control(make_ack(qpn, packet));
  } else if (packet.kind == PacketKind::kAck) {
    ++context_.counters.acks_received;
    senders_[qpn].packets.arrived(packet.psn);
    acknowledged(qpn, packet.psn, packet.sent);
    settle(qpn);
  }
}

}  // namespace dcc
