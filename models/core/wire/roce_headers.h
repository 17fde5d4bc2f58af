// RoCEv2 packets as bytes: Ethernet, IPv4, UDP, InfiniBand transport headers, invariant CRC.
// InfiniBand Architecture Specification 1.3, chapter 9, and its annex A17 (RoCEv2).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "wire/packet.h"
#include "wire/wire_size.h"

namespace dcc::roce {

constexpr std::uint16_t kUdpPort = 4791;

/// Base transport header opcodes that appear here (table 38): of reliable connections, of
/// unreliable ones (the same and kUnreliable), of datagrams; and the CNP.
enum class Opcode : std::uint8_t {
  kSendFirst = 0x00,
  kSendMiddle = 0x01,
  kSendLast = 0x02,
  kSendLastImmediate = 0x03,
  kSendOnly = 0x04,
  kSendOnlyImmediate = 0x05,
  kWriteFirst = 0x06,
  kWriteMiddle = 0x07,
  kWriteLast = 0x08,
  kWriteLastImmediate = 0x09,
  kWriteOnly = 0x0A,
  kWriteOnlyImmediate = 0x0B,
  kReadRequest = 0x0C,
  kReadResponseFirst = 0x0D,
  kReadResponseMiddle = 0x0E,
  kReadResponseLast = 0x0F,
  kReadResponseOnly = 0x10,
  kAcknowledge = 0x11,
  kAtomicAcknowledge = 0x12,
  kCompareSwap = 0x13,
  kFetchAdd = 0x14,
  kUcSendFirst = 0x20,
  kUcWriteOnlyImmediate = 0x2B,
  kUdSendOnly = 0x64,
  kUdSendOnlyImmediate = 0x65,
  kCnp = 0x81,
};
constexpr std::uint8_t kUnreliable = 0x20;
/// What the opcode does, as the reliable connection's has it.
constexpr Opcode operation_of(Opcode o) {
  return o == Opcode::kCnp ? o : static_cast<Opcode>(static_cast<std::uint8_t>(o) & 0x1Fu);
}
constexpr bool has_deth(Opcode o) {
  return o == Opcode::kUdSendOnly || o == Opcode::kUdSendOnlyImmediate;
}
constexpr bool has_reth(Opcode o) {
  const Opcode op = operation_of(o);
  return op == Opcode::kWriteFirst || op == Opcode::kWriteOnly ||
         op == Opcode::kWriteOnlyImmediate || op == Opcode::kReadRequest;
}
constexpr bool has_atomic_eth(Opcode o) {
  return o == Opcode::kCompareSwap || o == Opcode::kFetchAdd;
}
constexpr bool has_aeth(Opcode o) {
  return o == Opcode::kAcknowledge || o == Opcode::kAtomicAcknowledge ||
         o == Opcode::kReadResponseFirst || o == Opcode::kReadResponseLast ||
         o == Opcode::kReadResponseOnly;
}
constexpr bool has_immediate(Opcode o) {
  const Opcode op = operation_of(o);
  return op == Opcode::kWriteLastImmediate || op == Opcode::kWriteOnlyImmediate ||
         op == Opcode::kSendLastImmediate || op == Opcode::kSendOnlyImmediate;
}
constexpr bool has_payload(Opcode o) {
  return o != Opcode::kAcknowledge && o != Opcode::kAtomicAcknowledge && o != Opcode::kCnp &&
         o != Opcode::kReadRequest && !has_atomic_eth(o);
}

/// AETH syndromes (table 43): acknowledge without credit count; receiver not ready, with the code
/// of how long to wait in the lower five bits; negative: PSN sequence error, invalid request,
/// remote access error.
constexpr std::uint8_t kSyndromeAck = 0x1F;
constexpr std::uint8_t kSyndromeNotReady = 0x20;
constexpr std::uint8_t kSyndromeNakSequence = 0x60;
constexpr std::uint8_t kSyndromeNakInvalid = 0x61;
constexpr std::uint8_t kSyndromeNakAccess = 0x62;

/// How long a receiver that is not ready asks to be left alone: one of 31 times (table 46), named
/// by a code.
std::uint8_t not_ready_code(PicoSeconds at_least);
PicoSeconds not_ready_time(std::uint8_t code);

/// Key that datagrams carry and that every queue pair here takes.
constexpr std::uint32_t kQueueKey = 0x11111111;

using MacAddress = std::array<std::uint8_t, 6>;

/// Every field of the headers. Those the opcode does not carry are neither written nor read.
struct Headers {
  MacAddress destination_mac{};
  MacAddress source_mac{};
  // IPv4
  std::uint8_t dscp = 0;  // 0 … 63
  Ecn ecn = Ecn::kNotEct;
  std::uint16_t identification = 0;
  std::uint8_t ttl = 64;
  std::uint32_t source_ip = 0;
  std::uint32_t destination_ip = 0;
  // UDP; its checksum is zero, as the annex allows
  std::uint16_t source_port = 0;
  // BTH
  Opcode opcode = Opcode::kWriteOnly;
  bool solicited = false;
  bool migration = true;
  std::uint16_t partition_key = 0xFFFF;
  bool fecn = false;
  bool becn = false;
  std::uint32_t destination_qpn = 0;  // 24 bits
  bool ack_request = false;
  std::uint32_t psn = 0;  // 24 bits
  // RETH, AtomicETH: address and key
  std::uint64_t virtual_address = 0;
  std::uint32_t remote_key = 0;
  std::uint32_t dma_length = 0;
  // AtomicETH
  std::uint64_t swap_or_add = 0;
  std::uint64_t compare = 0;
  // AtomicAckETH
  std::uint64_t original = 0;
  // DETH
  std::uint32_t queue_key = kQueueKey;
  std::uint32_t source_qpn = 0;  // 24 bits
  // AETH
  std::uint8_t syndrome = kSyndromeAck;
  std::uint32_t message_number = 0;  // 24 bits
  // immediate
  std::uint32_t immediate = 0;
  /// CNP: CE marks it stands for. Carried in the first of the sixteen reserved bytes when the
  /// notification point counts; 0 there, as the annex has it, means one.
  std::uint8_t cnp_marks = 0;
  std::uint8_t cnp_packets = 0;
};

/// Ethernet header to the last extended header, ready for the payload.
struct HeaderBytes {
  std::array<std::uint8_t, 96> bytes;  // the first `size`; the rest is not set
  std::size_t size = 0;
};

/// Writes the headers of a packet with `payload` bytes; lengths, pad count and the IPv4 checksum
/// are filled in (payload at most 65 000). No VLAN tag: priority follows from the DSCP, as routed
/// RoCEv2 networks have it.
HeaderBytes write_headers(const Headers& headers, std::uint32_t payload);

/// Invariant CRC over the headers, with the fields that routers change taken as ones, the payload
/// and its padding (A17.3.3). Allocation-free.
std::uint32_t invariant_crc(const HeaderBytes& headers, const std::uint8_t* payload,
                            std::size_t payload_size);

/// The whole packet from the Ethernet header to the ICRC: what a capture shows, without FCS.
/// A null payload stands for zeros.
std::vector<std::uint8_t> serialize(const Headers& headers, const std::uint8_t* payload,
                                    std::uint32_t payload_size);

enum class ParseError : std::uint8_t {
  kNone,
  kTruncated,    // ends within a header, or before the length its IPv4 header states
  kNotRoce,      // another Ethernet type, protocol or port; a fragment
  kBadHeader,    // IPv4 version or length, UDP length, BTH version
  kBadChecksum,  // IPv4
  kBadOpcode,    // not one of Opcode
  kBadPayload,   // padding or payload that the opcode does not allow
  kBadIcrc,
};
const char* describe(ParseError error);

struct Parsed {
  ParseError error = ParseError::kNone;
  Headers headers;
  bool vlan_tagged = false;
  std::uint8_t vlan_priority = 0;
  const std::uint8_t* payload = nullptr;  // into the input
  std::uint32_t payload_size = 0;
};
/// Reads any bytes whatever; accepts one 802.1Q tag and Ethernet padding or an FCS behind the ICRC.
/// headers and payload are valid when error is kNone.
Parsed parse(const std::uint8_t* bytes, std::size_t size);

// --- Between the model's packets and bytes -----------------------------------------------------

/// The network's addressing: host h is 02:00:00:xx:xx:xx and 10.x.x.x with h + 1 in the lower 24
/// bits; the UDP source port, 0xC000 and up, spreads flows over paths.
MacAddress mac_of(HostId host);
/// A local address of a switch's port.
MacAddress mac_of_port(unsigned node, unsigned port);
std::uint32_t ip_of(HostId host);
/// Of an IPv4 header without options; a checksum that is in it already counts as it stands, so over
/// a right one the result is 0.
std::uint32_t ipv4_checksum(const std::uint8_t* header);
std::uint16_t source_port_of(std::uint32_t flow);

/// Headers of a data, ACK, NAK or CNP packet. `message_bytes` goes into the RETH; what only the
/// model carries (time stamp echo, telemetry, a connection's source queue pair) has no place on the
/// wire.
Headers headers_of(const Packet& packet, std::uint32_t message_bytes);

/// Of an atomic request; zeros where payload is virtual. put_operands: it has room for them.
AtomicOperands operands_of(const Packet& request);
void put_operands(const AtomicOperands& operands, Packet& request);

/// Bytes of a data packet behind its headers: what an atomic operation is about is among those.
inline std::uint32_t payload_on_wire(const Packet& packet) {
  return is_atomic(packet.operation) || packet.operation == Operation::kAtomicResponse
             ? 0
             : packet.payload_bytes;
}

/// ICRC of a data packet that carries its payload.
std::uint32_t icrc_of(const Packet& packet);

}  // namespace dcc::roce
