// A YAML document as a tree of values with their places.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "describe/value_node.h"

namespace dcc::vp {

/// Parses one document and replaces aliases by copies. Throws ConfigError with the place for text
/// that is not UTF-8 or not YAML, keys that are not scalars, duplicate keys, cyclic aliases,
/// nesting deeper than 32, more than 200 000 nodes (after aliases), a second document, and an empty
/// one. Precondition: `text` has at most 4 MiB.
ValueNode parse_yaml(std::string_view text, const std::string& source);

/// Reads and parses a file or a pipe; "-" is standard input, called "stdin" in messages. Throws
/// ConfigError if the file is missing, neither a regular file nor a pipe, or larger than 4 MiB.
ValueNode load_yaml(const std::filesystem::path& file);

/// Merges `value` into `into`: maps merge, everything else is replaced.
void merge(ValueNode& into, ValueNode value);

/// Merges `value` at a dotted path: list elements are addressed by index, `+` appends an element.
/// Throws ConfigError at `place`.
void put_at(ValueNode& root, const std::string& path, ValueNode value, const Place& place);

/// Applies `key.path=value`, where value is YAML: list elements are addressed by index; maps merge,
/// everything else is replaced. Errors name the argument.
void apply_override(ValueNode& root, const std::string& argument);

}  // namespace dcc::vp
