#include "traffic/memory_need.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>

namespace dcc::vp {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

/// Returns the first number behind `key` in a file of lines "key number"; with an empty key the
/// first number of the file. kUnknown if there is no number, as for "max".
std::uint64_t number_in(const std::string& file, const std::string& key) {
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

/// Names of a control group's files, which differ between versions 1 and 2 of cgroups.
struct GroupFiles {
  const char* limit;
  const char* used;
  const char* unused_pages;  // key in memory.stat of file pages that can be reclaimed at once
};
constexpr GroupFiles kVersion1{"/memory.limit_in_bytes", "/memory.usage_in_bytes",
                               "total_inactive_file "};
constexpr GroupFiles kVersion2{"/memory.max", "/memory.current", "inactive_file "};

std::uint64_t left_to_group(const std::string& group, const GroupFiles& files) {
  const std::uint64_t unused = number_in(group + "/memory.stat", files.unused_pages);
  const std::uint64_t used = number_in(group + files.used, "");
  return difference(number_in(group + files.limit, ""),
                    unused == kUnknown ? used : difference(used, unused));
}
}  // namespace

std::uint64_t memory_left_to_groups(const std::string& root, const std::string& membership) {
  std::uint64_t least =
      std::min(left_to_group(root, kVersion2), left_to_group(root + "/memory", kVersion1));
  std::istringstream lines(membership);
  // A line of /proc/self/cgroup is "NUMBER:CONTROLLERS:/GROUP"; version 2 has number 0 and no
  // controllers.
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool version_2 = controllers == ",,";
    if (!version_2 && controllers.find(",memory,") == std::string::npos) continue;
    const std::string mount = version_2 ? root : root + "/memory";
    // The loop visits all enclosing groups, because a control group obeys the limits of the groups
    // that contain it.
    for (std::string group = line.substr(second + 1); group.size() > 1;
         group.erase(group.rfind('/'))) {
      least = std::min(least, left_to_group(mount + group, version_2 ? kVersion2 : kVersion1));
    }
  }
  return least;
}

std::uint64_t available_memory() {
  const std::uint64_t kilobytes = number_in("/proc/meminfo", "MemAvailable:");
  std::uint64_t least = kilobytes == kUnknown ? kUnknown : kilobytes * 1024;
  std::ifstream groups("/proc/self/cgroup");
  const std::string membership{std::istreambuf_iterator<char>(groups), {}};
  least = std::min(least, memory_left_to_groups("/sys/fs/cgroup", membership));
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    const std::uint64_t pages = number_in("/proc/self/statm", "");
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    least = std::min(least, difference(space.rlim_cur, pages == kUnknown ? pages : pages * page));
  }
  return least;
}

std::string EntryCounts::largest() const {
  const auto most = std::max_element(flows_.begin(), flows_.end());
  return fmt::format("traffic.{}", most == flows_.end() ? 0 : most - flows_.begin());
}

void require_memory(std::size_t flows, std::uint64_t bytes, const char* what,
                    std::uint64_t available, const EntryCounts& entries) {
  if (flows <= available / bytes) return;
  throw TrafficError(fmt::format(
      "{}: {} {} need about {:.2g} GB of memory ({} B each), and {:.2g} GB are "
      "available; use fewer flows, or spread their starts",
      entries.largest(), flows, what, static_cast<double>(flows) * static_cast<double>(bytes) / 1e9,
      bytes, static_cast<double>(available) / 1e9));
}

void check_memory(std::size_t flows, bool held, const EntryCounts& entries) {
  const std::uint64_t bytes = held ? kHeldFlowBytes : kResultBytes;
  require_memory(flows, bytes, held ? "flows that the run must hold" : "flows of the results",
                 available_memory(), entries);
}

void StartsAtOnce::add(const FlowSpec& flow) {
  if (flow.start >= end_) {
    end_ = flow.start + std::min(kAhead, PicoSeconds::max() - flow.start);
    flows_ = 0;
    entries_.clear();
  }
  entries_.add(flow.entry);
  if (++flows_ % kFlowsBetweenChecks != 0) return;
  require_memory(flows_, kLiveFlowBytes, "flows that start at nearly the same time", available_(),
                 entries_);
}

}  // namespace dcc::vp
