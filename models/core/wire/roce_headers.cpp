#include "wire/roce_headers.h"

#include <libdeflate.h>

#include <algorithm>
#include <cassert>
#include <cstring>

#include "describe/enum_names.h"
#include "wire/byte_order.h"

namespace dcc {
DCC_ENUM_NAMES(roce::ParseError, {roce::ParseError::kNone, "no error"},
               {roce::ParseError::kTruncated, "the packet is cut off"},
               {roce::ParseError::kNotRoce, "not a RoCEv2 packet"},
               {roce::ParseError::kBadHeader, "a version or length field is wrong"},
               {roce::ParseError::kBadChecksum, "the IPv4 checksum is wrong"},
               {roce::ParseError::kBadOpcode, "an opcode that is not handled"},
               {roce::ParseError::kBadPayload, "payload or padding that the opcode does not allow"},
               {roce::ParseError::kBadIcrc, "the invariant CRC is wrong"});
}  // namespace dcc

namespace dcc::roce {

namespace {
constexpr std::uint32_t kTypeIpv4 = 0x0800;
constexpr std::uint32_t kTypeVlan = 0x8100;
constexpr std::uint8_t kProtocolUdp = 17;
// first byte of an IPv4 header: version and header length
constexpr std::uint32_t kVersionAndLength = 0x45;
constexpr std::uint32_t kDontFragment = 0x4000;
// mask of the IPv4 flag "more fragments" and the fragment offset
constexpr std::uint32_t kFragmentMask = 0x3FFF;
constexpr std::uint32_t kLow24 = 0xFFFFFF;

// RNR timer values by code, in units of 10 us (table 46). Code 0 stands for the longest time.
constexpr std::uint32_t kNotReadyTimes[32] = {65536, 1,    2,    3,     4,     6,     8,     12,
                                              16,    24,   32,   48,    64,    96,    128,   192,
                                              256,   384,  512,  768,   1024,  1536,  2048,  3072,
                                              4096,  6144, 8192, 12288, 16384, 24576, 32768, 49152};

std::size_t extended_header_bytes(Opcode opcode) {
  if (opcode == Opcode::kCnp) return kCnpReserved;
  return (has_rdeth(opcode) ? kRdeth : 0u) + (has_deth(opcode) ? kDeth : 0u) +
         (has_reth(opcode) ? kReth : 0u) + (has_aeth(opcode) ? kAeth : 0u) +
         (has_immediate(opcode) ? kImmediate : 0u) + (has_atomic_eth(opcode) ? kAtomicEth : 0u) +
         (opcode == Opcode::kAtomicAcknowledge ? kAtomicAckEth : 0u);
}

std::uint32_t padding(std::uint32_t payload) { return (0u - payload) & 3u; }

/// Folds a sum to the Internet checksum (RFC 1071).
std::uint32_t folded(std::uint32_t sum) {
  while (sum > 0xFFFF) sum = (sum & 0xFFFF) + (sum >> 16);
  return ~sum & 0xFFFF;
}

bool known(std::uint8_t opcode) {
  return opcode <= static_cast<std::uint8_t>(Opcode::kFetchAdd) ||
         (opcode >= static_cast<std::uint8_t>(Opcode::kUcSendFirst) &&
          opcode <= static_cast<std::uint8_t>(Opcode::kUcWriteOnlyImmediate)) ||
         (opcode >= static_cast<std::uint8_t>(Opcode::kRdSendFirst) &&
          opcode <= static_cast<std::uint8_t>(Opcode::kRdWriteOnlyImmediate)) ||
         opcode == static_cast<std::uint8_t>(Opcode::kRdAcknowledge) ||
         opcode == static_cast<std::uint8_t>(Opcode::kUdSendOnly) ||
         opcode == static_cast<std::uint8_t>(Opcode::kUdSendOnlyImmediate) ||
         opcode == static_cast<std::uint8_t>(Opcode::kCnp);
}

/// Returns the CRC over `size` header bytes from the IPv4 header on.
std::uint32_t invariant_crc_of(const std::uint8_t* ip, std::size_t size,
                               const std::uint8_t* payload, std::size_t payload_size) {
  // For the invariant CRC, eight bytes of ones replace the local route header of InfiniBand.
  std::array<std::uint8_t, 8 + kIpv4 + kUdp + kBth> masked;
  masked.fill(0xFF);
  std::copy_n(ip, kIpv4 + kUdp + kBth, masked.begin() + 8);
  std::uint8_t* const copy = masked.data() + 8;
  copy[1] = 0xFF;              // DSCP and ECN count as ones in the invariant CRC
  copy[8] = 0xFF;              // the time to live counts as ones in the invariant CRC
  copy[10] = copy[11] = 0xFF;  // the IPv4 checksum counts as ones in the invariant CRC
  copy[kIpv4 + 6] = copy[kIpv4 + 7] = 0xFF;  // the UDP checksum counts as ones in the invariant CRC
  copy[kIpv4 + kUdp + 4] = 0xFF;  // FECN, BECN and reserved bits count as ones in the invariant CRC
  constexpr std::size_t kMasked = kIpv4 + kUdp + kBth;
  std::uint32_t crc = libdeflate_crc32(0, masked.data(), masked.size());
  crc = libdeflate_crc32(crc, ip + kMasked, size - kMasked);
  if (payload_size != 0) crc = libdeflate_crc32(crc, payload, payload_size);
  static constexpr std::uint8_t kZeros[3] = {0, 0, 0};
  const std::uint32_t pad = padding(static_cast<std::uint32_t>(payload_size));
  if (pad != 0) crc = libdeflate_crc32(crc, kZeros, pad);
  return crc;
}
}  // namespace

HeaderBytes write_headers(const Headers& h, std::uint32_t payload) {
  HeaderBytes out;
  const std::size_t extended = extended_header_bytes(h.opcode);
  const std::uint32_t pad = padding(payload);
  const auto udp_length =
      static_cast<std::uint32_t>(kUdp + kBth + extended + payload + pad + kIcrc);

  std::uint8_t* at = out.bytes.data();
  std::memcpy(at, h.destination_mac.data(), 6);
  std::memcpy(at + 6, h.source_mac.data(), 6);
  put_be16(at + 12, kTypeIpv4);
  at += kEthernet;

  at[0] = kVersionAndLength;
  at[1] = static_cast<std::uint8_t>(h.dscp << 2 | static_cast<std::uint8_t>(h.ecn));
  put_be16(at + 2, kIpv4 + udp_length);
  put_be16(at + 4, h.identification);
  put_be16(at + 6, kDontFragment);
  at[8] = h.ttl;
  at[9] = kProtocolUdp;
  put_be32(at + 12, h.source_ip);
  put_be32(at + 16, h.destination_ip);
  // The checksum is computed from the fields: reading back bytes just written would wait for the
  // store buffer.
  put_be16(at + 10,
           folded(((kVersionAndLength << 8) | at[1]) + kIpv4 + udp_length + h.identification +
                  kDontFragment + (h.ttl * 256u | kProtocolUdp) + (h.source_ip >> 16) +
                  (h.source_ip & 0xFFFF) + (h.destination_ip >> 16) + (h.destination_ip & 0xFFFF)));
  at += kIpv4;

  put_be16(at, h.source_port);
  put_be16(at + 2, kUdpPort);
  put_be16(at + 4, udp_length);
  put_be16(at + 6, 0);
  at += kUdp;

  at[0] = static_cast<std::uint8_t>(h.opcode);
  at[1] =
      static_cast<std::uint8_t>((h.solicited ? 0x80u : 0u) | (h.migration ? 0x40u : 0u) | pad << 4);
  put_be16(at + 2, h.partition_key);
  at[4] = static_cast<std::uint8_t>((h.fecn ? 0x80u : 0u) | (h.becn ? 0x40u : 0u));
  put_be24(at + 5, h.destination_qpn & kLow24);
  at[8] = h.ack_request ? 0x80 : 0;
  put_be24(at + 9, h.psn & kLow24);
  at += kBth;

  if (has_rdeth(h.opcode)) {
    put_be32(at, h.ee_context & kLow24);
    at += kRdeth;
  }
  if (has_aeth(h.opcode)) {
    at[0] = h.syndrome;
    put_be24(at + 1, h.message_number & kLow24);
    if (h.opcode == Opcode::kAtomicAcknowledge) put_be64(at + kAeth, h.original);
  } else if (h.opcode == Opcode::kCnp) {
    std::memset(at, 0, kCnpReserved);
    at[0] = h.cnp_marks;
    at[1] = h.cnp_packets;
  } else if (has_deth(h.opcode)) {
    put_be32(at, h.queue_key);
    at[4] = 0;
    put_be24(at + 5, h.source_qpn & kLow24);
    at += kDeth;
  }
  if (has_reth(h.opcode)) {
    put_be64(at, h.virtual_address);
    put_be32(at + 8, h.remote_key);
    put_be32(at + 12, h.dma_length);
    at += kReth;
  }
  if (has_atomic_eth(h.opcode)) {
    put_be64(at, h.virtual_address);
    put_be32(at + 8, h.remote_key);
    put_be64(at + 12, h.swap_or_add);
    put_be64(at + 20, h.compare);
  }
  if (has_immediate(h.opcode)) put_be32(at, h.immediate);
  out.size = kEthernet + kIpv4 + kUdp + kBth + extended;
  return out;
}

std::uint32_t invariant_crc(const HeaderBytes& headers, const std::uint8_t* payload,
                            std::size_t payload_size) {
  assert(headers.size >= kEthernet + kIpv4 + kUdp + kBth);
  return invariant_crc_of(headers.bytes.data() + kEthernet, headers.size - kEthernet, payload,
                          payload_size);
}

std::vector<std::uint8_t> serialize(const Headers& headers, const std::uint8_t* payload,
                                    std::uint32_t payload_size) {
  const HeaderBytes head = write_headers(headers, payload_size);
  std::vector<std::uint8_t> bytes(head.bytes.begin(),
                                  head.bytes.begin() + static_cast<std::ptrdiff_t>(head.size));
  bytes.resize(head.size + payload_size + padding(payload_size) + kIcrc);
  std::uint8_t* const body = bytes.data() + head.size;
  if (payload != nullptr) std::copy_n(payload, payload_size, body);
  const std::uint32_t crc = invariant_crc(head, body, payload_size);
  // The invariant CRC is written least significant byte first, like the Ethernet FCS.
  for (std::size_t i = 0; i < kIcrc; ++i) {
    bytes[bytes.size() - kIcrc + i] = static_cast<std::uint8_t>(crc >> (8 * i));
  }
  return bytes;
}

const char* describe(ParseError error) { return name_of(error); }

Parsed parse(const std::uint8_t* bytes, std::size_t size) {
  Parsed out;
  Headers& h = out.headers;
  const auto fail = [&](ParseError error) {
    out.error = error;
    return out;
  };
  if (size < kEthernet) return fail(ParseError::kTruncated);
  std::copy_n(bytes, 6, h.destination_mac.begin());
  std::copy_n(bytes + 6, 6, h.source_mac.begin());
  std::size_t l2 = kEthernet;
  std::uint32_t type = get_be16(bytes + 12);
  if (type == kTypeVlan) {
    if (size < kEthernet + 4) return fail(ParseError::kTruncated);
    out.vlan_tagged = true;
    out.vlan_priority = static_cast<std::uint8_t>(bytes[14] >> 5);
    type = get_be16(bytes + 16);
    l2 += 4;
  }
  if (type != kTypeIpv4) return fail(ParseError::kNotRoce);

  const std::uint8_t* const ip = bytes + l2;
  std::size_t rest = size - l2;
  if (rest < kIpv4) return fail(ParseError::kTruncated);
  if (ip[0] != kVersionAndLength) return fail(ParseError::kBadHeader);
  if (ipv4_checksum(ip) != 0) return fail(ParseError::kBadChecksum);
  if (ip[9] != kProtocolUdp) return fail(ParseError::kNotRoce);
  if ((get_be16(ip + 6) & kFragmentMask) != 0) return fail(ParseError::kNotRoce);
  const std::size_t total = get_be16(ip + 2);
  if (total > rest) return fail(ParseError::kTruncated);
  if (total < kIpv4 + kUdp) return fail(ParseError::kBadHeader);
  rest = total;  // the remaining bytes are Ethernet padding or FCS
  h.dscp = static_cast<std::uint8_t>(ip[1] >> 2);
  h.ecn = static_cast<Ecn>(ip[1] & 3);
  h.identification = static_cast<std::uint16_t>(get_be16(ip + 4));
  h.ttl = ip[8];
  h.source_ip = get_be32(ip + 12);
  h.destination_ip = get_be32(ip + 16);

  const std::uint8_t* const udp = ip + kIpv4;
  if (get_be16(udp + 2) != kUdpPort) return fail(ParseError::kNotRoce);
  if (get_be16(udp + 4) != total - kIpv4) return fail(ParseError::kBadHeader);
  h.source_port = static_cast<std::uint16_t>(get_be16(udp));
  if (rest < kIpv4 + kUdp + kBth + kIcrc) return fail(ParseError::kTruncated);

  const std::uint8_t* const bth = udp + kUdp;
  if (!known(bth[0])) return fail(ParseError::kBadOpcode);
  if ((bth[1] & 0x0F) != 0) return fail(ParseError::kBadHeader);
  h.opcode = static_cast<Opcode>(bth[0]);
  h.solicited = (bth[1] & 0x80) != 0;
  h.migration = (bth[1] & 0x40) != 0;
  const std::uint32_t pad = bth[1] >> 4 & 3u;
  h.partition_key = static_cast<std::uint16_t>(get_be16(bth + 2));
  h.fecn = (bth[4] & 0x80) != 0;
  h.becn = (bth[4] & 0x40) != 0;
  h.destination_qpn = get_be24(bth + 5);
  h.ack_request = (bth[8] & 0x80) != 0;
  h.psn = get_be24(bth + 9);

  const std::size_t extended = extended_header_bytes(h.opcode);
  const std::size_t fixed = kIpv4 + kUdp + kBth + extended;
  if (rest < fixed + kIcrc) return fail(ParseError::kTruncated);
  const std::uint8_t* at = bth + kBth;
  if (has_rdeth(h.opcode)) {
    if (at[0] != 0) return fail(ParseError::kBadHeader);
    h.ee_context = get_be24(at + 1);
    at += kRdeth;
  }
  if (has_aeth(h.opcode)) {
    h.syndrome = at[0];
    h.message_number = get_be24(at + 1);
    if (h.opcode == Opcode::kAtomicAcknowledge) h.original = get_be64(at + kAeth);
  } else if (h.opcode == Opcode::kCnp) {
    h.cnp_marks = at[0];
    h.cnp_packets = at[1];
  } else if (has_deth(h.opcode)) {
    if (at[4] != 0) return fail(ParseError::kBadHeader);
    h.queue_key = get_be32(at);
    h.source_qpn = get_be24(at + 5);
    at += kDeth;
  }
  if (has_reth(h.opcode)) {
    h.virtual_address = get_be64(at);
    h.remote_key = get_be32(at + 8);
    h.dma_length = get_be32(at + 12);
    at += kReth;
  }
  if (has_atomic_eth(h.opcode)) {
    h.virtual_address = get_be64(at);
    h.remote_key = get_be32(at + 8);
    h.swap_or_add = get_be64(at + 12);
    h.compare = get_be64(at + 20);
  }
  if (has_immediate(h.opcode)) h.immediate = get_be32(at);

  const std::size_t padded = rest - fixed - kIcrc;
  if (padded % 4 != 0 || pad > padded) return fail(ParseError::kBadPayload);
  if (!has_payload(h.opcode) && padded != 0) return fail(ParseError::kBadPayload);
  const std::uint8_t* const body = ip + fixed;
  for (std::size_t i = padded - pad; i < padded; ++i) {
    if (body[i] != 0) return fail(ParseError::kBadPayload);
  }
  const std::uint8_t* const crc = ip + rest - kIcrc;
  // The invariant CRC is read least significant byte first, like the Ethernet FCS.
  const std::uint32_t carried =
      static_cast<std::uint32_t>(crc[0]) | static_cast<std::uint32_t>(crc[1]) << 8 |
      static_cast<std::uint32_t>(crc[2]) << 16 | static_cast<std::uint32_t>(crc[3]) << 24;
  if (invariant_crc_of(ip, fixed, body, padded - pad) != carried) {
    return fail(ParseError::kBadIcrc);
  }
  out.payload = body;
  out.payload_size = static_cast<std::uint32_t>(padded - pad);
  return out;
}

MacAddress mac_of_port(unsigned node, unsigned port) {
  return {0x06,
          static_cast<std::uint8_t>(node >> 16),
          static_cast<std::uint8_t>(node >> 8),
          static_cast<std::uint8_t>(node),
          static_cast<std::uint8_t>(port >> 8),
          static_cast<std::uint8_t>(port)};
}

MacAddress mac_of(HostId host) {
  MacAddress mac{0x02, 0, 0, 0, 0, 0};
  put_be24(mac.data() + 3, (host + 1) & kLow24);
  return mac;
}

std::uint32_t ipv4_checksum(const std::uint8_t* header) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < kIpv4; i += 2) sum += get_be16(header + i);
  return folded(sum);
}

