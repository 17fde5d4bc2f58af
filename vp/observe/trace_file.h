// Opening the files of a trace.
#pragma once

#include <filesystem>
#include <fstream>

#include "config/platform_config.h"

namespace dcc::vp {

/// Throws std::runtime_error with the file's name if it cannot be written.
std::ofstream open_trace(const std::filesystem::path& file);

/// True from config.from on, before config.to.
inline bool in_window(const TraceConfig& config, PicoSeconds t) {
  return config.from <= t && (!config.to || t < *config.to);
}

/// `text` in quotes, as JSON wants it.
std::string json_string(std::string_view text);

}  // namespace dcc::vp
