#include "cli/checkout.h"

#include "source_paths.h"

namespace dcc::vp {

namespace fs = std::filesystem;

fs::path of_checkout(const std::string& path) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (fs::path folder = program.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (fs::exists(folder / "python/tool.py", error)) return folder / path;
  }
  return fs::path(DCCVP_CHECKOUT) / path;
}

}  // namespace dcc::vp
