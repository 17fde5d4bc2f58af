// A YAML document as a tree that remembers where everything stood, and the error that tells it.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dcc::vp {

/// Where a value came from: a file's line and column (from 1), or a `-c` argument.
struct Place {
  std::string source;  // file as given, or "-c key.path=value"
  int line = 0;        // 0: the source as a whole
  int column = 0;
  /// "file:line:column", or the source alone.
  std::string text() const;
};

/// Unusable input. what() is one line: "place: what is wrong".
class ConfigError : public std::runtime_error {
 public:
  ConfigError(const Place& place, const std::string& message);
};

/// A node: scalar, list or map. Aliases are already resolved to copies.
struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  bool quoted = false;  // a scalar written in quotes is text, never a number
  std::string scalar;
  std::vector<YamlNode> items;  // kList
  std::vector<Entry> entries;   // kMap, in the order written
  Place place;

  const YamlNode* find(std::string_view key) const;
  YamlNode* find(std::string_view key);
  /// "a list", "a map", "nothing" or the text in quotes, shortened and printable.
  std::string described() const;
};
struct YamlNode::Entry {
  std::string key;
  Place place;  // of the key
  YamlNode value;
};

/// Text for messages: in single quotes, control characters escaped, at most 48 characters.
std::string in_quotes(std::string_view text);

/// Parses one document. Refuses, with the place: what is not UTF-8 text, what is not YAML, keys
/// that are not scalars, duplicate keys, cyclic aliases, nesting deeper than 32, more than 200 000
/// nodes (after aliases), a second document, an empty one. `text` at most 4 MiB.
YamlNode parse_yaml(std::string_view text, const std::string& source);

/// Reads and parses a file; refuses what is missing, not a regular file, or over 4 MiB.
YamlNode load_yaml(const std::filesystem::path& file);

/// Applies `key.path=value`: value is YAML; list elements are addressed by index; maps merge,
/// everything else replaces. Errors name the argument.
void apply_override(YamlNode& root, const std::string& argument);

}  // namespace dcc::vp
