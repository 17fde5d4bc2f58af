// Sizes of RoCEv2 packets on the wire, from Ethernet header to FCS.
#pragma once

#include <cstdint>

namespace dcc::roce {

// Header sizes by annex A17 (RoCEv2): Ethernet 14, IPv4 20, UDP 8, BTH 12, payload padded to 4,
// ICRC 4, FCS 4.
constexpr std::uint32_t kEthernet = 14;
constexpr std::uint32_t kIpv4 = 20;
constexpr std::uint32_t kUdp = 8;
constexpr std::uint32_t kBth = 12;
constexpr std::uint32_t kReth = 16;
constexpr std::uint32_t kAeth = 4;
constexpr std::uint32_t kDeth = 8;
// bytes of the header that names the end-to-end context of a reliable datagram
constexpr std::uint32_t kRdeth = 4;
constexpr std::uint32_t kImmediate = 4;
// bytes of the atomic request header: address, key and two operands
constexpr std::uint32_t kAtomicEth = 28;
// bytes of the atomic response header: the word's former value
constexpr std::uint32_t kAtomicAckEth = 8;
constexpr std::uint32_t kCnpReserved = 16;
constexpr std::uint32_t kIcrc = 4;
constexpr std::uint32_t kFcs = 4;
constexpr std::uint32_t kFrame = kEthernet + kIpv4 + kUdp + kBth + kIcrc + kFcs;
constexpr std::uint32_t kMinFrame = 64;  // minimum frame size of IEEE 802.3 in bytes

constexpr std::uint32_t at_least_smallest(std::uint32_t bytes) {
  return bytes < kMinFrame ? kMinFrame : bytes;
}

/// Wire bytes of an RDMA WRITE packet. The first packet of a message carries a RETH, and an
/// immediate adds four bytes.
constexpr std::uint32_t data_wire_bytes(std::uint32_t payload, bool first, bool with_immediate) {
  return at_least_smallest(kFrame + ((payload + 3u) & ~3u) + (first ? kReth : 0u) +
                           (with_immediate ? kImmediate : 0u));
}
/// Wire bytes of a SEND packet, which has no address; a datagram carries a DETH with its sender.
constexpr std::uint32_t send_wire_bytes(std::uint32_t payload, bool with_immediate, bool datagram) {
  return at_least_smallest(kFrame + ((payload + 3u) & ~3u) + (with_immediate ? kImmediate : 0u) +
                           (datagram ? kDeth : 0u));
}
constexpr std::uint32_t read_request_wire_bytes() { return at_least_smallest(kFrame + kReth); }
/// Wire bytes of a READ response packet; the first and the last packet of a response carry an AETH.
constexpr std::uint32_t read_response_wire_bytes(std::uint32_t payload, bool first, bool last) {
  return at_least_smallest(kFrame + ((payload + 3u) & ~3u) + (first || last ? kAeth : 0u));
}
constexpr std::uint32_t atomic_request_wire_bytes() {
  return at_least_smallest(kFrame + kAtomicEth);
}
constexpr std::uint32_t atomic_response_wire_bytes() {
  return at_least_smallest(kFrame + kAeth + kAtomicAckEth);
}
/// Bytes of the two headers, RDETH and DETH, that a request of a reliable datagram has and a
/// request of a connection has not.
constexpr std::uint32_t kReliableDatagram = kRdeth + kDeth;
constexpr std::uint32_t ack_wire_bytes() { return at_least_smallest(kFrame + kAeth); }
constexpr std::uint32_t datagram_ack_wire_bytes() {
  return at_least_smallest(kFrame + kAeth + kRdeth);
}
constexpr std::uint32_t cnp_wire_bytes() { return at_least_smallest(kFrame + kCnpReserved); }

}  // namespace dcc::roce
