#include "transport/fcp.h"

#include <algorithm>
#include <memory>

#include "describe/visitor.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
const Transports::Registered<FcpParameters> kFcp{
    "fcp", "what each flow's budget buys at the prices of its links; for ports that ask them",
    [](const FcpParameters& parameters, const TransportContext& context) {
      return std::make_unique<Fcp>(context, parameters);
    }};

/// Of a budget, that sums are counted in: they are exact.
constexpr double kUnit = 1.0 / 4'294'967'296.0;

/// What would buy the whole of a NIC's link, at least, if several flows share it: a port's default.
constexpr double kFloor = LinkPriceParameters{}.floor.value();
}  // namespace

void FcpParameters::describe(ParameterVisitor& v) {
  describe_framing(v);
  v.field("ask_again", ask_again, "auto", {"1us", "10s"},
          {"a probe that is not answered for so long is sent again, ever more rarely; auto: three "
           "times the longest base RTT",
           ""});
  v.field("timeout", timeout, {"1us", "10s"},
          {"a packet of which nothing is heard for so long is sent again", ""});
}

Fcp::Fcp(const TransportContext& context, const FcpParameters& parameters)
    : MessageTransport(context, parameters.framing),
      parameters_(parameters),
      line_(static_cast<double>(context.nic.line_rate.bits_per_second)),
      ask_again_(parameters.ask_again.value_or(context.longest_base_rtt * 3)),
      alarms_(context.scheduler, Event::calling<&Fcp::ring_alarms>(*this, context.rank)),
      turns_(context.scheduler, Event::calling<&Fcp::ring_turns>(*this, context.rank)) {
  budgets_.fill(1);
}

void Fcp::on_weight(std::uint8_t dscp, const Ratio& weight) { budgets_[dscp] = weight.value(); }

void Fcp::begin(Qpn qpn) {
  if (senders_.size() <= qpn) senders_.resize(qpn + 1);
  Sender& sender = senders_[qpn];
  const QueuePairConfig& config = at(qpn).config;
  sender = Sender{};
  sender.budget = budgets_[config.dscp];
  sender.patience = ask_again_;
  sender.round_trip =
      config.base_rtt == PicoSeconds() ? context_.longest_base_rtt : config.base_rtt;
}

void Fcp::end(Qpn qpn) {
  turns_.put(qpn, PicoSeconds::max());
  alarms_.clear(qpn);
  rest(senders_[qpn]);
  senders_[qpn] = Sender{};
}

void Fcp::add_own_state(StateDigest& d) const {
  d(budgets_, spent_, sending_, senders_, alarms_, turns_);
}

void Fcp::work_changed(Qpn qpn) {
  if (!at(qpn).connected) return;
  settle(qpn);
  context_.port.data_ready();
}

// ---------------------------------------------------------------- paying

/// Of a bit of the NIC's link.
double Fcp::own_price() const {
  if (sending_ < 2) return 0;
  return std::max(static_cast<double>(spent_) * kUnit, kFloor) / line_;
}

/// Bits a second, by its budget alone.
double Fcp::bought(const Sender& sender) const {
  const double price = sender.way + own_price();
  return price > 0 ? sender.budget / price : line_;
}

/// The link's at most, and not 0.
BitRate Fcp::rate_of(const Sender& sender) const {
  return BitRate(static_cast<std::uint64_t>(std::max(std::min(bought(sender), line_), 1.0)));
}

/// Empty, for every port on the way.
void Fcp::attach_places(Packet& packet) {
  context_.pool.attach_telemetry(packet);
  *packet.telemetry = IntStack{};
  packet.telemetry_hops = kMaxIntHops;
}

/// The ports on its way.
void Fcp::pay(const Sender& sender, Packet& packet) {
  const double more = std::max(bought(sender) / line_, 1.0);
  attach_places(packet);
  for (std::size_t hop = 0; hop < kMaxIntHops; ++hop) {
    PriceHeader::write(packet.telemetry->hop[hop], sender.prices[hop] * more);
  }
}

/// The part of its budget that the NIC's link is of its way's price.
void Fcp::spend(Sender& sender) {
  const double price = own_price();
  const double part = price > 0 ? sender.budget * price / (sender.way + price) : 0;
  spent_ -= sender.spends;
  sender.spends = static_cast<std::uint64_t>(part / kUnit);
  spent_ += sender.spends;
}

