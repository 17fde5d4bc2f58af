// The one entry: a validated configuration in, what was measured out.
#pragma once

#include <filesystem>
#include <string>

#include "config/platform_config.h"
#include "observe/observer.h"
#include "observe/results.h"

namespace dcc::vp {

/// Builds the platform, runs it to its end and collects the results. At most once a process
/// (SystemC elaborates once). `config` has passed the schema's checks; what only the data shows
/// (a traffic file's lines, an ELF's segments) throws ConfigError or TrafficError before the first
/// event, and a setting that names what is not there SettingError. Traces are written to
/// `trace_folder`, which exists, while it runs (config.output.trace.any()).
RunResults run_platform(const PlatformConfig& config, RunObserver& observer,
                        const std::filesystem::path& trace_folder = {});

}  // namespace dcc::vp
