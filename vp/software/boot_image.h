// Fills in a host's boot block, from which the traffic application reads its flows.
#pragma once

#include <cstdint>
#include <vector>

#include "app/boot_block.h"
#include "config/platform_config.h"
#include "traffic/flow_plan.h"
#include "units.h"

namespace dcc::vp {

/// Name of the memory region from BOOT_BLOCK_ADDRESS on, used in error messages.
constexpr const char* kBootBlockName = "the boot block and the flows' buffers";

/// Writes boot block, flow tables and buffer addresses of `host` into `ram` (the host's memory from
/// BOOT_RAM_BASE on). Returns the address behind the host's last buffer. Throws std::runtime_error
/// if the flows do not fit the RAM.
std::uint64_t write_boot_block(const PlatformConfig& config, const FlowPlan& plan, HostId host,
                               BitRate line_rate, std::uint8_t* ram, std::uint64_t ram_bytes);

/// Reads the application's present results from the boot block.
boot_result read_boot_result(const std::uint8_t* ram);

/// RAM address of message slot 0 of a flow at its sender or receiver, the same for both sides'
/// tables. The buffers of all flows that touch the host are placed one after the other.
class BufferPlan {
 public:
  /// Number of message slots of a flow. Slots beyond the outstanding messages let the receiver
  /// check a message before it is overwritten.
  static constexpr std::uint8_t kSlots = 4;
  BufferPlan(const PlatformConfig& config, const FlowPlan& plan);
  std::uint64_t at_sender(std::uint32_t flow) const { return sender_[flow]; }
  std::uint64_t at_receiver(std::uint32_t flow) const { return receiver_[flow]; }
  std::uint32_t slot_bytes(std::uint32_t flow) const;
  /// End address of the message buffers of a host.
  std::uint64_t end(HostId host) const { return end_[host]; }
  /// Throws std::runtime_error if the host's rings and buffers do not fit RAM of `ram_bytes`.
  void check_fits(HostId host, std::uint64_t ram_bytes) const;
  static std::uint32_t block_bytes(const PlatformConfig& config, const FlowPlan& plan, HostId host);

 private:
  const FlowPlan& plan_;
  std::vector<std::uint64_t> sender_, receiver_, end_;
};

}  // namespace dcc::vp
