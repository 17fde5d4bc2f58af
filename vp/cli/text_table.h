// Formats text for a terminal of 80 columns: aligned tables, wrapped lines, few colours.
#pragma once

#include <string>
#include <vector>

namespace dcc::vp {

/// Breaks text at blanks into lines of at most `width` characters.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

/// A text table whose columns are as wide as their widest cell; the first column is left-aligned,
/// the others are right-aligned.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> head) { rows_.push_back(std::move(head)); }
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.size() <= 1; }
  /// Returns the text of the table: two blanks between columns, a line under the head, every line
  /// indented by two blanks.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Formats a number with a fixed number of decimals.
std::string decimals(double value, int count);
/// Formats a number with a unit prefix: 8.1 M, 734 k, 12.
std::string with_prefix(double value);

/// True if the stream is a terminal and NO_COLOR is not set.
bool wants_colour(int file_descriptor);

}  // namespace dcc::vp
