// Diagnosis `few_samples`: a 99th percentile of so few values that it equals the greatest value.
#include <fmt/format.h>

#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

class FewSamples final : public Diagnosis {
  // Least number of values for a 99th percentile: the nearest rank of up to 99 values is the
  // greatest value.
  static constexpr std::size_t kLeast = 100;
  // Greatest number of flows that the summary lists one by one, without quantiles.
  static constexpr std::size_t kShownSingly = 16;

  Found after(const Evidence&, const RunResults& results) const override {
    const FlowCensus census = census_of(results);
    const std::size_t samples = census.timed;
    if (samples == 0 || samples >= kLeast || census.flows <= kShownSingly) return std::nullopt;
    return Observation{
        fmt::format("{} flows completed: p99 and higher quantiles of their completion times and "
                    "slowdowns are the greatest value, and another seed gives another one ({} "
                    "flows are the least for a p99)",
                    samples, kLeast),
        {{"samples", samples}, {"least", kLeast}}};
  }
};

const RegisteredDiagnosis<FewSamples> kFewSamples{
    "few_samples", "Fewer than 100 flows completed, so a 99th percentile is their greatest value",
    "Run longer or with more flows, or take several seeds"};

}  // namespace
}  // namespace dcc::vp
