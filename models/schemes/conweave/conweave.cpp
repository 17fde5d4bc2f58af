#include "schemes/conweave/conweave.h"

#include <algorithm>

#include "describe/class_ranges.h"
#include "describe/visitor.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
constexpr std::uint32_t kMaxWays = 0xFF;
constexpr std::uint32_t kMessageBytes = 64;

enum : unsigned { kRerouted = 1, kRequest = 2, kTail = 4, kEpochShift = 3 };

/// Time between two 16-bit time stamps, of which the first is the earlier.
PicoSeconds between(std::uint16_t first, std::uint16_t last) {
  const auto steps = static_cast<std::uint16_t>(last - first);
  return PicoSeconds(std::int64_t{steps} << ConweaveHeader::kStampShift);
}
}  // namespace

OverlayHeader ConweaveHeader::packed() const {
  const unsigned flags = (rerouted ? kRerouted : 0u) | (request ? kRequest : 0u) |
                         (tail ? kTail : 0u) | unsigned{epoch} << kEpochShift;
  return {{way, static_cast<std::uint8_t>(flags), static_cast<std::uint8_t>(stamp >> 8),
           static_cast<std::uint8_t>(stamp)}};
}

ConweaveHeader ConweaveHeader::of(const OverlayHeader& overlay) {
  const unsigned flags = overlay.bytes[1];
  ConweaveHeader header;
  header.way = overlay.bytes[0];
  header.epoch = static_cast<std::uint8_t>(flags >> kEpochShift);
  header.rerouted = (flags & kRerouted) != 0;
  header.request = (flags & kRequest) != 0;
  header.tail = (flags & kTail) != 0;
  header.stamp = static_cast<std::uint16_t>(overlay.bytes[2] << 8 | overlay.bytes[3]);
  return header;
}

Conweave::Conweave(const ConweaveParameters& parameters, const PathContext& context)
    : parameters_(parameters),
      view_(context.view),
      actions_(context.actions),
      hash_seed_(context.hash_seed),
      random_(context.seed, "routing", context.index) {}

// ---------------------------------------------------------------- Paths

/// Number of paths to a destination. A path is a first link and, if the next switch has a choice,
/// one of the next switch's links; the width of the header field limits the number.
std::uint32_t Conweave::ways_to(HostId destination, PortSet ports) const {
  const NodeId next = fabric_->topology().peer(node_, ports.front()).node;
  const std::uint32_t beyond = fabric_->routing().ports(next, destination).size();
  const auto first = std::min<std::uint32_t>(ports.size(), kMaxWays);
  return first * std::clamp<std::uint32_t>(beyond, 1, std::max(1u, kMaxWays / first));
}

/// Chooses the port at a switch above the edge: all flows between two edges that use one path take
/// one port.
std::uint32_t Conweave::on_the_way(const Packet& packet, PortSet ports) const {
  const Topology& topology = fabric_->topology();
  const NodeId edge = topology.peer(topology.node_of(packet.source), 0).node;
  const std::uint32_t first = std::clamp<std::uint32_t>(
      fabric_->routing().ports(edge, packet.destination).size(), 1, kMaxWays);
  const std::uint64_t ends =
      std::uint64_t{fabric_->edge_of(packet.source)} << 32 | fabric_->edge_of(packet.destination);
  const std::uint32_t begin = scaled_down(mix64(ends ^ hash_seed_), ports.size());
  return (begin + (packet.overlay.bytes[0] - 1u) / first) % ports.size();
}

bool Conweave::is_busy(std::uint32_t edge, std::uint8_t way) const {
  if (busy_until_.empty() || busy_until_[edge].size() < way) return false;
  return view_.now() < busy_until_[edge][way - 1u];
}

/// Draws two paths at random and returns the first one that is not busy.
std::uint8_t Conweave::pick(std::uint32_t edge, std::uint32_t ways, std::uint8_t otherwise,
                            RandomStream& random) const {
  for (int i = 0; i < 2; ++i) {
    const auto way = static_cast<std::uint8_t>(1 + random.below(ways));
    if (!is_busy(edge, way)) return way;
    if (otherwise == 0) otherwise = way;
  }
  return otherwise;
}

// ---------------------------------------------------------------- Edge switch of the sender

/// Makes the ConWeave header of a packet that leaves now, and updates the state of the packet's
/// flow.
ConweaveHeader Conweave::depart(Sender& flow, const Packet& packet, PortSet ports,
                                RandomStream& random) const {
  const PicoSeconds now = view_.now();
  const std::uint32_t edge = fabric_->edge_of(packet.destination);
  const bool anew =
      flow.way == 0 || flow.routes != routes_ || now - flow.active > parameters_.inactive;
  flow.active = now;
  flow.routes = routes_;
  ConweaveHeader header;
  bool moves = false;
  if (anew || flow.settled) {
    if (anew) flow.way = pick(edge, ways_to(packet.destination, ports), 0, random);
    flow.epoch = static_cast<std::uint8_t>((flow.epoch + 1u) % ConweaveHeader::kEpochs);
    flow.rerouted = flow.settled = false;
    flow.asks = header.request = true;
    flow.reply_due = now + parameters_.reply;
  } else if (flow.asks && now > flow.reply_due) {
    flow.asks = false;
    flow.tail_sent = ConweaveHeader::stamp_of(now);
    header.tail = moves = true;
  }
  header.way = flow.way;
  header.epoch = flow.epoch;
  header.rerouted = flow.rerouted;
  header.stamp = flow.rerouted ? flow.tail_sent : ConweaveHeader::stamp_of(now);
  // the following packets of the flow change to another path; they stay if no path is better
  if (moves) {
    flow.rerouted = true;
    flow.way = pick(edge, ways_to(packet.destination, ports), flow.way, random);
  }
  return header;
}

