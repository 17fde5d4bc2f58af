// Text for a terminal of 80 columns: tables with aligned columns, wrapped lines, sparing colour.
#pragma once

#include <string>
#include <vector>

namespace dcc::vp {

/// Lines of at most `width` characters, broken at blanks.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

/// Columns as wide as their widest cell; the first left-aligned, the others to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> head) { rows_.push_back(std::move(head)); }
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.size() <= 1; }
  /// Two blanks between columns, a line under the head, every line indented by two.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Fixed number of decimals: people compare columns.
std::string decimals(double value, int count);
/// 8.1 M, 734 k, 12.
std::string with_prefix(double value);

/// Whether a stream's terminal wants colours: it is one, and NO_COLOR is not set.
bool wants_colour(int file_descriptor);

}  // namespace dcc::vp
