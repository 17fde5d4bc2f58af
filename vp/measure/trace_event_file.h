// The files of a trace.
#pragma once

#include <filesystem>
#include <fstream>

#include "config/platform_config.h"

namespace dcc::vp {

/// A file that complains when not everything could be written to it. What is not closed, or not
/// whole, is removed: half a trace is of no use, and the disk may be full.
class TraceFile {
 public:
  /// Throws std::runtime_error with the file's name if it cannot be written.
  explicit TraceFile(const std::filesystem::path& path);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  std::ofstream& text() { return out_; }
  /// Throws std::runtime_error with the file's name if anything was lost.
  void close();

 private:
  std::filesystem::path path_;
  std::ofstream out_;
  bool whole_ = false;
};

/// True from config.from on, before config.to.
inline bool in_window(const TraceConfig& config, PicoSeconds t) {
  return config.from <= t && (!config.to || t < *config.to);
}

/// `text` in quotes, as JSON wants it.
std::string json_string(std::string_view text);

}  // namespace dcc::vp
