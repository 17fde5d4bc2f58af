#include "wire/lldp_frame.h"

#include <algorithm>

#include "wire/byte_order.h"

namespace dcc {

namespace {
constexpr std::uint32_t kTypeLldp = 0x88CC;
constexpr std::size_t kLldpHeader = 14;
constexpr std::size_t kLldpLeast = 60;  // minimum length of an LLDP frame without FCS, in bytes
/// Nearest-bridge address; bridges do not forward frames to it (802.1AB, table 7-1).
constexpr roce::MacAddress kNearestBridge = {0x01, 0x80, 0xC2, 0x00, 0x00, 0x0E};

// TLV types (802.1AB, table 8-1), and subtypes of identifiers.
enum TlvType : unsigned {
  kTlvEnd = 0,
  kTlvChassis = 1,
  kTlvPort = 2,
  kTlvTimeToLive = 3,
  kTlvOrganisation = 127
};
constexpr std::uint8_t kChassisIsMac = 4;
constexpr std::uint8_t kPortIsInterface = 5;
constexpr std::uint32_t kIeee8021 = 0x0080C2;
// Subtypes of the IEEE 802.1 organisational TLV (802.1Q, table D-1).
enum QazSubtype : std::uint8_t {
  kEtsConfiguration = 0x09,
  kEtsRecommendation = 0x0A,
  kPfcConfiguration = 0x0B,
  kApplicationPriority = 0x0C,
};
// bytes of the organisation identifier and subtype of an IEEE 802.1 TLV
constexpr std::size_t kIeee8021Head = 4;
// bytes of an ETS table: priorities, bandwidths and selection algorithms
constexpr std::size_t kEtsTableBytes = 20;
constexpr unsigned kWillingBit = 1u << 7;

class LldpWriter {
 public:
  LldpWriter(std::vector<std::uint8_t>& bytes, unsigned type) : bytes_(bytes), at_(bytes.size()) {
    bytes_.resize(at_ + 2);
    put_be16(bytes_.data() + at_, type << 9);
  }
  LldpWriter(const LldpWriter&) = delete;
  LldpWriter& operator=(const LldpWriter&) = delete;
  /// Writes the length of a TLV after its value.
  ~LldpWriter() {
    const std::uint32_t type = get_be16(bytes_.data() + at_);
    put_be16(bytes_.data() + at_, type | static_cast<std::uint32_t>(bytes_.size() - at_ - 2));
  }
  LldpWriter& byte(unsigned value) {
    bytes_.push_back(static_cast<std::uint8_t>(value));
    return *this;
  }
  LldpWriter& pair(unsigned value) { return byte(value >> 8).byte(value); }
  LldpWriter& own(QazSubtype subtype) {
    return byte(kIeee8021 >> 16).byte(kIeee8021 >> 8).byte(kIeee8021).byte(subtype);
  }
  template <class Bytes>
  LldpWriter& all(const Bytes& from) {
    bytes_.insert(bytes_.end(), from.begin(), from.end());
    return *this;
  }
  LldpWriter& table(const EtsTable& table) {
    for (std::size_t p = 0; p < kPriorities; p += 2) {
      byte((table.class_of[p] & 15u) << 4 | (table.class_of[p + 1] & 15u));
    }
    all(table.bandwidth);
    for (const TransmissionSelection s : table.selection) byte(static_cast<std::uint8_t>(s));
    return *this;
  }

