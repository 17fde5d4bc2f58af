// LetFlow (Vanini et al., NSDI'17) sends every flowlet over a random path. Flows on a congested
// path pause more often, so flowlets become short there and long elsewhere, without any
// measurement.
#include "schemes/letflow/letflow.h"

#include "sim/random.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {

class Letflow final : public PathChoice {
 public:
  Letflow(const LetflowParameters& parameters, const PathContext& context)
      : view_(context.view),
        flowlets_(parameters.flowlet, context.hash_seed),
        random_(context.seed, "routing", context.index) {}

  void routes_changed() override { flowlets_.clear(); }

  std::uint32_t peek(const Packet& packet, PortSet ports) const override {
    const FlowletTable::Entry entry = flowlets_.peek(packet);
    if (flowlets_.goes_on(entry, view_.now(), ports.size())) return entry.way;
    RandomStream ahead = random_;
    return static_cast<std::uint32_t>(ahead.below(ports.size()));
  }
  std::uint32_t choose(Packet& packet, PortSet ports) override {
    FlowletTable::Entry& entry = flowlets_.of(packet);
    if (!flowlets_.goes_on(entry, view_.now(), ports.size())) {
      entry.way = static_cast<std::uint32_t>(random_.below(ports.size()));
    }
    entry.last = view_.now();
    return entry.way;
  }
  void add_state(StateDigest& d) const override { d(random_, flowlets_); }

 private:
  const PathView& view_;
  FlowletTable flowlets_;
  RandomStream random_;
};

const Balancers::Registered<LetflowParameters> kLetflow{"letflow", "flowlets at random",
                                                        kMakes<Letflow>};

}  // namespace

}  // namespace dcc
