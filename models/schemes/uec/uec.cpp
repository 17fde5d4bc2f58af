#include "schemes/uec/uec.h"

#include <algorithm>

#include "describe/parameter_error.h"
#include "describe/visitor.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
const Transports::Registered<UecParameters> kUec{
    "uec", "Ultra Ethernet's windows (NSCC) or credit (RCCC), selective ACKs; for ports that trim",
    kMakes<Uec>};

// Fields of a receiver's answer: `psn` is the end of the data received in order (ACK) or the
// trimmed packet (NACK). `scheme` holds the bits of 64 packets, `immediate` the number of the first
// of these packets, and `remote_address` the total credit granted.
constexpr Psn kBits = SequenceSet::kBits;

Bytes one_and_a_half_products(const TransportContext& context) {
  const Uint128 bits = static_cast<Uint128>(context.nic.line_rate.bits_per_second) *
                       static_cast<std::uint64_t>(context.longest_base_rtt.count) /
                       1'000'000'000'000u;
  return static_cast<Bytes>(bits / 8 * 3 / 2);
}
}  // namespace

void UecParameters::describe(ParameterVisitor& v) {
  const char* const authors = "uet-htsim, 2025";
  describe_framing(v);
  v.choice("congestion_control", control,
           {"windows set by the sender, credit of the receiver, or both", authors});
  v.field("initial_window", initial_window, "auto", {"64B", "1GB"},
          {"wire bytes sent before the first answer; auto: 3/2 of line rate times longest base RTT",
           authors});
  v.field(
      "max_window", max_window, "auto", {"64B", "1GB"},
      {"greatest window, and greatest credit requested at once; auto: as initial_window", authors});
  v.field("ack_every", ack_every, {"0B", "1GB"},
          {"wire bytes after which a receiver sends an ACK; packets that are marked, "
           "repeated, duplicate or ask for an ACK get one at once",
           "uet-htsim, 2025: 16 KiB"});
  v.field("timeout", timeout, "auto", {"1us", "10s"},
          {"time without an answer after which a packet is sent again; auto: 15 us and six "
           "times the longest base RTT",
           authors});
  v.when(has_window(), "congestion_control: nscc or both",
         [&] { v.section("nscc", {"the window"}, [&] { nscc.describe(v); }); });
  v.when(has_credit(), "congestion_control: rccc or both", [&] {
    v.field("pull_rate", pull_rate, {"0.01", "1"},
            {"share of the receiver's link that PULLs request", authors});
    v.field("pull_packets", pull_packets, {"1", "64"},
            {"number of full packets that a PULL requests", "uet-htsim, 2025; 1: 2024"});
    v.field("ahead", ahead, "auto", {"0B", "1GB"},
            {"greatest credit beyond what a sender wants, granted while nobody waits for credit; "
             "auto: as max_window",
             authors});
  });
}

void UecParameters::check() const {
  if (initial_window && max_window && *max_window < *initial_window) {
    throw ParameterError({"max_window", "initial_window"}, "max_window is below initial_window");
  }
}

Uec::Uec(const TransportContext& context, const UecParameters& parameters)
    : MessageTransport(context, parameters.framing),
      parameters_(parameters),
      packet_(parameters.framing.data(context.nic.mtu)),
      initial_window_(
          std::max(packet_, parameters.initial_window.value_or(one_and_a_half_products(context)))),
      max_window_(std::max(initial_window_,
                           parameters.max_window.value_or(one_and_a_half_products(context)))),
      ahead_(static_cast<std::uint64_t>(parameters.ahead.value_or(max_window_))),
      timeout_(parameters.timeout.value_or(kMicroSecond * 15 + context.longest_base_rtt * 6)),
      pull_interval_(static_cast<std::int64_t>(
          static_cast<double>(
              serialization_time(packet_ + context.nic.link_overhead, context.nic.line_rate)
                  .count) *
              parameters.pull_packets / parameters.pull_rate.value() +
          0.5)),
      deadlines_(context.scheduler, Event::calling<&Uec::ring>(*this, context.rank)),
      pulling_(Event::calling<&Uec::send_pull>(*this, context.rank)) {}

