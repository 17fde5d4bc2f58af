// Refuses traffic whose flows would not fit in memory, before the operating system ends the process
// without a message.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dcc::vp {

/// Bytes that a flow takes, measured on 64-bit Linux: in the results; from its start until both
/// ends are released; and where all flows exist from the beginning.
constexpr std::uint64_t kResultBytes = 300;
constexpr std::uint64_t kLiveFlowBytes = 1600;
constexpr std::uint64_t kHeldFlowBytes = 2000;

/// Memory in bytes that this process can still take: the least of what the machine has available
/// without swapping, what the control group of the process allows, and the limit on its address
/// space. The greatest number where the operating system tells none of these.
std::uint64_t available_memory();

/// Throws TrafficError if `flows` flows of `bytes` each exceed `available`. `what` names the flows,
/// for example "flows that start within 10us".
void require_memory(std::size_t flows, std::uint64_t bytes, const char* what,
                    std::uint64_t available);
/// Throws TrafficError if a run of so many flows cannot fit: `held` tells whether all of them exist
/// from the beginning.
void check_memory(std::size_t flows, bool held);

}  // namespace dcc::vp
