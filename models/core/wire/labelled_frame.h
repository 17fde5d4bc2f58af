// Frames for packets of transports without a published header format: Ethernet, IPv4 with the
// protocol number for experiments (253, RFC 3692), and a description in plain text.
#pragma once

#include <array>
#include <cstdint>

#include "wire/packet.h"

namespace dcc {

struct LabelledHeader {
  std::array<std::uint8_t, 192> bytes;  // bytes of the frame; only the first `size` are set
  std::uint32_t size = 0;
  std::uint32_t frame =
      0;  // number of bytes of the whole frame without FCS; zeros follow the label
};

constexpr std::uint8_t kIpProtocolExperiment = 253;

/// Makes a label such as "uec ack 17, flow 3, qp 3, 0 B, 8000000000000001": transport, kind,
/// sequence number, flow, queue pair at the receiver, payload bytes and Packet::scheme in
/// hexadecimal. The frame is longer than the packet's wire size if the label needs more room.
/// `transport` has at most 16 characters.
LabelledHeader labelled_header(const Packet& packet, const char* transport);

}  // namespace dcc
