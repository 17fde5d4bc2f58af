// InfiniBand's LID mask control: a port has 2^lmc destination addresses, each with one path through
// the fabric.
#pragma once

#include <cstdint>

#include "fabric/balancers.h"
#include "schemes/lmc/lid_manager.h"

namespace dcc {

struct LmcParameters final : BalancerParameters {
  unsigned lmc = 1;
  LidManagerParameters lid_manager;

  void describe(ParameterVisitor& v) override;
  bool one_path_per_flow() const override { return !lid_manager.on(); }
  bool is_central() const override { return lid_manager.on(); }
  unsigned addresses() const override { return lid_manager.on() ? 1u << lmc : 0; }
  std::uint32_t index_of(std::uint64_t hash_seed, HostId destination, unsigned path,
                         std::uint32_t choices) const override;
  std::unique_ptr<FlowScheduler> make_scheduler(const FlowSchedulerContext& context) const override;
};

/// Maximum LMC (LID mask control) of a port, whose field has three bits.
constexpr unsigned kMaxLmc = 7;
/// Number of the path of a flow that no path manager has moved.
inline unsigned own_path(std::uint32_t flow, unsigned lmc) { return flow & ((1u << lmc) - 1u); }
/// Index of the port by which a switch forwards to one of a host's addresses. The addresses of a
/// host use different ports as long as there are enough ports.
inline std::uint32_t index_by_address(std::uint64_t hash_seed, HostId destination, unsigned path,
                                      std::uint32_t choices) {
  return (scaled_down(mix64(hash_seed ^ std::uint64_t{destination} << 8), choices) + path) %
         choices;
}

}  // namespace dcc
