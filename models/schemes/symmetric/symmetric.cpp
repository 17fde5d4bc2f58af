// Symmetric load balancing: a flow and its answers take the same path in both directions (for
// ExpressPass, whose credits reserve the reverse path). The hash does not depend on which end is
// the source.
#include <algorithm>
#include <memory>

#include "fabric/balancers.h"
#include "fabric/fabric_map.h"

namespace dcc {

namespace {

/// The symmetric load balancer. Switches at the same height make the same choice, so the path down
/// equals the path up of the opposite direction in leaf-spine networks and fat trees.
class Symmetric final : public PathChoice {
 public:
  explicit Symmetric(std::uint64_t seed) : seed_(mix64(seed)) {}
  void join(const FabricMap& fabric, int self) override {
    at_edge_ = fabric.edge_at(self) != FabricMap::kNoEdge;
  }

  std::uint32_t peek(const Packet& packet, PortSet ports) const override {
    const std::uint64_t low = std::min(packet.source, packet.destination);
    const std::uint64_t high = std::max(packet.source, packet.destination);
    const std::uint64_t height = at_edge_ ? 0 : 1;
    return scaled_down(mix64(mix64((low << 32 | high) ^ seed_) ^ (packet.flow * 2ull + height)),
                       ports.size());
  }
  void add_state(StateDigest&) const override {}

 private:
  std::uint64_t seed_;
  bool at_edge_ = true;
};

struct SymmetricParameters final : BalancerParameters {
  bool one_path_per_flow() const override { return true; }
  bool is_symmetric() const override { return true; }
};

const Balancers::Registered<SymmetricParameters> kSymmetric{
    "symmetric", "by hash, the same path in both directions",
    [](const SymmetricParameters&, const PathContext& context) {
      return std::make_unique<Symmetric>(context.seed);
    }};

}  // namespace

}  // namespace dcc
