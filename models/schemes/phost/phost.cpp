#include "schemes/phost/phost.h"

#include <algorithm>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
const Transports::Registered<PhostParameters> kPhost{
    "phost", "receivers send tokens of short life, senders serve the flow with the least left",
    kMakes<Phost>};

// Packs two numbers into a field. A token carries its number and the number of missing packets.
// Data carries the number of its token and the number of packets from it to the end of the message.
std::uint64_t pair_of(std::uint64_t number, std::uint64_t packets) {
  return number << 32 | std::min<std::uint64_t>(packets, 0xFFFF'FFFF);
}
std::uint32_t number_in(const Packet& packet) {
  return static_cast<std::uint32_t>(packet.scheme >> 32);
}
std::uint64_t packets_in(const Packet& packet) { return packet.scheme & 0xFFFF'FFFF; }
}  // namespace

void PhostParameters::describe(ParameterVisitor& v) {
  const char* const paper = "pHost, CoNEXT'15";
  describe_framing(v);
  v.field("free_tokens", free_tokens, {"0", "100000"},
          {"greatest number of packets of a message that is sent without tokens", paper});
  v.field("window", window, {"1", "100000"},
          {"greatest number of tokens of a flow that data has not answered yet", paper});
  v.field("token_life", token_life, {"1", "100000"},
          {"lifetime of a token in packet times", paper});
  v.field("resend_after", resend_after, {"1", "100000"},
          {"packet times from the last token until missing packets get new tokens", paper});
  v.field("window_timeout", window_timeout, {"1", "100000"},
          {"packet times from the last token of a full window to one more token", paper});
  v.field("timeout", timeout, {"1us", "10s"},
          {"time without a token after which a sender repeats its request"});
  v.follows(true, kPatienceRule,
            [this](const NetworkScale& network) { timeout = network.patience(); });
}

Phost::Phost(const TransportContext& context, const PhostParameters& parameters)
    : MessageTransport(context, parameters.framing),
      parameters_(parameters),
      pacing_(Event::calling<&Phost::send_tokens>(*this, context.rank)),
      deadlines_(context.scheduler, Event::calling<&Phost::check_senders>(*this, context.rank)) {}

/// Time of a full packet of the queue pair on the host's link.
PicoSeconds Phost::packet_time(Qpn qpn) const {
  return serialization_time(full_packet(qpn) + context_.nic.link_overhead, context_.nic.line_rate);
}

PicoSeconds Phost::packets(Qpn qpn, const Ratio& number) const {
  return PicoSeconds(static_cast<std::int64_t>(static_cast<Uint128>(packet_time(qpn).count) *
                                               number.numerator / number.denominator));
}

void Phost::begin(Qpn qpn) {
  renew(senders_, qpn);
  renew(receivers_, qpn);
}

void Phost::end(Qpn qpn) {
  ready_.erase(std::remove(ready_.begin(), ready_.end(), qpn), ready_.end());
  active_.erase(std::remove(active_.begin(), active_.end(), qpn), active_.end());
  totals_.credits_unused += static_cast<std::uint64_t>(
      std::count_if(senders_[qpn].tokens.begin(), senders_[qpn].tokens.end(),
                    [](const Token& token) { return token.number != 0; }));
  senders_[qpn] = Sender{};
  receivers_[qpn] = Receiver{};
  deadlines_.clear(qpn);
}

void Phost::add_own_state(StateDigest& d) const {
  d(senders_, receivers_, ready_, active_, hold_, hold_time_, next_token_, pacing_, deadlines_);
}

// ---------------------------------------------------------------- Sender

void Phost::work_changed(Qpn qpn) {
  Sender& sender = senders_[qpn];
  const Connection& connection = at(qpn);
  if (!connection.connected) return;
  const Psn posted = connection.out.end();
  // reduces the sender's announced packets if the flow was stopped and has fewer packets
  sender.announced = std::min(sender.announced, posted);
  drop_void(qpn);
  if (posted > sender.announced) {
    const Psn first = sender.announced;
    sender.announced = posted;
    announce(qpn, false);
    if (posted - first <= parameters_.free_tokens) {
      const PicoSeconds until =
          now() + packets(qpn, parameters_.token_life) + packet_time(qpn) * parameters_.free_tokens;
      sender.left = posted - first;
      for (Psn psn = first; psn < posted; ++psn) sender.tokens.push_back({psn, 0, until});
      list(qpn);
    }
  }
  context_.port.data_ready();
}

void Phost::announce(Qpn qpn, bool again) {
  Packet* const request = make_control(qpn, PacketKind::kRequest, at(qpn).config.flow);
  request->psn = at(qpn).out.end();
  request->last = again;
  send_control(request);
  deadlines_.set(qpn, now() + parameters_.timeout);
}

void Phost::list(Qpn qpn) {
  if (!senders_[qpn].listed) ready_.push_back(qpn);
  senders_[qpn].listed = true;
}

/// True if the token has expired, or its packet has arrived or was removed.
bool Phost::is_void(Qpn qpn, const Token& token) const {
  const SendBuffer& out = at(qpn).out;
  return token.until < now() || token.psn >= out.end() || out.delivered(token.psn);
}

bool Phost::has_packet() const {
  return std::any_of(ready_.begin(), ready_.end(), [this](Qpn qpn) {
    const auto& tokens = senders_[qpn].tokens;
    return std::any_of(tokens.rbegin(), tokens.rend(),
                       [this, qpn](const Token& token) { return !is_void(qpn, token); });
  });
}

void Phost::drop_void(Qpn qpn) {
  std::deque<Token>& tokens = senders_[qpn].tokens;
  for (const Token& token : tokens) {
    if (is_void(qpn, token) && token.number != 0) ++totals_.credits_unused;
  }
  tokens.erase(std::remove_if(tokens.begin(), tokens.end(),
                              [&](const Token& token) { return is_void(qpn, token); }),
               tokens.end());
}

Packet* Phost::next_packet() {
  Qpn chosen = 0;
  std::uint64_t least = ~std::uint64_t{0};
  auto keep = ready_.begin();
  for (const Qpn qpn : ready_) {
    Sender& sender = senders_[qpn];
    drop_void(qpn);
    sender.listed = !sender.tokens.empty();
    if (!sender.listed) continue;
    *keep++ = qpn;
    if (sender.left * mtu(qpn) < least) {
      least = sender.left * mtu(qpn);
      chosen = qpn;
    }
  }
  ready_.erase(keep, ready_.end());
  Sender& sender = senders_[chosen];
  const Token token = sender.tokens.front();
  sender.tokens.pop_front();
  if (sender.tokens.empty()) {
    sender.listed = false;
    ready_.erase(std::find(ready_.begin(), ready_.end(), chosen));
  }
  if (token.number != 0) ++totals_.credits_used;
  Packet* const packet = make_data(chosen, token.psn);
  packet->scheme = pair_of(token.number, at(chosen).out.end() - token.psn);
  return packet;
}

void Phost::on_token(Qpn qpn, const Packet& packet) {
  Sender& sender = senders_[qpn];
  const SendBuffer& out = at(qpn).out;
  deadlines_.set(qpn, now() + parameters_.timeout);
  if (packet.psn >= out.end()) {  // the flow was stopped, so the receiver must learn the new end
    ++totals_.credits_unused;
    return say_end(qpn);
  }
  if (out.delivered(packet.psn)) {
    ++totals_.credits_unused;
    return;
  }
  drop_void(qpn);
  sender.left = packets_in(packet);
  sender.tokens.push_back(
      {packet.psn, number_in(packet), now() + packets(qpn, parameters_.token_life)});
  list(qpn);
}

void Phost::check_senders() {
  deadlines_.expire([this](Qpn qpn) {
    if (at(qpn).out.first_undelivered() >= senders_[qpn].announced) return;
    if (at(qpn).out.undelivered() == 0) return;
    announce(qpn, true);
  });
}

// ---------------------------------------------------------------- Arrivals

void Phost::arrived(Qpn qpn, Packet& packet) {
  switch (packet.kind) {
    case PacketKind::kData:
      on_data(qpn, packet);
      return;
    case PacketKind::kRequest:
      if (packet.last &&
          (packet.psn > receivers_[qpn].end || at(qpn).in.first_missing() >= receivers_[qpn].end)) {
        ++context_.counters.timeouts;
      }
      expect(qpn, packet.psn);
      acknowledge_if_whole(qpn, packet.flow, PicoSeconds());
      return;
    case PacketKind::kNak:
      on_end(qpn, packet.psn);
      return;
    case PacketKind::kCredit:
      on_token(qpn, packet);
      break;
    case PacketKind::kAck:
      on_whole(qpn, packet);
      break;
    default:
      return;
  }
  context_.port.data_ready();
}

// ---------------------------------------------------------------- Receiver

/// Handles the announcement of a message. Packets of a short message need no tokens but take up the
/// same packet times; the newest request states the number of such packets.
void Phost::expect(Qpn qpn, Psn end) {
  Receiver& receiver = receivers_[qpn];
  if (end <= receiver.end) return;
  const Psn more = end - receiver.end;
  receiver.end = end;
  if (more <= parameters_.free_tokens) {
    hold_ = static_cast<unsigned>(more);
    hold_time_ = packet_time(qpn);
    receiver.waits_until = now() + hold_time_ * static_cast<std::int64_t>(2 * more);
  } else {
    hold_ = 0;
    receiver.wanted += more;
    receiver.waits_until = PicoSeconds();
  }
  if (!receiver.active) {
    receiver.active = true;
    active_.push_back(qpn);
  }
  plan(now());
}

void Phost::on_data(Qpn qpn, const Packet& data) {
  expect(qpn, data.psn + packets_in(data));
  Receiver& receiver = receivers_[qpn];
  receiver.seen = std::max<std::uint64_t>(receiver.seen, number_in(data));
  const bool fresh = accept(qpn, data);
  if (fresh || missing(qpn) == 0) acknowledge_if_whole(qpn, data.flow, data.sent);
}

/// Shortens the message that the pHost receiver expects.
void Phost::on_end(Qpn qpn, Psn end) {
  Receiver& receiver = receivers_[qpn];
  if (end >= receiver.end) return;
  receiver.end = end;
  acknowledge_if_whole(qpn, at(qpn).config.flow, PicoSeconds());
}

void Phost::acknowledge_if_whole(Qpn qpn, std::uint32_t flow, PicoSeconds sent) {
  Receiver& receiver = receivers_[qpn];
  if (at(qpn).in.first_missing() < receiver.end) return;
  if (receiver.active) active_.erase(std::find(active_.begin(), active_.end(), qpn));
  receiver.active = false;
  receiver.wanted = receiver.sent;
  acknowledge_whole(qpn, flow, sent);
}

/// Time at which the receiver sends the flow's next token, in the future or now.
PicoSeconds Phost::may_send_at(Qpn qpn) const {
  const Receiver& receiver = receivers_[qpn];
  if (receiver.waits_until > now()) return receiver.waits_until;
  if (!is_full(receiver)) return now();
  return std::max(now(), receiver.last + packets(qpn, parameters_.window_timeout));
}

void Phost::send_tokens() {
  if (hold_ > 0) {
    --hold_;
    next_token_ = now() + hold_time_;
    plan(now());
    return;
  }
  if (active_.empty()) return;
  PicoSeconds soonest = PicoSeconds::max();
  Qpn chosen = 0;
  std::uint64_t least = ~std::uint64_t{0};
  for (const Qpn qpn : active_) {
    const PicoSeconds when = may_send_at(qpn);
    if (when > now()) {
      soonest = std::min(soonest, when);
    } else if (missing(qpn) * mtu(qpn) < least) {
      least = missing(qpn) * mtu(qpn);
      chosen = qpn;
    }
  }
  if (least != ~std::uint64_t{0}) {
    send_token(chosen);
    next_token_ = now() + packet_time(chosen);
    soonest = now();
  }
  plan(soonest);
}

void Phost::send_token(Qpn qpn) {
  Receiver& receiver = receivers_[qpn];
  if (receiver.waits_until != PicoSeconds()) {
    receiver.waits_until = PicoSeconds();
    receiver.wanted = receiver.sent + missing(qpn);
  }
  if (is_full(receiver))
    // gives up old tokens to make room for one token in the window
    receiver.seen = receiver.sent - (parameters_.window - 1);
  const SequenceSet& in = at(qpn).in;
  Psn psn = receiver.cursor;
  while (psn < receiver.end && in.contains(psn)) ++psn;
  if (psn >= receiver.end) psn = in.first_missing();
  receiver.cursor = psn + 1;
  receiver.last = now();
  ++totals_.credits_sent;
  Packet* const token = make_control(qpn, PacketKind::kCredit, at(qpn).config.flow);
  token->psn = psn;
  token->scheme = pair_of(++receiver.sent, missing(qpn));
  if (receiver.sent >= receiver.wanted) {
    receiver.waits_until = now() + packets(qpn, parameters_.resend_after);
  }
  send_control(token);
}

/// Schedules the receiver's next token, with one token per packet time of the host's link.
void Phost::plan(PicoSeconds when) {
  when = std::max(when, next_token_);
  if (!pacing_.is_scheduled() || pacing_.due() > when)
    context_.scheduler.schedule_at(pacing_, when);
}

}  // namespace dcc
