// WCMP (Zhou et al., EuroSys'14): distributes flows by hash over ports in proportion to the
// capacity behind each port.

#include "fabric/balancers.h"
#include "schemes/common/weighted_ports.h"

namespace dcc {

namespace {

class Wcmp final : public PathChoice {
 public:
  explicit Wcmp(const PathContext& context) : hash_seed_(context.hash_seed) {}
  void join(const FabricMap& fabric, int self) override { ports_.join(fabric, self); }
  void routes_changed() override { ports_.clear(); }

  std::uint32_t peek(const Packet& packet, PortSet ports) const override {
    const WeightedPorts::Sequence& sequence = ports_.of(packet.destination, ports);
    return sequence[scaled_down(flow_hash(packet, hash_seed_),
                                static_cast<std::uint32_t>(sequence.size()))];
  }
  void add_state(StateDigest&) const override {}

 private:
  std::uint64_t hash_seed_;
  WeightedPorts ports_;
};

const Balancers::Registered<OnePathParameters> kWcmp{
    "wcmp", "by hash, each port in proportion to the capacity behind it", kMakes<Wcmp>};

}  // namespace

}  // namespace dcc
