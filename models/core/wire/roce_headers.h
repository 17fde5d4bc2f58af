// Byte format of RoCEv2 packets: Ethernet, IPv4, UDP, InfiniBand transport headers, invariant CRC.
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

/// Opcodes of the base transport header that the models use (table 38). An opcode of an unreliable
/// connection is the opcode of a reliable connection plus kUnreliable; an opcode of a reliable
/// datagram is that opcode plus kDatagram.
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
  kRdSendFirst = 0x40,
  kRdWriteOnlyImmediate = 0x4B,
  kRdAcknowledge = 0x51,
  kUdSendOnly = 0x64,
  kUdSendOnlyImmediate = 0x65,
  kCnp = 0x81,
};
constexpr std::uint8_t kUnreliable = 0x20;
constexpr std::uint8_t kDatagram = 0x40;
/// Returns the opcode of the same operation on a reliable connection.
constexpr Opcode operation_of(Opcode o) {
  return o == Opcode::kCnp ? o : static_cast<Opcode>(static_cast<std::uint8_t>(o) & 0x1Fu);
}
/// True for a packet of a reliable datagram, which names an end-to-end context.
constexpr bool has_rdeth(Opcode o) { return (static_cast<std::uint8_t>(o) & 0xE0u) == kDatagram; }
constexpr bool has_deth(Opcode o) {
  return o == Opcode::kUdSendOnly || o == Opcode::kUdSendOnlyImmediate ||
         (has_rdeth(o) && o != Opcode::kRdAcknowledge);
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
  return o == Opcode::kAcknowledge || o == Opcode::kRdAcknowledge ||
         o == Opcode::kAtomicAcknowledge || o == Opcode::kReadResponseFirst ||
         o == Opcode::kReadResponseLast || o == Opcode::kReadResponseOnly;
}
constexpr bool has_immediate(Opcode o) {
  const Opcode op = operation_of(o);
  return op == Opcode::kWriteLastImmediate || op == Opcode::kWriteOnlyImmediate ||
         op == Opcode::kSendLastImmediate || op == Opcode::kSendOnlyImmediate;
}
constexpr bool has_payload(Opcode o) {
  return o != Opcode::kAcknowledge && o != Opcode::kRdAcknowledge &&
         o != Opcode::kAtomicAcknowledge && o != Opcode::kCnp && o != Opcode::kReadRequest &&
         !has_atomic_eth(o);
}

/// AETH syndromes (table 43). kSyndromeNotReady has the RNR timer code in its lower five bits.
constexpr std::uint8_t kSyndromeAck = 0x1F;
constexpr std::uint8_t kSyndromeNotReady = 0x20;
constexpr std::uint8_t kSyndromeNakSequence = 0x60;
constexpr std::uint8_t kSyndromeNakInvalid = 0x61;
constexpr std::uint8_t kSyndromeNakAccess = 0x62;

/// Code and delay of the RNR timer (table 46). not_ready_code() returns the code of the shortest
/// delay of at least `at_least`.
std::uint8_t not_ready_code(PicoSeconds at_least);
PicoSeconds not_ready_time(std::uint8_t code);

/// Queue key (Q_Key) of all datagrams and queue pairs.
constexpr std::uint32_t kQueueKey = 0x11111111;

using MacAddress = std::array<std::uint8_t, 6>;

/// All fields of the headers of a RoCEv2 packet. Fields of headers that an opcode does not use are
/// neither written nor read.
struct Headers {
  MacAddress destination_mac{};
  MacAddress source_mac{};
  // Fields of the IPv4 header
  std::uint8_t dscp = 0;  // DSCP of the packet, 0 … 63
  Ecn ecn = Ecn::kNotEct;
  std::uint16_t identification = 0;
  std::uint8_t ttl = 64;
  std::uint32_t source_ip = 0;
  std::uint32_t destination_ip = 0;
  // UDP source port. The UDP checksum is zero, which annex A17 allows
  std::uint16_t source_port = 0;
  // Fields of the base transport header (BTH)
  Opcode opcode = Opcode::kWriteOnly;
  bool solicited = false;
  bool migration = true;
  std::uint16_t partition_key = 0xFFFF;
  bool fecn = false;
  bool becn = false;
  std::uint32_t destination_qpn = 0;  // queue pair number, 24 bits
  bool ack_request = false;
  std::uint32_t psn = 0;  // packet sequence number, 24 bits
  // Fields of RETH and AtomicETH: address and key
  std::uint64_t virtual_address = 0;
  std::uint32_t remote_key = 0;
  std::uint32_t dma_length = 0;
  // Fields of AtomicETH
  std::uint64_t swap_or_add = 0;
  std::uint64_t compare = 0;
  // Fields of AtomicAckETH
  std::uint64_t original = 0;
  std::uint32_t ee_context = 0;  // field of RDETH: number of the end-to-end context, 24 bits
  // Fields of DETH
  std::uint32_t queue_key = kQueueKey;
  std::uint32_t source_qpn = 0;  // queue pair number, 24 bits
  // Fields of AETH
  std::uint8_t syndrome = kSyndromeAck;
  std::uint32_t message_number = 0;  // message sequence number, 24 bits
  // Field of the header with immediate data
  std::uint32_t immediate = 0;
  /// CNP: number of CE marks and of packets since the previous CNP, in the first two of the sixteen
  /// reserved bytes. Annex A17 requires zeros there, which mean one mark and an unknown number of
  /// packets.
  std::uint8_t cnp_marks = 0;
  std::uint8_t cnp_packets = 0;
};

