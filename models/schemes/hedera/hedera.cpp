// Hedera (Al-Fares et al., NSDI'10), the switch's half: flows go by hash unless the scheduler has
// given them a way (hedera_scheduler.h).
#include "schemes/common/placed_flows.h"

namespace dcc {

namespace {

class Hedera final : public PlacedFlows {
 public:
  explicit Hedera(const PathContext& context) : PlacedFlows(context.hash_seed) {}

 private:
  std::uint32_t unplaced(const Packet& packet, PortSet ports) const override {
    return scaled_down(flow_hash(packet, hash_seed_), ports.size());
  }
};

}  // namespace

std::unique_ptr<PathChoice> make_hedera(const PathContext& context) {
  return std::make_unique<Hedera>(context);
}

}  // namespace dcc
