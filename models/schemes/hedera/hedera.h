// Parameters of Hedera.
#pragma once

#include <cstdint>

#include "describe/enum_names.h"
#include "describe/quantities.h"
#include "fabric/balancers.h"

namespace dcc {

/// A central scheduler reads the counters of the edge switches every `period`, estimates what large
/// flows would send if only the hosts' links limited them, and gives those flows their paths.
struct HederaParameters final : BalancerParameters {
  enum class Placement : std::uint8_t {
    kAnnealing,  // one path for each destination host, improved by simulated annealing
    kFirstFit,   // a flow takes the first path that has room
  };
  Placement placement = Placement::kAnnealing;
  PicoSeconds period = kMilliSecond;
  Ratio elephant{1, 10};  // share of the sender's link from which on a flow counts as large
  unsigned iterations = 1000;
  Ratio annealing{1, 2};

  void describe(ParameterVisitor& v) override;
  bool is_central() const override { return true; }
  std::unique_ptr<FlowScheduler> make_scheduler(const FlowSchedulerContext& context) const override;
};

DCC_ENUM_NAMES(HederaParameters::Placement, {HederaParameters::Placement::kAnnealing, "annealing"},
               {HederaParameters::Placement::kFirstFit, "first_fit"});

}  // namespace dcc
