// InfiniBand's LID mask control, the switch's half: by destination address, of which a port has
// 2^lmc with one way through the fabric each.
#include <stdexcept>

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

/// The same, unless the manager (lid_manager.h) has given a flow another of the addresses.
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

}  // namespace

std::unique_ptr<PathChoice> make_lmc(unsigned lmc, std::uint64_t hash_seed, bool managed) {
  if (lmc > kMaxLmc) throw std::invalid_argument("routing: lmc is above 7");
  if (managed) return std::make_unique<ManagedLmc>(lmc, hash_seed);
  return std::make_unique<Lmc>(lmc, hash_seed);
}

}  // namespace dcc