void Conweave::hear(const Packet& packet) {
  const ConweaveHeader header = ConweaveHeader::of(packet.overlay);
  const auto news = static_cast<ConweaveHeader::News>(packet.immediate);
  if (news == ConweaveHeader::News::kNotify) {
    if (busy_until_.empty()) busy_until_.resize(fabric_->edges());
    std::vector<PicoSeconds>& ways = busy_until_[fabric_->edge_of(packet.source)];
    if (ways.size() < header.way) ways.resize(header.way);
    ways[header.way - 1u] = view_.now() + parameters_.path_busy;
    return;
  }
  // Handles a report about a flow whose data travel in the opposite direction.
  Sender* const known = senders_.find(flow_key(packet.flow, packet.destination, packet.source));
  if (known == nullptr) return;
  Sender& flow = *known;
  if (header.epoch != flow.epoch) return;
  const bool cleared = news == ConweaveHeader::News::kClear && flow.rerouted;
  const bool in_time =
      news == ConweaveHeader::News::kReply && flow.asks && view_.now() <= flow.reply_due;
  if (!cleared && !in_time) return;
  flow.settled = true;
  flow.asks = false;
}

// ---------------------------------------------------------------- Edge switch of the receiver

void Conweave::tell(const Packet& about, const ConweaveHeader& header, ConweaveHeader::News news) {
  Packet* const packet = actions_->allocate();
  packet->kind = PacketKind::kPathNews;
  packet->priority = static_cast<std::uint8_t>(parameters_.message_priority);
  packet->wire_bytes = kMessageBytes;
  packet->source = about.destination;
  packet->destination = about.source;
  packet->flow = about.flow;
  packet->overlay = header.packed();
  packet->immediate = static_cast<std::uint32_t>(news);
  actions_->send(packet);
}

/// True if the packet starts a new epoch. Epoch numbers wrap: half of the numbers count as older
/// than the present epoch, unless the flow has been inactive for long.
bool Conweave::begins_epoch(const Receiver& flow, const ConweaveHeader& header) const {
  if (!flow.known) return true;
  const unsigned ahead = (unsigned{header.epoch} - flow.epoch) % ConweaveHeader::kEpochs;
  if (ahead == 0) return false;
  return ahead < ConweaveHeader::kEpochs / 2 || view_.now() - flow.active > parameters_.inactive;
}

/// Expected arrival of the tail: the last packet of the old path arrived at old_came, and the tail
/// left the sender's edge later than that packet by the difference of their stamps.
PicoSeconds Conweave::old_way_due(const Receiver& flow) const {
  if (!flow.knows_old) return view_.now() + parameters_.wait_unknown;
  return flow.old_came + between(flow.old_sent, flow.tail_sent) + parameters_.wait_more;
}

std::uint32_t Conweave::arrive(Packet& packet, PortSet ports) {
  const ConweaveHeader header = ConweaveHeader::of(packet.overlay);
  packet.overlay = {};
  if (header.way == 0) return 0;
  if (packet.ecn == Ecn::kCe) tell(packet, header, ConweaveHeader::News::kNotify);
  const std::uint64_t key = flow_key(packet);
  Receiver& flow = *receivers_.find_or_add(key).first;
  const PicoSeconds now = view_.now();
  if (begins_epoch(flow, header)) {
    if (flow.queue != nullptr) release(*flow.queue);
    flow.epoch = header.epoch;
    flow.known = true;
    flow.knows_old = flow.passes = false;
  } else if (header.epoch != flow.epoch) {
    ++counters_.late;
    return 0;
  }
  flow.active = now;
  if (header.rerouted) {
    flow.tail_sent = header.stamp;
    if (flow.passes && flow.queue == nullptr) return 0;
    hold(flow, key, packet, ports.front());
    return kKept;
  }
  // the wait for the tail ended by timeout before the tail arrived
  if (flow.passes) ++counters_.late;
  flow.knows_old = true;
  flow.old_came = now;
  flow.old_sent = header.stamp;
  if (header.request) tell(packet, header, ConweaveHeader::News::kReply);
  if (header.tail) {
    tell(packet, header, ConweaveHeader::News::kClear);
    flow.passes = true;
  }
  if (flow.queue != nullptr) {
    // The detained packets are queued at their port behind the packet that released them.
    flow.queue->by_tail = header.tail;
    const PicoSeconds due = header.tail ? now : std::max(now, old_way_due(flow));
    actions_->scheduler().schedule_at(flow.queue->due, due);
  }
  return 0;
}

