#include "transport/pdq.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "describe/visitor.h"
#include "net/discipline/preemptive_rate.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
const Transports::Registered<PdqParameters> kPdq{
    "pdq", "the most critical flows send, the others pause; for ports that keep lists of flows",
    [](const PdqParameters& parameters, const TransportContext& context) {
      return std::make_unique<Pdq>(context, parameters);
    }};

/// The NIC has room for all its flows, and nothing to dampen.
PreemptiveAllocatorParameters for_nic() {
  PreemptiveAllocatorParameters rates;
  rates.flows = std::numeric_limits<std::uint32_t>::max();
  rates.probing = Ratio(0);
  rates.dampening = Ratio(0);
  return rates;
}

/// No port's: theirs are odd, and drawn from 2^63.
std::uint64_t name_of_nic(const TransportContext& context) {
  return (std::uint64_t{context.nic.host} + 1) * 2;
}
}  // namespace

void PdqParameters::describe(ParameterVisitor& v) {
  describe_framing(v);
  v.field("ask_again", ask_again, "auto", {"1us", "10s"},
          {"a probe that is not answered for so long is sent again, ever more rarely; auto: three "
           "times the longest base RTT",
           ""});
  v.field("timeout", timeout, {"1us", "10s"},
          {"a packet of which nothing is heard for so long is sent again", ""});
}

Pdq::Pdq(const TransportContext& context, const PdqParameters& parameters)
    : MessageTransport(context, parameters.framing),
      parameters_(parameters),
      ask_again_(parameters.ask_again.value_or(context.longest_base_rtt * 3)),
      nic_(for_nic(), name_of_nic(context)),
      alarms_(context.scheduler, Event::calling<&Pdq::ring_alarms>(*this, context.rank)),
      turns_(context.scheduler, Event::calling<&Pdq::ring_turns>(*this, context.rank)) {
  nic_.set_link(context.nic.line_rate);
}

void Pdq::begin(Qpn qpn) {
  if (senders_.size() <= qpn) senders_.resize(qpn + 1);
  Sender& sender = senders_[qpn];
  sender = Sender{};
  sender.patience = ask_again_;
  sender.round_trip = sender.probe_after = context_.longest_base_rtt;
}

void Pdq::end(Qpn qpn) {
  turns_.put(qpn, PicoSeconds::max());
  alarms_.clear(qpn);
  nic_.leave(qpn);
  senders_[qpn] = Sender{};
}

void Pdq::add_own_state(StateDigest& d) const { d(nic_, senders_, alarms_, turns_); }

void Pdq::work_changed(Qpn qpn) {
  if (!at(qpn).connected) return;
  settle(qpn);
  context_.port.data_ready();
}

// ---------------------------------------------------------------- asking

/// Packets, new and again.
std::uint64_t Pdq::work_left(Qpn qpn) const { return packets_left(qpn, senders_[qpn].packets); }

/// That they take at the highest rate.
PicoSeconds Pdq::time_left(Qpn qpn) const {
  return serialization_time(bytes_left(qpn, senders_[qpn].packets), context_.nic.line_rate);
}

/// Whether it can be met at all (the paper's early termination, section 3.1).
void Pdq::look_at_deadline(Qpn qpn) {
  Sender& sender = senders_[qpn];
  const PicoSeconds deadline = at(qpn).config.deadline;
  if (sender.late || deadline == PicoSeconds::max()) return;
  const bool pauses = sender.rate.bits_per_second == 0;
  const PicoSeconds soonest = std::max(time_left(qpn), pauses ? sender.round_trip : PicoSeconds());
  sender.late = now() + soonest > deadline;
}

SchedulingHeader Pdq::header_of(Qpn qpn) const {
  const Sender& sender = senders_[qpn];
  SchedulingHeader header;
  header.rate = context_.nic.line_rate;
  header.paused_by = sender.paused_by;
  if (!sender.late) header.deadline = at(qpn).config.deadline;
  header.left = time_left(qpn);
  header.round_trip = header.probe_after = sender.round_trip;
  return header;
}

/// Or its repetition. Who sends asks with every packet, but their answers wait behind whatever
/// queue there is, and it would hear too late that it is to pause.
PicoSeconds Pdq::next_probe(const Sender& sender) const {
  if (sender.asking) return sender.told + sender.patience;
  if (sender.rate.bits_per_second != 0) return sender.told + sender.round_trip;
  return sender.paused_by != 0 ? sender.told + sender.probe_after : PicoSeconds();
}

void Pdq::ask_if_time(Qpn qpn) {
  Sender& sender = senders_[qpn];
  if (work_left(qpn) == 0) {
    leave(qpn);
  } else if (now() >= next_probe(sender)) {
    if (sender.asking) {
      ++context_.counters.timeouts;
      sender.patience += sender.patience;
    }
    ask(qpn);
  }
}