void Uec::begin(Qpn qpn) {
  const NsccWindow fresh(parameters_.nscc, {context_.nic.line_rate, context_.longest_base_rtt,
                                            full_packet(qpn), initial_window_, max_window_});
  while (senders_.size() <= qpn) {
    senders_.emplace_back(fresh, full_packet(qpn));
    receivers_.emplace_back();
  }
  senders_[qpn] = Sender(fresh, full_packet(qpn));
  receivers_[qpn] = Receiver{};
}

void Uec::end(Qpn qpn) {
  ready_.erase(std::remove(ready_.begin(), ready_.end(), qpn), ready_.end());
  for (auto* turns : {&pull_turns_, &ahead_turns_}) {
    turns->erase(std::remove(turns->begin(), turns->end(), qpn), turns->end());
  }
  deadlines_.clear(qpn);
  if (senders_[qpn].backlogged) --backlogged_;
  senders_[qpn].backlogged = senders_[qpn].ready = false;
  receivers_[qpn].queued = receivers_[qpn].ahead = false;
}

void Uec::add_own_state(StateDigest& d) const {
  d(senders_, receivers_, ready_, deadlines_, pull_turns_, ahead_turns_, next_pull_, pulling_);
}

// ---------------------------------------------------------------- Sender

void Uec::work_changed(Qpn qpn) {
  Sender& sender = senders_[qpn];
  const Connection& connection = at(qpn);
  if (connection.out.end() > sender.posted) {
    if (connection.next >= sender.posted && sender.in_flight == 0 && sender.packets.again() == 0) {
      // The sender is speculative again, since an idle sender starts like a new one.
      sender.speculative = true;
      sender.credit = initial_window_;
      sender.spare = 0;
      sender.heard = now();
    }
    sender.posted = connection.out.end();
  }
  settle(qpn);
  context_.port.data_ready();
}

/// Number of packets that the queue pair has to send: new packets and retransmissions.
Psn Uec::work_left(Qpn qpn) const { return packets_left(qpn, senders_[qpn].packets); }

bool Uec::may_send(const Sender& sender) const {
  if (parameters_.has_credit() && sender.credit <= 0) return false;
  return !parameters_.has_window() || sender.window.allows(sender.in_flight, sender.packet);
}

Bytes Uec::wire_of(Qpn qpn, Psn psn) const {
  return parameters_.framing.data(at(qpn).out.cut(psn).payload_bytes);
}

/// Updates whether the sender may send; if it may not, sets the sender's timeout.
void Uec::settle(Qpn qpn) {
  take_turn(qpn);
  set_deadline(qpn);
}

void Uec::take_turn(Qpn qpn) {
  Sender& sender = senders_[qpn];
  const bool work = work_left(qpn) > 0;
  if (work != sender.backlogged) {
    sender.backlogged = work;
    work ? ++backlogged_ : --backlogged_;
    if (!work && parameters_.has_credit() && !sender.speculative) {
      const auto spare =
          static_cast<std::uint64_t>(std::max<Bytes>(sender.credit, 0) / sender.packet);
      if (spare > sender.spare) totals_.credits_unused += spare - sender.spare;
      sender.spare = spare;
    }
  }
  const bool ready = work && at(qpn).connected && may_send(sender);
  if (ready && !sender.ready) ready_.push_back(qpn);
  if (!ready && sender.ready) ready_.erase(std::find(ready_.begin(), ready_.end(), qpn));
  sender.ready = ready;
}

Packet* Uec::next_packet() {
  const Qpn qpn = ready_.front();
  ready_.pop_front();
  Sender& sender = senders_[qpn];
  sender.ready = false;
  const bool again = sender.packets.again() > 0;
  const Psn psn = sender.packets.send(at(qpn).next, now());
  Packet* const packet = make_data(qpn, psn);
  sender.in_flight += packet->wire_bytes;
  if (parameters_.has_credit()) {
    sender.credit -= packet->wire_bytes;
    if (!sender.speculative) ++totals_.credits_used;
    packet->scheme = wanted(qpn);
  }
  if (at(qpn).config.ecn_capable) packet->ecn = Ecn::kEct0;
  packet->ack_requested = packet->last || again || !may_send(sender);
  settle(qpn);  // the queue pair moves to the end of the round robin
  return packet;
}

