// Random packet spraying (Dixit et al., INFOCOM'13): each packet takes a port at random.

#include "fabric/balancers.h"
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

const Balancers::Registered<ManyPathsParameters> kRps{"rps", "packets at random", kMakes<Rps>};

}  // namespace

}  // namespace dcc