 private:
  std::vector<std::uint8_t>& bytes_;
  std::size_t at_;
};

/// Reads the value of one TLV.
struct LldpValue {
  const std::uint8_t* at;
  std::size_t size;
};

EtsTable read_ets_table(const std::uint8_t* at) {
  EtsTable table;
  for (std::size_t p = 0; p < kPriorities; ++p) {
    const unsigned both = at[p / 2];
    table.class_of[p] = static_cast<std::uint8_t>(p % 2 == 0 ? both >> 4 : both & 15u);
  }
  std::copy_n(at + 4, kPriorities, table.bandwidth.begin());
  for (std::size_t c = 0; c < kPriorities; ++c) {
    table.selection[c] = static_cast<TransmissionSelection>(at[12 + c]);
  }
  return table;
}

/// Sets an optional member to a parsed TLV. Returns false if the member is set already: a repeated
/// TLV makes the frame invalid (802.1Q, D.2.7).
template <class T>
bool set_once(std::optional<T>& member, const T& value) {
  if (member) return false;
  member = value;
  return true;
}

bool read_ieee8021(const LldpValue& value, LldpFrame& frame) {
  const std::uint8_t* const at = value.at + kIeee8021Head;
  const std::size_t size = value.size - kIeee8021Head;
  switch (value.at[3]) {
    case kEtsConfiguration:
      if (size != 1 + kEtsTableBytes) return false;
      return set_once(frame.ets, {(at[0] & kWillingBit) != 0, read_ets_table(at + 1)});
    case kEtsRecommendation:
      return size == 1 + kEtsTableBytes && set_once(frame.recommended, read_ets_table(at + 1));
    case kPfcConfiguration:
      if (size != 2) return false;
      return set_once(frame.pfc,
                      {(at[0] & kWillingBit) != 0, static_cast<std::uint8_t>(at[0] & 15u), at[1]});
    case kApplicationPriority: {
      if (size % 3 != 1) return false;
      std::vector<ApplicationPriority> lines;
      for (std::size_t i = 1; i < size; i += 3) {
        lines.push_back({static_cast<std::uint8_t>(at[i] >> 5),
                         static_cast<std::uint8_t>(at[i] & 7u),
                         static_cast<std::uint16_t>(get_be16(at + i + 1))});
      }
      return set_once(frame.applications, lines);
    }
    default:
      return true;  // skips an IEEE 802.1 TLV of another subtype
  }
}

bool read_tlv(unsigned type, const LldpValue& value, LldpFrame& frame) {
  if (type == kTlvTimeToLive) {
    if (value.size < 2) return false;
    frame.seconds_to_live = static_cast<std::uint16_t>(get_be16(value.at));
  } else if (type == kTlvChassis) {
    if (value.size != 7 || value.at[0] != kChassisIsMac) return false;
    std::copy_n(value.at + 1, 6, frame.chassis.begin());
  } else if (type == kTlvPort) {
    if (value.size < 2 || value.at[0] != kPortIsInterface) return false;
    frame.port.assign(value.at + 1, value.at + value.size);
  } else if (type == kTlvOrganisation && value.size >= kIeee8021Head &&
             get_be24(value.at) == kIeee8021) {
    return read_ieee8021(value, frame);
  }
  return true;
}
}  // namespace

std::vector<std::uint8_t> serialize(const LldpFrame& frame) {
  std::vector<std::uint8_t> bytes(kLldpHeader);
  std::copy(kNearestBridge.begin(), kNearestBridge.end(), bytes.begin());
  std::copy(frame.source.begin(), frame.source.end(), bytes.begin() + 6);
  put_be16(bytes.data() + 12, kTypeLldp);
  LldpWriter(bytes, kTlvChassis).byte(kChassisIsMac).all(frame.chassis);
  LldpWriter(bytes, kTlvPort).byte(kPortIsInterface).all(frame.port.substr(0, LldpFrame::kMaxPort));
  LldpWriter(bytes, kTlvTimeToLive).pair(frame.seconds_to_live);
  if (frame.ets) {
    // In the ETS TLV, the value 0 stands for 8 traffic classes.
    LldpWriter(bytes, kTlvOrganisation)
        .own(kEtsConfiguration)
        .byte(frame.ets->willing ? kWillingBit : 0)
        .table(frame.ets->table);
  }
  if (frame.recommended) {
    LldpWriter(bytes, kTlvOrganisation).own(kEtsRecommendation).byte(0).table(*frame.recommended);
  }
  if (frame.pfc) {
    LldpWriter(bytes, kTlvOrganisation)
        .own(kPfcConfiguration)
        .byte((frame.pfc->willing ? kWillingBit : 0) | (frame.pfc->classes & 15u))
        .byte(frame.pfc->enabled);
  }
  if (frame.applications) {
    LldpWriter tlv(bytes, kTlvOrganisation);
    tlv.own(kApplicationPriority).byte(0);
    for (const ApplicationPriority& line : *frame.applications) {
      tlv.byte((line.priority & 7u) << 5 | (line.selector & 7u)).pair(line.protocol);
    }
  }
  LldpWriter(bytes, kTlvEnd);
  if (bytes.size() < kLldpLeast) bytes.resize(kLldpLeast);
  return bytes;
}

bool parse(const std::uint8_t* bytes, std::size_t size, LldpFrame& frame) {
  if (size < kLldpHeader || get_be16(bytes + 12) != kTypeLldp) return false;
  if (!std::equal(kNearestBridge.begin(), kNearestBridge.end(), bytes)) return false;
  frame = LldpFrame();
  std::copy_n(bytes + 6, 6, frame.source.begin());
  unsigned number = 0;
  for (std::size_t at = kLldpHeader; at + 2 <= size; ++number) {
    const std::uint32_t head = get_be16(bytes + at);
    const unsigned type = head >> 9;
    const LldpValue value{bytes + at + 2, head & 0x1FFu};
    at += 2 + value.size;
    if (at > size) return false;
    if (type == kTlvEnd) return value.size == 0 && number >= 3;
    // Chassis, port and time to live are required once each, in this order (802.1AB, 9.2.7.7).
    const bool first_three = type == kTlvChassis || type == kTlvPort || type == kTlvTimeToLive;
    if ((number < 3 && type != number + 1) || (number >= 3 && first_three)) return false;
    if (!read_tlv(type, value, frame)) return false;
  }
  return false;  // the LLDP frame has no end TLV
}

}  // namespace dcc
