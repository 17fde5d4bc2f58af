// Hedera (Al-Fares et al., NSDI'10), the part in the switch: a flow takes a path by hash unless the
// central scheduler has assigned a path (hedera_scheduler.h).
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
    "hedera", "flows by hash, large ones as a central scheduler places them", kMakes<Hedera>};

}  // namespace

void HederaParameters::describe(ParameterVisitor& v) {
  v.choice("placement", placement,
           {"how paths of large flows are chosen: by simulated annealing, or the first path "
            "with room",
            "Hedera, NSDI'10, 4.2, 4.3"});
  v.field("period", period, {"1us", "1000s"},
          {"time between two readings of the edge switches' counters; the paper's 5 s are for "
           "TCP flows of minutes",
           "Hedera, NSDI'10"});
  v.field("elephant", elephant, {"0", "1"},
          {"share of the sender's link from which on a flow counts as large", "Hedera, NSDI'10"});
  v.when(placement == Placement::kAnnealing, "placement: annealing", [&] {
    v.field("iterations", iterations, {"1", "1000000"},
            {"iterations of each annealing; also its first temperature", "Hedera, NSDI'10: T0"});
    v.field("annealing", annealing, {"0", "1000"},
            {"resistance to worse states: a state in which links exceed their rates by E more "
             "(in multiples of a host's rate) is accepted with probability exp(-annealing * "
             "iterations * E / temperature)",
             "Hedera, NSDI'10: c / T0; 0.5, of a large network 1000"});
  });
}

std::unique_ptr<FlowScheduler> HederaParameters::make_scheduler(
    const FlowSchedulerContext& context) const {
  return std::make_unique<HederaScheduler>(context.scheduler, context.fabric, *this, context.seed,
                                           context.rank);
}

}  // namespace dcc
