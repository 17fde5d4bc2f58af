// Diagnosis `series_left_out`: a series that the user asked for was not written.
#include <fmt/format.h>

#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

class SeriesLeftOut final : public Diagnosis {
  Found after(const Evidence& evidence, const RunResults& results) const override {
    const FlowCensus census = census_of(results);
    const std::size_t flows = census.flows;
    if (evidence.config().output.series.flows != FlowSeries::kAll || flows <= kMostFlowsInSeries) {
      return std::nullopt;
    }
    return Observation{fmt::format("series/flow_rates.csv is left out: the run has {} flows ({} "
                                   "began), at most {} are sampled",
                                   flows, census.begun, kMostFlowsInSeries),
                       {{"flows", flows}, {"most", kMostFlowsInSeries}}};
  }
};

const RegisteredDiagnosis<SeriesLeftOut> kSeriesLeftOut{
    "series_left_out", "A series that the configuration asks for was not written",
    "Use fewer flows, `output.series.classes`, or set `output.series.flows: none`"};

}  // namespace
}  // namespace dcc::vp
