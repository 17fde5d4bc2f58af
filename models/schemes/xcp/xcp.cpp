#include "schemes/xcp/xcp.h"

#include <algorithm>

#include "schemes/xcp/feedback_port.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
const Transports::Registered<XcpParameters> kXcp{
    "xcp", "windows that change by feedback of the ports of the path; for ports that write it",
    kMakes<Xcp>};

/// Shortest window of a flow, in packets.
constexpr double kLeastPackets = 1.0 / FeedbackController::kLongestGap;
}  // namespace

Xcp::Xcp(const TransportContext& context, const XcpParameters& parameters)
    : RatedTransport(context, parameters),
      timeout_(parameters.timeout),
      line_(static_cast<double>(context.nic.line_rate.bits_per_second) / 8) {}

void Xcp::begin(Qpn qpn) {
  RatedTransport::begin(qpn);
  if (senders_.size() <= qpn) senders_.resize(qpn + 1);
  const QueuePairConfig& config = at(qpn).config;
  const PicoSeconds base =
      config.base_rtt == PicoSeconds() ? context_.longest_base_rtt : config.base_rtt;
  const auto packet = static_cast<double>(full_packet(qpn) + context_.nic.link_overhead);
  senders_[qpn] = Sender{packet, to_seconds(base), 0, now(), packet};
}

void Xcp::end(Qpn qpn) {
  RatedTransport::end(qpn);
  senders_[qpn] = Sender{};
}

void Xcp::add_own_state(StateDigest& d) const {
  RatedTransport::add_own_state(d);
  d(senders_);
}

BitRate Xcp::rate_of(Qpn qpn) const {
  const Sender& sender = senders_[qpn];
  const double rate = std::min(sender.window / sender.round_trip, line_) * 8;
  return BitRate(static_cast<std::uint64_t>(std::max(rate, 1.0)));
}

bool Xcp::may_send(Qpn qpn) const {
  const Sender& sender = senders_[qpn];
  return sender.under_way == 0 || sender.under_way * sender.packet < sender.window;
}

void Xcp::goes(Qpn qpn, Packet& data) {
  Sender& sender = senders_[qpn];
  ++sender.under_way;
  context_.pool.attach_places(data);
  // The rate that the flow lacks to the line rate, divided among the packets of a window.
  const double wanted = (line_ * sender.round_trip - sender.window) * sender.packet / sender.window;
  CongestionHeader::write(
      data, {sender.window, PicoSeconds(static_cast<std::int64_t>(sender.round_trip * 1e12))},
      wanted);
}

void Xcp::on_timeout(Qpn qpn) {
  Sender& sender = senders_[qpn];
  if (sender.under_way > 0) --sender.under_way;
  if (now() - timeout_ >= sender.began) begin_anew(sender);
}

void Xcp::begin_anew(Sender& sender) {
  sender.window = sender.packet;
  sender.began = now();
}

void Xcp::on_answer(Qpn qpn, const Packet& answer) {
  Sender& sender = senders_[qpn];
  if (sender.under_way > 0) --sender.under_way;
  sender.round_trip += (to_seconds(now() - answer.sent) - sender.round_trip) / 8;
  if (answer.sent < sender.began) return;
  sender.window =
      std::clamp(sender.window + CongestionHeader::feedback(answer), sender.packet * kLeastPackets,
                 2 * line_ * sender.round_trip + sender.packet);
}

}  // namespace dcc
