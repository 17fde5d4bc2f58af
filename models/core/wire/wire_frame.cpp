#include "wire/wire_frame.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "wire/control_frames.h"
#include "wire/labelled_frame.h"

namespace dcc {

namespace {
std::uint32_t padded(std::uint32_t payload) { return (payload + 3u) & ~3u; }

/// Appends the parts of a captured frame up to the snap length. A null pointer stands for zeros.
struct Snapped {
  std::uint8_t* out;
  std::uint32_t room;
  std::uint32_t at = 0;

  void append(const std::uint8_t* bytes, std::uint32_t size) {
    if (at < room && size != 0) {
      const std::uint32_t kept = std::min(size, room - at);
      if (bytes != nullptr) {
        std::memcpy(out + at, bytes, kept);
      } else {
        std::memset(out + at, 0, kept);
      }
    }
    at += size;
  }
  bool open() const { return at < room; }
  FrameSize size() const { return {std::min(at, room), at}; }
};

CnmFrame cnm_frame_of(const Packet& packet, const roce::MacAddress& port) {
  CnmFrame frame;
  frame.destination_mac = roce::mac_of(packet.destination);
  frame.source_mac = port;
  frame.feedback = static_cast<std::uint8_t>(packet.qcn_feedback);
  frame.priority = packet.priority;
  frame.original_destination = roce::mac_of(packet.source);
  return frame;
}
}  // namespace

FrameSize FrameWriter::write(const Packet& packet, const roce::MacAddress& port,
                             std::uint8_t* out) {
  std::vector<std::uint8_t> bytes;
  if (packet.kind == PacketKind::kLldp) {
    bytes = *packet.payload;
  } else if (packet.kind == PacketKind::kPause) {
    bytes = serialize(pfc_frame_of(packet, port));
  } else if (packet.kind == PacketKind::kCreditLimit) {
    bytes = serialize(credit_frame_of(packet, port));
  } else if (packet.kind == PacketKind::kCnm) {
    bytes = serialize(cnm_frame_of(packet, port));
  } else if (packet.kind == PacketKind::kFlowPause) {
    bytes = serialize(flow_pause_frame_of(packet, port));
  } else {
    // Packets without a defined format are labelled in plain text.
    const bool labelled = !transport_.empty() || packet.kind == PacketKind::kPathNews;
    return labelled ? write_labelled(packet, out) : write_transport(packet, out);
  }
  Snapped frame{out, snap_length_};
  frame.append(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
  return frame.size();
}

FrameSize FrameWriter::write_labelled(const Packet& packet, std::uint8_t* out) const {
  const char* const name = transport_.empty() ? "roce" : transport_.c_str();
  const LabelledHeader header = labelled_header(packet, name);
  Snapped frame{out, snap_length_};
  frame.append(header.bytes.data(), header.size);
  frame.append(nullptr, header.frame - header.size);
  return frame.size();
}

FrameSize FrameWriter::write_transport(const Packet& packet, std::uint8_t* out) {
  const bool data = packet.kind == PacketKind::kData;
  const std::uint32_t payload = data ? roce::payload_on_wire(packet) : 0;
  const roce::HeaderBytes headers =
      roce::write_headers(roce::headers_of(packet, packet.message_bytes), payload);
  const std::uint8_t* const carried = packet.payload != nullptr ? packet.payload->data() : nullptr;

  Snapped frame{out, snap_length_};
  frame.append(headers.bytes.data(), static_cast<std::uint32_t>(headers.size));
  frame.append(carried, payload);
  frame.append(nullptr, padded(payload) - payload);
  std::array<std::uint8_t, roce::kIcrc> crc{};
  if (frame.open()) {
    const std::uint32_t value = carried != nullptr ? roce::invariant_crc(headers, carried, payload)
                                                   : icrc_over_zeros(headers, padded(payload));
    for (std::size_t i = 0; i < crc.size(); ++i) {
      crc[i] = static_cast<std::uint8_t>(value >> (8 * i));
    }
  }
  frame.append(crc.data(), roce::kIcrc);
  return frame.size();
}

std::uint32_t FrameWriter::icrc_over_zeros(const roce::HeaderBytes& headers,
                                           std::uint32_t payload) {
  const std::uint32_t crc = roce::invariant_crc(headers, nullptr, 0);
  if (payload == 0) return crc;
  if (payload != zeros_) {
    static constexpr std::array<std::uint8_t, 256> kZeros{};
    uLong of_zeros = 0;
    for (std::uint32_t left = payload; left > 0;) {
      const std::uint32_t part = std::min<std::uint32_t>(left, kZeros.size());
      of_zeros = crc32_z(of_zeros, kZeros.data(), part);
      left -= part;
    }
    zeros_ = payload;
    zeros_crc_ = static_cast<std::uint32_t>(of_zeros);
    zeros_operator_ = crc32_combine_gen(payload);
  }
  return static_cast<std::uint32_t>(
      crc32_combine_op(crc, zeros_crc_, static_cast<uLong>(zeros_operator_)));
}

}  // namespace dcc
