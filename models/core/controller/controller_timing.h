// What the controller takes in cycles of its clock: the figures of docs/controller-contract.md.
#pragma once

#include <cstdint>

#include "controller/cycle_clock.h"

namespace dcc::timing {

/// Between two issues of one flow; after so long all that an event did is seen. (D)
constexpr Cycle kSameFlow = 32;
/// From the beginning of a tick to its first timer event. (F)
constexpr Cycle kFirstOfTick = 16;
/// Between two timer events. (K)
constexpr Cycle kTimerEvents = 8;
/// … and more for each tick between those they are due in. (S)
constexpr Cycle kTickStep = 4;
/// A soft reset sweeps the slots, one a cycle, and takes this besides. (R)
constexpr Cycle kResetBesidesSlots = 16;
/// From the quiet pipeline to a register's new value.
constexpr Cycle kWrite = 2;
/// The least latency from issue to answer. (L)
constexpr std::uint32_t kMinLatency = 32;

/// What the hardware can keep: a tick has at least a cycle for so many slots, so that all events
/// move to the last level of the wheel within its ticks …
constexpr std::uint32_t kSlotsOfATickCycle = 16;
/// … and an interval has the cycles in which every slot in use is served and its start is in the
/// wheel.
constexpr Cycle least_interval(std::uint32_t slots) { return kTimerEvents * slots + 64; }

constexpr std::uint32_t kCnpDepth = 64;
constexpr std::uint32_t kBytesDepth = 64;  // flows
constexpr std::uint32_t kCommandDepth = 16;

/// A waiting entry of bytes holds no more than this; what is beyond is not counted.
constexpr std::uint32_t kMaxJoinedBytes = 0xFFFFFFFF;
constexpr std::uint32_t kMaxJoinedPackets = 0xFFFF;

}  // namespace dcc::timing
