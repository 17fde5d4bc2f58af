// A YAML document as a tree of values that remember where they stood.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "describe/value_node.h"

namespace dcc::vp {

/// Parses one document, aliases resolved to copies. Refuses, with the place: what is not UTF-8
/// text, what is not YAML, keys that are not scalars, duplicate keys, cyclic aliases, nesting
/// deeper than 32, more than 200 000 nodes (after aliases), a second document, an empty one. `text`
/// at most 4 MiB.
ValueNode parse_yaml(std::string_view text, const std::string& source);

/// Reads and parses a file; refuses what is missing, not a regular file, or over 4 MiB.
ValueNode load_yaml(const std::filesystem::path& file);

/// Puts `value` over `into`: maps merge, everything else replaces.
void merge(ValueNode& into, ValueNode value);

/// Puts `value` at a dotted path: list elements are addressed by index, `+` is one more of them;
/// maps merge, everything else replaces. Throws at `place`.
void put_at(ValueNode& root, const std::string& path, ValueNode value, const Place& place);

/// Applies `key.path=value`: value is YAML; list elements are addressed by index; maps merge,
/// everything else replaces. Errors name the argument.
void apply_override(ValueNode& root, const std::string& argument);

}  // namespace dcc::vp
