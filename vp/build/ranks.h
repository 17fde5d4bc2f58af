// Who comes first among the events of one instant.
#pragma once

#include <cstdint>

namespace dcc::vp {

// Links by cable and switches by node, then NICs by host, then controllers (after everything that
// notifies them), then links that come up with DCBX, traffic, then links that fail or come back,
// the scheduler of flows, the agent of thresholds and parameters that change, then whoever looks
// on: a sample at t sees all that happened at t.
constexpr std::uint32_t kNicRank = 0x400000;
constexpr std::uint32_t kControllerRank = 0x800000;
constexpr std::uint32_t kDcbxRank = 0xBF0000;  // links come up
constexpr std::uint32_t kTrafficRank = 0xC00000;
constexpr std::uint32_t kLinkFaultRank = 0xD00000;
constexpr std::uint32_t kFlowSchedulerRank = 0xD40000;
constexpr std::uint32_t kTransportAgentRank = 0xD60000;
constexpr std::uint32_t kChangeRank = 0xD80000;
constexpr std::uint32_t kMemoryFaultRank = 0xDC0000;
constexpr std::uint32_t kFinishRank = 0xE00000;
constexpr std::uint32_t kMeasurementRank = 0xF00000;
constexpr std::uint32_t kTraceRank = 0xF40000;
constexpr std::uint32_t kDigestRank = 0xF60000;
constexpr std::uint32_t kConsoleRank = 0xF80000;
constexpr std::uint32_t kFastForwardRank = 0xFA0000;  // not one but sees what is skipped
constexpr std::uint32_t kEndRank = 0xFC0000;

}  // namespace dcc::vp
