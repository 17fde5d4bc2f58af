#include "transport/d3.h"

#include <algorithm>
#include <memory>

#include "describe/visitor.h"
#include "net/discipline/explicit_rate.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
const Transports::Registered<D3Parameters> kD3{
    "d3", "rates that meet deadlines, asked for hop by hop; for ports that give out rates",
    [](const D3Parameters& parameters, const TransportContext& context) {
      return std::make_unique<D3>(context, parameters);
    }};

/// The NIC gives out its link, too. It loses no leases, and its packets do not queue.
RateAllocatorParameters for_nic(const TransportContext& context) {
  RateAllocatorParameters rates;
  rates.interval = std::max(rates.interval, context.longest_base_rtt * 4);
  rates.reclaim = rates.drain = Ratio(0);
  return rates;
}
}  // namespace

void D3Parameters::describe(ParameterVisitor& v) {
  describe_framing(v);
  v.field("ask_again", ask_again, "auto", {"1us", "10s"},
          {"a request that is not answered for so long is made again, ever more rarely; auto: "
           "three times the longest base RTT",
           ""});
  v.field("timeout", timeout, {"1us", "10s"},
          {"a packet of which nothing is heard for so long is sent again", ""});
}

D3::D3(const TransportContext& context, const D3Parameters& parameters)
    : MessageTransport(context, parameters.framing),
      parameters_(parameters),
      packet_(parameters.framing.data(context.nic.mtu) + context.nic.link_overhead),
      ask_again_(parameters.ask_again.value_or(context.longest_base_rtt * 3)),
      nic_(for_nic(context)),
      alarms_(context.scheduler, Event::calling<&D3::ring_alarms>(*this, context.rank)),
      turns_(context.scheduler, Event::calling<&D3::ring_due>(*this, context.rank)) {
  nic_.set_link(context.nic.line_rate);
}

void D3::begin(Qpn qpn) {
  if (senders_.size() <= qpn) senders_.resize(qpn + 1);
  senders_[qpn] = Sender{};
  senders_[qpn].patience = ask_again_;
}

void D3::end(Qpn qpn) {
  Sender& sender = senders_[qpn];
  turns_.put(qpn, PicoSeconds::max());
  alarms_.clear(qpn);
  nic_.answer({{}, sender.desired, sender.leases.nic, true}, now());
  sender = Sender{};
}

void D3::add_own_state(StateDigest& d) const { d(nic_, senders_, alarms_, turns_); }

void D3::work_changed(Qpn qpn) {
  if (!at(qpn).connected) return;
  settle(qpn);
  context_.port.data_ready();
}

// ---------------------------------------------------------------- asking

/// Packets, new and again.
std::uint64_t D3::work_left(Qpn qpn) const { return packets_left(qpn, senders_[qpn].packets); }

/// That it may send at.
BitRate D3::rate_of(const Sender& sender) const {
  return now() < sender.leases.until ? sender.leases.rate : BitRate();
}

/// What will be left when the answer is here, by two round trips before the deadline: the answer's
/// and the one that the last packet takes (section 5.1).
BitRate D3::desired(Qpn qpn) const {
  const Sender& sender = senders_[qpn];
  const PicoSeconds deadline = at(qpn).config.deadline;
  if (deadline == PicoSeconds::max() || deadline <= now()) return {};
  const PicoSeconds round_trip = std::max(sender.round_trip, context_.longest_base_rtt);
  const PicoSeconds time = deadline - now() - round_trip * 2;
  const BitRate link = context_.nic.line_rate;
  if (time <= PicoSeconds()) return link;
  const auto bits = [](BitRate rate, PicoSeconds span) {
    return static_cast<Uint128>(rate.bits_per_second) * static_cast<std::uint64_t>(span.count) /
           1'000'000'000'000u;
  };
  const auto sent = static_cast<Bytes>(bits(rate_of(sender), round_trip) / 8);
  const Bytes all = bytes_left(qpn, sender.packets);
  const Bytes left = std::max(all - sent, std::min(all, packet_));
  const Uint128 rate = (static_cast<Uint128>(left) * 8u * 1'000'000'000'000u +
                        static_cast<std::uint64_t>(time.count) - 1) /
                       static_cast<std::uint64_t>(time.count);
  return rate < link.bits_per_second ? BitRate(static_cast<std::uint64_t>(rate)) : link;
}

/// The next, or its repetition.
PicoSeconds D3::next_request(const Sender& sender) const {
  if (!sender.has_asked) return {};
  if (sender.asking) return sender.asked + sender.patience;
  return sender.asked + std::max(context_.longest_base_rtt, sender.round_trip);
}

/// The next packet takes it along, if one leaves by then.
PicoSeconds D3::request_waits_until(const Sender& sender) const {
  const PicoSeconds when = next_request(sender);
  if (sender.asking || rate_of(sender).bits_per_second == 0) return when;
  const PicoSeconds round_trip = context_.longest_base_rtt;
  const PicoSeconds until = sender.desired.bits_per_second != 0
                                ? when + round_trip
                                : sender.leases.until - round_trip * 2;
  return due(sender) <= until ? std::max(when, until) : when;
}

void D3::ask_if_time(Qpn qpn) {
  Sender& sender = senders_[qpn];
  const bool time = now() >= request_waits_until(sender);
  if (sender.asking && !time) return;  // whatever comes of it is to be returned
  if (work_left(qpn) == 0) {
    leave(qpn);
  } else if (time) {
    if (sender.asking) {
      ++context_.counters.timeouts;
      sender.patience += sender.patience;
    }
    ask(qpn);
  }
}

