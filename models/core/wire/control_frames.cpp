#include "wire/control_frames.h"

#include <algorithm>

#include "wire/byte_order.h"

namespace dcc {

namespace {
// minimum length of an Ethernet frame without FCS, in bytes
constexpr std::size_t kMinFrameBytes = 60;
constexpr std::uint32_t kTypeMacControl = 0x8808;
constexpr std::uint32_t kOpcodePfc = 0x0101;
constexpr roce::MacAddress kPauseMulticast = {0x01, 0x80, 0xC2, 0x00, 0x00, 0x01};
constexpr std::size_t kPfcEnd = 14 + 2 + 2 + 2 * kPriorities;

constexpr std::uint32_t kTypeLocalExperiment = 0x88B5;
constexpr std::size_t kCreditEnd = 14 + 4;
constexpr std::uint8_t kOperandFlowPause = 0xF0;  // InfiniBand leaves this operand free
constexpr std::size_t kFlowPauseEnd = 14 + 2 + 6;

constexpr std::uint32_t kTypeCnm = 0x22E7;
constexpr std::size_t kCnmEnd = 14 + 24;

std::uint8_t* write_ethernet(std::vector<std::uint8_t>& bytes, const roce::MacAddress& to,
                             const roce::MacAddress& from, std::uint32_t type) {
  std::copy(to.begin(), to.end(), bytes.begin());
  std::copy(from.begin(), from.end(), bytes.begin() + 6);
  put_be16(bytes.data() + 12, type);
  return bytes.data() + 14;
}
}  // namespace

std::vector<std::uint8_t> serialize(const PfcFrame& frame) {
  std::vector<std::uint8_t> bytes(kMinFrameBytes);
  std::uint8_t* const at =
      write_ethernet(bytes, kPauseMulticast, frame.source_mac, kTypeMacControl);
  put_be16(at, kOpcodePfc);
  put_be16(at + 2, frame.enabled);
  for (std::size_t p = 0; p < kPriorities; ++p) put_be16(at + 4 + 2 * p, frame.time[p]);
  return bytes;
}

bool parse(const std::uint8_t* bytes, std::size_t size, PfcFrame& frame) {
  if (size < kPfcEnd) return false;
  if (!std::equal(kPauseMulticast.begin(), kPauseMulticast.end(), bytes)) return false;
  if (get_be16(bytes + 12) != kTypeMacControl || get_be16(bytes + 14) != kOpcodePfc) return false;
  std::copy_n(bytes + 6, 6, frame.source_mac.begin());
  frame.enabled = bytes[17];
  for (std::size_t p = 0; p < kPriorities; ++p) {
    frame.time[p] = static_cast<std::uint16_t>(get_be16(bytes + 18 + 2 * p));
  }
  return true;
}

PfcFrame pfc_frame_of(const Packet& packet, const roce::MacAddress& source_mac) {
  PfcFrame frame;
  frame.source_mac = source_mac;
  frame.enabled = 0xFF;
  const auto time =
      static_cast<std::uint16_t>(packet.pause_quanta != 0 ? packet.pause_quanta : 0xFFFF);
  for (std::size_t p = 0; p < kPriorities; ++p) {
    frame.time[p] = (packet.pause_classes >> p & 1) != 0 ? time : std::uint16_t{0};
  }
  return frame;
}

std::vector<std::uint8_t> serialize(const CreditFrame& frame) {
  std::vector<std::uint8_t> bytes(kMinFrameBytes);
  std::uint8_t* const at =
      write_ethernet(bytes, kPauseMulticast, frame.source_mac, kTypeLocalExperiment);
  // the highest four bits are the operand of the credit frame; 0: normal flow control
  put_be16(at, frame.sent & 0xFFFu);
  put_be16(at + 2, (frame.lane & 15u) << 12 | (frame.limit & 0xFFFu));
  return bytes;
}

bool parse(const std::uint8_t* bytes, std::size_t size, CreditFrame& frame) {
  if (size < kCreditEnd || get_be16(bytes + 12) != kTypeLocalExperiment) return false;
  if (bytes[14] >> 4 != 0) return false;  // false if the credit frame has another operand
  std::copy_n(bytes + 6, 6, frame.source_mac.begin());
  frame.sent = static_cast<std::uint16_t>(get_be16(bytes + 14));
  frame.lane = static_cast<std::uint8_t>(bytes[16] >> 4);
  frame.limit = static_cast<std::uint16_t>(get_be16(bytes + 16) & 0xFFFu);
  return true;
}

CreditFrame credit_frame_of(const Packet& packet, const roce::MacAddress& source_mac) {
  CreditFrame frame;
  frame.source_mac = source_mac;
  frame.lane = packet.priority;
  frame.sent = static_cast<std::uint16_t>(packet.psn & 0xFFFu);
  frame.limit = static_cast<std::uint16_t>(packet.scheme & 0xFFFu);
  return frame;
}

std::vector<std::uint8_t> serialize(const FlowPauseFrame& frame) {
  std::vector<std::uint8_t> bytes(kMinFrameBytes);
  std::uint8_t* const at =
      write_ethernet(bytes, kPauseMulticast, frame.source_mac, kTypeLocalExperiment);
  at[0] = kOperandFlowPause;
  at[1] = frame.stop ? 1 : 0;
  std::copy(frame.host.begin(), frame.host.end(), at + 2);
  return bytes;
}

bool parse(const std::uint8_t* bytes, std::size_t size, FlowPauseFrame& frame) {
  if (size < kFlowPauseEnd || get_be16(bytes + 12) != kTypeLocalExperiment) return false;
  if (bytes[14] != kOperandFlowPause) return false;
  std::copy_n(bytes + 6, 6, frame.source_mac.begin());
  frame.stop = bytes[15] != 0;
  std::copy_n(bytes + 16, 6, frame.host.begin());
  return true;
}

FlowPauseFrame flow_pause_frame_of(const Packet& packet, const roce::MacAddress& source_mac) {
  FlowPauseFrame frame;
  frame.source_mac = source_mac;
  frame.host = roce::mac_of(packet.destination);
  frame.stop = packet.pause_classes != 0;
  return frame;
}

std::vector<std::uint8_t> serialize(const CnmFrame& frame) {
  std::vector<std::uint8_t> bytes(kMinFrameBytes);
  std::uint8_t* const at = write_ethernet(bytes, frame.destination_mac, frame.source_mac, kTypeCnm);
  // version 0 and reserved bits precede the six bits of feedback
  put_be16(at, frame.feedback & 63u);
  put_be64(at + 2, frame.congestion_point);
  put_be16(at + 10, static_cast<std::uint16_t>(frame.queue_offset));
  put_be16(at + 12, static_cast<std::uint16_t>(frame.queue_delta));
  put_be16(at + 14, static_cast<std::uint32_t>(frame.priority & 7u) << 13);
  std::copy(frame.original_destination.begin(), frame.original_destination.end(), at + 16);
  put_be16(at + 22, 0);  // the length of the encapsulated packet is 0, since none is included
  return bytes;
}

bool parse(const std::uint8_t* bytes, std::size_t size, CnmFrame& frame) {
  if (size < kCnmEnd || get_be16(bytes + 12) != kTypeCnm) return false;
  // false if the congestion notification message has another version
  if (bytes[14] >> 4 != 0) return false;
  std::copy_n(bytes, 6, frame.destination_mac.begin());
  std::copy_n(bytes + 6, 6, frame.source_mac.begin());
  const std::uint8_t* const at = bytes + 14;
  frame.feedback = at[1] & 63;
  frame.congestion_point = get_be64(at + 2);
  frame.queue_offset = static_cast<std::int16_t>(get_be16(at + 10));
  frame.queue_delta = static_cast<std::int16_t>(get_be16(at + 12));
  frame.priority = static_cast<std::uint8_t>(at[14] >> 5);
  std::copy_n(at + 16, 6, frame.original_destination.begin());
  return true;
}

}  // namespace dcc
