// Diagnosis `slots_full`: the controller had no slot for a congested flow.
#include <fmt/format.h>

#include "config/controller_hosts.h"
#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

class SlotsFull final : public Diagnosis {
  Found after(const Evidence& evidence, const RunResults& results) const override {
    const NicConfig& nic = evidence.config().nic;
    const std::uint64_t dropped = results.counters.of(&AlgorithmCounters::cnps_dropped_no_slot);
    if (dropped == 0 || controllers(evidence.config()).empty()) return std::nullopt;
    return Observation{
        fmt::format("{} notifications found all {} slots of a controller taken: their flows were "
                    "not slowed, and shares do not follow weights (nic.controller.slots)",
                    dropped, nic.controller.slots),
        {{"notifications", dropped}, {"slots", nic.controller.slots}}};
  }
};

const RegisteredDiagnosis<SlotsFull> kSlotsFull{
    "slots_full", "A notification arrived for a flow for which the controller had no free slot",
    "Raise `nic.controller.slots`, or open fewer flows on one host"};

}  // namespace
}  // namespace dcc::vp