void Conweave::hold(Receiver& flow, std::uint64_t key, Packet& packet, int port) {
  if (!actions_->detain(&packet, port)) return;
  ++counters_.held;
  if (flow.queue == nullptr) {
    if (spare_.empty()) {
      queues_.push_back(std::make_unique<Queue>(*this, actions_->rank()));
      spare_.push_back(queues_.back().get());
    }
    flow.queue = spare_.back();
    spare_.pop_back();
    flow.queue->flow = key;
    flow.queue->port = port;
    flow.queue->by_tail = false;
    actions_->scheduler().schedule_at(flow.queue->due, std::max(view_.now(), old_way_due(flow)));
  }
  flow.queue->packets.push(&packet);
}

void Conweave::release(Queue& queue) {
  ++(queue.by_tail ? counters_.released_by_tail : counters_.released_by_time);
  actions_->scheduler().cancel(queue.due);
  Receiver& flow = *receivers_.find(queue.flow);
  flow.queue = nullptr;
  flow.passes = true;
  while (!queue.packets.empty()) actions_->release(queue.packets.pop(), queue.port);
  spare_.push_back(&queue);
}

// ---------------------------------------------------------------- PathChoice

std::uint32_t Conweave::peek(const Packet& packet, PortSet ports) const {
  if (ports.size() == 1) return 0;
  if (fabric_ == nullptr || packet.kind != PacketKind::kData) {
    return scaled_down(flow_hash(packet, hash_seed_), ports.size());
  }
  const std::uint32_t source = fabric_->edge_of(packet.source);
  if (source == self_ && fabric_->edge_of(packet.destination) != self_) {
    const Sender* const known = senders_.find(flow_key(packet));
    Sender ahead = known != nullptr ? *known : Sender{};
    RandomStream random = random_;
    return (depart(ahead, packet, ports, random).way - 1u) % ports.size();
  }
  if (packet.overlay.bytes[0] != 0) return on_the_way(packet, ports);
  return scaled_down(flow_hash(packet, hash_seed_), ports.size());
}

std::uint32_t Conweave::choose(Packet& packet, PortSet ports) {
  if (fabric_ == nullptr || self_ == FabricMap::kNoEdge) return peek(packet, ports);
  const bool ends_here = fabric_->edge_of(packet.destination) == self_;
  if (packet.kind == PacketKind::kPathNews && ends_here) {
    hear(packet);
    actions_->consume(&packet);
    return kKept;
  }
  if (packet.kind != PacketKind::kData) return peek(packet, ports);
  const bool begins_here = fabric_->edge_of(packet.source) == self_;
  if (ends_here && !begins_here && ports.size() == 1) return arrive(packet, ports);
  if (!begins_here || ends_here || ports.size() == 1) return peek(packet, ports);
  Sender& flow = *senders_.find_or_add(flow_key(packet)).first;
  const std::uint8_t before = flow.way;
  const ConweaveHeader header = depart(flow, packet, ports, random_);
  if (header.tail && flow.way != before) ++counters_.rerouted;
  packet.overlay = header.packed();
  return (header.way - 1u) % ports.size();
}

void Conweave::add_state(StateDigest& d) const {
  d(random_, routes_, senders_, receivers_, busy_until_);
}

namespace {
const Balancers::Registered<ConweaveParameters> kConweave{
    "conweave", "flows on paths whose answers come in time, put in order again at the far edge",
    kMakes<Conweave>};
}  // namespace

void ConweaveParameters::describe(ParameterVisitor& v) {
  // Upper limits of reply and inactive: a tail leaves at most reply + inactive after the first
  // packet of its epoch. The limits keep that sum below 4.3 ms, after which stamps wrap.
  v.field("reply", reply, {"100ns", "2ms"},
          {"longest time of an answer from a path that is not congested; somewhat more than the "
           "base round trip from edge to edge",
           "ConWeave, SIGCOMM'23: theta_reply"});
  v.field("path_busy", path_busy, {"0us", "1s"},
          {"time after a report of a mark in which no flow is moved to that path",
           "ConWeave, SIGCOMM'23: theta_path_busy"});
  v.field("inactive", inactive, {"100ns", "2ms"},
          {"least pause of a flow after which it may take another path at once",
           "ConWeave, SIGCOMM'23: theta_inactive"});
  v.field("wait_more", wait_more, {"0us", "1s"},
          {"time for which packets are held beyond the expected arrival of the last packet of "
           "the old path",
           "ConWeave, SIGCOMM'23: theta_resume_extra"});
  v.field("wait_unknown", wait_unknown, {"100ns", "1s"},
          {"time for which packets are held if none of the old path has arrived",
           "ConWeave, SIGCOMM'23: theta_resume_default"});
  v.field("message_priority", message_priority, any_priority(),
          {"priority of messages between edge switches"});
}

}  // namespace dcc
