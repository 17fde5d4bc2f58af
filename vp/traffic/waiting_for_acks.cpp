#include "traffic/waiting_for_acks.h"

#include <string>

namespace dcc::vp {

void check_waiting_for_acks(const PlatformConfig& config, const Dependencies& dependencies) {
  if (dependencies.sent.empty() || config.nic.ack != AckMode::kNone) return;
  const Dependencies::Gate& gate =
      dependencies.gates[dependencies.sent.front().gate - dependencies.first];
  const std::string place = place_of(config.traffic, *dependencies.traces, gate.entry, gate.line) +
                            (gate.line == FlowSpec::kNone ? ".after.event" : "");
  throw TrafficError(place +
                     ": waits for the last ACK of a flow (sent), and with nic.ack: none there is "
                     "none: event: received, or nic.ack: per_packet");
}

}  // namespace dcc::vp
