#include "schemes/homa/homa.h"

#include <algorithm>
#include <array>

#include "describe/network_scale.h"
#include "describe/parameter_error.h"
#include "describe/visitor.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
const Transports::Registered<HomaParameters> kHoma{
    "homa", "receivers grant the shortest messages and choose their priorities; for strict ports",
    kMakes<Homa>};

// Packs a packet's position in its message: number of packets before it, and number of packets from
// it to the end, limited to 32 bits.
std::uint64_t place_of(Psn before, Psn to_end) {
  return before << 32 | std::min<Psn>(to_end, 0xFFFF'FFFF);
}
Psn before(const Packet& data) { return data.scheme >> 32; }
Psn to_end(const Packet& data) { return data.scheme & 0xFFFF'FFFF; }

// Limit of two fields in a request for data, which are the distance from the grant and the number
// of missing packets.
constexpr Psn kMaxAskedFor = 0xFF'FFFF;
std::uint64_t grant_of(std::uint8_t priority, Psn distance, Psn missing) {
  return distance << 32 | missing << 8 | priority;
}
std::uint8_t granted_priority(const Packet& grant) {
  return static_cast<std::uint8_t>(grant.scheme & 0xFF);
}
Psn first_missing(const Packet& request) { return request.psn - (request.scheme >> 32); }
Psn missing(const Packet& request) { return request.scheme >> 8 & kMaxAskedFor; }

/// Scales a timeout that the paper gives for links of 10 Gb/s. The timeout is longer on slower
/// links, where the same queue takes longer; it is at least four base round trips and at most 10 s.
PicoSeconds homa_patience(const NetworkScale& network, PicoSeconds time) {
  const Uint128 longer = static_cast<Uint128>(static_cast<std::uint64_t>(time.count)) *
                         10'000'000'000u / std::max<std::uint64_t>(1, network.rate.bits_per_second);
  const auto most = static_cast<Uint128>(static_cast<std::uint64_t>((kSecond * 10).count));
  const PicoSeconds scaled(static_cast<std::int64_t>(std::min(longer, most)));
  return std::max({time, scaled, network.round_trips(Ratio(4))});
}
}  // namespace

void HomaParameters::describe(ParameterVisitor& v) {
  const char* const paper = "Homa, SIGCOMM'18";
  describe_framing(v);
  v.field("rtt_bytes", rtt_bytes, {"1B", "100MB"},
          {"bytes of each message sent without a grant, and kept granted in advance; rounded "
           "up to whole packets",
           paper});
  v.follows(true,
            "RTTbytes: the product of slowest link and base RTT, at least 10KB (that at 10Gbps)",
            [this](const NetworkScale& network) {
              rtt_bytes = std::max<Bytes>(10'000, network.products(Ratio(1), 1) / 1'000 * 1'000);
            });
  v.field(
      "overcommitment", overcommitment, {"1", "7"},
      {"number of messages that a host grants at the same time, each at its own priority", paper});
  v.numbers("cutoffs", cutoffs, 0, kPriorities - 2, {"1", "4000000000"},
            {"sizes of messages above which packets sent without a grant have one priority less, "
             "from 7 down",
             paper});
  v.field("timeout", timeout, {"1us", "10s"},
          {"time after which a receiver asks for granted data that has not come"});
  const char* const rule = "longer on links below 10Gbps, and at least four base RTTs";
  v.follows(true, rule, [this](const NetworkScale& network) {
    timeout = homa_patience(network, kMilliSecond * 5);
  });
  v.field("sender_timeout", sender_timeout, {"1us", "10s"},
          {"time without an answer after which a sender repeats its first packet"});
  v.follows(true, rule, [this](const NetworkScale& network) {
    sender_timeout = homa_patience(network, kMilliSecond * 10);
  });
}

void HomaParameters::check() const {
  if (!std::is_sorted(cutoffs.begin(), cutoffs.end())) {
    throw ParameterError({"cutoffs"}, "cutoffs do not ascend");
  }
  if (cutoffs.size() + 1 + overcommitment > kPriorities) {
    throw ParameterError({"cutoffs", "overcommitment"},
                         "more than eight priorities: one more than cutoffs, and overcommitment");
  }
}

Homa::Homa(const TransportContext& context, const HomaParameters& parameters)
    : MessageTransport(context, parameters.framing),
      parameters_(parameters),
      sender_deadlines_(context.scheduler,
                        Event::calling<&Homa::check_senders>(*this, context.rank)),
      receiver_deadlines_(context.scheduler,
                          Event::calling<&Homa::check_receivers>(*this, context.rank)) {}

void Homa::begin(Qpn qpn) {
  renew(senders_, qpn);
  renew(receivers_, qpn);
  renew(windows_, qpn) = static_cast<Psn>((parameters_.rtt_bytes + mtu(qpn) - 1) / mtu(qpn));
}

void Homa::end(Qpn qpn) {
  ready_.erase(std::remove(ready_.begin(), ready_.end(), qpn), ready_.end());
  unlist(qpn);
  sender_deadlines_.clear(qpn);
  receiver_deadlines_.clear(qpn);
  senders_[qpn].ready = false;
}

void Homa::add_own_state(StateDigest& d) const {
  d(senders_, receivers_, ready_, wanting_, sender_deadlines_, receiver_deadlines_);
}

// ---------------------------------------------------------------- Sender

void Homa::work_changed(Qpn qpn) {
  settle(qpn);
  context_.port.data_ready();
}

std::uint8_t Homa::unscheduled_priority(Bytes message) const {
  std::uint8_t priority = kPriorities - 1;
  for (const unsigned cutoff : parameters_.cutoffs) {
    if (message > Bytes{cutoff}) --priority;
  }
  return priority;
}

void Homa::start_message(Qpn qpn) {
  Sender& sender = senders_[qpn];
  const Connection& connection = at(qpn);
  const SendBuffer::Cut cut = connection.out.cut(connection.next);
  sender.begin = connection.next;
  sender.end = sender.begin + static_cast<Psn>((cut.message_bytes + mtu(qpn) - 1) / mtu(qpn));
  sender.granted = std::max(sender.granted, std::min(sender.begin + windows_[qpn], sender.end));
  sender.unscheduled = unscheduled_priority(cut.message_bytes);
}

/// Number of packets that the sender has left to send.
Psn Homa::left(Qpn qpn) const {
  const Connection& connection = at(qpn);
  return senders_[qpn].again.size() + (connection.out.end() - connection.next);
}

/// Updates whether the sender may send, and sets the sender's timeout.
void Homa::settle(Qpn qpn) {
  Sender& sender = senders_[qpn];
  sender.again.erase(std::remove_if(sender.again.begin(), sender.again.end(),
                                    [&](const Again& one) { return is_over(qpn, one.psn); }),
                     sender.again.end());
  const Connection& connection = at(qpn);
  const Psn posted = connection.out.end();
  if (connection.next >= sender.end && connection.next < posted) start_message(qpn);
  const bool ready =
      connection.connected &&
      (!sender.again.empty() || connection.next < std::min({sender.granted, sender.end, posted}));
  if (ready && !sender.ready) ready_.push_back(qpn);
  if (!ready && sender.ready) ready_.erase(std::find(ready_.begin(), ready_.end(), qpn));
  sender.ready = ready;
}

Packet* Homa::next_packet() {
  Qpn qpn = ready_.front();
  Psn least = left(qpn) * mtu(qpn);
  for (const Qpn other : ready_) {
    const Psn lefts = left(other) * mtu(other);
    if (lefts < least) {
      least = lefts;
      qpn = other;
    }
  }
  Sender& sender = senders_[qpn];
  Connection& connection = at(qpn);
  Psn psn = connection.next;
  std::uint8_t priority =
      psn - sender.begin < windows_[qpn] ? sender.unscheduled : sender.scheduled;
  bool is_question = false;
  if (!sender.again.empty()) {
    psn = sender.again.front().psn;
    is_question = sender.again.front().is_question;
    priority = sender.again.front().priority;
    sender.again.pop_front();
  }
  Packet* const packet = make_data(qpn, psn);
  const SendBuffer::Cut cut = connection.out.cut(psn);
  const auto ahead = static_cast<Psn>(cut.offset / mtu(qpn));
  const auto all = static_cast<Psn>((cut.message_bytes + mtu(qpn) - 1) / mtu(qpn));
  packet->priority = priority;
  packet->scheme = place_of(ahead, all - ahead);
  packet->ack_requested = is_question;
  if (acknowledges()) {
    sender_deadlines_.set(qpn, now() + parameters_.sender_timeout);
  } else if (cut.last) {
    delivered_before(qpn, psn + 1);
  }
  settle(qpn);
  return packet;
}

void Homa::on_grant(Qpn qpn, const Packet& grant) {
  Sender& sender = senders_[qpn];
  const Psn end = at(qpn).out.end();
  if (grant.psn > sender.granted) {
    const Psn used = std::min(grant.psn, std::max(end, sender.granted)) - sender.granted;
    totals_.credits_used += used;
    totals_.credits_unused += grant.psn - sender.granted - used;
    sender.granted = grant.psn;
  }
  sender.scheduled = granted_priority(grant);
  if (grant.psn > end) say_end(qpn);
}

/// Handles a request for retransmission. Packets that were not sent yet, because other messages go
/// first, are not marked for retransmission.
void Homa::on_request(Qpn qpn, const Packet& request) {
  Sender& sender = senders_[qpn];
  const Connection& connection = at(qpn);
  on_grant(qpn, request);
  const Psn from = first_missing(request);
  const Psn to = std::min(from + missing(request), connection.next);
  for (Psn psn = std::max(from, connection.out.first_undelivered()); psn < to; ++psn) {
    const auto same = [psn](const Again& one) { return one.psn == psn; };
    if (std::none_of(sender.again.begin(), sender.again.end(), same)) {
      sender.again.push_back({psn, granted_priority(request), false});
    }
  }
}

void Homa::check_senders() {
  sender_deadlines_.expire([this](Qpn qpn) {
    Sender& sender = senders_[qpn];
    const SendBuffer& out = at(qpn).out;
    if (out.first_undelivered() >= at(qpn).next)
      return;  // all packets that were sent are already acknowledged
    if (!sender.ready) {
      sender.again.push_back({out.first_undelivered(), sender.unscheduled, true});
      settle(qpn);
    }
    sender_deadlines_.set(qpn, now() + parameters_.sender_timeout);
  });
  context_.port.data_ready();
}

// ---------------------------------------------------------------- Arrivals

void Homa::arrived(Qpn qpn, Packet& packet) {
  switch (packet.kind) {
    case PacketKind::kData:
      on_data(qpn, packet);
      return;
    case PacketKind::kNak:
      on_end(qpn, packet.psn);
      return;
    case PacketKind::kCredit:
      on_grant(qpn, packet);
      break;
    case PacketKind::kRequest:
      on_request(qpn, packet);
      break;
    case PacketKind::kAck:
      on_whole(qpn, packet);
      break;
    default:
      return;
  }
  sender_deadlines_.postpone(qpn, now() + parameters_.sender_timeout);
  settle(qpn);
  context_.port.data_ready();
}

// ---------------------------------------------------------------- Receiver

void Homa::on_data(Qpn qpn, const Packet& packet) {
  Receiver& receiver = receivers_[qpn];
  const Psn message_end = packet.psn + to_end(packet);
  const Psn unasked = std::min(packet.psn - before(packet) + windows_[qpn], message_end);
  const bool fresh = accept(qpn, packet);
  const bool whole = at(qpn).in.first_missing() >= message_end;
  if (packet.ack_requested && (fresh || whole)) ++context_.counters.timeouts;
  if (message_end > receiver.end || unasked > receiver.granted) {
    unlist(qpn);
    receiver.end = std::max(receiver.end, message_end);
    receiver.granted = std::max(receiver.granted, unasked);
  }
  if (whole) acknowledge(qpn, packet.flow, packet.sent);
  if (at(qpn).in.count() < receiver.end) {
    receiver_deadlines_.set(qpn, now() + parameters_.timeout);
  } else {
    receiver_deadlines_.clear(qpn);
  }
  list(qpn);
  grant();
}

/// Shortens the message that the Homa receiver expects.
void Homa::on_end(Qpn qpn, Psn end) {
  Receiver& receiver = receivers_[qpn];
  if (end >= receiver.end) return;
  unlist(qpn);
  receiver.end = end;
  receiver.granted = std::min(receiver.granted, end);
  list(qpn);
  if (at(qpn).in.first_missing() >= end) acknowledge(qpn, at(qpn).config.flow, PicoSeconds());
  grant();
}

void Homa::acknowledge(Qpn qpn, std::uint32_t flow, PicoSeconds sent) {
  if (acknowledges()) acknowledge_whole(qpn, flow, sent);
}

/// Inserts a message into wanting_, which is sorted by the number of full packets to grant, then by
/// order of arrival.
void Homa::list(Qpn qpn) {
  if (receivers_[qpn].listed || to_grant(qpn) == 0) return;
  receivers_[qpn].listed = true;
  const auto place =
      std::upper_bound(wanting_.begin(), wanting_.end(), qpn, [this](Qpn one, Qpn other) {
        return to_grant(one) * mtu(one) < to_grant(other) * mtu(other);
      });
  wanting_.insert(place, qpn);
}

void Homa::unlist(Qpn qpn) {
  if (!receivers_[qpn].listed) return;
  receivers_[qpn].listed = false;
  wanting_.erase(std::find(wanting_.begin(), wanting_.end(), qpn));
}

void Homa::grant() {
  while (grant_active()) {
  }
}

/// Grants data to the first messages of wanting_. Returns true if a message became fully granted,
/// so that another message takes its place.
bool Homa::grant_active() {
  std::array<Qpn, kPriorities> active{};
  unsigned count = 0;
  for (const Qpn qpn : wanting_) {
    const HostId sender = at(qpn).config.remote_host;
    const auto same = [&](Qpn one) { return at(one).config.remote_host == sender; };
    if (std::any_of(active.begin(), active.begin() + count, same)) continue;
    active[count++] = qpn;
    if (count == parameters_.overcommitment) break;
  }
  bool another = false;
  for (unsigned rank = 0; rank < count; ++rank) {
    const Qpn qpn = active[rank];
    Receiver& receiver = receivers_[qpn];
    const Psn upto = std::min(receiver.end, static_cast<Psn>(at(qpn).in.count()) + windows_[qpn]);
    if (upto <= receiver.granted) continue;
    totals_.credits_sent += upto - receiver.granted;
    receiver.granted = upto;
    Packet* const packet = make_control(qpn, PacketKind::kCredit, at(qpn).config.flow);
    packet->psn = upto;
    packet->scheme = grant_of(static_cast<std::uint8_t>(count - 1 - rank), 0, 0);
    send_control(packet);
    if (!receiver_deadlines_.is_set(qpn)) receiver_deadlines_.set(qpn, now() + parameters_.timeout);
    // After the grant fewer packets remain to grant, so the message moves towards the front of
    // wanting_.
    unlist(qpn);
    list(qpn);
    another = another || receiver.granted == receiver.end;
  }
  return another;
}

void Homa::check_receivers() {
  receiver_deadlines_.expire([this](Qpn qpn) {
    if (at(qpn).in.count() >= receivers_[qpn].end) return;
    ask_again(qpn);
    receiver_deadlines_.set(qpn, now() + parameters_.timeout);
  });
}

/// Requests retransmission of the first gap in the granted data of a message.
void Homa::ask_again(Qpn qpn) {
  const Receiver& receiver = receivers_[qpn];
  const SequenceSet& in = at(qpn).in;
  const Psn from = in.first_missing();
  if (from >= receiver.granted) return;  // no granted packet is missing
  const Psn to = in.gap_end(from, std::min(receiver.granted, from + kMaxAskedFor));
  ++context_.counters.timeouts;
  Packet* const request = make_control(qpn, PacketKind::kRequest, at(qpn).config.flow);
  request->psn = receiver.granted;
  request->scheme = grant_of(static_cast<std::uint8_t>(parameters_.overcommitment - 1),
                             receiver.granted - from, to - from);
  send_control(request);
}

}  // namespace dcc
