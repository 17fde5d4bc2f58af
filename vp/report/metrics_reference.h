// What every figure of metrics.json means.
#pragma once

#include <string>
#include <vector>

#include "measure/metric_visitor.h"

namespace dcc::vp {

struct MetricInfo {
  std::string path;  // "classes.N.share": N for every element of a list
  MetricType type;
  bool nullable;
  MetricAbout about;
  std::vector<std::string_view> over;  // of which devices it is the sum; empty: not of devices
};

/// In the order of the file. Complete: it is what the file is written from.
const std::vector<MetricInfo>& metrics_reference();

/// Words of `dccvp metrics --format json`.
const char* type_name(MetricType type);
const char* statistic_name(Statistic statistic);
const char* span_name(Span span);

}  // namespace dcc::vp
