// Diagnosis `flows_left_out`: the results keep no list of flows, so figures that need the list are
// missing.
#include <fmt/format.h>

#include "diagnose/diagnosis.h"
#include "measure/flow_digest.h"

namespace dcc::vp {
namespace {

class FlowsLeftOut final : public Diagnosis {
  Found after(const Evidence& evidence, const RunResults& results) const override {
    if (results.digest == nullptr) return std::nullopt;
    const bool none = results.digest->kept() == FlowOutput::kNone;
    std::string text = fmt::format("output.flows: {} keeps none of {} flows, so flows.csv",
                                   none ? "none" : "sketch", results.digest->census().flows);
    if (results.dependencies) text += ", timeline.csv";
    text += " and `flows` of metrics.json are left out";
    if (evidence.config().measure.window && !evidence.config().tenants.empty()) {
      text += ", share_error_window of tenants is null";
    }
    if (none) {
      text += ", completion times and slowdowns are null";
    } else {
      text += fmt::format(", quantiles of completion times and slowdowns are within {:.2g} %",
                          100 * QuantileSketch::kError);
    }
    text += ", and these diagnoses are not made:";
    unsigned number = 0;
    for (const DiagnosisEntry& entry : all_diagnoses()) {
      if (!entry.diagnosis->needs_flows()) continue;
      text += (number++ == 0 ? " " : ", ") + entry.id;
    }
    return Observation{text, {{"flows", results.digest->census().flows}, {"diagnoses", number}}};
  }
};

const RegisteredDiagnosis<FlowsLeftOut> kFlowsLeftOut{
    "flows_left_out", "`output.flows` is not `all`, so what needs a list of flows is missing",
    "Write `output.flows: all` where single flows are of interest"};

}  // namespace
}  // namespace dcc::vp
