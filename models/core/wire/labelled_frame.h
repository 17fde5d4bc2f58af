// Packets of transports whose headers are published nowhere, as frames: Ethernet, IPv4 with the
// number for experiments (253, RFC 3692), and what the packet is in plain text.
#pragma once

#include <array>
#include <cstdint>

#include "wire/packet.h"

namespace dcc {

struct LabelledHeader {
  std::array<std::uint8_t, 192> bytes;  // the first `size`; the rest is not set
  std::uint32_t size = 0;
  std::uint32_t frame = 0;  // of the whole without FCS: zeros follow the label
};

constexpr std::uint8_t kIpProtocolExperiment = 253;

/// "uec ack 17, flow 3, qp 3, 0 B, 8000000000000001": transport, kind, number, flow, queue pair at
/// the receiver, payload, and in hexadecimal what the transport adds. Where the transport counts
/// fewer bytes for a packet than that takes, the frame is longer. `transport` is at most 16 letters
/// long.
LabelledHeader labelled_header(const Packet& packet, const char* transport);

}  // namespace dcc
