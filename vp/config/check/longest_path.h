// Computes the longest base round trip of a configuration's network, once and on request.
#pragma once

#include <optional>

#include "config/platform_config.h"
#include "fabric/routing.h"
#include "wire/wire_size.h"

namespace dcc::vp {

/// The base round-trip time of one full packet and its ACK over the longest of all shortest paths.
/// Finding the routes of a large network takes seconds, so the first call computes the time.
class LongestPath {
 public:
  /// `config` must outlive the LongestPath; its topology and MTU must not change.
  explicit LongestPath(const PlatformConfig& config) : config_(config) {}

  std::uint32_t full_packet() const {
    return roce::data_wire_bytes(config_.largest_mtu(), false, false);
  }
  PicoSeconds base_rtt() {
    if (!base_rtt_) {
      base_rtt_ = Routing(Topology::of(config_.topology))
                      .longest_base_rtt(full_packet(), roce::ack_wire_bytes());
    }
    return *base_rtt_;
  }

 private:
  const PlatformConfig& config_;
  std::optional<PicoSeconds> base_rtt_;
};

}  // namespace dcc::vp
