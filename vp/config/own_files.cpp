#include "config/own_files.h"

#include <sys/auxv.h>

#include <string>

#include "source_paths.h"

namespace dcc::vp {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRunning = "/proc/self/exe";

/// Returns the first of `places` that exists below the nearest enclosing folder of the program.
fs::path around_the_program(const std::initializer_list<fs::path>& places) {
  std::error_code error;
  const fs::path program = this_program();
  for (fs::path folder = program.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    for (const fs::path& place : places) {
      if (fs::exists(folder / place, error)) return folder / place;
    }
  }
  return {};
}

}  // namespace

fs::path this_program() {
  static const fs::path program = [] {
    std::error_code error;
    fs::path found = fs::read_symlink(kRunning, error);
    if (!error) return found;
    const auto* const started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    found = fs::canonical(started == nullptr ? "" : started, error);
    return error ? fs::path("dccvp") : found;
  }();
  return program;
}

fs::path own_file(const std::string& path) {
  const fs::path tool = "python/tool.py";
  const fs::path found = around_the_program({fs::path(DCCVP_INSTALLED_DATA) / tool, tool});
  const fs::path root =
      found.empty() ? fs::path(DCCVP_CHECKOUT) : found.parent_path().parent_path();
  return root / path;
}

fs::path own_program(const std::string& name) {
  const fs::path found =
      around_the_program({fs::path(DCCVP_INSTALLED_PROGRAMS) / name, fs::path("tools") / name});
  return found.empty() ? fs::path(name) : found;
}

}  // namespace dcc::vp
