#include "describe/visitor.h"

#include <algorithm>
#include <filesystem>

#include "describe/left_out.h"

namespace dcc {

std::string Range::text() const {
  const std::string& lower = min.text;
  const std::string& upper = max.text;
  if (lower.empty() && upper.empty()) return "any";
  if (upper.empty()) return "at least " + lower;
  if (lower.empty()) return "at most " + upper;
  return lower + " … " + upper;
}

const std::string& ParameterVisitor::scalar_of(const ValueNode& node, const char* type) {
  if (node.kind == ValueNode::Kind::kNull) {
    throw ConfigError(node.place, std::string("no value; expected a ") + type);
  }
  if (node.kind != ValueNode::Kind::kScalar) {
    throw ConfigError(node.place, std::string("expected a ") + type + ", not " + node.described());
  }
  return node.scalar;
}

bool ParameterVisitor::is_word(const ValueNode& node, const char* word) {
  return node.kind == ValueNode::Kind::kScalar && node.scalar == word;
}

void ParameterVisitor::refuse_choice(const ValueNode& node, const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  std::string message = node.described() + " is not one of " + all;
  if (node.kind == ValueNode::Kind::kScalar &&
      std::count(left_out().begin(), left_out().end(), node.scalar) != 0) {
    throw ConfigError(node.place,
                      message + "; this program was built without '" + node.scalar +
                          "' (DCCVP_SCHEMES); 'make program' builds it with all schemes");
  }
  const std::string hint =
      node.kind == ValueNode::Kind::kScalar ? nearest(node.scalar, names) : std::string();
  if (!hint.empty()) message += "; did you mean '" + hint + "'?";
  throw ConfigError(node.place, message);
}

void ParameterVisitor::refuse_range(const ValueNode& node, const Range& range) {
  throw ConfigError(node.place, in_quotes(node.scalar) + " is out of range (" + range.text() + ")");
}

std::vector<unsigned> ParameterVisitor::read_numbers(const ValueNode& node, std::size_t least,
                                                     std::size_t most, const Range& each) {
  if (node.kind != ValueNode::Kind::kList) {
    throw ConfigError(node.place, "expected a list of numbers, not " + node.described());
  }
  if (node.items.size() < least || node.items.size() > most) {
    const std::string wanted = least == most
                                   ? std::to_string(least)
                                   : std::to_string(least) + " to " + std::to_string(most);
    throw ConfigError(node.place,
                      "expected " + wanted + " numbers, not " + std::to_string(node.items.size()));
  }
  std::vector<unsigned> numbers;
  for (const ValueNode& item : node.items) numbers.push_back(read_quantity<unsigned>(item, each));
  return numbers;
}

std::string ParameterVisitor::format_numbers(const std::vector<unsigned>& numbers) {
  std::string out;
  for (const unsigned n : numbers) out += (out.empty() ? "" : ", ") + std::to_string(n);
  return "[" + out + "]";
}

namespace {

/// Quotes text as a YAML scalar if that is needed to read it back unchanged.
std::string yaml_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

void ParameterVisitor::one_of(const char* key, std::string& member,
                              const std::vector<std::string>& names, Doc doc) {
  std::string range;
  for (const std::string& name : names) range += (range.empty() ? "" : " | ") + name;
  leaf({key, "choice", "", range, doc,
        [&member, names](const ValueNode& node) {
          const bool known = node.kind == ValueNode::Kind::kScalar &&
                             std::find(names.begin(), names.end(), node.scalar) != names.end();
          if (!known) refuse_choice(node, names);
          member = node.scalar;
        },
        [&member] { return member; }});
}

void ParameterVisitor::text(const char* key, std::string& member, Doc doc) {
  leaf({key, "text", "", "any", doc,
        [&member](const ValueNode& node) {
          const std::string& value = scalar_of(node, "text");
          if (value.size() > 200) throw ConfigError(node.place, "longer than 200 bytes");
          if (value.find_first_of("\r\n\t") != std::string::npos) {
            throw ConfigError(node.place, "must be one line without tabs");
          }
          member = value;
        },
        [&member] { return yaml_text(member); }});
}

void ParameterVisitor::path(const char* key, std::string& member,
                            const std::vector<std::string>& words, Doc doc) {
  std::string range;
  for (const std::string& word : words) range += word + " | ";
  leaf({key, "file", "", range + "an existing file", doc,
        [this, &member, words](const ValueNode& node) {
          const std::string& value = scalar_of(node, "file name");
          if (std::find(words.begin(), words.end(), value) != words.end()) {
            member = value;
            return;
          }
          const std::string file = value == "-" ? "/dev/stdin" : resolve(node);
          std::error_code error;
          const auto status = std::filesystem::status(file, error);
          const bool readable = std::filesystem::is_regular_file(status) ||
                                std::filesystem::is_fifo(status) || value == "-";
          if (value.empty() || !readable) {
            const std::string hint = nearest(value, words);
            throw ConfigError(node.place,
                              "no such file: " + in_quotes(file) +
                                  (hint.empty() ? "" : "; did you mean '" + hint + "'?"));
          }
          member = file;
        },
        [&member, words] {
          const bool word = std::find(words.begin(), words.end(), member) != words.end();
          return word ? member : yaml_text(member);
        }});
}

void ParameterVisitor::numbers_or_all(const char* key, std::vector<unsigned>& member,
                                      const char* what, Doc doc) {
  const auto append = [what](HostList& list, const ValueNode& node) {
    const std::string& text =
        scalar_of(node, (std::string("list of ") + what + " such as 1..8").c_str());
    try {
      append_hosts(list, text);
    } catch (const QuantityError& e) {
      throw ConfigError(node.place, in_quotes(text) + ": " + e.what());
    }
  };
  leaf({key, what, "", "all | 3 | 1..8 | [0, 4..7]", doc,
        [&member, append, what](const ValueNode& node) {
          HostList read;
          if (node.kind == ValueNode::Kind::kList) {
            for (const ValueNode& item : node.items) append(read, item);
            if (read.empty())
              throw ConfigError(node.place, std::string("an empty list of ") + what);
          } else if (!is_word(node, "all")) {
            append(read, node);
          }
          member = std::move(read);
        },
        [&member] { return member.empty() ? "all" : format_hosts(member); }});
}

void ParameterVisitor::names(const char* key, std::vector<std::string>& member, const char* all,
                             Doc doc) {
  leaf({key, "names", "", std::string(all) + " | name | [name, …]", doc,
        [&member, all](const ValueNode& node) {
          std::vector<std::string> read;
          const auto append = [&read](const ValueNode& item) {
            const std::string& name = scalar_of(item, "name");
            if (name.empty()) throw ConfigError(item.place, "an empty name");
            if (std::count(read.begin(), read.end(), name) != 0) {
              throw ConfigError(item.place, in_quotes(name) + " is listed twice");
            }
            read.push_back(name);
          };
          if (node.kind == ValueNode::Kind::kList) {
            for (const ValueNode& item : node.items) append(item);
            if (read.empty()) throw ConfigError(node.place, "an empty list of names");
          } else if (!is_word(node, all)) {
            append(node);
          }
          member = std::move(read);
        },
        [&member, all] {
          std::string out;
          for (const std::string& name : member) out += (out.empty() ? "" : ", ") + yaml_text(name);
          return member.empty() ? std::string(all) : "[" + out + "]";
        }});
}

void ParameterVisitor::numbers(const char* key, std::vector<unsigned>& member, std::size_t least,
                               std::size_t most, Range each, Doc doc) {
  const std::string size =
      least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most);
  leaf({key, "list of integers", "", size + " of " + each.text(), doc,
        [&member, least, most, each](const ValueNode& node) {
          member = read_numbers(node, least, most, each);
        },
        [&member] { return format_numbers(member); }});
}

void ParameterVisitor::number_map(const char* key, std::map<unsigned, unsigned>& member, Range keys,
                                  Range values, Doc doc) {
  leaf({key, "map of integers", "", keys.text() + " to " + values.text(), doc,
        [&member, keys, values](const ValueNode& node) {
          if (node.kind != ValueNode::Kind::kMap) {
            throw ConfigError(node.place, "expected a map of numbers, not " + node.described());
          }
          std::map<unsigned, unsigned> read;
          for (const ValueNode::Entry& entry : node.entries) {
            ValueNode key_node;
            key_node.kind = ValueNode::Kind::kScalar;
            key_node.scalar = entry.key;
            key_node.place = entry.place;
            const unsigned k = read_quantity<unsigned>(key_node, keys);
            if (!read.emplace(k, read_quantity<unsigned>(entry.value, values)).second) {
              throw ConfigError(entry.place, "key " + in_quotes(entry.key) + " is there twice");
            }
          }
          member = std::move(read);
        },
        [&member] {
          std::string out;
          for (const auto& [k, value] : member) {
            out += (out.empty() ? "" : ", ") + std::to_string(k) + ": " + std::to_string(value);
          }
          return "{" + out + "}";
        }});
}

void ParameterVisitor::settings(const char* key, ValueNode& member, Doc doc) {
  leaf({key, "map of settings", "", "parameters by path, with their values", doc,
        [&member](const ValueNode& node) {
          if (node.kind != ValueNode::Kind::kMap) {
            throw ConfigError(node.place,
                              "expected a map of parameters to values, not " + node.described());
          }
          member = node;
        },
        [&member] { return member.flow_text(); }});
}

std::uint8_t ParameterVisitor::read_bits(const ValueNode& node) {
  unsigned bits = 0;
  for (const unsigned n : read_numbers(node, 0, 8, {"0", "7"})) bits |= 1u << n;
  return static_cast<std::uint8_t>(bits);
}

std::string ParameterVisitor::format_bits(std::uint8_t bits) {
  std::vector<unsigned> numbers;
  for (unsigned n = 0; n < 8; ++n) {
    if ((bits >> n & 1) != 0) numbers.push_back(n);
  }
  return format_numbers(numbers);
}

void ParameterVisitor::bits(const char* key, std::uint8_t& member, Doc doc) {
  leaf({key, "list of integers", "", "0 to 8 of 0 … 7", doc,
        [&member](const ValueNode& node) { member = read_bits(node); },
        [&member] { return format_bits(member); }});
}

void ParameterVisitor::bits(const char* key, std::optional<std::uint8_t>& member,
                            const char* absent, Doc doc) {
  leaf({key, "list of integers", "", std::string(absent) + " | 0 to 8 of 0 … 7", doc,
        [&member, absent](const ValueNode& node) {
          if (is_word(node, absent)) {
            member.reset();
          } else {
            member = read_bits(node);
          }
        },
        [&member, absent] { return member ? format_bits(*member) : absent; }});
}

}  // namespace dcc
