#include "schemes/conga/conga.h"

#include <algorithm>
#include <stdexcept>

#include "describe/visitor.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
const Balancers::Registered<CongaParameters> kConga{
    "conga", "flowlets on the least used path to the far edge", kMakes<Conga>};
}  // namespace

void CongaParameters::describe(ParameterVisitor& v) {
  flowlet.describe(v);
  v.field("dre_period", dre.period, {"100ns", "1s"},
          {"time between two decays of a link's estimate", "CONGA, SIGCOMM'14, 3.2: Tdre"});
  v.field("dre_alpha", dre.alpha, {"1/1000", "9/10"},
          {"share that a decay takes; the estimate's time constant is dre_period / dre_alpha",
           "CONGA, SIGCOMM'14, 3.2"});
  v.field("metric_bits", dre.bits, {"1", "8"},
          {"bits of the number for the use of a path", "CONGA, SIGCOMM'14, 3.6: Q"});
  v.field("metric_age", age, {"1us", "1000s"},
          {"the recorded use of a path falls by one step for each such period of its age",
           "CONGA, SIGCOMM'14, 3.3"});
}

Conga::Conga(const CongaParameters& parameters, const PathContext& context)
    : parameters_(parameters),
      view_(context.view),
      hash_seed_(context.hash_seed),
      random_(context.seed, "routing", context.index),
      flowlets_(parameters.flowlet, context.hash_seed),
      use_(static_cast<std::size_t>(context.ports)),
      tag_(static_cast<std::size_t>(context.ports)) {}

void Conga::join(const FabricMap& fabric, int self) {
  EdgeChoice::join(fabric, self);
  for (std::size_t port = 0; port < tag_.size() && self_ != FabricMap::kNoEdge; ++port) {
    if (!fabric.leads_on(self, static_cast<int>(port))) continue;
    if (++tags_ > 0xFF) throw std::invalid_argument("routing: conga tells 255 ways up apart");
    tag_[port] = static_cast<std::uint8_t>(tags_);
  }
}

void Conga::routes_changed() {
  flowlets_.clear();
  edges_.clear();
}

Conga::Edge& Conga::edge(std::uint32_t number) {
  if (edges_.empty()) edges_.resize(fabric_->edges());
  Edge& edge = edges_[number];
  if (edge.to.empty()) edge.to.resize(tags_);
  return edge;
}

const Conga::Edge* Conga::find(std::uint32_t number) const {
  return edges_.empty() || edges_[number].to.empty() ? nullptr : &edges_[number];
}

std::uint32_t Conga::aged(const News& news) const {
  if (!news.known) return 0;
  const std::int64_t steps = (view_.now() - news.since) / parameters_.age;
  return steps >= news.congestion ? 0 : news.congestion - static_cast<std::uint32_t>(steps);
}

std::uint32_t Conga::congestion_to(std::uint32_t number, int port) const {
  const Edge* const known = find(number);
  const std::uint8_t tag = tag_[static_cast<std::size_t>(port)];
  return known == nullptr || tag == 0 ? 0 : aged(known->to[tag - 1u]);
}

/// Congestion of the path through a port: the maximum of the first link's use and of the far edge
/// switch's report.
std::uint32_t Conga::congestion_of(int port, const Edge* far) const {
  const auto p = static_cast<std::size_t>(port);
  const std::uint32_t here = use_[p].metric(view_.rate(port), view_.now(), parameters_.dre);
  return far == nullptr ? here : std::max(here, aged(far->to[tag_[p] - 1u]));
}

/// Path of the previous flowlet if no other path is better; otherwise a random path among the best.
std::uint32_t Conga::best(const Packet& packet, PortSet ports, std::uint32_t before,
                          RandomStream& random) const {
  const Edge* const far = find(fabric_->edge_of(packet.destination));
  std::uint32_t least = UINT32_MAX;
  std::uint32_t count = 0;
  for (const int port : ports) {
    const std::uint32_t congestion = congestion_of(port, far);
    if (congestion < least) count = 0;
    least = std::min(least, congestion);
    if (congestion == least) ++count;
  }
  if (before < ports.size() && congestion_of(ports[before], far) == least) return before;
  std::uint64_t skip = random.below(count);
  for (std::uint32_t i = 0;; ++i) {
    if (congestion_of(ports[i], far) == least && skip-- == 0) return i;
  }
}

