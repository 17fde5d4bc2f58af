// Byte formats of Ethernet frames below IP: priority flow control (IEEE 802.1Qbb), credits
// (InfiniBand), congestion notification messages (IEEE 802.1Qau) and pauses of the packets to one
// host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "wire/packet.h"
#include "wire/roce_headers.h"

namespace dcc {

/// A PFC frame, MAC control opcode 0x0101. Pause times are in quanta of 512 bit times; 0 resumes
/// the priority.
struct PfcFrame {
  roce::MacAddress source_mac{};
  std::uint8_t enabled = 0;  // mask of valid pause times: bit p for priority p
  std::array<std::uint16_t, kPriorities> time{};
};
/// Returns the bytes of a PFC frame: 60 bytes, from Ethernet header to padding, without FCS.
std::vector<std::uint8_t> serialize(const PfcFrame& frame);
/// Parses a PFC frame. Returns false if the bytes are not a PFC frame. The parser accepts any
/// input.
bool parse(const std::uint8_t* bytes, std::size_t size, PfcFrame& frame);

/// Makes the frame of a kPause packet: all classes enabled. Stopped classes have the pause time of
/// the packet, or the longest time if the packet has none.
PfcFrame pfc_frame_of(const Packet& packet, const roce::MacAddress& source_mac);

/// InfiniBand flow control packet (7.9.4), which carries the credits of a lane. InfiniBand has no
/// Ethernet header, so the frame uses the first EtherType that IEEE 802 reserves for local
/// experiments.
struct CreditFrame {
  roce::MacAddress source_mac{};
  std::uint8_t lane = 0;
  std::uint16_t sent = 0;   // FCTBS: total of blocks of 64 bytes sent, modulo 4096
  std::uint16_t limit = 0;  // FCCL: greatest value of FCTBS that the sender may reach
};
std::vector<std::uint8_t> serialize(const CreditFrame& frame);
bool parse(const std::uint8_t* bytes, std::size_t size, CreditFrame& frame);
CreditFrame credit_frame_of(const Packet& packet, const roce::MacAddress& source_mac);

/// A pause of the packets to one host (PacketKind::kFlowPause). No standard has this frame, so it
/// has the EtherType of CreditFrame and another operand.
struct FlowPauseFrame {
  roce::MacAddress source_mac{};
  roce::MacAddress host{};  // address of the host whose packets must wait or may leave again
  bool stop = false;
};
std::vector<std::uint8_t> serialize(const FlowPauseFrame& frame);
bool parse(const std::uint8_t* bytes, std::size_t size, FlowPauseFrame& frame);
FlowPauseFrame flow_pause_frame_of(const Packet& packet, const roce::MacAddress& source_mac);

/// Congestion notification message (802.1Q-2018, 33.4) without the encapsulated packet, which is
/// optional in the standard.
struct CnmFrame {
  roce::MacAddress destination_mac{};
  roce::MacAddress source_mac{};
  std::uint8_t feedback = 0;           // quantised feedback, 0 to 63
  std::uint64_t congestion_point = 0;  // CPID, identifier of the congestion point
  // difference of the queue length from its set point, in units of 64 bytes
  std::int16_t queue_offset = 0;
  std::int16_t queue_delta = 0;
  std::uint8_t priority = 0;  // priority of the packet that caused the message
  roce::MacAddress original_destination{};
};
std::vector<std::uint8_t> serialize(const CnmFrame& frame);
bool parse(const std::uint8_t* bytes, std::size_t size, CnmFrame& frame);

}  // namespace dcc
