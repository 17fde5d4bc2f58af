// The recorded calls of a rate engine as a file, written when a difference occurs, and replayed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controller/rate_calls.h"
#include "rate_dut.h"

namespace dcc {

/// Contents of a recording of the rate unit, in the form that a replay needs.
struct RateRecording {
  std::uint64_t seed = 0;  // seed of the run, for the report only
  RateFault fault = RateFault::kNone;
  std::uint32_t random_seed = 0;
  std::vector<RateCall> calls;
};

/// Writes a recording as text, one call per line. Throws std::runtime_error if the file cannot be
/// written.
void write_recording(const std::string& path, const RateRecording& recording);
/// Reads a recording. Throws std::runtime_error "path:line: what is wrong".
RateRecording read_rate_recording(const std::string& path);

}  // namespace dcc