std::uint32_t ip_of(HostId host) { return 10u << 24 | ((host + 1) & kLow24); }

std::uint16_t source_port_of(std::uint32_t flow) {
  return static_cast<std::uint16_t>(0xC000u | (flow & 0x3FFFu));
}

std::uint8_t not_ready_code(PicoSeconds at_least) {
  for (std::uint8_t code = 1; code < 32; ++code) {
    if (not_ready_time(code) >= at_least) return code;
  }
  return 0;
}

PicoSeconds not_ready_time(std::uint8_t code) {
  return kMicroSecond * 10 * static_cast<std::int64_t>(kNotReadyTimes[code & 31u]);
}

namespace {
/// Returns the opcode of a SEND, WRITE or READ response packet, given the opcode of a first packet.
Opcode opcode_of(const Packet& packet) {
  std::uint8_t opcode = 0;  // IBTA table 38 orders the opcodes of all operations in the same way
  if (packet.operation == Operation::kReadResponse) {
    return packet.first ? (packet.last ? Opcode::kReadResponseOnly : Opcode::kReadResponseFirst)
                        : (packet.last ? Opcode::kReadResponseLast : Opcode::kReadResponseMiddle);
  }
  if (packet.operation == Operation::kRead) return Opcode::kReadRequest;
  if (packet.operation == Operation::kCompareSwap) return Opcode::kCompareSwap;
  if (packet.operation == Operation::kFetchAdd) return Opcode::kFetchAdd;
  if (packet.operation == Operation::kAtomicResponse) return Opcode::kAtomicAcknowledge;
  if (packet.operation == Operation::kWrite)
    opcode = static_cast<std::uint8_t>(Opcode::kWriteFirst);
  if (packet.last) {
    opcode = static_cast<std::uint8_t>(opcode + (packet.first ? 4u : 2u) +
                                       (packet.has_immediate ? 1u : 0u));
  } else if (!packet.first) {
    opcode = static_cast<std::uint8_t>(opcode + 1u);
  }
  if (packet.service == Service::kUc) opcode |= kUnreliable;
  if (packet.service == Service::kRd) opcode |= kDatagram;
  if (packet.service == Service::kUd) opcode |= static_cast<std::uint8_t>(Opcode::kUdSendOnly);
  return static_cast<Opcode>(opcode);
}

Opcode answer_of(const Packet& packet) {
  return packet.service == Service::kRd ? Opcode::kRdAcknowledge : Opcode::kAcknowledge;
}

std::uint8_t syndrome_of(const Packet& nak) {
  switch (nak.nak) {
    case NakReason::kSequence:
      return kSyndromeNakSequence;
    case NakReason::kInvalid:
      return kSyndromeNakInvalid;
    case NakReason::kAccess:
      return kSyndromeNakAccess;
    case NakReason::kNotReady:
      break;
  }
  return static_cast<std::uint8_t>(kSyndromeNotReady | (nak.rnr_timer & 31u));
}

/// Copies operands or result of an atomic operation to headers; in memory these words are little
/// endian.
void put_atomics(Headers& h, const Packet& packet) {
  if (packet.payload == nullptr) return;
  if (is_atomic(packet.operation)) {
    const AtomicOperands operands = operands_of(packet);
    h.swap_or_add = operands.swap_or_add;
    h.compare = operands.compare;
  } else if (packet.operation == Operation::kAtomicResponse) {
    h.original = get_le64(packet.payload->data());
  }
}
}  // namespace

