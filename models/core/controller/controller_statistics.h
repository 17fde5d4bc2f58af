// Counters of the congestion manager; the names are those of the register map.
#pragma once

#include <cstdint>

namespace dcc {

/// Counts of controller events since the last reset(). rate_decreases and rate_increases count
/// calculations of the rate unit; rate_updates counts the rates that went to the scheduler.
struct ControllerStatistics {
  std::uint64_t cnps_received = 0;
  std::uint64_t cnps_dropped_no_slot = 0;
  std::uint64_t cnps_coalesced = 0;
  std::uint64_t byte_notifications = 0;
  std::uint64_t byte_notifications_unmatched = 0;
  std::uint64_t rate_decreases = 0;
  std::uint64_t rate_increases = 0;
  std::uint64_t rate_updates = 0;
  std::uint64_t slots_bound = 0;
  std::uint64_t slots_released = 0;
  std::uint64_t slots_in_use_max = 0;
  std::uint64_t cnps_lost = 0;
  std::uint64_t inputs_dropped = 0;
};

}  // namespace dcc
