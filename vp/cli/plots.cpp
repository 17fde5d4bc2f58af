#include "cli/plots.h"

#include <fstream>

#include "cli/script.h"

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

std::string last_line(const fs::path& file) {
  std::ifstream in(file);
  std::string last;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

}  // namespace

std::string draw_plots(const fs::path& folder) {
  if (const std::string reason = why_no_tools(); !reason.empty()) return "no pictures: " + reason;
  const fs::path log = folder / "plot.log";
  const int status = run_tool("plot-run", {folder.string()}, log.string());
  const std::string said = last_line(log);
  std::error_code ignored;
  fs::remove(log, ignored);
  if (status == 0) return "";
  return "no pictures: " + (said.empty() ? "the plotting script failed" : said);
}

}  // namespace dcc::vp
