// The reference of all figures of metrics.json.
#pragma once

#include <string>
#include <vector>

#include "measure/metric_visitor.h"

namespace dcc::vp {

struct MetricInfo {
  // dotted path of the figure, e.g. "classes.N.share"; N stands for the index of a list element
  std::string path;
  MetricType type;
  bool nullable;
  MetricAbout about;
  // kinds of devices over which the figure is a sum; empty: the figure is no sum over devices
  std::vector<std::string_view> over;
};

/// Returns all figures in the order of metrics.json. The list is complete, because the file is
/// written from the same description.
const std::vector<MetricInfo>& metrics_reference();

/// Name of a figure's type in `dccvp metrics --format json`.
const char* type_name(MetricType type);
const char* statistic_name(Statistic statistic);
const char* span_name(Span span);

}  // namespace dcc::vp