/// As before it asked for the first time.
void Fcp::rest(Sender& sender) {
  if (sender.sending) --sending_;
  spent_ -= sender.spends;
  sender.spends = 0;
  sender.asking = sender.sending = false;
}

// ---------------------------------------------------------------- asking

void Fcp::ask_if_time(Qpn qpn) {
  Sender& sender = senders_[qpn];
  if (packets_left(qpn, sender.packets) == 0) {
    rest(sender);
  } else if (sender.asking && now() >= sender.asked + sender.patience) {
    ++context_.counters.timeouts;
    sender.patience += sender.patience;
    ask(qpn);
  } else if (!sender.asking && !sender.sending) {
    sender.heard = now();
    ask(qpn);
  }
}

/// And tells the ports what it will pay.
void Fcp::ask(Qpn qpn) {
  Sender& sender = senders_[qpn];
  sender.asking = true;
  sender.asked = now();
  Packet* const probe = make_control(qpn, PacketKind::kRequest, at(qpn).config.flow);
  probe->sent = now();
  attach_places(*probe);
  PriceHeader::write(
      *probe, {sender.budget, own_price(), bytes_left(qpn, sender.packets), sender.round_trip});
  send_control(probe);
}

void Fcp::on_answer(Qpn qpn, const Packet& answer) {
  Sender& sender = senders_[qpn];
  const bool wants = sender.asking || sender.sending;
  if (answer.telemetry == nullptr || !wants || answer.sent < sender.heard) return;
  sender.heard = answer.sent;
  sender.asking = false;
  sender.patience = ask_again_;
  if (!sender.sending) ++sending_;
  sender.sending = true;
  sender.way = 0;
  for (std::size_t hop = 0; hop < answer.immediate; ++hop) {
    sender.prices[hop] = PriceHeader::price(answer.telemetry->hop[hop]);
    sender.way += sender.prices[hop];
  }
  spend(sender);
}

// ---------------------------------------------------------------- sending

/// What there is to do: asks, sends, or is woken for it.
void Fcp::settle(Qpn qpn) {
  ask_if_time(qpn);
  take_turn(qpn);
  set_alarm(qpn);
}

void Fcp::take_turn(Qpn qpn) {
  const Sender& sender = senders_[qpn];
  const bool may = sender.sending && packets_left(qpn, sender.packets) > 0;
  turns_.put(qpn, may ? sender.pacer.due(rate_of(sender), now()) : PicoSeconds::max());
}

Packet* Fcp::next_packet() {
  const Qpn qpn = turns_.take();
  Sender& sender = senders_[qpn];
  Packet* const packet = make_data(qpn, sender.packets.send(at(qpn).next, now()));
  sender.pacer.sends(packet->wire_bytes + context_.nic.link_overhead, rate_of(sender), now());
  pay(sender, *packet);
  settle(qpn);
  return packet;
}

void Fcp::set_alarm(Qpn qpn) {
  Sender& sender = senders_[qpn];
  PicoSeconds when = sender.packets.overdue_at(parameters_.timeout);
  if (sender.asking) when = std::min(when, sender.asked + sender.patience);
  alarms_.set(qpn, std::max(when, now()));
}

void Fcp::look_at(Qpn qpn) {
  Sender& sender = senders_[qpn];
  while (const auto psn = sender.packets.overdue(now(), parameters_.timeout)) {
    sender.packets.lost(*psn);
    ++context_.counters.timeouts;
    if (sender.sending) rest(sender);
  }
  settle(qpn);
}

void Fcp::ring_alarms() {
  alarms_.ring([this](Qpn qpn) { look_at(qpn); });
  context_.port.data_ready();
}

void Fcp::ring_turns() {
  turns_.ring([this](Qpn qpn) { take_turn(qpn); });
  context_.port.data_ready();
}

// ---------------------------------------------------------------- arrivals

void Fcp::arrived(Qpn qpn, Packet& packet) {
  switch (packet.kind) {
    case PacketKind::kData:
      accept(qpn, packet);
      ++context_.counters.acks_sent;
      answer(qpn, packet, PacketKind::kAck);
      return;
    case PacketKind::kRequest:
      answer(qpn, packet, PacketKind::kCredit);
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
