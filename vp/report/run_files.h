// The folder a run leaves: written beside its final place, then moved there in one step.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "config/platform_config.h"
#include "measure/metrics.h"
#include "measure/results.h"

namespace dcc::vp {

/// A folder that cannot be used; what() is a sentence with its name.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One output folder from claim to commit. Nothing is created before stage(). Until commit(),
/// files are in a hidden folder beside the final one, which the destructor removes, and so do the
/// signals that end a process. A link to a folder stands for that folder.
class OutputFolder {
 public:
  /// Refuses (OutputError) a folder that holds something; with `force`, only one that does not look
  /// like a run's.
  OutputFolder(std::filesystem::path final_place, bool force);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// As the user named it.
  const std::filesystem::path& final_place() const { return final_; }
  /// Where files go now; created at the first call.
  const std::filesystem::path& stage();
  /// Replaces what was there when the object was made; what came since stays, and the results go
  /// beside it (OutputError says where).
  void commit();

 private:
  /// Which folder a name stood for.
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
  std::filesystem::path target_;  // where a link leads
  Found found_;
  std::filesystem::path stage_;
};

/// metrics.json, flows.csv, series/*.csv, config.effective.yaml. Throws OutputError when the disk
/// refuses.
void write_run_files(const std::filesystem::path& folder, const PlatformConfig& config,
                     const RunResults& results, const Metrics& metrics,
                     const nlohmann::ordered_json& json);

}  // namespace dcc::vp
