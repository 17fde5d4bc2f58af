#include "schemes/ndp/ndp.h"

#include <algorithm>
#include <cstdlib>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
const Transports::Registered<NdpParameters> kNdp{
    "ndp", "a first window at once, the rest pulled by receivers; for ports that trim",
    kMakes<Ndp>};
}  // namespace

void NdpParameters::describe(ParameterVisitor& v) {
  const char* const paper = "NDP, SIGCOMM'17";
  describe_framing(v);
  v.field("initial_window", initial_window, {"1", "100000"},
          {"number of packets sent without a PULL", paper});
  v.follows(true, "the full packets in the product of slowest link and base RTT, at least 23",
            [this](const NetworkScale& network) {
              initial_window = network.window_packets(23, 100'000);
            });
  v.field("pull_interval", pull_interval, "auto", {"1ns", "1ms"},
          {"time between two PULLs of a host; auto: that of a full payload at line rate", paper});
  v.field("timeout", timeout, {"1us", "10s"},
          {"least time without an answer after which a packet is sent again", paper});
  v.follows(true, kPatienceRule,
            [this](const NetworkScale& network) { timeout = network.patience(); });
}

Ndp::Ndp(const TransportContext& context, const NdpParameters& parameters)
    : MessageTransport(context, parameters.framing),
      parameters_(parameters),
      deadlines_(context.scheduler, Event::calling<&Ndp::check_deadlines>(*this, context.rank)),
      silence_(context.scheduler, Event::calling<&Ndp::check_silence>(*this, context.rank)),
      pulling_(Event::calling<&Ndp::send_pull>(*this, context.rank)) {}

void Ndp::begin(Qpn qpn) {
  renew(senders_, qpn).heard = now();
  renew(receivers_, qpn).patience = parameters_.timeout;
}

void Ndp::end(Qpn qpn) {
  ready_.erase(std::remove(ready_.begin(), ready_.end(), qpn), ready_.end());
  pull_turns_.erase(std::remove(pull_turns_.begin(), pull_turns_.end(), qpn), pull_turns_.end());
  deadlines_.clear(qpn);
  silence_.clear(qpn);
  senders_[qpn].ready = false;
  receivers_[qpn].pending = 0;
  receivers_[qpn].queued = false;
}

void Ndp::add_own_state(StateDigest& d) const {
  d(senders_, receivers_, ready_, deadlines_, silence_, pull_turns_, next_pull_, pulling_);
}

// ---------------------------------------------------------------- Sender

void Ndp::work_changed(Qpn qpn) {
  Sender& sender = senders_[qpn];
  const Connection& connection = at(qpn);
  if (connection.out.end() > sender.posted) {
    if (connection.next >= sender.posted) sender.allowed += parameters_.initial_window;
    sender.posted = connection.out.end();
  }
  settle(qpn);
  context_.port.data_ready();
}

std::uint64_t Ndp::work_left(Qpn qpn) const { return packets_left(qpn, senders_[qpn].packets); }

/// Updates whether the NDP sender may send; if it may not, sets its timeout.
void Ndp::settle(Qpn qpn) {
  Sender& sender = senders_[qpn];
  const std::uint64_t work = work_left(qpn);
  if (work == 0) sender.allowed = 0;
  const bool ready = at(qpn).connected && sender.allowed > 0 && work > 0;
  if (ready && !sender.ready) ready_.push_back(qpn);
  if (!ready && sender.ready) ready_.erase(std::find(ready_.begin(), ready_.end(), qpn));
  sender.ready = ready;
  set_deadline(qpn);
}

Packet* Ndp::next_packet() {
  const Qpn qpn = ready_.front();
  ready_.pop_front();
  Sender& sender = senders_[qpn];
  sender.ready = false;
  --sender.allowed;
  const Psn psn = sender.packets.send(at(qpn).next, now());
  Packet* const packet = make_data(qpn, psn);
  settle(qpn);  // the queue pair moves to the end of the round robin
  return packet;
}

void Ndp::on_ack(Qpn qpn, const Packet& ack) {
  senders_[qpn].packets.arrived(ack.psn);
  acknowledged(qpn, ack.psn, ack.sent);
}

void Ndp::on_return(Qpn qpn, Psn psn) {
  Sender& sender = senders_[qpn];
  sender.latest.add(false);
  if (!sender.packets.lost(psn, Outstanding::Place::kFirst)) return;
  const bool no_pull_comes =
      sender.packets.out() <= 1 && sender.pulled >= sender.answers && sender.allowed == 0;
  if (no_pull_comes || sender.latest.tell_of_a_bad_way()) ++sender.allowed;
}

void Ndp::on_pull(Qpn qpn, std::uint64_t pulls) {
  Sender& sender = senders_[qpn];
  if (pulls <= sender.pulled) return;
  const std::uint64_t more = pulls - sender.pulled;
  sender.pulled = pulls;
  const std::uint64_t work = work_left(qpn);
  const std::uint64_t used = std::min(more, work > sender.allowed ? work - sender.allowed : 0);
  sender.allowed += used;
  totals_.credits_used += used;
  totals_.credits_unused += more - used;
}

// ---------------------------------------------------------------- Timeouts

/// Updates a sender's smoothed round-trip time and its mean deviation (RFC 6298, 2.3).
void Ndp::measure(Sender& sender, PicoSeconds round_trip) const {
  if (sender.round_trip == PicoSeconds()) {
    sender.round_trip = round_trip;
    sender.deviation = PicoSeconds(round_trip.count / 2);
    return;
  }
  const std::int64_t off = round_trip.count - sender.round_trip.count;
  sender.deviation.count += (std::abs(off) - sender.deviation.count) / 4;
  sender.round_trip.count += off / 8;
}

PicoSeconds Ndp::timeout_of(const Sender& sender) const {
  if (sender.round_trip == PicoSeconds()) return parameters_.timeout * 20;
  return std::max(parameters_.timeout, sender.round_trip + sender.deviation * 4);
}

/// Sets the NDP sender's timeout, which counts from the oldest packet in flight. If no packet is in
/// flight and no PULL is expected, the timeout counts from the last packet received.
void Ndp::set_deadline(Qpn qpn) {
  Sender& sender = senders_[qpn];
  PicoSeconds when = sender.packets.overdue_at(timeout_of(sender));
  const bool waits = sender.packets.out() == 0 && sender.allowed == 0 && work_left(qpn) > 0;
  if (waits && sender.owed == 0) {
    when = sender.heard + timeout_of(sender);
  }
  // A shorter measured round trip may have moved the sender's deadline into the past.
  deadlines_.set(qpn, std::max(when, now()));
}

/// Restores the part of the window that a lost packet or a lost PULL held.
void Ndp::look_at(Qpn qpn) {
  Sender& sender = senders_[qpn];
  std::uint64_t silent = sender.packets.out() == 0 && sender.owed == 0 ? 1 : 0;
  while (const auto psn = sender.packets.overdue(now(), timeout_of(sender))) {
    sender.packets.lost(*psn, Outstanding::Place::kFirst);
    ++silent;
  }
  context_.counters.timeouts += silent;
  sender.allowed += silent;
  settle(qpn);
}

void Ndp::check_deadlines() {
  deadlines_.expire([this](Qpn qpn) { look_at(qpn); });
  context_.port.data_ready();
}

// ---------------------------------------------------------------- Arrivals

void Ndp::arrived(Qpn qpn, Packet& packet) {
  switch (packet.kind) {
    case PacketKind::kData:
      accept(qpn, packet);
      answer(qpn, packet, PacketKind::kAck);
      return;
    case PacketKind::kTrimmed:
      answer(qpn, packet, at(qpn).in.contains(packet.psn) ? PacketKind::kAck : PacketKind::kNak);
      return;
    case PacketKind::kAck:
      ++context_.counters.acks_received;
      ++senders_[qpn].answers;
      senders_[qpn].latest.add(true);
      measure(senders_[qpn], now() - packet.sent);
      on_ack(qpn, packet);
      on_pull(qpn, packet.scheme);
      break;
    case PacketKind::kNak:
      ++senders_[qpn].answers;
      senders_[qpn].latest.add(false);
      measure(senders_[qpn], now() - packet.sent);
      senders_[qpn].packets.lost(packet.psn);
      on_pull(qpn, packet.scheme);
      break;
    case PacketKind::kReturned:
      on_return(qpn, packet.psn);
      break;
    case PacketKind::kCredit:
      on_pull(qpn, packet.scheme);
      break;
    default:
      return;
  }
  Sender& sender = senders_[qpn];
  sender.heard = now();
  if (packet.kind != PacketKind::kReturned && packet.remote_address > sender.news) {
    sender.news = packet.remote_address;
    sender.owed = packet.immediate;
  }
  settle(qpn);
  context_.port.data_ready();
}

// ---------------------------------------------------------------- Receiver

void Ndp::answer(Qpn qpn, const Packet& packet, PacketKind kind) {
  Receiver& receiver = receivers_[qpn];
  if (packet.psn >= receiver.seen_end) {
    receiver.seen_end = packet.psn + 1;
    receiver.ended = packet.last;
  }
  ++receiver.pending;
  limit_pulls(qpn);
  const bool pulled = pull_at_once(qpn);
  Packet* const reply = make_control(qpn, kind, packet.flow);
  reply->psn = packet.psn;
  reply->sent = packet.sent;
  tell_pulls(receiver, *reply);
  ++(kind == PacketKind::kAck ? context_.counters.acks_sent : context_.counters.naks_sent);
  if (!pulled) queue_pull(qpn);
  send_control(reply);
  receiver.patience = parameters_.timeout;
  watch(qpn);
}

/// Adds a queue pair with pending PULLs to the round robin.
void Ndp::queue_pull(Qpn qpn) {
  Receiver& receiver = receivers_[qpn];
  if (receiver.pending == 0 || receiver.queued) return;
  receiver.queued = true;
  pull_turns_.push_back(qpn);
  if (!pulling_.is_scheduled()) {
    context_.scheduler.schedule_at(pulling_, std::max(now(), next_pull_));
  }
}

/// Writes the numbers of PULLs sent so far and of PULLs still owed into an acknowledgement or a
/// PULL.
void Ndp::tell_pulls(Receiver& receiver, Packet& packet) {
  packet.scheme = receiver.pulls;
  packet.remote_address = ++receiver.told;
  packet.immediate = static_cast<std::uint32_t>(receiver.pending);
}

/// Sets the alarm for silence of an NDP receiver that has sent all its PULLs and still lacks
/// packets; switches the alarm of another receiver off.
void Ndp::watch(Qpn qpn) {
  const Receiver& receiver = receivers_[qpn];
  const bool whole = receiver.ended && at(qpn).in.count() == receiver.seen_end;
  const bool waits = receiver.pending == 0 && !whole;
  silence_.set(qpn, waits ? now() + receiver.patience : PicoSeconds::max());
}

void Ndp::check_silence() {
  silence_.expire([this](Qpn qpn) {
    Receiver& receiver = receivers_[qpn];
    receiver.patience = std::min(receiver.patience * 2, kSecond * 100);
    ++receiver.pending;
    queue_pull(qpn);
  });
}

/// Time from a PULL for a queue pair to the host's next PULL.
PicoSeconds Ndp::interval(Qpn qpn) const {
  return parameters_.pull_interval.value_or(serialization_time(mtu(qpn), context_.nic.line_rate));
}

void Ndp::limit_pulls(Qpn qpn) {
  Receiver& receiver = receivers_[qpn];
  if (!receiver.ended) return;
  receiver.pending = std::min(receiver.pending, receiver.seen_end - at(qpn).in.count());
}

/// Lets the ACK of a data packet count as a PULL, if no other queue pair waits for PULLs and the
/// PULL interval is over.
bool Ndp::pull_at_once(Qpn qpn) {
  Receiver& receiver = receivers_[qpn];
  if (receiver.pending == 0 || !pull_turns_.empty() || now() < next_pull_) return false;
  --receiver.pending;
  ++receiver.pulls;
  ++totals_.credits_sent;
  next_pull_ = now() + interval(qpn);
  return true;
}

void Ndp::send_pull() {
  while (!pull_turns_.empty()) {
    const Qpn qpn = pull_turns_.front();
    pull_turns_.pop_front();
    Receiver& receiver = receivers_[qpn];
    receiver.queued = receiver.pending > 1;
    if (receiver.queued) pull_turns_.push_back(qpn);
    // skips a queue pair whose packets have all arrived since its PULLs were queued
    if (receiver.pending == 0) continue;
    --receiver.pending;
    ++receiver.pulls;
    ++totals_.credits_sent;
    Packet* const pull = make_control(qpn, PacketKind::kCredit, at(qpn).config.flow);
    tell_pulls(receiver, *pull);
    next_pull_ = now() + interval(qpn);
    send_control(pull);
    watch(qpn);
    break;
  }
  if (!pull_turns_.empty()) context_.scheduler.schedule_at(pulling_, next_pull_);
}

}  // namespace dcc
