#include "schemes/hermes/hermes.h"

#include <memory>
#include <stdexcept>

#include "describe/visitor.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
constexpr std::uint32_t kNoWay = 0xFFFFFFFF;
/// Gain of a moving average: a new sample has the weight 1 / kGain.
constexpr int kGain = 8;
/// Number of packets on a path after which the path's share of retransmissions is checked.
constexpr std::uint32_t kLooked = 1000;
constexpr std::uint8_t kLostRounds = 3;
constexpr std::uint32_t kProbeBytes = 64;

/// Values of Packet::immediate that distinguish probes from answers among packets of kind
/// kPathNews.
enum : std::uint32_t { kProbe = 1, kAnswer = 2 };

const Balancers::Registered<HermesParameters> kHermes{
    "hermes", "flows on paths that their ACKs show to be good, moved with care", kMakes<Hermes>};
}  // namespace

Hermes::Hermes(const HermesParameters& parameters, const PathContext& context)
    : parameters_(parameters),
      view_(context.view),
      hash_seed_(context.hash_seed),
      random_(context.seed, "routing", context.index),
      actions_(context.actions),
      ports_(static_cast<std::size_t>(context.ports)),
      use_(ports_) {
  estimating_.bits = 8;
}

void Hermes::join(const FabricMap& fabric, int self) {
  fabric_ = &fabric;
  node_ = self;
  self_ = fabric.edge_at(self);
  if (self_ != FabricMap::kNoEdge && ports_ > 0xFF) {
    throw std::invalid_argument(
        "routing: hermes tells the ports of a switch with at most 255 apart");
  }
  if (self_ == FabricMap::kNoEdge || parameters_.probe_interval.count == 0) return;
  host_of_.resize(fabric.edges());
  for (auto host = static_cast<HostId>(fabric.topology().hosts()); host-- > 0;) {
    host_of_[fabric.edge_of(host)] = host;
  }
  probing_ = std::make_unique<Event>(Event::calling<&Hermes::probe>(*this, actions_->rank()));
}

void Hermes::routes_changed() {
  ways_.clear();
  flows_.clear();
}

bool Hermes::begins_here(const Packet& packet) const {
  return packet.kind == PacketKind::kData && fabric_ != nullptr &&
         fabric_->edge_of(packet.source) == self_;
}

Hermes::Way& Hermes::way(std::uint32_t edge, int port) {
  if (ways_.empty()) ways_.resize(fabric_->edges());
  if (ways_[edge].empty()) ways_[edge].resize(ports_);
  return ways_[edge][static_cast<std::size_t>(port)];
}

const Hermes::Way* Hermes::find(std::uint32_t edge, int port) const {
  if (ways_.empty() || ways_[edge].empty()) return nullptr;
  return &ways_[edge][static_cast<std::size_t>(port)];
}

bool Hermes::is_known(const Way& way) const {
  return way.known && view_.now() - way.heard <= parameters_.age;
}

/// State of a path. A path without a recent ACK is grey, as is a path between good and bad.
Hermes::State Hermes::state(const Way* way) const {
  if (way == nullptr) return State::kGrey;
  const PicoSeconds now = view_.now();
  if (now < way->failed_until) return State::kFailed;
  if (!is_known(*way)) return State::kGrey;
  const bool marked = way->marked_q16 > parameters_.ecn_share.to_fixed(16);
  if (!marked && way->rtt < parameters_.rtt_low) return State::kGood;
  return marked && way->rtt > parameters_.rtt_high ? State::kBad : State::kGrey;
}

Hermes::State Hermes::state_of(std::uint32_t edge, int port) const {
  return state(find(edge, port));
}

