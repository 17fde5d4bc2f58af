// Diagnosis `flows_never_begun`: flows or computations that wait for others did not begin.
#include <fmt/format.h>

#include "describe/quantity_text.h"
#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

class FlowsNeverBegun final : public Diagnosis {
 public:
  Found after(const Evidence& evidence) const override {
    const RunResults& results = *evidence.results();
    if (!results.completed || !results.dependencies) return std::nullopt;
    const DependencyResult& d = *results.dependencies;
    if (d.never_begun == 0) return std::nullopt;
    return Observation{
        fmt::format("{} of {} flows and computations that wait for others had not begun at the end "
                    "of the run ({}): {}",
                    d.never_begun, d.waiting, text_of(results.sim_time), d.first_never),
        {{"never_begun", static_cast<double>(d.never_begun)},
         {"waiting", static_cast<double>(d.waiting)}}};
  }
};

const RegisteredDiagnosis<FlowsNeverBegun> kFlowsNeverBegun{
    "flows_never_begun",
    "Flows or computations that wait for others did not begin before the end of the run",
    "Make `duration` longer, or see why what they wait for does not end: a `stop`, a loss that "
    "nobody repairs, a host that cannot be reached"};

}  // namespace
}  // namespace dcc::vp