void Pdq::ask(Qpn qpn) {
  Sender& sender = senders_[qpn];
  const SchedulingHeader header = told_the_nic(qpn);
  sender.told = now();
  if (sender.paused_by == nic_.name()) {
    if (sender.known) tell_ports(qpn, header, true);
    sender.known = sender.asking = false;
    return;
  }
  if (!sender.known) sender.heard = now();
  sender.known = sender.asking = true;
  tell_ports(qpn, header, false);
}

/// The first port on the way, whose answer is there at once.
SchedulingHeader Pdq::told_the_nic(Qpn qpn) {
  Sender& sender = senders_[qpn];
  look_at_deadline(qpn);
  SchedulingHeader header = header_of(qpn);
  nic_.ask(qpn, header, 0, now());
  if (header.paused_by == nic_.name()) {
    sender.rate = {};
    sender.paused_by = nic_.name();
    sender.probe_after = header.probe_after;
  } else if (sender.paused_by == nic_.name()) {
    sender.paused_by = 0;
  }
  return header;
}

/// The last time, or until it asks anew.
void Pdq::tell_ports(Qpn qpn, const SchedulingHeader& header, bool leaves) {
  Packet* const probe = make_control(qpn, PacketKind::kRequest, at(qpn).config.flow);
  probe->sent = now();
  probe->last = leaves;
  attach(*probe, header);
  send_control(probe);
}

void Pdq::attach(Packet& packet, const SchedulingHeader& header) {
  context_.pool.attach_telemetry(packet);
  SchedulingHeaderOn::write(packet, header);
}

/// Nothing is left to ask for.
void Pdq::leave(Qpn qpn) {
  Sender& sender = senders_[qpn];
  if (sender.known) tell_ports(qpn, header_of(qpn), true);
  if (sender.known || sender.paused_by != 0) nic_.leave(qpn);
  rest(sender);
}

/// As before it asked for the first time.
void Pdq::rest(Sender& sender) {
  sender.known = sender.asking = false;
  sender.rate = {};
  sender.paused_by = 0;
}

void Pdq::on_answer(Qpn qpn, const Packet& answer) {
  Sender& sender = senders_[qpn];
  if (answer.telemetry == nullptr || !sender.known || answer.sent < sender.heard) return;
  const SchedulingHeader header = SchedulingHeaderOn::read(answer);
  nic_.answer(qpn, header, answer.sent);
  sender.heard = answer.sent;
  sender.asking = false;
  sender.patience = ask_again_;
  if (answer.kind == PacketKind::kAck) {
    sender.round_trip = std::min(sender.round_trip, now() - answer.sent);
  }
  if (header.paused_by != 0 && header.rate.bits_per_second != 0) {
    rest(sender);  // who paused it is not on its way any more, and the others took its word
    return;
  }
  sender.rate = header.rate;
  sender.paused_by = header.paused_by;
  sender.probe_after = std::max(header.probe_after, sender.round_trip);
}

// ---------------------------------------------------------------- sending

/// What there is to do: asks, sends, or is woken for it.
void Pdq::settle(Qpn qpn) {
  ask_if_time(qpn);
  take_turn(qpn);
  set_alarm(qpn);
}

void Pdq::take_turn(Qpn qpn) {
  const Sender& sender = senders_[qpn];
  const bool may = work_left(qpn) > 0 && sender.rate.bits_per_second > 0;
  turns_.put(qpn, may ? sender.pacer.due(sender.rate, now()) : PicoSeconds::max());
}

/// Every packet tells the ports how much is left behind it; the last, to forget its flow.
Packet* Pdq::next_packet() {
  const Qpn qpn = turns_.take();
  Sender& sender = senders_[qpn];
  Packet* const packet = make_data(qpn, sender.packets.send(at(qpn).next, now()));
  sender.pacer.sends(packet->wire_bytes + context_.nic.link_overhead, sender.rate, now());
  attach(*packet, told_the_nic(qpn));
  if (work_left(qpn) == 0) {
    rest(sender);
  } else if (sender.paused_by == nic_.name()) {
    sender.told = now();
    sender.known = sender.asking = false;
  }
  settle(qpn);
  return packet;
}

void Pdq::set_alarm(Qpn qpn) {
  Sender& sender = senders_[qpn];
  PicoSeconds when = sender.packets.overdue_at(parameters_.timeout);
  if (work_left(qpn) > 0) when = std::min(when, next_probe(sender));
  alarms_.set(qpn, std::max(when, now()));
}

void Pdq::look_at(Qpn qpn) {
  Sender& sender = senders_[qpn];
  while (const auto psn = sender.packets.overdue(now(), parameters_.timeout)) {
    sender.packets.lost(*psn);
    ++context_.counters.timeouts;
    if (sender.rate.bits_per_second != 0) rest(sender);
  }
  settle(qpn);
}

void Pdq::ring_alarms() {
  alarms_.ring([this](Qpn qpn) { look_at(qpn); });
  context_.port.data_ready();
}

void Pdq::ring_turns() {
  turns_.ring([this](Qpn qpn) { take_turn(qpn); });
  context_.port.data_ready();
}

// ---------------------------------------------------------------- arrivals

void Pdq::arrived(Qpn qpn, Packet& packet) {
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
