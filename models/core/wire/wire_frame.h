// Bytes of a model packet as a sniffer at the sending port sees them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "wire/packet.h"
#include "wire/roce_headers.h"

namespace dcc {

/// Size of a frame without FCS, in bytes: part that is kept, and total.
struct FrameSize {
  std::uint32_t captured = 0;
  std::uint32_t length = 0;
};

/// Converts packets to frames of at most `snap_length` bytes. Virtual payload appears as zeros,
/// with a correct ICRC. In-band telemetry is omitted, since no standard defines its format. Bytes
/// beyond the snap length take no time.
class FrameWriter {
 public:
  /// `transport`: name for labelled frames (wire/labelled_frame.h); empty: RoCE.
  explicit FrameWriter(std::uint32_t snap_length, std::string transport = {})
      : snap_length_(snap_length), transport_(std::move(transport)) {}

  /// Writes the frame of a packet to `out`, which has room for the snap length. `port` is the
  /// address of the sending port, which is the source of link control and of congestion
  /// notification messages.
  FrameSize write(const Packet& packet, const roce::MacAddress& port, std::uint8_t* out);

 private:
  FrameSize write_transport(const Packet& packet, std::uint8_t* out);
  FrameSize write_labelled(const Packet& packet, std::uint8_t* out) const;
  std::uint32_t icrc_over_zeros(const roce::HeaderBytes& headers, std::uint32_t payload);

  std::uint32_t snap_length_;
  std::string transport_;
  // Cached CRC operator for a payload of zeros, since most payloads of a run have the same length.
  std::uint32_t zeros_ = 0;
  std::uint32_t zeros_crc_ = 0;
  std::uint64_t zeros_operator_ = 0;
};

}  // namespace dcc
