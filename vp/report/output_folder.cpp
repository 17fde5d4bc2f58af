#include <unistd.h>

#include "report/run_files.h"

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

bool looks_like_a_run(const fs::path& folder) {
  return fs::exists(folder / "metrics.json") && fs::exists(folder / "config.effective.yaml");
}

}  // namespace

OutputFolder::OutputFolder(fs::path final_place, bool force)
    : final_(std::move(final_place).lexically_normal()) {
  if (!final_.has_filename()) final_ = final_.parent_path();  // "out/" is "out"
  if (final_.empty() || final_ == final_.root_path() || final_ == "." || final_ == "..") {
    throw OutputError("'" + final_.string() + "' cannot be an output folder");
  }
  std::error_code error;
  if (!fs::exists(final_, error)) return;
  if (!fs::is_directory(final_, error)) {
    throw OutputError("'" + final_.string() + "' exists and is not a folder");
  }
  if (fs::is_empty(final_, error)) return;
  if (!force) {
    throw OutputError("'" + final_.string() + "' is not empty; --force replaces it");
  }
  if (!looks_like_a_run(final_)) {
    throw OutputError("'" + final_.string() +
                      "' holds something else than a run's results; not replaced");
  }
}

OutputFolder::~OutputFolder() {
  std::error_code error;
  if (!stage_.empty()) fs::remove_all(stage_, error);
}

const fs::path& OutputFolder::stage() {
  if (!stage_.empty()) return stage_;
  const fs::path parent = final_.has_parent_path() ? final_.parent_path() : fs::path(".");
  const fs::path place =
      parent / ("." + final_.filename().string() + ".tmp-" + std::to_string(::getpid()));
  std::error_code error;
  fs::create_directories(place, error);
  if (error) throw OutputError("'" + place.string() + "': " + error.message());
  stage_ = place;
  return stage_;
}

void OutputFolder::commit() {
  std::error_code error;
  const fs::path old = stage().string() + "-old";
  const bool replaces = fs::exists(final_, error);
  if (replaces) fs::rename(final_, old, error);
  if (!error) fs::rename(stage_, final_, error);
  if (error) {
    std::error_code ignored;
    if (replaces && !fs::exists(final_, ignored)) fs::rename(old, final_, ignored);
    throw OutputError("'" + final_.string() + "': " + error.message());
  }
  stage_.clear();
  if (replaces) fs::remove_all(old, error);
}

}  // namespace dcc::vp
