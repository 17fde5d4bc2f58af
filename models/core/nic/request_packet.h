// The packet that a requester sends for the next step of its work.
#pragma once

#include "nic/nic_parameters.h"
#include "nic/work_queue.h"
#include "wire/packet.h"

namespace dcc {

/// Fills in a fresh packet: kind, addresses, operation, sizes and the request for an ACK. The
/// caller sets what depends on its own state: priority, telemetry and payload bytes.
/// `ack_within_message`: with AckMode::kPerMessage, request an ACK for every packet all the same.
void fill_request(Packet& packet, const PacketPlan& plan, Psn psn, Qpn qpn,
                  const QueuePairConfig& config, const NicParameters& parameters,
                  bool ack_within_message);

/// Wire bytes of the response to `request`, with the link's overhead for each of its packets. The
/// pacing of READ requests uses these bytes. `mtu` is the MTU of the queue pair.
std::uint32_t response_wire_bytes(const PacketPlan& request, std::uint32_t mtu,
                                  Bytes link_overhead);

}  // namespace dcc
