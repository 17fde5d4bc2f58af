// Diagnosis `pauses`: PFC paused flows that should share by weight.
#include <fmt/format.h>

#include "config/controller_hosts.h"
#include "diagnose/diagnosis.h"
#include "diagnose/link_use.h"

namespace dcc::vp {
namespace {

class Pauses final : public Diagnosis {
  // Least paused share of the window. A link that is paused for a smaller share moves less than 1 %
  // of its bytes to other flows, an eighth of the error that the control law itself has in steady
  // state.
  static constexpr double kLeast = 0.01;

  Found after(const Evidence& evidence, const RunResults& results) const override {
    const std::uint64_t pauses = results.counters.of(&PfcCounters::pauses_sent);
    if (pauses == 0 || !any_host_shares_by_weight(evidence.config())) return std::nullopt;
    const double paused = LinkUse(evidence).paused();
    if (paused <= kLeast) return std::nullopt;
    return Observation{
        fmt::format("PFC paused {} times within the window, one link for {:.3g} % of it: it stops "
                    "all flows alike, so shares do not follow weights (fewer units of weight, a "
                    "smaller r_ai, or a greater buffer)",
                    pauses, 100 * paused),
        {{"pauses", pauses}, {"paused", paused}}};
  }
};

const RegisteredDiagnosis<Pauses> kPauses{
    "pauses", "PFC paused senders that should share a link by weight",
    "Lower `r_ai` or the sum of weights, enlarge `switch.buffer`, or begin `measure.from` after "
    "the start-up"};

}  // namespace
}  // namespace dcc::vp
