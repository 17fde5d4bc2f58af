// The order of events that are due at the same instant.
#pragma once

#include <cstdint>

namespace dcc::vp {

// Order of the events at one instant: an event with a lower rank runs first. Links (by cable) and
// switches (by node) have the lowest ranks. NICs (by host) follow. Controllers run after all
// devices that notify them. The constants below give the later ranks: DCBX, starts and stops of
// traffic, link faults, port failover, the scheduler of flows, the threshold agent, the subnet
// manager, changes of parameters, moving weights and changes of class. Observers run last, so a
// sample at time t shows everything that happened at t.
constexpr std::uint32_t kNicRank = 0x800000;
constexpr std::uint32_t kControllerRank = 0xA00000;
constexpr std::uint32_t kDcbxRank = 0xBF0000;  // rank of links that come up with DCBX
constexpr std::uint32_t kTrafficRank = 0xC00000;
constexpr std::uint32_t kLinkFaultRank = 0xD00000;
constexpr std::uint32_t kPortFailoverRank = 0xD20000;
constexpr std::uint32_t kFlowSchedulerRank = 0xD40000;
constexpr std::uint32_t kTransportAgentRank = 0xD60000;
constexpr std::uint32_t kSubnetRank = 0xD70000;
constexpr std::uint32_t kChangeRank = 0xD80000;
constexpr std::uint32_t kWeightRank = 0xDA0000;
constexpr std::uint32_t kClassRank = 0xDB0000;
constexpr std::uint32_t kMemoryFaultRank = 0xDC0000;
constexpr std::uint32_t kFinishRank = 0xE00000;
constexpr std::uint32_t kMeasurementRank = 0xF00000;
constexpr std::uint32_t kTraceRank = 0xF40000;
constexpr std::uint32_t kDigestRank = 0xF60000;
constexpr std::uint32_t kConsoleRank = 0xF80000;
// fast-forward runs after all observers, so that each observer sees the skipped time
constexpr std::uint32_t kFastForwardRank = 0xFA0000;
constexpr std::uint32_t kEndRank = 0xFC0000;

}  // namespace dcc::vp
