#include "schemes/pdq/pdq.h"

#include <algorithm>
#include <limits>

#include "describe/visitor.h"
#include "schemes/pdq/preemptive_rate.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
const Transports::Registered<PdqParameters> kPdq{
    "pdq", "the most critical flows send, the others pause; for ports that keep lists of flows",
    kMakes<Pdq>};

/// Parameters of PDQ's allocator in the NIC, which has room for all flows and no dampening.
PreemptiveAllocatorParameters for_nic() {
  PreemptiveAllocatorParameters rates;
  rates.flows = std::numeric_limits<std::uint32_t>::max();
  rates.probing = Ratio(0);
  rates.dampening = Ratio(0);
  return rates;
}

/// Identification number of the NIC, which no port has: numbers of ports are odd and random below
/// 2^63.
std::uint64_t name_of_nic(const TransportContext& context) {
  return (std::uint64_t{context.nic.host} + 1) * 2;
}
}  // namespace

void PdqParameters::describe(ParameterVisitor& v) {
  RatedParameters::describe(v);
  v.field("early_termination", early_termination, {},
          {"a flow that can no longer meet its deadline sends nothing more and stays unfinished; "
           "false: such a flow goes on without a deadline, behind those that have one",
           "PDQ, SIGCOMM'12, 3.1"});
}

Pdq::Pdq(const TransportContext& context, const PdqParameters& parameters)
    : RatedTransport(context, parameters),
      early_termination_(parameters.early_termination),
      nic_(for_nic(), name_of_nic(context)) {
  nic_.set_link(context.nic.line_rate);
}

void Pdq::begin(Qpn qpn) {
  RatedTransport::begin(qpn);
  Sender& sender = renew(senders_, qpn);
  sender.round_trip = sender.probe_after = context_.longest_base_rtt;
}

void Pdq::end(Qpn qpn) {
  RatedTransport::end(qpn);
  nic_.leave(qpn);
  senders_[qpn] = Sender{};
}

void Pdq::add_own_state(StateDigest& d) const {
  RatedTransport::add_own_state(d);
  d(nic_, senders_);
}

// ---------------------------------------------------------------- Requests

/// Time that the flow's remaining data takes at the flow's maximum rate.
PicoSeconds Pdq::time_left(Qpn qpn) const {
  return serialization_time(bytes_of_work(qpn), context_.nic.line_rate);
}

/// Checks whether the flow's deadline can still be met (section 3.1 of the paper), and may
/// terminate the flow.
void Pdq::look_at_deadline(Qpn qpn) {
  Sender& sender = senders_[qpn];
  const PicoSeconds deadline = at(qpn).config.deadline;
  if (sender.late || deadline == PicoSeconds::max()) return;
  const bool pauses = sender.rate.bits_per_second == 0;
  const PicoSeconds soonest = std::max(time_left(qpn), pauses ? sender.round_trip : PicoSeconds());
  sender.late = now() + soonest > deadline;
  if (sender.late && early_termination_) terminate(qpn);
}

/// Terminates a flow: removes data that was never sent, from the flow's record as well, so that the
/// flow counts as ended. Packets in flight are still acknowledged, or sent again.
void Pdq::terminate(Qpn qpn) {
  const SendBuffer& out = at(qpn).out;
  const Bytes before = out.undelivered();
  remove_unsent(qpn);
  context_.ledger[at(qpn).config.flow].posted_bytes -= before - out.undelivered();
}

SchedulingHeader Pdq::header_of(Qpn qpn) const {
  const Sender& sender = senders_[qpn];
  SchedulingHeader header;
  header.rate = context_.nic.line_rate;
  header.paused_by = sender.paused_by;
  if (!sender.late) header.deadline = at(qpn).config.deadline;
  header.left = time_left(qpn);
  header.round_trip = header.probe_after = sender.round_trip;
  if (sender.paused_by != 0) header.waited = sender.probe_after;
  return header;
}

