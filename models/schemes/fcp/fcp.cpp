#include "schemes/fcp/fcp.h"

#include <algorithm>

#include "describe/visitor.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
const Transports::Registered<FcpParameters> kFcp{
    "fcp",
    "each flow has the rate that its budget buys at the prices of its links; for ports "
    "that set prices",
    kMakes<Fcp>};

/// Unit in which sums of budgets are counted; integers make the sums exact.
constexpr double kUnit = 1.0 / 4'294'967'296.0;

/// Minimum budget that buys the whole NIC link if several flows share it; equal to a port's
/// default.
constexpr double kFloor = LinkPriceParameters{}.floor.value();
}  // namespace

void FcpParameters::describe(ParameterVisitor& v) {
  RatedParameters::describe(v);
  v.choice("budget", budget,
           {"owner of a budget; flow: every flow has its weight; host: a host's flows with data to "
            "send divide host_budget by their weights",
            "FCP, SIGCOMM'13: a budget of the sending host"});
  v.field("host_budget", host_budget, {"1/1024", "1024"}, {"budget of a host where budget: host"});
}

Fcp::Fcp(const TransportContext& context, const FcpParameters& parameters)
    : RatedTransport(context, parameters),
      owner_(parameters.budget),
      host_budget_(parameters.host_budget.value()),
      line_(static_cast<double>(context.nic.line_rate.bits_per_second)) {
  budgets_.fill(1);
}

void Fcp::on_weight(std::uint8_t dscp, const Ratio& weight) { budgets_[dscp] = weight.value(); }

void Fcp::begin(Qpn qpn) {
  RatedTransport::begin(qpn);
  Sender& sender = renew(senders_, qpn);
  const QueuePairConfig& config = at(qpn).config;
  sender.weight = budgets_[config.dscp];
  sender.round_trip =
      config.base_rtt == PicoSeconds() ? context_.longest_base_rtt : config.base_rtt;
}

void Fcp::end(Qpn qpn) {
  rest(qpn);
  counted(senders_[qpn], false);
  RatedTransport::end(qpn);
  senders_[qpn] = Sender{};
}

void Fcp::add_own_state(StateDigest& d) const {
  RatedTransport::add_own_state(d);
  d(budgets_, spent_, sending_, weights_, senders_);
}

// ---------------------------------------------------------------- Payments

/// Budget per second of an FCP flow, its own or its part of the host's budget.
double Fcp::budget(const Sender& sender) const {
  if (owner_ == FcpParameters::Budget::kFlow || weights_ == 0) return sender.weight;
  return host_budget_ * sender.weight / (static_cast<double>(weights_) * kUnit);
}

/// Adds the flow's weight to the sum of weights that share the host's budget, or removes it.
void Fcp::counted(Sender& sender, bool begun) {
  if (begun == sender.begun) return;
  const auto weight = static_cast<std::uint64_t>(sender.weight / kUnit);
  weights_ += begun ? weight : -weight;
  sender.begun = begun;
}

/// Price per bit of the NIC's own link for the flows that the NIC sends.
double Fcp::own_price() const {
  if (sending_ < 2) return 0;
  return std::max(static_cast<double>(spent_) * kUnit, kFloor) / line_;
}

/// Rate in bits per second that the flow's budget buys on its path.
double Fcp::bought(const Sender& sender) const {
  const double price = sender.way + own_price();
  return price > 0 ? budget(sender) / price : line_;
}

/// Rate of the FCP flow, above 0 and at most the link's rate.
BitRate Fcp::rate_of(Qpn qpn) const {
  const double rate = std::min(bought(senders_[qpn]), line_);
  return BitRate(static_cast<std::uint64_t>(std::max(rate, 1.0)));
}

/// Writes the prices that a packet pays to the ports into the packet's header.
void Fcp::pay(const Sender& sender, Packet& packet) {
  const double more = std::max(bought(sender) / line_, 1.0);
  context_.pool.attach_places(packet);
  for (std::size_t hop = 0; hop < kMaxIntHops; ++hop) {
    PriceHeader::write(packet.telemetry->hop[hop], sender.prices[hop] * more);
  }
}

/// Updates the part of the flow's budget that the flow spends on the NIC's link.
void Fcp::spend(Sender& sender) {
  const double price = own_price();
  const double part = price > 0 ? budget(sender) * price / (sender.way + price) : 0;
  spent_ -= sender.spends;
  sender.spends = static_cast<std::uint64_t>(part / kUnit);
  spent_ += sender.spends;
}

/// Resets the FCP flow to the state before its first probe.
void Fcp::rest(Qpn qpn) {
  Sender& sender = senders_[qpn];
  if (sender.sending) --sending_;
  spent_ -= sender.spends;
  sender.spends = 0;
  sender.sending = false;
  asks_no_more(qpn);
}

// ---------------------------------------------------------------- Probes

PicoSeconds Fcp::asks_at(Qpn qpn) const {
  if (is_asking(qpn)) return repeats_at(qpn);
  return senders_[qpn].sending ? PicoSeconds::max() : PicoSeconds();
}

/// Sends a probe, which announces the flow and its budget to the ports.
void Fcp::ask(Qpn qpn) {
  Sender& sender = senders_[qpn];
  if (!is_asking(qpn)) sender.heard = now();
  counted(sender, true);
  asks(qpn);
  Packet* const probe = make_request(qpn);
  context_.pool.attach_places(*probe);
  PriceHeader::write(*probe, {budget(sender), own_price(), bytes_of_work(qpn), sender.round_trip});
  send_control(probe);
}

void Fcp::on_answer(Qpn qpn, const Packet& answer) {
  Sender& sender = senders_[qpn];
  const bool wants = is_asking(qpn) || sender.sending;
  if (!wants || answer.sent < sender.heard) return;
  sender.heard = answer.sent;
  answered(qpn);
  if (!sender.sending) ++sending_;
  sender.sending = true;
  sender.way = 0;
  for (std::size_t hop = 0; hop < answer.immediate; ++hop) {
    sender.prices[hop] = PriceHeader::price(answer.telemetry->hop[hop]);
    sender.way += sender.prices[hop];
  }
  spend(sender);
}

// ---------------------------------------------------------------- Data

bool Fcp::may_send(Qpn qpn) const { return senders_[qpn].sending; }

void Fcp::goes(Qpn qpn, Packet& data) { pay(senders_[qpn], data); }

void Fcp::leave(Qpn qpn) {
  rest(qpn);
  counted(senders_[qpn], false);
}

/// Handles a timeout of the flow, after which the price of the flow's path is unknown.
void Fcp::on_timeout(Qpn qpn) {
  if (senders_[qpn].sending) rest(qpn);
}

}  // namespace dcc
