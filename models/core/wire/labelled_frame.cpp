#include "wire/labelled_frame.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "describe/enum_names.h"
#include "wire/byte_order.h"
#include "wire/roce_headers.h"

namespace dcc {

// Frames of link control have formats of their own and are not labelled.
DCC_ENUM_NAMES(PacketKind, {PacketKind::kData, "data"}, {PacketKind::kAck, "ack"},
               {PacketKind::kNak, "nak"}, {PacketKind::kCnp, "cnp"},
               {PacketKind::kTrimmed, "trimmed"}, {PacketKind::kReturned, "returned"},
               {PacketKind::kCredit, "credit"}, {PacketKind::kRequest, "request"},
               {PacketKind::kPathNews, "path news"});

namespace {
constexpr std::uint32_t kEthernetHeader = 14;
constexpr std::uint32_t kIpv4Header = 20;
constexpr std::uint32_t kEtherTypeIpv4 = 0x0800;
}  // namespace

LabelledHeader labelled_header(const Packet& packet, const char* transport) {
  LabelledHeader header;
  std::uint8_t* const ethernet = header.bytes.data();
  std::uint8_t* const ip = ethernet + kEthernetHeader;
  auto* const label = reinterpret_cast<char*>(ip + kIpv4Header);
  const std::size_t room = header.bytes.size() - kEthernetHeader - kIpv4Header;
  const int written = std::snprintf(label, room,
                                    "%.16s %s %" PRIu64 ", flow %" PRIu32 ", qp %" PRIu32
                                    ", %" PRIu32 " B, %" PRIx64,
                                    transport, name_of(packet.kind), packet.psn, packet.flow,
                                    packet.destination_qpn, packet.payload_bytes, packet.scheme);
  header.size = kEthernetHeader + kIpv4Header + static_cast<std::uint32_t>(written);
  header.frame =
      std::max(header.size, std::max<std::uint32_t>(packet.wire_bytes, roce::kFcs) - roce::kFcs);

  const roce::MacAddress to = roce::mac_of(packet.destination);
  const roce::MacAddress from = roce::mac_of(packet.source);
  std::copy(from.begin(), from.end(), std::copy(to.begin(), to.end(), ethernet));
  put_be16(ethernet + 12, kEtherTypeIpv4);
  ip[0] = 0x45;  // IPv4 version 4, a header of five words
  ip[1] = static_cast<std::uint8_t>(packet.dscp << 2 | static_cast<unsigned>(packet.ecn));
  put_be16(ip + 2, header.frame - kEthernetHeader);
  put_be16(ip + 4, static_cast<std::uint32_t>(packet.psn & 0xFFFF));
  put_be16(ip + 6, 0x4000);  // IPv4 flag "do not fragment"
  ip[8] = 64;
  ip[9] = kIpProtocolExperiment;
  put_be16(ip + 10, 0);
  put_be32(ip + 12, roce::ip_of(packet.source));
  put_be32(ip + 16, roce::ip_of(packet.destination));
  put_be16(ip + 10, roce::ipv4_checksum(ip));
  return header;
}

}  // namespace dcc
