// Durations in cycles of the controller's clock, as docs/controller-contract.md defines them.
#pragma once

#include <cstdint>

#include "controller/cycle_clock.h"

namespace dcc::timing {

/// Least distance between two issues of one flow. An event's effects are visible after this
/// distance. (D)
constexpr Cycle kSameFlow = 32;
/// Distance from the beginning of a tick to its first timer event. (F)
constexpr Cycle kFirstOfTick = 16;
/// Least distance between two timer events. (K)
constexpr Cycle kTimerEvents = 8;
/// Additional distance between two timer events for each tick between their due ticks. (S)
constexpr Cycle kTickStep = 4;
/// Duration of a soft reset in addition to one cycle for each slot. (R)
constexpr Cycle kResetBesidesSlots = 16;
/// Cycles from an empty pipeline until a waiting register write takes effect.
constexpr Cycle kWrite = 2;
/// Duration of a register read that waits for nothing.
constexpr Cycle kRead = 2;
/// Cycles from the edge at which a register access acts to its end, if events were under way when
/// the access began. (P)
constexpr Cycle kRecovery = 64;
/// Least number of cycles from the edge at which a register access acts to its end, if the pipeline
/// is empty; for writes and for reads of slots and tables.
constexpr Cycle kEndOfWrite = 1;
constexpr Cycle kEndOfSlotRead = 3;
constexpr Cycle kEndOfTableRead = 17;
/// Least latency from the issue of an event to its answer. (L)
constexpr std::uint32_t kMinLatency = 32;

/// Number of slots for each of which a tick needs at least one cycle, so that all events reach the
/// last level of the wheel within the ticks of that level.
constexpr std::uint32_t kSlotsOfATickCycle = 16;
/// Least timer interval: the cycles in which the timer events of all slots in use are issued and
/// started again in the wheel.
constexpr Cycle least_interval(std::uint32_t slots) { return kTimerEvents * slots + 64; }

constexpr std::uint32_t kCnpDepth = 64;
// number of flows whose joined byte notifications can wait
constexpr std::uint32_t kBytesDepth = 64;
constexpr std::uint32_t kCommandDepth = 16;

/// Number of byte notifications that the NIC keeps in front of the controller's port while the port
/// is not ready. Further notifications are dropped and counted.
constexpr std::uint32_t kAtPort = 1024;

/// Maximum sums in a waiting entry of joined byte notifications; greater sums saturate.
constexpr std::uint32_t kMaxJoinedBytes = 0xFFFFFFFF;
constexpr std::uint32_t kMaxJoinedPackets = 0xFFFF;

}  // namespace dcc::timing
