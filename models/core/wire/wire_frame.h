// A packet of the models as the bytes that a sniffer at the sending port would see.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "wire/packet.h"
#include "wire/roce_headers.h"

namespace dcc {

/// Bytes of a frame without its FCS: those that were kept, and all of them.
struct FrameSize {
  std::uint32_t captured = 0;
  std::uint32_t length = 0;
};

/// Turns packets into frames of at most `snap_length` bytes. Payload that is not carried
/// (`payload: virtual`) is zeros, and the ICRC is right for them; in-band telemetry, whose format
/// on the wire no standard fixes, is left out. What lies beyond the snap length costs nothing.
class FrameWriter {
 public:
  /// `transport`: whose packets are labelled instead (wire/labelled_frame.h); empty: RoCE's.
  explicit FrameWriter(std::uint32_t snap_length, std::string transport = {})
      : snap_length_(snap_length), transport_(std::move(transport)) {}

  /// Fills `out`, which has room for the snap length. `port` is the sending port's address: the
  /// source of PFC frames and congestion notification messages. Allocates nothing, but for those
  /// two.
  FrameSize write(const Packet& packet, const roce::MacAddress& port, std::uint8_t* out);

 private:
  FrameSize write_transport(const Packet& packet, std::uint8_t* out);
  FrameSize write_labelled(const Packet& packet, std::uint8_t* out) const;
  std::uint32_t icrc_over_zeros(const roce::HeaderBytes& headers, std::uint32_t payload);

  std::uint32_t snap_length_;
  std::string transport_;
  // Payloads of one run are mostly as long as each other: what their zeros do to a CRC is kept.
  std::uint32_t zeros_ = 0;
  std::uint32_t zeros_crc_ = 0;
  std::uint64_t zeros_operator_ = 0;
};

}  // namespace dcc
