// Prints the summary of a run in 80 columns.
#pragma once

#include <string>

#include "measure/metrics.h"
#include "measure/results.h"

namespace dcc::vp {

/// Returns the summary: tables of classes, flows (if few) and queues, then totals and balance.
/// `colour`: use escape sequences for values that need attention.
std::string summary_text(const RunResults& results, const Metrics& metrics, bool colour);

/// A line for a finding: its text and its id, for docs/diagnoses.md.
std::string note_text(const Finding& finding);

}  // namespace dcc::vp
