// Prints the summary of a run in 80 columns.
#pragma once

#include <string>

#include "measure/metrics.h"
#include "measure/results.h"

namespace dcc::vp {

/// Returns the summary: tables of classes, flows (if few) and queues, then totals and balance.
/// `colour`: use escape sequences for values that need attention.
std::string summary_text(const RunResults& results, const Metrics& metrics, bool colour);

/// Returns the text of a diagnosis finding with its id, by which docs/diagnoses.md explains it.
std::string note_text(const Finding& finding);

}  // namespace dcc::vp
