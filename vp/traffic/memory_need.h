// Refuses traffic whose flows would not fit in memory, before the operating system ends the process
// without a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "traffic/traffic_spec.h"
#include "units.h"

namespace dcc::vp {

/// Memory of a flow in bytes, measured on 64-bit Linux: in the results; from the flow's start until
/// both ends are released; and in a run in which all flows exist from the beginning.
constexpr std::uint64_t kResultBytes = 300;
constexpr std::uint64_t kLiveFlowBytes = 1600;
constexpr std::uint64_t kHeldFlowBytes = 2000;
/// Number of flows between two comparisons with the memory available: 100 MB of live flows.
constexpr std::size_t kFlowsBetweenChecks = 65'536;
/// Time for which a run that does not hold all flows looks ahead: flows that start within this time
/// are prepared together. Looking ahead ends a window of all partitions early, so it should be
/// rare; but if it is too rare, many flows wait in memory.
constexpr PicoSeconds kAhead = kMicroSecond * 16;

/// Counts the flows of each entry of `traffic`, for messages that name the largest entry.
class EntryCounts {
 public:
  void add(std::size_t entry) {
    if (entry >= flows_.size()) flows_.resize(entry + 1);
    ++flows_[entry];
  }
  void clear() { flows_.clear(); }
  /// The path of the traffic entry with the most flows, such as "traffic.2"; the first such entry
  /// if several have the most.
  std::string largest() const;

 private:
  std::vector<std::size_t> flows_;
};

/// Memory in bytes that this process can still take: the least of what the machine has available
/// without swapping, what the control groups of the process allow, and the limit on its address
/// space. Returns the greatest number if the operating system reports none of these.
std::uint64_t available_memory();
/// Memory in bytes that the limits of control groups (version 1 or 2) leave to the process; their
/// file system is at `root`. `membership`: the text of /proc/self/cgroup. File pages that no
/// process uses count as free. The greatest number if there is no limit.
std::uint64_t memory_left_to_groups(const std::string& root, const std::string& membership);

/// Throws TrafficError if `flows` flows of `bytes` bytes each exceed `available`. `what` names the
/// flows, for example "flows that start within 10us"; `entries`: entries to which the flows belong.
void require_memory(std::size_t flows, std::uint64_t bytes, const char* what,
                    std::uint64_t available, const EntryCounts& entries);
/// Throws TrafficError if a run of so many flows cannot fit in memory; `held` tells whether all of
/// them exist from the beginning.
void check_memory(std::size_t flows, bool held, const EntryCounts& entries);

/// Throws TrafficError if flows that start within kAhead of each other cannot all exist in memory.
class StartsAtOnce {
 public:
  /// `available` returns the memory in bytes that live flows may take.
  explicit StartsAtOnce(std::uint64_t (*available)() = available_memory) : available_(available) {}
  /// Adds the next flow of the run; flows must be added in the order of their starts.
  void add(const FlowSpec& flow);

 private:
  std::uint64_t (*available_)();
  PicoSeconds end_{};  // end of the interval that began with the first counted flow
  std::size_t flows_ = 0;
  EntryCounts entries_;
};

}  // namespace dcc::vp