AtomicOperands operands_of(const Packet& request) {
  if (request.payload == nullptr) return {};
  return {get_le64(request.payload->data()), get_le64(request.payload->data() + 8)};
}

void put_operands(const AtomicOperands& operands, Packet& request) {
  put_le64(request.payload->data(), operands.swap_or_add);
  put_le64(request.payload->data() + 8, operands.compare);
}

Headers headers_of(const Packet& packet, std::uint32_t message_bytes) {
  Headers h;
  h.destination_mac = mac_of(packet.destination);
  h.source_mac = mac_of(packet.source);
  h.dscp = packet.dscp;
  h.ecn = packet.ecn;
  h.source_ip = ip_of(packet.source);
  h.destination_ip = ip_of(packet.destination);
  h.source_port = source_port_of(packet.flow);
  h.destination_qpn = packet.destination_qpn & kLow24;
  h.psn = static_cast<std::uint32_t>(packet.psn & kLow24);
  if (packet.service == Service::kRd) h.ee_context = packet.ee_context;
  switch (packet.kind) {
    case PacketKind::kData:
      h.opcode = opcode_of(packet);
      h.source_qpn = packet.source_qpn & kLow24;
      h.ack_request = packet.ack_requested;
      h.virtual_address = packet.remote_address;
      h.dma_length = message_bytes;
      h.immediate = packet.immediate;
      put_atomics(h, packet);
      break;
    case PacketKind::kAck:
      h.opcode = answer_of(packet);
      h.syndrome = kSyndromeAck;
      h.becn = packet.ce_echo;
      break;
    case PacketKind::kNak:
      h.opcode = answer_of(packet);
      h.syndrome = syndrome_of(packet);
      // Adapters ignore the message number of a NAK. Selective repeat uses this field for the PSN
      // of the early packet; IRN proposes a header of its own.
      h.message_number = static_cast<std::uint32_t>(packet.remote_address & kLow24);
      break;
    case PacketKind::kCnp:
      h.opcode = Opcode::kCnp;
      h.migration = false;
      h.becn = true;
      h.psn = 0;
      // A CNP that counts marks also counts packets. A plain CNP has zeros in both fields.
      h.cnp_packets = packet.cnp_packets;
      h.cnp_marks = h.cnp_packets != 0 ? packet.cnp_marks : std::uint8_t{0};
      break;
    case PacketKind::kPause:
    case PacketKind::kCreditLimit:
    case PacketKind::kLldp:
    case PacketKind::kCnm:
    case PacketKind::kTrimmed:
    case PacketKind::kReturned:
    case PacketKind::kCredit:
    case PacketKind::kRequest:
    case PacketKind::kPathNews:
    case PacketKind::kFlowPause:
      assert(false && "not an InfiniBand transport packet");
      break;
  }
  return h;
}

std::uint32_t icrc_of(const Packet& packet) {
  const HeaderBytes headers =
      write_headers(headers_of(packet, packet.message_bytes), payload_on_wire(packet));
  return invariant_crc(headers, packet.payload->data(), payload_on_wire(packet));
}

}  // namespace dcc::roce
