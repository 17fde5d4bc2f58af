#include "schemes/pias/pias.h"

#include <algorithm>
#include <memory>

#include "describe/parameter_error.h"
#include "describe/visitor.h"

namespace dcc {

namespace {
const Transports::Registered<PiasParameters> kPias{
    "pias", "RoCE whose messages lose priority as more of them is sent; for strict ports",
    [](const PiasParameters&, const TransportContext&) { return std::unique_ptr<Transport>(); }};
}  // namespace

void PiasParameters::describe(ParameterVisitor& v) {
  v.numbers("thresholds", thresholds, 1, kPriorities - 1, {"1", "4000000000"},
            {"bytes of a message after which its packets have one priority less, from 7 down",
             "PIAS, NSDI'15"});
  tuning_by_agent.describe(v);
}

void PiasParameters::check() const {
  if (!std::is_sorted(thresholds.begin(), thresholds.end())) {
    throw ParameterError({"thresholds"}, "thresholds do not ascend");
  }
}

void PiasParameters::ask_nic(NicParameters& nic) const {
  nic.demotion.assign(thresholds.begin(), thresholds.end());
  if (!nic.ack_priority) nic.ack_priority = kPriorities - 1;
}

std::unique_ptr<TransportAgent> PiasParameters::make_agent(Scheduler& scheduler,
                                                           std::uint32_t rank) const {
  if (!has_agent()) return nullptr;
  return std::make_unique<ThresholdAgent>(scheduler, rank, tuning_by_agent, thresholds.size());
}

}  // namespace dcc
