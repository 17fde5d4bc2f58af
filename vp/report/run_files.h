// The output folder of a run: written beside its final path, then moved there in one step.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "config/platform_config.h"
#include "measure/metrics.h"
#include "measure/results.h"

namespace dcc::vp {

/// Error for output that cannot be written; what() is a sentence that names the file or folder.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A run's output folder from its claim to its commit. Nothing is created before stage(). Until
/// commit() all files are in a hidden folder beside the final folder; the destructor and the
/// signals that end a process remove the hidden folder. A symbolic link to a folder stands for the
/// folder.
class OutputFolder {
 public:
  /// Claims a folder. Throws OutputError if the folder is not empty; with `force`, only if the
  /// folder does not look like a run's output.
  OutputFolder(std::filesystem::path final_place, bool force);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// The path of the output folder as the user wrote it.
  const std::filesystem::path& final_place() const { return final_; }
  /// The folder into which files are written before commit(). Created at the first call.
  const std::filesystem::path& stage();
  /// Replaces the content that the final folder had when this object was made. If the folder has
  /// changed since then, keeps its new content and leaves the results beside it; OutputError names
  /// the path of the results.
  void commit();

 private:
  /// Identifies the folder that a path refers to.
  struct Found {
    bool there = false;
    std::uintmax_t device = 0;
    std::uintmax_t inode = 0;
    bool empty = false;
    bool operator==(const Found& other) const;
  };
  static Found look_at(const std::filesystem::path& folder);
  [[noreturn]] void keep_beside();

  std::filesystem::path final_;
  std::filesystem::path target_;  // folder that a symbolic link at the final path points to
  Found found_;
  std::filesystem::path stage_;
};

/// Writes a file. Throws OutputError if the file cannot be written.
void write_file(const std::filesystem::path& path, std::string_view text);

/// Writes metrics.json, flows.csv, series/*.csv and config.effective.yaml. Throws OutputError if a
/// file cannot be written.
void write_run_files(const std::filesystem::path& folder, const PlatformConfig& config,
                     const RunResults& results, const Metrics& metrics,
                     const nlohmann::ordered_json& json);

}  // namespace dcc::vp
