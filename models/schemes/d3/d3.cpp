#include "schemes/d3/d3.h"

#include <algorithm>

#include "schemes/d3/explicit_rate.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
const Transports::Registered<D3Parameters> kD3{
    "d3", "rates that meet deadlines, requested hop by hop; for ports that allocate rates",
    kMakes<D3>};

/// Parameters of the rate allocator for the NIC's link: no lease is lost on this link, and packets
/// do not queue for it.
RateAllocatorParameters for_nic(const TransportContext& context) {
  RateAllocatorParameters rates;
  rates.interval = std::max(rates.interval, context.longest_base_rtt * 4);
  rates.reclaim = rates.drain = Ratio(0);
  return rates;
}
}  // namespace

D3::D3(const TransportContext& context, const D3Parameters& parameters)
    : RatedTransport(context, parameters), nic_(for_nic(context)) {
  nic_.set_link(context.nic.line_rate);
}

void D3::begin(Qpn qpn) {
  RatedTransport::begin(qpn);
  renew(senders_, qpn);
}

void D3::end(Qpn qpn) {
  RatedTransport::end(qpn);
  Sender& sender = senders_[qpn];
  nic_.answer({{}, sender.desired, sender.leases.nic, true}, now());
  sender = Sender{};
}

void D3::add_own_state(StateDigest& d) const {
  RatedTransport::add_own_state(d);
  d(nic_, senders_);
}

// ---------------------------------------------------------------- Requests

/// Rate at which the D3 flow may send now.
BitRate D3::rate_now(const Sender& sender) const {
  return now() < sender.leases.until ? sender.leases.rate : BitRate();
}

/// The desired rate of a D3 flow: the data that will be left when the answer arrives, divided by
/// the time until two round trips before the deadline (one for the answer, one for the last packet;
/// section 5.1).
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
  const auto sent = static_cast<Bytes>(bits(rate_now(sender), round_trip) / 8);
  const Bytes all = bytes_of_work(qpn);
  const Bytes packet = full_packet(qpn) + context_.nic.link_overhead;
  const Bytes left = std::max(all - sent, std::min(all, packet));
  const Uint128 rate = (static_cast<Uint128>(left) * 8u * 1'000'000'000'000u +
                        static_cast<std::uint64_t>(time.count) - 1) /
                       static_cast<std::uint64_t>(time.count);
  return rate < link.bits_per_second ? BitRate(static_cast<std::uint64_t>(rate)) : link;
}

/// Time of the flow's next request, or time at which the flow repeats its unanswered request.
PicoSeconds D3::next_request(Qpn qpn) const {
  const Sender& sender = senders_[qpn];
  if (!sender.has_asked) return {};
  if (is_asking(qpn)) return repeats_at(qpn);
  return asked_at(qpn) + std::max({context_.longest_base_rtt, sender.round_trip, sender.wait});
}

/// Time of the flow's next separate request packet; later if a data packet will leave in time to
/// carry the request.
PicoSeconds D3::asks_at(Qpn qpn) const {
  const Sender& sender = senders_[qpn];
  const PicoSeconds when = next_request(qpn);
  if (is_asking(qpn) || !may_send(qpn)) return when;
  const PicoSeconds round_trip = context_.longest_base_rtt;
  const PicoSeconds until = sender.desired.bits_per_second != 0
                                ? when + round_trip
                                : sender.leases.until - round_trip * 2;
  return due(qpn, rate_of(qpn)) <= until ? std::max(when, until) : when;
}

void D3::ask(Qpn qpn) {
  Packet* const request = make_request(qpn);
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
  sender.has_asked = true;
  asks(qpn);
}

/// Writes the flow's grants into a packet, which returns them to the ports.
void D3::put_past(Sender& sender, Packet& packet) {
  packet.remote_address = sender.desired.bits_per_second;
  context_.pool.attach_places(packet);
  for (std::size_t hop = 0; hop < kMaxIntHops; ++hop) {
    RateRequestHeader::write(packet.telemetry->hop[hop], sender.leases.ports[hop]);
    RateRequestHeader::write_crowded(packet.telemetry->hop[hop], false);
    RateRequestHeader::write_round_trip(packet.telemetry->hop[hop], context_.longest_base_rtt);
    sender.leases.ports[hop] = {};
  }
}

void D3::leave(Qpn qpn) {
  // returns the granted rates if they arrive after the next request is due
  if (is_asking(qpn) && now() < asks_at(qpn)) return;
  Sender& sender = senders_[qpn];
  asks_no_more(qpn);
  if (sender.leases.nic.until == PicoSeconds()) return;
  Packet* const request = make_request(qpn);
  request->last = true;
  put_past(sender, *request);
  nic_.answer({{}, sender.desired, sender.leases.nic, true}, now());
  sender.leases = Leases{};
  sender.desired = {};
  send_control(request);
}

void D3::on_answer(Qpn qpn, const Packet& answer) {
  Sender& sender = senders_[qpn];
  if (!is_asking(qpn) || answer.sent != asked_at(qpn)) return;
  answered(qpn);
  sender.round_trip = now() - answer.sent;
  Leases& leases = sender.leases;
  leases.rate = leases.nic.rate;
  leases.until = leases.nic.until;
  bool crowded = false;
  for (std::size_t hop = 0; hop < answer.immediate; ++hop) {
    const RateAllocator::Lease lease = RateRequestHeader::lease(answer.telemetry->hop[hop]);
    leases.ports[hop] = lease;
    leases.rate = std::min(leases.rate, lease.rate);
    leases.until = std::min(leases.until, lease.until);
    crowded = crowded || RateRequestHeader::is_crowded(answer.telemetry->hop[hop]);
  }
  const bool carries = may_send(qpn) && due(qpn, leases.rate) < leases.until;
  const PicoSeconds wait = crowded ? sender.wait * 2 : PicoSeconds(sender.wait.count * 3 / 4);
  sender.wait = carries ? PicoSeconds() : std::max(sender.round_trip, wait);
}

// ---------------------------------------------------------------- Data

bool D3::may_send(Qpn qpn) const { return rate_now(senders_[qpn]).bits_per_second > 0; }

/// Rate of the flow's present leases, which may have expired.
BitRate D3::rate_of(Qpn qpn) const { return senders_[qpn].leases.rate; }

void D3::goes(Qpn qpn, Packet& data) {
  if (!is_asking(qpn) && now() >= next_request(qpn) && work_left(qpn) > 0) put_request(qpn, data);
}

}  // namespace dcc
