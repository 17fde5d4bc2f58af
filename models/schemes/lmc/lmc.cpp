#include "schemes/lmc/lmc.h"

#include <memory>
#include <stdexcept>

#include "describe/visitor.h"
#include "schemes/common/placed_flows.h"

namespace dcc {

namespace {

class Lmc final : public PathChoice {
 public:
  Lmc(unsigned lmc, std::uint64_t hash_seed) : lmc_(lmc), hash_seed_(hash_seed) {}

  std::uint32_t peek(const Packet& packet, PortSet ports) const override {
    return index_by_address(hash_seed_, packet.destination, own_path(packet.flow, lmc_),
                            ports.size());
  }
  void add_state(StateDigest&) const override {}

 private:
  unsigned lmc_;
  std::uint64_t hash_seed_;
};

/// LID mask control with a manager: like Lmc, but a flow that the manager (lid_manager.h) has moved
/// takes the path of its new address.
class ManagedLmc final : public PlacedFlows {
 public:
  ManagedLmc(unsigned lmc, std::uint64_t hash_seed) : PlacedFlows(hash_seed), lmc_(lmc) {}

 private:
  std::uint32_t unplaced(const Packet& packet, PortSet ports) const override {
    return index_by_address(hash_seed_, packet.destination, own_path(packet.flow, lmc_),
                            ports.size());
  }

  unsigned lmc_;
};

/// Makes the load balancer of LID mask control. Throws std::invalid_argument for an lmc above
/// kMaxLmc.
std::unique_ptr<PathChoice> make(const LmcParameters& parameters, const PathContext& context) {
  if (parameters.lmc > kMaxLmc) throw std::invalid_argument("routing: lmc is above 7");
  if (parameters.lid_manager.on()) {
    return std::make_unique<ManagedLmc>(parameters.lmc, context.hash_seed);
  }
  return std::make_unique<Lmc>(parameters.lmc, context.hash_seed);
}

const Balancers::Registered<LmcParameters> kLmc{
    "lmc", "by destination address, of which a port has 2^lmc with one path each", make};

}  // namespace

void LmcParameters::describe(ParameterVisitor& v) {
  v.field("lmc", lmc, {"0", kMaxLmc},
          {"a port has 2^lmc destination addresses with one path each", "InfiniBand LMC"});
  lid_manager.describe(v);
}

std::uint32_t LmcParameters::index_of(std::uint64_t hash_seed, HostId destination, unsigned path,
                                      std::uint32_t choices) const {
  return index_by_address(hash_seed, destination, path, choices);
}

std::unique_ptr<FlowScheduler> LmcParameters::make_scheduler(
    const FlowSchedulerContext& context) const {
  return std::make_unique<LidManager>(context.scheduler, context.fabric, lmc, lid_manager,
                                      context.rank, context.goal);
}

}  // namespace dcc
