// Permutation spraying (NDP: Handley et al., SIGCOMM'17): the packets of a flow take every path
// once in a random order, then every path again in another order. So the packet counts of two paths
// differ by at most one, and flows do not synchronise. The switch to which a sender is attached
// does the NIC's work: it chooses the ports of both upward hops, and the packet carries both
// (OverlayHeader).
#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "fabric/balancers.h"
#include "schemes/common/edge_choice.h"
#include "sim/random.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {

class Permutation final : public EdgeChoice {
 public:
  explicit Permutation(const PathContext& context)
      : ports_(context.ports), random_(context.seed, "routing", context.index) {}
  void join(const FabricMap& fabric, int self) override {
    EdgeChoice::join(fabric, self);
    std::uint32_t up = 0;
    for (int port = 0; port < ports_ && self_ != FabricMap::kNoEdge; ++port) {
      if (fabric.leads_on(self, port) && ++up > kMax) {
        throw std::invalid_argument("routing: permutation tells 255 ways up apart");
      }
    }
  }
  /// Starts the rounds of all flows anew, since the set of paths may have changed.
  void routes_changed() override { rounds_.clear(); }

  std::uint32_t peek(const Packet& packet, PortSet ports) const override {
    RandomStream ahead = random_;
    if (!begins_here(packet)) return beyond(packet, ports, ahead);
    const Round* const known = rounds_.find(flow_key(packet));
    Round round = known != nullptr ? *known : Round{};
    return next(round, packet, ports, ahead).first - 1u;
  }
  std::uint32_t choose(Packet& packet, PortSet ports) override {
    if (!begins_here(packet)) return beyond(packet, ports, random_);
    const Way way = next(*rounds_.find_or_add(flow_key(packet)).first, packet, ports, random_);
    packet.overlay.route.first_port = way.first;
    packet.overlay.route.second_port = way.second;
    return way.first - 1u;
  }
  void add_state(StateDigest& d) const override { d(random_, rounds_); }

 private:
  static constexpr std::uint32_t kMax = 0xFF;  // greatest number of ports that a tag can name

  /// Port choices of a path: numbers of the chosen ports at this switch and at the next one, from
  /// 1.
  struct Way {
    std::uint8_t first = 0;
    std::uint8_t second = 0;
    void add_state(StateDigest& d) const { d(first, second); }
  };
  /// The order of a flow's paths in the present round: first the `left` paths that this round has
  /// not used yet, then the others.
  struct Round {
    std::vector<Way> ways;
    std::uint32_t left = 0;
    void add_state(StateDigest& d) const { d(ways, left); }
  };

  /// Port choice at a switch beyond the first one. A packet that left a switch with a single port
  /// carries no port indices.
  static std::uint32_t beyond(const Packet& packet, PortSet ports, RandomStream& random) {
    const std::uint32_t way = packet.overlay.route.second_port;
    return way != 0 ? (way - 1) % ports.size()
                    : static_cast<std::uint32_t>(random.below(ports.size()));
  }

  std::vector<Way> ways_of(const Packet& packet, PortSet ports) const {
    std::vector<Way> ways;
    for (std::uint32_t first = 0; first < ports.size(); ++first) {
      const std::uint32_t seconds = choices_beyond(ports[first], packet.destination);
      for (std::uint32_t second = 0; second < seconds; ++second) {
        ways.push_back(
            {static_cast<std::uint8_t>(1 + first), static_cast<std::uint8_t>(1 + second)});
      }
    }
    return ways;
  }
  /// Number of ports at the next switch towards the destination, limited to the number of values of
  /// a tag.
  std::uint32_t choices_beyond(int port, HostId destination) const {
    if (fabric_ == nullptr) return 1;
    const NodeId next = fabric_->topology().peer(node_, port).node;
    return std::clamp(fabric_->routing().ports(next, destination).size(), 1u, kMax);
  }
  Way next(Round& round, const Packet& packet, PortSet ports, RandomStream& random) const {
    if (round.ways.empty()) round.ways = ways_of(packet, ports);
    if (round.left == 0) round.left = static_cast<std::uint32_t>(round.ways.size());
    const auto drawn = static_cast<std::size_t>(random.below(round.left--));
    std::swap(round.ways[drawn], round.ways[round.left]);
    return round.ways[round.left];
  }

  int ports_;
  RandomStream random_;
  KeyTable<Round> rounds_;  // present round of each flow
};

const Balancers::Registered<ManyPathsParameters> kPermutation{
    "permutation", "packets of a flow on all paths in turn, in a new random order each round",
    kMakes<Permutation>};

}  // namespace

}  // namespace dcc