/// Adds the round-trip time and the mark of an ACK, or of a probe's answer, to the measurements of
/// its path.
void Hermes::sense_way(const Packet& answer) {
  const int port = answer.overlay.uplink.echo - 1;
  Way& one = way(fabric_->edge_of(answer.source), port);
  const PicoSeconds now = view_.now();
  const PicoSeconds rtt = now - answer.sent;
  const auto marked = static_cast<std::int64_t>(answer.ce_echo ? 65'536 : 0);
  if (!is_known(one)) {
    one.rtt = rtt;
    one.marked_q16 = static_cast<std::uint32_t>(marked);
  } else {
    one.rtt += PicoSeconds((rtt - one.rtt).count / kGain);
    const auto share = static_cast<std::int64_t>(one.marked_q16);
    one.marked_q16 = static_cast<std::uint32_t>(share + (marked - share) / kGain);
  }
  one.known = true;
  one.heard = now;
}

void Hermes::sense(const Packet& ack) {
  sense_way(ack);
  Flow& flow = *flows_.find_or_add(flow_key(ack.flow, ack.destination, ack.source)).first;
  flow.acknowledged = true;
  flow.lost_rounds = 0;
}

// ---------------------------------------------------------------- Probes

/// Stores priority and class of data packets for the probes, and starts probing.
void Hermes::note_data(const Packet& packet) {
  pattern_.flow = packet.flow;
  pattern_.priority = packet.priority;
  pattern_.dscp = packet.dscp;
  data_left_ = true;
  if (!probing_->is_scheduled()) {
    actions_->scheduler().schedule_at(*probing_, view_.now() + parameters_.probe_interval);
  }
}

/// Index of the path with the shortest measured round trip; kNoWay if no usable path is measured.
std::uint32_t Hermes::quickest(std::uint32_t edge, PortSet ports) const {
  std::uint32_t best = kNoWay;
  PicoSeconds least = PicoSeconds::max();
  for (std::uint32_t i = 0; i < ports.size(); ++i) {
    const Way* const one = find(edge, ports[i]);
    if (one == nullptr || !one->known || state(one) == State::kFailed || one->rtt >= least) {
      continue;
    }
    least = one->rtt;
    best = i;
  }
  return best;
}

/// Sends the probes of one interval: to each far edge switch along two different paths drawn at
/// random and along the best known path.
void Hermes::probe() {
  if (!data_left_) return;
  data_left_ = false;
  for (std::uint32_t edge = 0; edge < fabric_->edges(); ++edge) {
    if (edge == self_) continue;
    const PortSet ports = fabric_->routing().ports(node_, host_of_[edge]);
    if (ports.size() < 2) continue;
    const auto first = static_cast<std::uint32_t>(random_.below(ports.size()));
    const auto second =
        static_cast<std::uint32_t>((first + 1 + random_.below(ports.size() - 1)) % ports.size());
    const std::uint32_t best = quickest(edge, ports);
    send_probe(edge, ports[first]);
    send_probe(edge, ports[second]);
    if (best != kNoWay && best != first && best != second) send_probe(edge, ports[best]);
  }
  actions_->scheduler().schedule_at(*probing_, view_.now() + parameters_.probe_interval);
}

void Hermes::send_probe(std::uint32_t edge, int port) {
  Packet* const packet = actions_->allocate();
  packet->kind = PacketKind::kPathNews;
  packet->ecn = Ecn::kEct0;
  packet->priority = pattern_.priority;
  packet->dscp = pattern_.dscp;
  packet->flow = pattern_.flow;
  packet->wire_bytes = kProbeBytes;
  packet->source = host_of_[self_];
  packet->destination = host_of_[edge];
  packet->sent = view_.now();
  packet->immediate = kProbe;
  packet->overlay.uplink.number = static_cast<std::uint8_t>(port + 1);
  ++probes_sent_;
  actions_->send(packet);
}

/// Handles a probe or a probe's answer that arrived at its destination edge switch.
std::uint32_t Hermes::hear(Packet& news) {
  if (news.immediate == kAnswer) {
    if (news.overlay.uplink.echo <= ports_) sense_way(news);
  } else {
    Packet* const answer = actions_->allocate();
    answer->kind = PacketKind::kPathNews;
    answer->priority = news.priority;
    answer->dscp = news.dscp;
    answer->flow = news.flow;
    answer->wire_bytes = kProbeBytes;
    answer->source = news.destination;
    answer->destination = news.source;
    answer->sent = news.sent;
    answer->immediate = kAnswer;
    answer->ce_echo = news.ecn == Ecn::kCe;
    answer->overlay = news.overlay.echoed();
    actions_->send(answer);
  }
  actions_->consume(&news);
  return kKept;
}

// ---------------------------------------------------------------- Flows

/// Detects two failures of a path. First, a flow retransmits more than three times without an ACK:
/// the path carries nothing (black hole). Second, flows retransmit often although the path is not
/// congested: the path drops packets at random.
void Hermes::look_at_repeats(Flow& flow, const Packet& packet, std::uint32_t edge) {
  Way& one = way(edge, flow.port);
  const bool back = packet.psn < flow.next;
  const PicoSeconds now = view_.now();
  if (++one.packets > kLooked) {
    if (one.repeats * 100 > kLooked && state(&one) != State::kBad) {
      one.failed_until = now + parameters_.failed_for;
    }
    one.packets = one.repeats = 0;
  }
  flow.next = packet.psn + 1;
  if (!back) return;
  ++one.repeats;
  if (!flow.acknowledged && ++flow.lost_rounds >= kLostRounds) {
    one.failed_until = now + parameters_.failed_for;
    flow.lost_rounds = 0;
  }
  flow.acknowledged = false;
}

/// Path with the given state that flows of this switch use least; kNoWay if there is none. With
/// `than`, considers only paths that are better than path `than` by the configured gains.
std::uint32_t Hermes::least_used(std::uint32_t edge, PortSet ports, State wanted,
                                 const Way* than) const {
  std::uint32_t best = kNoWay;
  std::uint32_t least = kNoWay;
  for (std::uint32_t i = 0; i < ports.size(); ++i) {
    const Way* const one = find(edge, ports[i]);
    if (state(one) != wanted) continue;
    if (than != nullptr) {
      if (one == nullptr || !is_known(*one) || than->rtt - one->rtt <= parameters_.rtt_gain)
        continue;
      if (than->marked_q16 <= one->marked_q16 + parameters_.ecn_gain.to_fixed(16)) continue;
    }
    const std::uint32_t use = use_[static_cast<std::size_t>(ports[i])].metric(
        view_.rate(ports[i]), view_.now(), estimating_);
    if (use >= least) continue;
    least = use;
    best = i;
  }
  return best;
}

std::uint32_t Hermes::fresh(std::uint32_t edge, PortSet ports, RandomStream& random) const {
  for (const State wanted : {State::kGood, State::kGrey}) {
    const std::uint32_t found = least_used(edge, ports, wanted, nullptr);
    if (found != kNoWay) return found;
  }
  std::uint32_t well = 0;
  for (const int port : ports) well += state_of(edge, port) != State::kFailed ? 1u : 0u;
  std::uint64_t skip = random.below(well != 0 ? well : ports.size());
  for (std::uint32_t i = 0;; ++i) {
    if (well != 0 && state_of(edge, ports[i]) == State::kFailed) continue;
    if (skip-- == 0) return i;
  }
}

std::uint32_t Hermes::better(const Flow& flow, std::uint32_t edge, PortSet ports) const {
  const Way* const present = find(edge, flow.port);
  for (const State wanted : {State::kGood, State::kGrey}) {
    const std::uint32_t found = least_used(edge, ports, wanted, present);
    if (found != kNoWay) return found;
  }
  return kNoWay;
}

/// True if a flow may move to another path: the flow has sent enough on its present path, and is
/// slow there.
bool Hermes::may_move(const Flow& flow) const {
  const PicoSeconds now = view_.now();
  if (flow.sent < parameters_.sent || now - flow.moved < parameters_.interval) return false;
  const std::uint32_t rate = flow.rate.metric(view_.rate(flow.port), now, estimating_);
  return rate < parameters_.rate.to_fixed(8);
}

std::uint32_t Hermes::peek(const Packet& packet, PortSet ports) const {
  if (ports.size() == 1) return 0;
  if (packet.kind == PacketKind::kPathNews && packet.immediate == kProbe && fabric_ != nullptr &&
      fabric_->edge_of(packet.source) == self_) {
    for (std::uint32_t i = 0; i < ports.size(); ++i) {
      if (ports[i] + 1 == packet.overlay.uplink.number) return i;
    }
  }
  if (begins_here(packet)) {
    const Flow* const flow = flows_.find(flow_key(packet));
    for (std::uint32_t i = 0; flow != nullptr && flow->placed && i < ports.size(); ++i) {
      if (ports[i] == flow->port) return i;
    }
  }
  return scaled_down(flow_hash(packet, hash_seed_), ports.size());
}

std::uint32_t Hermes::choose(Packet& packet, PortSet ports) {
  if (packet.kind == PacketKind::kAck && fabric_ != nullptr && packet.overlay.uplink.echo != 0 &&
      packet.overlay.uplink.echo <= ports_ && fabric_->edge_of(packet.destination) == self_) {
    sense(packet);
  }
  if (packet.kind == PacketKind::kPathNews && probing_ != nullptr &&
      fabric_->edge_of(packet.destination) == self_) {
    return hear(packet);
  }
  if (ports.size() == 1) return 0;
  if (!begins_here(packet)) return peek(packet, ports);
  const std::uint32_t edge = fabric_->edge_of(packet.destination);
  if (probing_ != nullptr) note_data(packet);
  Flow& flow = *flows_.find_or_add(flow_key(packet)).first;
  if (flow.placed) look_at_repeats(flow, packet, edge);
  std::uint32_t index = kNoWay;
  const State present = flow.placed ? state_of(edge, flow.port) : State::kFailed;
  if (present == State::kFailed) {
    index = fresh(edge, ports, random_);
  } else if (present == State::kBad && may_move(flow)) {
    // time from which a flow that stayed on its path may consider a move again
    flow.moved = view_.now();
    if (random_.chance(std::uint64_t{1} << 31)) index = better(flow, edge, ports);
  }
  if (index != kNoWay) {
    const auto port = static_cast<std::uint16_t>(ports[index]);
    if (!flow.placed || port != flow.port) {
      flow.sent = 0;
      flow.moved = view_.now();
    }
    flow.port = port;
    if (!flow.placed) flow.next = packet.psn + 1;
    flow.placed = true;
  } else {
    index = peek(packet, ports);
  }
  flow.sent += packet.wire_bytes;
  flow.rate.sent(packet.wire_bytes, view_.now(), estimating_);
  use_[static_cast<std::size_t>(ports[index])].sent(packet.wire_bytes, view_.now(), estimating_);
  packet.overlay.uplink.number = static_cast<std::uint8_t>(ports[index] + 1);
  return index;
}

void Hermes::add_state(StateDigest& d) const {
  d(random_, ways_, use_, flows_);
  if (probing_ != nullptr) {
    d(*probing_, data_left_, pattern_.flow, pattern_.priority, pattern_.dscp);
  }
}

void HermesParameters::describe(ParameterVisitor& v) {
  v.field("rtt_low", rtt_low, {"1ns", "1s"},
          {"RTT below which a path with few marks is good; somewhat more than the base RTT",
           "Hermes, SIGCOMM'17: T_RTT_low"});
  v.field("rtt_high", rtt_high, {"1ns", "1s"},
          {"RTT above which a path with many marks is bad", "Hermes, SIGCOMM'17: T_RTT_high"});
  v.field(
      "ecn_share", ecn_share, {"0", "1"},
      {"share of marked packets above which a path has many marks", "Hermes, SIGCOMM'17: T_ECN"});
  v.field("rtt_gain", rtt_gain, {"0us", "1s"},
          {"least gain of RTT for which a flow changes its path", "Hermes, SIGCOMM'17"});
  v.field("ecn_gain", ecn_gain, {"0", "1"},
          {"... and least gain in the share of marked packets", "Hermes, SIGCOMM'17"});
  v.field("sent", sent, {"0B", "1GiB"},
          {"least number of bytes that a flow sends on a path before it may leave it",
           "Hermes, SIGCOMM'17: S"});
  v.field("rate", rate, {"0", "1"},
          {"share of the link below which a flow's rate must be to change its path",
           "Hermes, SIGCOMM'17: R"});
  v.field("interval", interval, {"0us", "1s"},
          {"time between two decisions of a flow whether to leave a bad path; half of them, drawn "
           "at random, are to stay",
           "Hermes, SIGCOMM'17"});
  v.field("age", age, {"1us", "1000s"}, {"age after which the record of a path is ignored"});
  v.field("failed_for", failed_for, {"1us", "1000s"},
          {"time for which a path that loses packets is not used"});
  v.field("probe_interval", probe_interval, {"0us", "1s"},
          {"time between two probes of the paths to each rack; 0: data and ACKs alone measure "
           "paths. The paper has 500 us",
           "Hermes, SIGCOMM'17: section 3.1.2"});
}

}  // namespace dcc
