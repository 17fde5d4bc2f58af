#include "describe/value_node.h"

namespace dcc {

std::string Place::text() const {
  return line == 0 ? source : source + ":" + std::to_string(line) + ":" + std::to_string(column);
}

ConfigError::ConfigError(const Place& place, const std::string& message)
    : std::runtime_error(place.text() + ": " + message) {}

const ValueNode* ValueNode::find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

ValueNode* ValueNode::find(std::string_view key) {
  return const_cast<ValueNode*>(static_cast<const ValueNode*>(this)->find(key));
}

std::string ValueNode::described() const {
  switch (kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "a map";
    case Kind::kScalar:
      break;
  }
  return in_quotes(scalar);
}

namespace {
/// Returns the text without quotes if every YAML reader reads it as the same string, otherwise in
/// quotes.
std::string flow_scalar(const std::string& text, bool quoted) {
  const bool plain = !text.empty() && text.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_./%+-") == std::string::npos;
  if (plain && !quoted) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}
}  // namespace

std::string ValueNode::flow_text() const {
  std::string out;
  switch (kind) {
    case Kind::kNull:
      return "{}";
    case Kind::kScalar:
      return flow_scalar(scalar, quoted);
    case Kind::kList:
      for (const ValueNode& item : items) out += (out.empty() ? "" : ", ") + item.flow_text();
      return "[" + out + "]";
    case Kind::kMap:
      break;
  }
  for (const Entry& entry : entries) {
    out += (out.empty() ? "" : ", ") + flow_scalar(entry.key, false) + ": ";
    out += entry.value.flow_text();
  }
  return "{" + out + "}";
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 48;
  std::string out = "'";
  for (const char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      static constexpr char kHex[] = "0123456789abcdef";
      out += std::string("\\x") + kHex[byte >> 4] + kHex[byte & 15];
    }
  }
  return out + (text.size() > kShown ? "…'" : "'");
}

}  // namespace dcc
