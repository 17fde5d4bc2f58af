// At random, packet by packet (rps: Dixit et al., INFOCOM'13), or flows by hash, ports by the
// capacity behind them (wcmp: Zhou et al., EuroSys'14).
#include "fabric/path_choice.h"
#include "schemes/common/weighted_ports.h"
#include "sim/random.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {

class Rps final : public PathChoice {
 public:
  explicit Rps(const PathContext& context) : random_(context.seed, "routing", context.index) {}

  std::uint32_t peek(const Packet&, PortSet ports) const override {
    RandomStream ahead = random_;
    return static_cast<std::uint32_t>(ahead.below(ports.size()));
  }
  std::uint32_t choose(Packet&, PortSet ports) override {
    return static_cast<std::uint32_t>(random_.below(ports.size()));
  }
  void add_state(StateDigest& d) const override { d(random_); }

 private:
  RandomStream random_;
};

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

}  // namespace

std::unique_ptr<PathChoice> make_rps(const PathContext& context) {
  return std::make_unique<Rps>(context);
}

std::unique_ptr<PathChoice> make_wcmp(const PathContext& context) {
  return std::make_unique<Wcmp>(context);
}

}  // namespace dcc