void D3::ask(Qpn qpn) {
  Packet* const request = make_control(qpn, PacketKind::kRequest, at(qpn).config.flow);
  request->sent = now();
  put_request(qpn, *request);
  send_control(request);
}

void D3::put_request(Qpn qpn, Packet& packet) {
  Sender& sender = senders_[qpn];
  const BitRate wanted = desired(qpn);
  put_past(sender, packet);
  packet.scheme = wanted.bits_per_second;
  sender.leases.nic = nic_.answer({wanted, sender.desired, sender.leases.nic, false}, now());
  sender.desired = wanted;
  sender.asking = sender.has_asked = true;
  sender.asked = now();
}

/// Returns what the ports gave.
void D3::put_past(Sender& sender, Packet& packet) {
  packet.remote_address = sender.desired.bits_per_second;
  context_.pool.attach_telemetry(packet);
  packet.telemetry_hops = kMaxIntHops;
  for (std::size_t hop = 0; hop < kMaxIntHops; ++hop) {
    RateRequestHeader::write(packet.telemetry->hop[hop], sender.leases.ports[hop]);
    sender.leases.ports[hop] = {};
  }
}

void D3::leave(Qpn qpn) {
  Sender& sender = senders_[qpn];
  sender.asking = false;
  if (sender.leases.nic.until == PicoSeconds()) return;
  Packet* const request = make_control(qpn, PacketKind::kRequest, at(qpn).config.flow);
  request->last = true;
  put_past(sender, *request);
  nic_.answer({{}, sender.desired, sender.leases.nic, true}, now());
  sender.leases = Leases{};
  sender.desired = {};
  send_control(request);
}

void D3::on_answer(Qpn qpn, const Packet& answer) {
  Sender& sender = senders_[qpn];
  if (answer.telemetry == nullptr || !sender.asking || answer.sent != sender.asked) return;
  sender.asking = false;
  sender.patience = ask_again_;
  sender.round_trip = now() - sender.asked;
  Leases& leases = sender.leases;
  leases.rate = leases.nic.rate;
  leases.until = leases.nic.until;
  for (std::size_t hop = 0; hop < answer.immediate; ++hop) {
    const RateAllocator::Lease lease = RateRequestHeader::lease(answer.telemetry->hop[hop]);
    leases.ports[hop] = lease;
    leases.rate = std::min(leases.rate, lease.rate);
    leases.until = std::min(leases.until, lease.until);
  }
}

// ---------------------------------------------------------------- sending

/// What there is to do: asks, sends, or is woken for it.
void D3::settle(Qpn qpn) {
  ask_if_time(qpn);
  take_turn(qpn);
  set_alarm(qpn);
}

void D3::take_turn(Qpn qpn) {
  const Sender& sender = senders_[qpn];
  const bool may = work_left(qpn) > 0 && rate_of(sender).bits_per_second > 0;
  turns_.put(qpn, may ? due(sender) : PicoSeconds::max());
}

Packet* D3::next_packet() {
  const Qpn qpn = turns_.take();
  Sender& sender = senders_[qpn];
  Packet* const packet = make_data(qpn, sender.packets.send(at(qpn).next, now()));
  sender.pacer.sends(packet->wire_bytes + context_.nic.link_overhead, sender.leases.rate, now());
  if (!sender.asking && now() >= next_request(sender) && work_left(qpn) > 0) {
    put_request(qpn, *packet);
  }
  settle(qpn);
  return packet;
}

void D3::set_alarm(Qpn qpn) {
  Sender& sender = senders_[qpn];
  PicoSeconds when = sender.packets.overdue_at(parameters_.timeout);
  if (sender.asking || work_left(qpn) > 0) when = std::min(when, request_waits_until(sender));
  alarms_.set(qpn, std::max(when, now()));
}

void D3::look_at(Qpn qpn) {
  Sender& sender = senders_[qpn];
  while (const auto psn = sender.packets.overdue(now(), parameters_.timeout)) {
    sender.packets.lost(*psn);
    ++context_.counters.timeouts;
  }
  settle(qpn);
}

void D3::ring_alarms() {
  alarms_.ring([this](Qpn qpn) { look_at(qpn); });
  context_.port.data_ready();
}

void D3::ring_due() {
  turns_.ring([this](Qpn qpn) { take_turn(qpn); });
  context_.port.data_ready();
}

// ---------------------------------------------------------------- arrivals

void D3::arrived(Qpn qpn, Packet& packet) {
  switch (packet.kind) {
    case PacketKind::kData:
      accept(qpn, packet);
      ++context_.counters.acks_sent;
      answer(qpn, packet, PacketKind::kAck);
      return;
    case PacketKind::kRequest:
      if (!packet.last) answer(qpn, packet, PacketKind::kCredit);
      return;
    case PacketKind::kAck:
      ++context_.counters.acks_received;
      senders_[qpn].packets.arrived(packet.psn);
      acknowledged(qpn, packet.psn, packet.sent);
      on_answer(qpn, packet);
      break;
    case PacketKind::kCredit:
      on_answer(qpn, packet);
      break;
    default:
      return;
  }
  settle(qpn);
  context_.port.data_ready();
}

}  // namespace dcc
