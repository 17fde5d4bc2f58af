// Converts between names and addresses of registers, for traces, messages and inspection.
#include <cctype>
#include <cstdio>

#include "registers/register_block.h"

namespace dcc::regs {
namespace {

std::string hexadecimal(std::uint32_t value, int digits) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%0*x", digits, value);
  return text;
}

/// Parses "[12]…" into the number and the text that follows the bracket.
std::optional<std::uint32_t> bracketed(std::string_view& text) {
  if (text.size() < 3 || text[0] != '[') return std::nullopt;
  std::uint64_t number = 0;
  std::size_t i = 1;
  for (; i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0; ++i) {
    number = number * 10 + static_cast<std::uint64_t>(text[i] - '0');
    if (number > 0xFFFFFFFFu) return std::nullopt;
  }
  if (i == 1 || i == text.size() || text[i] != ']') return std::nullopt;
  text.remove_prefix(i + 1);
  return static_cast<std::uint32_t>(number);
}

bool starts_with(std::string_view text, std::string_view beginning) {
  return text.substr(0, beginning.size()) == beginning;
}

/// The register name of a counter: "STAT_CNPS_RECEIVED" for "cnps_received".
std::string counter_name(const CounterInfo& counter) {
  std::string name = "STAT_";
  for (const char* c = counter.name; *c != '\0'; ++c) {
    name += static_cast<char>(std::toupper(static_cast<unsigned char>(*c)));
  }
  return name;
}

}  // namespace

std::optional<std::uint32_t> RegisterBlock::find(std::string_view name) const {
  const std::string prefix = std::string(map_.name) + ".";
  if (starts_with(name, prefix)) name.remove_prefix(prefix.size());
  for (const RegisterInfo& info : map_.registers) {
    if (name == info.name) return info.offset;
  }
  for (const CounterInfo& counter : map_.counters) {
    const std::string base = counter_name(counter);
    if (name == base + "_LO") return counter.offset;
    if (name == base + "_HI") return counter.offset + 4;
  }
  for (std::size_t i = 0; i < map_.windows.size(); ++i) {
    const WindowInfo& window = map_.windows[i];
    if (!starts_with(name, window.name)) continue;
    std::string_view rest = name.substr(std::string_view(window.name).size());
    const std::optional<std::uint32_t> entry = bracketed(rest);
    if (!entry.has_value() || *entry >= windows_[i].size / window.stride) continue;
    const std::uint32_t address = window.offset + *entry * window.stride;
    if (!window.structured && rest.empty()) return address;
    if (!window.structured || rest.empty() || rest[0] != '.') continue;
    rest.remove_prefix(1);
    for (const RegisterInfo& word : window.words) {
      if (rest == word.name) return address + word.offset;
    }
  }
  return std::nullopt;
}

std::string RegisterBlock::name_of(std::uint32_t address) const {
  const std::string prefix = std::string(map_.name) + ".";
  const Target target = decode(address);
  switch (target.kind) {
    case Kind::kRegister:
      return prefix + map_.registers[target.index].name;
    case Kind::kCounter:
      return prefix + counter_name(map_.counters[target.index]) +
             (target.word == 0 ? "_LO" : "_HI");
    case Kind::kWindow: {
      const WindowInfo& window = map_.windows[target.index];
      const std::uint32_t words = window.stride / 4;
      std::string name = prefix + window.name + "[" + std::to_string(target.word / words) + "]";
      if (window.structured) name += std::string(".") + info_of(target)->name;
      return name;
    }
    case Kind::kNothing:
      break;
  }
  return std::string(map_.name) + "+" + hexadecimal(address, 4);
}

}  // namespace dcc::regs
