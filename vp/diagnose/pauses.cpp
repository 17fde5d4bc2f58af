// Diagnosis `pauses`: PFC stopped flows that should share by weight.
#include <fmt/format.h>

#include "controller/dcc.h"
#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

class Pauses final : public Diagnosis {
  Found after(const Evidence& evidence) const override {
    const auto* const dcc = evidence.config().nic.congestion_control.chosen<DccParameters>();
    const std::uint64_t pauses = evidence.results()->counters.of(&PfcCounters::pauses_sent);
    if (dcc == nullptr || !dcc->shares_by_weight() || pauses == 0) return std::nullopt;
    return Observation{
        fmt::format("PFC paused {} times within the window: it stops all flows alike, so shares do "
                    "not follow weights (fewer units of weight, a smaller r_ai, or a greater "
                    "buffer)",
                    pauses),
        {{"pauses", static_cast<double>(pauses)}}};
  }
};

const RegisteredDiagnosis<Pauses> kPauses{
    "pauses", "PFC paused senders that should share a link by weight",
    "Lower `r_ai` or the sum of weights, enlarge `switch.buffer`, or begin `measure.from` after "
    "the start-up"};

}  // namespace
}  // namespace dcc::vp
