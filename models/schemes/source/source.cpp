// Source routing: a packet takes the path that the sender's transport wrote into its header
// (Fastpass, whose arbiter chooses paths); a packet without a path takes one by hash of its flow.
#include <memory>

#include "fabric/balancers.h"
#include "schemes/common/edge_choice.h"

namespace dcc {

namespace {

/// The source-routing load balancer. A packet carries two port choices, one for the sender's edge
/// switch and one for the next switch, which is sufficient for leaf-spine networks and fat trees.
class Source final : public EdgeChoice {
 public:
  explicit Source(std::uint64_t hash_seed) : hash_seed_(hash_seed) {}

  std::uint32_t peek(const Packet& packet, PortSet ports) const override {
    const std::uint32_t way =
        begins_here(packet) ? packet.overlay.route.first_port : packet.overlay.route.second_port;
    if (way != 0) return (way - 1) % ports.size();
    return scaled_down(flow_hash(packet, hash_seed_), ports.size());
  }
  void add_state(StateDigest&) const override {}

 private:
  std::uint64_t hash_seed_;
};

struct SourceParameters final : BalancerParameters {
  bool obeys_source() const override { return true; }
};

const Balancers::Registered<SourceParameters> kSource{
    "source", "packets on the path that their sender's transport chose, else by hash",
    [](const SourceParameters&, const PathContext& context) {
      return std::make_unique<Source>(context.hash_seed);
    }};

}  // namespace

}  // namespace dcc
