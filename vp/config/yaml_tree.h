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

/// Merges the YAML value `value` into `into`: maps merge, other values are replaced.
void merge(ValueNode& into, ValueNode value);

/// Merges `value` into a tree at a dotted path: an index addresses a list element, `+` appends one.
/// Throws ConfigError at `place`.
void put_at(ValueNode& root, const std::string& path, ValueNode value, const Place& place);

/// Applies an argument `key.path=value`, whose value is YAML: an index addresses a list element;
/// maps merge, other values are replaced. Errors name the argument.
void apply_override(ValueNode& root, const std::string& argument);

}  // namespace dcc::vp
