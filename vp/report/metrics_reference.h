// What every figure of metrics.json means.
#pragma once

#include <vector>

namespace dcc::vp {

struct MetricInfo {
  const char* path;  // "classes.N.share": N for every element of a list
  const char* unit;  // empty: a number, text or truth value without unit
  const char* meaning;
};

/// In the order of the file. Complete: a test holds it against the files of runs.
const std::vector<MetricInfo>& metrics_reference();

}  // namespace dcc::vp