/// Time at which the flow sends its next probe or repeats a probe. A sending flow also probes,
/// because the answers of its data packets wait behind the queue, so a pause would arrive too late.
PicoSeconds Pdq::asks_at(Qpn qpn) const {
  const Sender& sender = senders_[qpn];
  if (is_asking(qpn)) return repeats_at(qpn);
  if (may_send(qpn)) return asked_at(qpn) + sender.round_trip;
  return sender.paused_by != 0 ? asked_at(qpn) + sender.probe_after : PicoSeconds();
}

void Pdq::ask(Qpn qpn) {
  Sender& sender = senders_[qpn];
  const SchedulingHeader header = told_the_nic(qpn);
  if (work_left(qpn) == 0) {
    leave(qpn);  // leaves the ports' lists, because the flow was terminated in this call
    return;
  }
  if (sender.paused_by == nic_.name()) {
    if (sender.known) tell_ports(qpn, header, true);
    sender.known = false;
    need_not_ask(qpn);
    return;
  }
  if (!sender.known) sender.heard = now();
  sender.known = true;
  asks(qpn);
  tell_ports(qpn, header, false);
}

/// Requests a rate from the NIC, which is the first port of the path and answers at once.
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

/// Sends a packet that removes the flow from the lists of the ports on its path.
void Pdq::tell_ports(Qpn qpn, const SchedulingHeader& header, bool leaves) {
  Packet* const probe = make_request(qpn);
  probe->last = leaves;
  attach(*probe, header);
  send_control(probe);
}

void Pdq::attach(Packet& packet, const SchedulingHeader& header) {
  context_.pool.attach_places(packet);
  SchedulingHeaderOn::write(packet, header);
}

void Pdq::leave(Qpn qpn) {
  Sender& sender = senders_[qpn];
  if (sender.known) tell_ports(qpn, header_of(qpn), true);
  if (sender.known || sender.paused_by != 0) nic_.leave(qpn);
  rest(qpn);
}

/// Resets the PDQ flow to the state before its first request.
void Pdq::rest(Qpn qpn) {
  Sender& sender = senders_[qpn];
  asks_no_more(qpn);
  sender.known = false;
  sender.rate = {};
  sender.paused_by = 0;
}

void Pdq::on_answer(Qpn qpn, const Packet& answer) {
  Sender& sender = senders_[qpn];
  if (!sender.known || answer.sent < sender.heard) return;
  const SchedulingHeader header = SchedulingHeaderOn::read(answer);
  nic_.answer(qpn, header, answer.sent);
  sender.heard = answer.sent;
  answered(qpn);
  if (answer.kind == PacketKind::kAck) {
    sender.round_trip = std::min(sender.round_trip, now() - answer.sent);
  }
  if (header.paused_by != 0 && header.rate.bits_per_second != 0) {
    rest(qpn);  // the port that paused the flow is no longer on the flow's path
    return;
  }
  sender.rate = header.rate;
  sender.paused_by = header.paused_by;
  sender.probe_after = std::max(header.probe_after, sender.round_trip);
}

// ---------------------------------------------------------------- Data

bool Pdq::may_send(Qpn qpn) const { return senders_[qpn].rate.bits_per_second > 0; }

BitRate Pdq::rate_of(Qpn qpn) const { return senders_[qpn].rate; }

/// Writes the scheduling header into a data packet: every packet tells the ports how much data is
/// left behind it; the last packet removes the flow.
void Pdq::goes(Qpn qpn, Packet& data) {
  Sender& sender = senders_[qpn];
  attach(data, told_the_nic(qpn));
  if (work_left(qpn) == 0) {
    rest(qpn);
  } else if (sender.paused_by == nic_.name()) {
    sender.known = false;
    need_not_ask(qpn);
  }
}

/// Handles a timeout of a data packet, which ends the rate of the flow.
void Pdq::on_timeout(Qpn qpn) {
  if (may_send(qpn)) rest(qpn);
}

}  // namespace dcc
