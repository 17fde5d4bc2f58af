// The tree of values that parameters are read from, independent of the text format. Each value has
// its place in the input, and ConfigError reports that place.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace dcc {

/// Where a value came from: a file's line and column (from 1), or a `-c` argument of the command
/// line.
struct Place {
  std::string source;  // name of the file as the user gave it, or the argument "-c key.path=value"
  int line = 0;        // line number from 1; 0 means the source as a whole
  int column = 0;
  /// The place as text: "file:line:column", or the source alone.
  std::string text() const;
};

/// Exception for an error in the input. what() is one line with the place and the error.
class ConfigError : public std::runtime_error {
 public:
  ConfigError(const Place& place, const std::string& message);
};

/// A node of the tree of values: a scalar, list or map.
struct ValueNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  // true for a scalar that was written in quotes, which is text and never a number
  bool quoted = false;
  std::string scalar;
  std::vector<ValueNode> items;  // elements of a list node
  std::vector<Entry> entries;    // entries of a map node, in the order of the YAML text
  Place place;

  const ValueNode* find(std::string_view key) const;
  ValueNode* find(std::string_view key);
  /// Describes the node in a message: "a list", "a map", "nothing", or the value in quotes,
  /// shortened and printable.
  std::string described() const;
  /// YAML on one line that parses to the same values; a null node gives `{}`.
  std::string flow_text() const;
};
struct ValueNode::Entry {
  std::string key;
  Place place;  // place of this entry's key in the input
  ValueNode value;
};

/// Quotes user input for a message: single quotes, control characters escaped, at most 48
/// characters.
std::string in_quotes(std::string_view text);

}  // namespace dcc