/// Total credit that the sender wants, in bytes: the flows of a host share the host's sending
/// capacity, and every flow wants at least one packet.
std::uint64_t Uec::wanted(Qpn qpn) const {
  const Sender& sender = senders_[qpn];
  const Bytes work = static_cast<Bytes>(work_left(qpn)) * sender.packet;
  const Bytes credit = std::max<Bytes>(sender.credit, 0);
  const Bytes share = std::max<Bytes>(std::min(work, max_window_) - credit, 0) /
                      static_cast<Bytes>(std::max<std::size_t>(backlogged_, 1));
  const Bytes least = sender.speculative || (work > 0 && credit == 0) ? sender.packet : 0;
  return sender.pulled + static_cast<std::uint64_t>(std::max(share, least));
}

/// Marks a packet in flight as lost, to be sent again; returns false if the packet was not in
/// flight.
bool Uec::lost(Qpn qpn, Psn psn) {
  Sender& sender = senders_[qpn];
  if (!sender.packets.lost(psn)) return false;
  sender.in_flight -= wire_of(qpn, psn);
  return true;
}

/// Records a packet that arrived at the receiver; returns its wire bytes, or 0 if the arrival was
/// known already.
Bytes Uec::took(Qpn qpn, Psn psn) {
  if (at(qpn).out.delivered(psn)) return 0;
  const Bytes wire = wire_of(qpn, psn);
  if (senders_[qpn].packets.arrived(psn)) senders_[qpn].in_flight -= wire;
  delivered(qpn, psn);
  return wire;
}

void Uec::on_ack(Qpn qpn, const Packet& ack) {
  ++context_.counters.acks_received;
  const PicoSeconds rtt = now() - ack.sent;
  context_.port.round_trip(rtt);
  Bytes bytes = 0;
  const Psn sent_end = std::min(at(qpn).next, at(qpn).out.end());
  const Psn whole = std::min(ack.psn, sent_end);
  for (Psn psn = at(qpn).out.first_undelivered(); psn < whole; ++psn) bytes += took(qpn, psn);
  const Psn first = ack.immediate;
  for (std::uint64_t bits = ack.scheme; bits != 0; bits &= bits - 1) {
    const Psn psn = first + static_cast<Psn>(__builtin_ctzll(bits));
    if (psn >= whole && psn < sent_end) bytes += took(qpn, psn);
  }
  Sender& sender = senders_[qpn];
  if (parameters_.has_window()) {
    sender.window.acknowledged(bytes, rtt, ack.ce_echo, sender.in_flight, now());
  }
}

void Uec::on_nack(Qpn qpn, const Packet& nack) {
  Sender& sender = senders_[qpn];
  if (!sender.packets.is_out(nack.psn, nack.sent)) return;
  lost(qpn, nack.psn);
  if (!parameters_.has_window()) return;
  const Bytes wire = wire_of(qpn, nack.psn);
  if (nack.kind == PacketKind::kReturned) {
    sender.window.lost(wire);
  } else {
    sender.window.trimmed(wire, now() - nack.sent, sender.in_flight, now());
  }
}

/// Handles a grant of credit. The granted credit is a total, so a lost grant is harmless.
void Uec::on_pulled(Qpn qpn, std::uint64_t pulled) {
  Sender& sender = senders_[qpn];
  if (sender.speculative) {
    sender.speculative = false;
    sender.credit = 0;
  }
  if (pulled <= sender.pulled) return;
  const auto more = static_cast<Bytes>(pulled - sender.pulled);
  sender.pulled = pulled;
  sender.credit += more;
}

// ---------------------------------------------------------------- Timeouts

/// Returns true if the sender has data, nothing in flight and no permission to send, so that only
/// a packet from the receiver lets it continue.
bool Uec::waits_for_word(Qpn qpn) const {
  const Sender& sender = senders_[qpn];
  return sender.packets.out() == 0 && sender.backlogged && !sender.ready && at(qpn).connected;
}

