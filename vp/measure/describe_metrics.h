// Describes every figure of metrics.json and flows.csv, once.
#pragma once

#include "measure/metric_visitor.h"
#include "measure/metrics.h"
#include "measure/results.h"

namespace dcc::vp {

/// Version of the form of metrics.json. The version increases when a figure changes its meaning.
constexpr int kMetricsSchemaVersion = 1;
/// Maximum number of flows in metrics.json; flows.csv contains all flows.
constexpr std::size_t kMaxFlowsInMetrics = 10'000;

/// Visits all figures in the order of metrics.json. To add a figure, add a described member to its
/// struct (results.h, metrics.h, a device's struct of counters); for a computed figure, add a line
/// to the function of its group.
void describe_metrics(MetricVisitor& v, const RunResults& results, const Metrics& metrics);

/// Visits the figures of one flow: a row of flows.csv or an element of `flows` in metrics.json.
void describe_flow(MetricVisitor& v, const FlowResult& flow, const FlowMetrics& metrics);

}  // namespace dcc::vp
