#include "schemes/rcp/rcp.h"

#include "schemes/rcp/fair_rate_port.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
const Transports::Registered<RcpParameters> kRcp{
    "rcp",
    "the rate that the ports of the path assign to each flow; for ports that write one "
    "rate",
    kMakes<Rcp>};

/// Number of round trips after a data packet until the flow sends a separate rate request.
constexpr int kFirstWait = 4;
}  // namespace

Rcp::Rcp(const TransportContext& context, const RcpParameters& parameters)
    : RatedTransport(context, parameters), timeout_(parameters.timeout) {}

void Rcp::begin(Qpn qpn) {
  RatedTransport::begin(qpn);
  Sender& sender = renew(senders_, qpn);
  const QueuePairConfig& config = at(qpn).config;
  sender.rate = context_.nic.line_rate;
  sender.round_trip =
      config.base_rtt == PicoSeconds() ? context_.longest_base_rtt : config.base_rtt;
}

void Rcp::end(Qpn qpn) {
  RatedTransport::end(qpn);
  senders_[qpn] = Sender{};
}

void Rcp::add_own_state(StateDigest& d) const {
  RatedTransport::add_own_state(d);
  d(senders_);
}

void Rcp::leave(Qpn qpn) {
  senders_[qpn].sending = false;
  asks_no_more(qpn);
}

PicoSeconds Rcp::asks_at(Qpn qpn) const {
  if (is_asking(qpn)) return repeats_at(qpn);
  const Sender& sender = senders_[qpn];
  return sender.sending ? asked_at(qpn) + sender.wait : PicoSeconds();
}

void Rcp::ask(Qpn qpn) {
  Sender& sender = senders_[qpn];
  if (sender.sending) {
    sender.wait = sender.wait * 2;
  } else if (!is_asking(qpn)) {
    sender.heard = now();
  }
  asks(qpn);
  Packet* const request = make_request(qpn);
  write(sender, *request);
  send_control(request);
}

/// Writes a rate request into every data packet of an RCP flow.
void Rcp::goes(Qpn qpn, Packet& data) {
  Sender& sender = senders_[qpn];
  sender.wait = sender.round_trip * kFirstWait;
  need_not_ask(qpn);
  write(sender, data);
}

void Rcp::on_timeout(Qpn qpn) {
  if (senders_[qpn].heard <= now() - timeout_) leave(qpn);
}

void Rcp::write(const Sender& sender, Packet& packet) {
  context_.pool.attach_places(packet);
  FairRateHeader::write(packet, context_.nic.line_rate, sender.round_trip);
}

void Rcp::on_answer(Qpn qpn, const Packet& answer) {
  Sender& sender = senders_[qpn];
  const bool wants = is_asking(qpn) || sender.sending;
  if (!wants || answer.sent < sender.heard) return;
  sender.heard = answer.sent;
  const PicoSeconds sample = now() - answer.sent;
  sender.round_trip =
      PicoSeconds(sender.round_trip.count + (sample.count - sender.round_trip.count) / 8);
  answered(qpn);
  if (!sender.sending) sender.wait = sender.round_trip * kFirstWait;
  sender.sending = true;
  sender.rate = FairRateHeader::rate(answer);
}

}  // namespace dcc