std::uint32_t Conga::peek(const Packet& packet, PortSet ports) const {
  if (ports.size() == 1) return 0;
  if (fabric_ == nullptr || fabric_->edge_of(packet.source) != self_) {
    return scaled_down(flow_hash(packet, hash_seed_), ports.size());
  }
  const FlowletTable::Entry flowlet = flowlets_.peek(packet);
  if (flowlets_.goes_on(flowlet, view_.now(), ports.size())) return flowlet.way;
  RandomStream ahead = random_;
  return best(packet, ports, flowlet.way, ahead);
}

std::uint32_t Conga::choose(Packet& packet, PortSet ports) {
  if (fabric_ == nullptr || self_ == FabricMap::kNoEdge) return peek(packet, ports);
  const std::uint32_t source = fabric_->edge_of(packet.source);
  const std::uint32_t destination = fabric_->edge_of(packet.destination);
  if (destination == self_) {
    if (packet.overlay.path_congestion.path != 0) learn(edge(source), packet.overlay);
    packet.overlay = {};
    return ports.size() == 1 ? 0 : scaled_down(flow_hash(packet, hash_seed_), ports.size());
  }
  // this switch is an edge switch in the middle of the packet's path
  if (source != self_) return peek(packet, ports);
  std::uint32_t way = 0;
  if (ports.size() > 1) {
    FlowletTable::Entry& flowlet = flowlets_.of(packet);
    if (!flowlets_.goes_on(flowlet, view_.now(), ports.size())) {
      flowlet.way = best(packet, ports, flowlet.way, random_);
    }
    flowlet.last = view_.now();
    way = flowlet.way;
  }
  packet.overlay.path_congestion.path = tag_[static_cast<std::size_t>(ports[way])];
  packet.overlay.path_congestion.congestion = 0;
  tell(edge(destination), packet.overlay);
  return way;
}

void Conga::learn(Edge& far, const OverlayHeader& overlay) {
  if (far.from.size() < overlay.path_congestion.path) far.from.resize(overlay.path_congestion.path);
  News& came = far.from[overlay.path_congestion.path - 1u];
  came.untold = came.untold || !came.known || came.congestion != overlay.path_congestion.congestion;
  came = {view_.now(), overlay.path_congestion.congestion, true, came.untold};
  if (overlay.path_congestion.feedback_path == 0 ||
      overlay.path_congestion.feedback_path > far.to.size())
    return;
  far.to[overlay.path_congestion.feedback_path - 1u] = {
      view_.now(), overlay.path_congestion.feedback, true, false};
}

/// Writes a report about a path whose congestion has changed into a packet; if no path's has
/// changed, the reports of all paths take turns.
void Conga::tell(Edge& far, OverlayHeader& overlay) {
  overlay.path_congestion.feedback_path = 0;
  const auto count = static_cast<std::uint32_t>(far.from.size());
  std::uint32_t told = count;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t at = (far.next + i) % count;
    if (!far.from[at].known) continue;
    if (told == count) told = at;
    if (!far.from[at].untold) continue;
    told = at;
    break;
  }
  if (told == count) return;
  far.next = (told + 1) % count;
  far.from[told].untold = false;
  overlay.path_congestion.feedback_path = static_cast<std::uint8_t>(told + 1);
  overlay.path_congestion.feedback = far.from[told].congestion;
}

void Conga::departs(Packet& packet, int port) {
  RateEstimator& use = use_[static_cast<std::size_t>(port)];
  use.sent(packet.wire_bytes, view_.now(), parameters_.dre);
  if (packet.overlay.path_congestion.path == 0) return;
  const std::uint32_t congestion = use.metric(view_.rate(port), view_.now(), parameters_.dre);
  packet.overlay.path_congestion.congestion =
      std::max(packet.overlay.path_congestion.congestion, static_cast<std::uint8_t>(congestion));
}

void Conga::add_state(StateDigest& d) const { d(random_, flowlets_, use_, edges_); }

}  // namespace dcc
