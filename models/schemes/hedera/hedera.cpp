// Hedera (Al-Fares et al., NSDI'10), the switch's half: a flow takes a path by hash unless the
// central scheduler has placed it (hedera_scheduler.h).
#include "schemes/hedera/hedera.h"

#include <memory>

#include "describe/visitor.h"
#include "schemes/common/placed_flows.h"
#include "schemes/hedera/hedera_scheduler.h"

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

const Balancers::Registered<HederaParameters> kHedera{
    "hedera", "flows by hash, large ones as a central scheduler places them",
    [](const HederaParameters&, const PathContext& context) {
      return std::make_unique<Hedera>(context);
    }};

}  // namespace

void HederaParameters::describe(ParameterVisitor& v) {
  v.choice("placement", placement,
           {"how large flows find their way: by simulated annealing, or the first with room",
            "Hedera, NSDI'10, 4.2, 4.3"});
  v.field("period", period, {"1us", "1000s"},
          {"the scheduler reads the edge switches' counters so often; the paper's 5 s are of TCP "
           "flows of minutes",
           "Hedera, NSDI'10"});
  v.field("elephant", elephant, {"0", "1"},
          {"share of the sender's link from which on a flow is a large one", "Hedera, NSDI'10"});
  v.when(placement == Placement::kAnnealing, "placement: annealing", [&] {
    v.field("iterations", iterations, {"1", "1000000"},
            {"of the annealing, each time; also the temperature it begins with",
             "Hedera, NSDI'10: T0"});
    v.field("annealing", annealing, {"0", "1000"},
            {"how little a worse state is liked, for each of `iterations`: a state worse by a "
             "link's excess E in rates of a host passes with exp(-annealing * iterations * E / "
             "temperature)",
             "Hedera, NSDI'10: c / T0; 0.5, of a large network 1000"});
  });
}

std::unique_ptr<FlowScheduler> HederaParameters::make_scheduler(
    const FlowSchedulerContext& context) const {
  return std::make_unique<HederaScheduler>(context.scheduler, context.fabric, *this, context.seed,
                                           context.rank);
}

}  // namespace dcc
