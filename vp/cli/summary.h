// What a run tells its user at the end, in 80 columns.
#pragma once

#include <string>

#include "measure/metrics.h"
#include "measure/results.h"

namespace dcc::vp {

/// Tables of classes, flows (few) and queues, the totals, the balance. `colour`: escape sequences
/// for what needs attention.
std::string summary_text(const RunResults& results, const Metrics& metrics, bool colour);

}  // namespace dcc::vp