/// Sets the sender's timeout: that of the oldest packet in flight, or without one the timeout of
/// news from the receiver, at increasing intervals.
void Uec::set_deadline(Qpn qpn) {
  Sender& sender = senders_[qpn];
  PicoSeconds when = sender.packets.overdue_at(timeout_);
  if (waits_for_word(qpn)) {
    const PicoSeconds last = std::max(sender.heard, sender.asked);
    // The sender may have become active after a long pause; it requests credit at most once per
    // RTT.
    const PicoSeconds soonest = std::max(now(), may_ask_at(sender));
    when = std::max(soonest, last + std::max(timeout_, last - sender.heard));
  }
  deadlines_.set(qpn, when);
}

PicoSeconds Uec::may_ask_at(const Sender& sender) const {
  if (sender.asked == PicoSeconds()) return PicoSeconds();
  return sender.asked + context_.longest_base_rtt;
}

void Uec::ask(Qpn qpn) {
  Sender& sender = senders_[qpn];
  if (now() < may_ask_at(sender)) return;
  sender.asked = now();
  Packet* const request = make_control(qpn, PacketKind::kRequest, at(qpn).config.flow);
  request->scheme = wanted(qpn);
  request->remote_address = sender.pulled;
  send_control(request);
}

void Uec::look_at(Qpn qpn) {
  Sender& sender = senders_[qpn];
  while (const auto psn = sender.packets.overdue(now(), timeout_)) {
    lost(qpn, *psn);
    ++context_.counters.timeouts;
    if (parameters_.has_window()) sender.window.lost(wire_of(qpn, *psn));
  }
  take_turn(qpn);
  if (waits_for_word(qpn)) ask(qpn);
  set_deadline(qpn);
}

void Uec::ring() {
  deadlines_.expire([this](Qpn qpn) { look_at(qpn); });
  context_.port.data_ready();
}

// ---------------------------------------------------------------- Arrivals

void Uec::arrived(Qpn qpn, Packet& packet) {
  switch (packet.kind) {
    case PacketKind::kData:
    case PacketKind::kTrimmed:
      on_data(qpn, packet);
      return;
    case PacketKind::kRequest:
      on_request(qpn, packet);
      return;
    case PacketKind::kAck:
      on_pulled(qpn, packet.remote_address);
      on_ack(qpn, packet);
      break;
    case PacketKind::kNak:
      on_pulled(qpn, packet.remote_address);
      on_nack(qpn, packet);
      break;
    case PacketKind::kReturned:
      on_nack(qpn, packet);
      break;
    case PacketKind::kCredit:
      on_pulled(qpn, packet.remote_address);
      break;
    default:
      return;
  }
  senders_[qpn].heard = now();
  settle(qpn);
  context_.port.data_ready();
}

// ---------------------------------------------------------------- Receiver

void Uec::on_data(Qpn qpn, const Packet& data) {
  Receiver& receiver = receivers_[qpn];
  const SequenceSet& in = at(qpn).in;
  if (parameters_.has_credit()) on_wanted(qpn, data.scheme);
  const bool opens = receiver.seen_end == 0;
  receiver.seen_end = std::max(receiver.seen_end, data.psn + 1);
  if (data.kind == PacketKind::kTrimmed) {
    const bool known = in.contains(data.psn);
    if (known) {
      remember(qpn, data);
    } else if (parameters_.has_credit()) {
      on_wanted(qpn,
                // credit for at least one packet more than was granted
                receiver.pulled + static_cast<std::uint64_t>(full_packet(qpn)));
    }
    answer(qpn, data, known ? PacketKind::kAck : PacketKind::kNak);
    return;
  }
  const bool marked = count_mark(data);
  const bool fresh = accept(qpn, data);
  remember(qpn, data);
  const bool complete = in.first_missing() >= receiver.seen_end;
  if (data.ack_requested && !complete) receiver.asked = true;
  if (opens || marked || !fresh || data.ack_requested || (receiver.asked && complete) ||
      receiver.unanswered >= parameters_.ack_every) {
    answer(qpn, data, PacketKind::kAck);
  }
}

