#include "schemes/pfabric/pfabric.h"

#include <algorithm>

#include "describe/network_scale.h"
#include "describe/parameter_error.h"
#include "describe/visitor.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
constexpr double kNoThreshold =
    // initial threshold that no window reaches: the window grows by one packet per ACK, as in slow
    // start
    100'000;

const Transports::Registered<PfabricParameters> kPfabric{
    "pfabric",
    "packets carry the remaining bytes of their flow; a window and a short timeout; for "
    "pfabric ports",
    kMakes<Pfabric>};
}  // namespace

void PfabricParameters::describe(ParameterVisitor& v) {
  const char* const paper = "pFabric, SIGCOMM'13";
  describe_framing(v);
  v.field("initial_window", initial_window, {"1", "100000"}, {"packets", paper});
  v.follows(
      true, "the full packets in the product of slowest link and base RTT, at least 12",
      [this](const NetworkScale& network) { initial_window = network.window_packets(12, 80'000); });
  v.field("max_window", max_window, {"1", "100000"}, {"packets"});
  v.follows(true, "5/4 of initial_window, at least 15", [this](const NetworkScale&) {
    max_window = std::max(15u, initial_window + initial_window / 4);
  });
  v.field("timeout", timeout, {"1us", "10s"},
          {"time without an ACK after which the sender goes back", paper});
  // The paper's timeout of 45 us is the time of 56.25 KB at 10 Gb/s: the queue of its port and a
  // round trip.
  v.follows(true, "three base RTTs, at least 45us and the time of 56.25KB on the slowest link",
            [this](const NetworkScale& network) {
              timeout = std::max({kMicroSecond * 45, network.round_trips(Ratio(3)),
                                  serialization_time(56'250, network.rate)});
            });
  v.field("probe_after", probe_after, {"1", "1000"},
          {"number of timeouts in a row after which only probes are sent until one is answered",
           paper});
}

void PfabricParameters::check() const {
  if (max_window < initial_window) {
    throw ParameterError({"max_window", "initial_window"}, "max_window is below initial_window");
  }
}

Pfabric::Pfabric(const TransportContext& context, const PfabricParameters& parameters)
    : MessageTransport(context, parameters.framing),
      parameters_(parameters),
      timing_(Event::calling<&Pfabric::check_timeouts>(*this, context.rank)) {}

void Pfabric::begin(Qpn qpn) {
  if (senders_.size() <= qpn) senders_.resize(qpn + 1);
  const std::uint32_t life = senders_[qpn].life + 1;
  senders_[qpn] = Sender{};
  senders_[qpn].life = life;
  senders_[qpn].window = parameters_.initial_window;
  senders_[qpn].threshold = kNoThreshold;
}

void Pfabric::end(Qpn qpn) {
  ready_.erase(std::remove(ready_.begin(), ready_.end(), qpn), ready_.end());
  ++senders_[qpn].life;
  senders_[qpn].ready = false;
}

void Pfabric::add_own_state(StateDigest& d) const {
  d(senders_, ready_);
  for (const Timeout& timeout : timeouts_) {
    if (is_current(timeout)) d(timeout.qpn);
  }
}

void Pfabric::work_changed(Qpn qpn) {
  if (senders_[qpn].deadline == PicoSeconds::max()) arm(qpn);
  settle(qpn);
  context_.port.data_ready();
}

/// Updates whether the flow may send, which requires an unacknowledged packet within the flow's
/// window.
void Pfabric::settle(Qpn qpn) {
  Sender& sender = senders_[qpn];
  const SendBuffer& out = at(qpn).out;
  while (sender.cursor < out.end() && out.delivered(sender.cursor)) ++sender.cursor;
  const bool ready = at(qpn).connected && !sender.probing && sender.cursor < out.end() &&
                     sender.in_flight < static_cast<unsigned>(sender.window);
  if (ready && !sender.ready) ready_.push_back(qpn);
  if (!ready && sender.ready) ready_.erase(std::find(ready_.begin(), ready_.end(), qpn));
  sender.ready = ready;
}

Packet* Pfabric::next_packet() {
  Qpn qpn = ready_.front();
  for (const Qpn other : ready_) {
    if (at(other).out.undelivered() < at(qpn).out.undelivered()) qpn = other;
  }
  Sender& sender = senders_[qpn];
  Packet* const packet = make_data(qpn, sender.cursor);
  packet->scheme = static_cast<std::uint64_t>(at(qpn).out.undelivered());
  ++sender.cursor;
  ++sender.in_flight;
  settle(qpn);
  return packet;
}

void Pfabric::arrived(Qpn qpn, Packet& packet) {
  switch (packet.kind) {
    case PacketKind::kData:
      accept(qpn, packet);
      send_control(make_ack(qpn, packet));
      return;
    case PacketKind::kRequest:  // handles a kRequest packet, which is a probe
      send_control(make_control(qpn, PacketKind::kCredit, packet.flow));
      return;
    case PacketKind::kCredit:
      if (senders_[qpn].probing) {
        senders_[qpn].probing = false;
        senders_[qpn].timeouts = 0;
        go_back(qpn);
        arm(qpn);
      }
      break;
    case PacketKind::kAck:
      ++context_.counters.acks_received;
      on_ack(qpn, packet);
      break;
    default:
      return;
  }
  settle(qpn);
  context_.port.data_ready();
}

void Pfabric::on_ack(Qpn qpn, const Packet& ack) {
  Sender& sender = senders_[qpn];
  if (acknowledged(qpn, ack.psn, ack.sent) == 0) return;
  if (ack.psn < sender.cursor && sender.in_flight > 0) --sender.in_flight;
  sender.timeouts = 0;
  sender.probing = false;
  sender.window += sender.window < sender.threshold ? 1 : 1 / sender.window;
  sender.window = std::min<double>(sender.window, parameters_.max_window);
  arm(qpn);
}

void Pfabric::go_back(Qpn qpn) {
  Sender& sender = senders_[qpn];
  sender.threshold = std::max(sender.window / 2, 2.0);
  sender.window = 1;
  sender.in_flight = 0;
  sender.cursor = at(qpn).out.first_undelivered();
}

// ---------------------------------------------------------------- Timeouts

/// Restarts the retransmission timeout of a queue pair, or stops it if everything is acknowledged.
void Pfabric::arm(Qpn qpn) {
  Sender& sender = senders_[qpn];
  sender.deadline = PicoSeconds::max();
  if (at(qpn).out.undelivered() == 0) return;
  while (!timeouts_.empty() && !is_current(timeouts_.front())) timeouts_.pop_front();
  sender.deadline = now() + parameters_.timeout;
  timeouts_.push_back({qpn, sender.life, sender.deadline});
  if (!timing_.is_scheduled()) context_.scheduler.schedule_at(timing_, sender.deadline);
}

bool Pfabric::is_current(const Timeout& timeout) const {
  const Sender& sender = senders_[timeout.qpn];
  return timeout.life == sender.life && timeout.when == sender.deadline;
}

void Pfabric::check_timeouts() {
  while (!timeouts_.empty() && timeouts_.front().when <= now()) {
    const Timeout timeout = timeouts_.front();
    timeouts_.pop_front();
    if (!is_current(timeout)) continue;
    Sender& sender = senders_[timeout.qpn];
    arm(timeout.qpn);
    // Without a packet in flight no acknowledgement is missing: the flow waits for its turn in this
    // NIC, so the timeout has no effect.
    if (sender.in_flight == 0 && !sender.probing) continue;
    ++context_.counters.timeouts;
    if (++sender.timeouts < parameters_.probe_after) {
      go_back(timeout.qpn);
      settle(timeout.qpn);
      continue;
    }
    sender.probing = true;
    settle(timeout.qpn);
    Packet* const probe =
        make_control(timeout.qpn, PacketKind::kRequest, at(timeout.qpn).config.flow);
    send_control(probe);
  }
  if (!timeouts_.empty()) context_.scheduler.schedule_at(timing_, timeouts_.front().when);
  context_.port.data_ready();
}

}  // namespace dcc
