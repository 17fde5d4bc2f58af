// Packets go the way that their sender's transport has put into them (Fastpass, whose arbiter
// chooses it); what says nothing goes by hash, a way a flow.
#include "fabric/fabric_map.h"
#include "fabric/path_choice.h"

namespace dcc {

namespace {

/// Two choices, as leaf-spine networks and fat trees have them on the way up: the first is made at
/// the sender's switch, the second beyond it.
class Source final : public PathChoice {
 public:
  explicit Source(std::uint64_t hash_seed) : hash_seed_(hash_seed) {}
  void join(const FabricMap& fabric, int self) override {
    fabric_ = &fabric;
    self_ = fabric.edge_at(self);
  }

  std::uint32_t peek(const Packet& packet, PortSet ports) const override {
    const bool first = fabric_ == nullptr || fabric_->edge_of(packet.source) == self_;
    const std::uint32_t way =
        first ? packet.overlay.route.first_port : packet.overlay.route.second_port;
    if (way != 0) return (way - 1) % ports.size();
    return scaled_down(flow_hash(packet, hash_seed_), ports.size());
  }
  void add_state(StateDigest&) const override {}

 private:
  std::uint64_t hash_seed_;
  const FabricMap* fabric_ = nullptr;
  std::uint32_t self_ = FabricMap::kNoEdge;
};

}  // namespace

std::unique_ptr<PathChoice> make_source(const PathContext& context) {
  return std::make_unique<Source>(context.hash_seed);
}

}  // namespace dcc
