// The longest base round trip of a configuration's network, worked out once where it is asked for.
#pragma once

#include <optional>

#include "config/platform_config.h"
#include "fabric/routing.h"
#include "wire/wire_size.h"

namespace dcc::vp {

/// One full packet there and its ACK back, over the longest of the shortest paths. Routes of a
/// large network take seconds to find, so nothing is done before the first call.
class LongestPath {
 public:
  /// `config` outlives this, and its topology and MTU do not change.
  explicit LongestPath(const PlatformConfig& config) : config_(config) {}

  std::uint32_t full_packet() const { return roce::data_wire_bytes(config_.nic.mtu, false, false); }
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
