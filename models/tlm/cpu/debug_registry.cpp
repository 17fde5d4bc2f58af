#include "cpu/debug_registry.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace dcc::model {

std::optional<std::uint32_t> DebugRegistry::address_of(const std::string& name) const {
  for (const Resolver& resolve : resolvers_) {
    if (const std::optional<std::uint32_t> address = resolve(name)) return address;
  }
  return std::nullopt;
}

std::function<std::string()> DebugRegistry::find(const std::string& path,
                                                 std::string& error) const {
  for (const Lookup& look_up : lookups_) {
    if (Reader reader = look_up(path)) return reader;
  }
  const std::size_t bracket = path.find('[');
  const std::string name = path.substr(0, bracket);
  std::uint32_t index = 0;
  if (bracket != std::string::npos) {
    char* end = nullptr;
    const char* const start = path.c_str() + bracket + 1;
    constexpr unsigned long kMax = std::numeric_limits<std::uint32_t>::max();
    index = static_cast<std::uint32_t>(std::min(kMax, std::strtoul(start, &end, 0)));
    if (end == start || std::string(end) != "]") {
      error = path + ": the index must be a number in brackets, as in name[3]";
      return {};
    }
  }
  for (const Value& value : values_) {
    if (value.name != name) continue;
    const bool indexed = bracket != std::string::npos;
    if (indexed != (value.count != 0)) {
      error = name + (indexed ? " takes no index" : " needs an index, as in ");
      if (!indexed) error += name + "[0]";
      return {};
    }
    if (indexed && index >= value.count) {
      error = path + ": indices go from 0 to " + std::to_string(value.count - 1);
      return {};
    }
    return [read = value.read, index] { return read(index); };
  }
  error = path + ": no such value; `modules` lists them";
  return {};
}

}  // namespace dcc::model
