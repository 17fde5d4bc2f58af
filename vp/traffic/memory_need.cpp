#include "traffic/memory_need.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "traffic/traffic_spec.h"

namespace dcc::vp {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

/// The first number behind `key` in a file of lines "key number"; with an empty key the first
/// number of the file. kUnknown if there is none, as for "max".
std::uint64_t number_in(const char* file, const std::string& key) {
  std::ifstream in(file);
  if (key.empty()) {
    std::uint64_t number = 0;
    return in >> number ? number : kUnknown;
  }
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, key.size(), key) == 0) {
      return std::strtoull(line.c_str() + key.size(), nullptr, 10);
    }
  }
  return kUnknown;
}

std::uint64_t difference(std::uint64_t limit, std::uint64_t used) {
  if (limit == kUnknown || used == kUnknown) return kUnknown;
  return limit - std::min(limit, used);
}

}  // namespace

std::uint64_t available_memory() {
  const std::uint64_t kilobytes = number_in("/proc/meminfo", "MemAvailable:");
  std::uint64_t least = kilobytes == kUnknown ? kUnknown : kilobytes * 1024;
  least = std::min(least, difference(number_in("/sys/fs/cgroup/memory.max", ""),
                                     number_in("/sys/fs/cgroup/memory.current", "")));
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    const std::uint64_t pages = number_in("/proc/self/statm", "");
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    least = std::min(least, difference(space.rlim_cur, pages == kUnknown ? pages : pages * page));
  }
  return least;
}

void require_memory(std::size_t flows, std::uint64_t bytes, const char* what,
                    std::uint64_t available) {
  if (flows <= available / bytes) return;
  throw TrafficError(
      fmt::format("traffic.0: {} {} need about {:.2g} GB of memory ({} B each), and {:.2g} GB are "
                  "available; use fewer flows, or spread their starts",
                  flows, what, static_cast<double>(flows) * static_cast<double>(bytes) / 1e9, bytes,
                  static_cast<double>(available) / 1e9));
}

void check_memory(std::size_t flows, bool held) {
  const std::uint64_t bytes = held ? kHeldFlowBytes : kResultBytes;
  require_memory(flows, bytes, held ? "flows that the run must hold" : "flows of the results",
                 available_memory());
}

}  // namespace dcc::vp
