// Parameters of Hedera, in which a central scheduler assigns paths to large flows.
#pragma once

#include <cstdint>

#include "describe/enum_names.h"
#include "describe/quantities.h"
#include "fabric/balancers.h"

namespace dcc {

/// Parameters of Hedera's scheduler. A central scheduler reads the counters of the edge switches
/// every `period`, estimates the rates that large flows would reach if only the hosts' links
/// limited them, and assigns paths to these flows.
struct HederaParameters final : BalancerParameters {
  enum class Placement : std::uint8_t {
    kAnnealing,  // simulated annealing: one path for each destination host, improved at random
    kFirstFit,   // global first fit: a flow takes the first path that has room
  };
  Placement placement = Placement::kAnnealing;
  PicoSeconds period = kMilliSecond;
  Ratio elephant{1, 10};  // share of the sender's link rate from which on a flow counts as large
  unsigned iterations = 1000;
  Ratio annealing{1, 2};

  void describe(ParameterVisitor& v) override;
  bool is_central() const override { return true; }
  std::unique_ptr<FlowScheduler> make_scheduler(const FlowSchedulerContext& context) const override;
};

DCC_ENUM_NAMES(HederaParameters::Placement, {HederaParameters::Placement::kAnnealing, "annealing"},
               {HederaParameters::Placement::kFirstFit, "first_fit"});

}  // namespace dcc