/// Header bytes of a packet, from the Ethernet header to the last extended header.
struct HeaderBytes {
  std::array<std::uint8_t, 96> bytes;  // bytes of the headers; only the first `size` are set
  std::size_t size = 0;
};

/// Writes the headers of a packet with `payload` bytes, at most 65 000, including lengths, pad
/// count and IPv4 checksum. The packet has no VLAN tag, since the priority follows from the DSCP,
/// as in routed RoCEv2 networks.
HeaderBytes write_headers(const Headers& headers, std::uint32_t payload);

/// Returns the invariant CRC over headers, payload and padding (A17.3.3). Header fields that
/// routers change count as ones. The function allocates no memory.
std::uint32_t invariant_crc(const HeaderBytes& headers, const std::uint8_t* payload,
                            std::size_t payload_size);

/// Returns the bytes of a packet from the Ethernet header to the ICRC, without FCS. A null payload
/// stands for a payload of zeros.
std::vector<std::uint8_t> serialize(const Headers& headers, const std::uint8_t* payload,
                                    std::uint32_t payload_size);

enum class ParseError : std::uint8_t {
  kNone,
  kTruncated,    // the frame ends within a header, or before the length in its IPv4 header
  kNotRoce,      // the frame has another EtherType, protocol or port, or is a fragment
  kBadHeader,    // wrong IPv4 version or length, UDP length or BTH version
  kBadChecksum,  // wrong IPv4 header checksum
  kBadOpcode,    // the frame's opcode is not one of the values of Opcode
  kBadPayload,   // the frame's opcode does not allow its padding or payload
  kBadIcrc,
};
const char* describe(ParseError error);

struct Parsed {
  ParseError error = ParseError::kNone;
  Headers headers;
  bool vlan_tagged = false;
  std::uint8_t vlan_priority = 0;
  const std::uint8_t* payload = nullptr;  // first payload byte within the parsed bytes
  std::uint32_t payload_size = 0;
};
/// Parses the bytes of a RoCEv2 packet; accepts any input. One 802.1Q tag is allowed, and Ethernet
/// padding or an FCS behind the ICRC. `headers` and `payload` are valid if `error` is kNone.
Parsed parse(const std::uint8_t* bytes, std::size_t size);

// --- Conversion between the model's packets and bytes ------------------------------------------

/// Addresses of host h: 02:00:00:xx:xx:xx and 10.x.x.x with h + 1 in the lower 24 bits. The UDP
/// source port, 0xC000 and above, depends on the flow and spreads flows over paths.
MacAddress mac_of(HostId host);
/// Locally administered MAC address of a switch port.
MacAddress mac_of_port(unsigned node, unsigned port);
std::uint32_t ip_of(HostId host);
/// Returns the checksum of an IPv4 header without options. The sum includes the checksum field, so
/// the result for a valid header is 0.
std::uint32_t ipv4_checksum(const std::uint8_t* header);
std::uint16_t source_port_of(std::uint32_t flow);

/// Returns the headers of a data, ACK, NAK or CNP packet. `message_bytes` is the DMA length in the
/// RETH. Fields that exist only in the model (time stamp echo, telemetry, source queue pair of a
/// connection) are not included.
Headers headers_of(const Packet& packet, std::uint32_t message_bytes);

/// Operands in the payload of an atomic request; zeros if payload is virtual. put_operands()
/// requires an attached payload of the operands' size.
AtomicOperands operands_of(const Packet& request);
void put_operands(const AtomicOperands& operands, Packet& request);

/// Number of payload bytes on the wire. Operands and results of atomic operations are headers.
inline std::uint32_t payload_on_wire(const Packet& packet) {
  return is_atomic(packet.operation) || packet.operation == Operation::kAtomicResponse
             ? 0
             : packet.payload_bytes;
}

/// Returns the ICRC of a data packet. Precondition: payload is real.
std::uint32_t icrc_of(const Packet& packet);

}  // namespace dcc::roce
