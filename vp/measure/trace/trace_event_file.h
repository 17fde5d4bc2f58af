// Base class of trace files.
#pragma once

#include <filesystem>
#include <fstream>

#include "config/platform_config.h"

namespace dcc::vp {

/// A file that reports incomplete writes. The destructor removes a file that was not closed or not
/// written completely, because half a trace is useless and the disk may be full.
class TraceFile {
 public:
  /// Creates the file. Throws std::runtime_error with the file's name if that fails.
  explicit TraceFile(const std::filesystem::path& path);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  std::ofstream& text() { return out_; }
  /// Closes the file. Throws std::runtime_error with the file's name if any part was not written.
  void close();

 private:
  std::filesystem::path path_;
  std::ofstream out_;
  bool whole_ = false;
};

/// Inserts a number before the ending: "cpu.txt" becomes "cpu.host3.txt" by ".host" and 3.
std::filesystem::path with_number(const std::filesystem::path& file, const char* what,
                                  std::size_t number);

/// True for times from config.from (included) to config.to (excluded).
inline bool in_window(const TraceConfig& config, PicoSeconds t) {
  return config.from <= t && (!config.to || t < *config.to);
}

/// Returns `text` as a JSON string, in quotes.
std::string json_string(std::string_view text);

}  // namespace dcc::vp
