#include "cli/text_table.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace dcc::vp {

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines{""};
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (line.size() + 1 + word.size() <= width) {
      line += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line = " ";
    for (std::size_t i = 0; i < rows_[r].size(); ++i) {
      line += i == 0 ? fmt::format(" {:<{}}", rows_[r][i], widths[i])
                     : fmt::format("  {:>{}}", rows_[r][i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (r != 0) continue;
    std::string rule = " ";
    for (std::size_t i = 0; i < widths.size(); ++i) {
      rule += (i == 0 ? " " : "  ") + std::string(widths[i], '-');
    }
    out += rule + "\n";
  }
  return out;
}

std::string decimals(double value, int count) { return fmt::format("{:.{}f}", value, count); }

std::string with_prefix(double value) {
  if (value >= 1e9) return fmt::format("{:.1f} G", value / 1e9);
  if (value >= 1e6) return fmt::format("{:.1f} M", value / 1e6);
  if (value >= 1e4) return fmt::format("{:.0f} k", value / 1e3);
  return fmt::format("{:.0f}", value);
}

bool wants_colour(int file_descriptor) {
  const char* const no_colour = std::getenv("NO_COLOR");
  return ::isatty(file_descriptor) == 1 && (no_colour == nullptr || *no_colour == '\0');
}

}  // namespace dcc::vp