/// Adds a data packet to the next answer; sends an answer first if the range would exceed 64
/// packets.
void Uec::remember(Qpn qpn, const Packet& data) {
  Receiver& receiver = receivers_[qpn];
  const Psn whole = at(qpn).in.first_missing();
  receiver.untold.remove_before(whole);
  if (data.psn >= whole) {
    if (!receiver.untold.fits(data.psn)) answer(qpn, data, PacketKind::kAck);
    receiver.untold.add(data.psn);
  }
  receiver.unanswered += data.wire_bytes;
}

void Uec::answer(Qpn qpn, const Packet& packet, PacketKind kind) {
  Receiver& receiver = receivers_[qpn];
  const SequenceSet& in = at(qpn).in;
  Packet* const reply = make_control(qpn, kind, packet.flow);
  reply->sent = packet.sent;
  reply->remote_address = receiver.pulled;
  if (kind == PacketKind::kAck) {
    ++context_.counters.acks_sent;
    const Psn end = receiver.untold.end;
    const Psn first = std::max(in.first_missing(), end - std::min(end, kBits));
    reply->psn = in.first_missing();
    reply->immediate = static_cast<std::uint32_t>(first);
    reply->scheme = in.bits(first);
    reply->ce_echo = packet.ecn == Ecn::kCe;
    reply->overlay.entropy.echo = packet.overlay.entropy.value;
    receiver.untold = {};
    receiver.unanswered = 0;
    if (in.first_missing() >= receiver.seen_end) receiver.asked = false;
  } else {
    ++context_.counters.naks_sent;
    reply->psn = packet.psn;
  }
  send_control(reply);
}

/// Handles a request for credit, which arrives because the grant or the demand was lost.
void Uec::on_request(Qpn qpn, const Packet& request) {
  on_wanted(qpn, request.scheme);
  if (request.remote_address < receivers_[qpn].pulled) send_credit(qpn);
}

void Uec::on_wanted(Qpn qpn, std::uint64_t wanted) {
  Receiver& receiver = receivers_[qpn];
  const bool raised = wanted > receiver.wanted;
  receiver.wanted = std::max(receiver.wanted, wanted);
  if (receiver.wanted <= receiver.pulled) {
    if (raised) go_ahead(qpn);
    return;
  }
  if (receiver.queued) return;
  receiver.queued = true;
  pull_turns_.push_back(qpn);
  plan_pull(std::max(now(), next_pull_));
}

/// Grants more credit to a sender that has all the credit it wanted, if there is room for more.
void Uec::go_ahead(Qpn qpn) {
  Receiver& receiver = receivers_[qpn];
  if (receiver.ahead || receiver.pulled >= receiver.wanted + ahead_) return;
  receiver.ahead = true;
  ahead_turns_.push_back(qpn);
  plan_pull(std::max(now(), next_pull_));
}

void Uec::plan_pull(PicoSeconds when) {
  if (!pulling_.is_scheduled()) context_.scheduler.schedule_at(pulling_, when);
}

void Uec::send_credit(Qpn qpn) {
  Packet* const pull = make_control(qpn, PacketKind::kCredit, at(qpn).config.flow);
  pull->remote_address = receivers_[qpn].pulled;
  send_control(pull);
}

void Uec::send_pull() {
  const bool wants = !pull_turns_.empty();
  std::deque<Qpn>& turns = wants ? pull_turns_ : ahead_turns_;
  if (turns.empty()) return;  // no turn is left, because the queue pair whose turn it was has ended
  const Qpn qpn = turns.front();
  turns.pop_front();
  Receiver& receiver = receivers_[qpn];
  (wants ? receiver.queued : receiver.ahead) = false;
  receiver.pulled += static_cast<std::uint64_t>(packet_) * parameters_.pull_packets;
  totals_.credits_sent += parameters_.pull_packets;
  next_pull_ = now() + pull_interval_;
  if (receiver.wanted > receiver.pulled) {
    receiver.queued = true;
    pull_turns_.push_back(qpn);
  } else {
    go_ahead(qpn);
  }
  send_credit(qpn);
  if (!pull_turns_.empty() || !ahead_turns_.empty()) plan_pull(next_pull_);
}

}  // namespace dcc
