// Every figure of metrics.json and flows.csv, named once.
#pragma once

#include "measure/metric_visitor.h"
#include "measure/metrics.h"
#include "measure/results.h"

namespace dcc::vp {

/// Version of the document's form; grows when a name changes its meaning.
constexpr int kMetricsSchemaVersion = 1;
/// More flows than this are in flows.csv only.
constexpr std::size_t kMaxFlowsInMetrics = 10'000;

/// The whole document, in its order. To add a figure: a member with its description, in its struct
/// (results.h, metrics.h, a device's struct of counters), or, where it has to be computed, a line
/// in the function of its group.
void describe_metrics(MetricVisitor& v, const RunResults& results, const Metrics& metrics);

/// One flow: a row of flows.csv, an element of `flows`.
void describe_flow(MetricVisitor& v, const FlowResult& flow, const FlowMetrics& metrics);

}  // namespace dcc::vp
