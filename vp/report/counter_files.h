// Writes the counters of measure/field_counters.h to files.
#pragma once

#include <filesystem>

#include "measure/results.h"

namespace dcc::vp {

/// Writes counters.csv (device,port,queue,counter,value) and counters.prom (Prometheus' text
/// format) into `folder`. Throws OutputError. Precondition: results.field_counters.
void write_counter_files(const std::filesystem::path& folder, const RunResults& results);

}  // namespace dcc::vp
