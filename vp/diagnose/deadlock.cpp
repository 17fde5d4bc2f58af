// Diagnosis `deadlock`: flow control has stopped links for ever.
#include <fmt/format.h>

#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

class Deadlock final : public Diagnosis {
  Found after(const Evidence&, const RunResults& results) const override {
    const std::vector<DeadlockedWire>& wires = results.deadlock;
    if (wires.empty()) return std::nullopt;
    return Observation{
        fmt::format("PFC deadlock: {} wires have paused each other in a circle and can never send "
                    "again, {} (priority {}) among them",
                    wires.size(), wires.front().link, wires.front().priority),
        {{"links", wires.size()}, {"link", wires.front().link}}};
  }
};

const RegisteredDiagnosis<Deadlock> kDeadlock{
    "deadlock", "PFC has stopped links that wait for each other in a circle and never send again",
    "Use routes without circles of buffers, or no PFC (`switch.pfc.enabled`)"};

}  // namespace
}  // namespace dcc::vp
