// Ethernet frames that stay on one hop or below IP: priority flow control (IEEE 802.1Qbb), credits
// (InfiniBand) and congestion notification messages (IEEE 802.1Qau), as bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "wire/packet.h"
#include "wire/roce_headers.h"

namespace dcc {

/// A PFC frame, MAC control opcode 0x0101. Times are in quanta of 512 bit times, 0 = go on.
struct PfcFrame {
  roce::MacAddress source_mac{};
  std::uint8_t enabled = 0;  // bit p: the time of priority p means something
  std::array<std::uint16_t, kPriorities> time{};
};
/// 60 bytes, Ethernet header to padding, without FCS.
std::vector<std::uint8_t> serialize(const PfcFrame& frame);
/// False when the bytes are no PFC frame. Reads any bytes whatever.
bool parse(const std::uint8_t* bytes, std::size_t size, PfcFrame& frame);

/// The frame of a model's pause packet: all classes enabled; the stopped ones for the longest time.
PfcFrame pfc_frame_of(const Packet& packet, const roce::MacAddress& source_mac);

/// InfiniBand's flow control packet (7.9.4), which has no Ethernet header of its own: carried under
/// the first of the types that IEEE 802 leaves for local experiments.
struct CreditFrame {
  roce::MacAddress source_mac{};
  std::uint8_t lane = 0;
  std::uint16_t sent = 0;   // FCTBS: blocks of 64 bytes, modulo 4096
  std::uint16_t limit = 0;  // FCCL
};
std::vector<std::uint8_t> serialize(const CreditFrame& frame);
bool parse(const std::uint8_t* bytes, std::size_t size, CreditFrame& frame);
CreditFrame credit_frame_of(const Packet& packet, const roce::MacAddress& source_mac);

/// A congestion notification message's own part (802.1Q-2018, 33.4): the encapsulated packet is
/// left out, which the standard allows.
struct CnmFrame {
  roce::MacAddress destination_mac{};
  roce::MacAddress source_mac{};
  std::uint8_t feedback = 0;           // quantised, 0 … 63
  std::uint64_t congestion_point = 0;  // CPID
  std::int16_t queue_offset = 0;       // in 64 bytes
  std::int16_t queue_delta = 0;
  std::uint8_t priority = 0;  // of the packet that is complained of
  roce::MacAddress original_destination{};
};
std::vector<std::uint8_t> serialize(const CnmFrame& frame);
bool parse(const std::uint8_t* bytes, std::size_t size, CnmFrame& frame);

}  // namespace dcc
