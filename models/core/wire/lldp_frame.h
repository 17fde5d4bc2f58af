// Byte format of LLDP frames (IEEE 802.1AB) with the TLVs of Data Center Bridging (IEEE
// 802.1Q-2018, annex D.2): ETS, PFC and application priorities.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/state_digest.h"
#include "wire/packet.h"
#include "wire/roce_headers.h"

namespace dcc {

/// Transmission selection algorithm of a traffic class (802.1Q, table D-8).
enum class TransmissionSelection : std::uint8_t { kStrict = 0, kCreditShaper = 1, kEts = 2 };

/// ETS settings of a port: the traffic class of each priority, and the bandwidth and selection
/// algorithm of each class.
struct EtsTable {
  std::array<std::uint8_t, kPriorities> class_of{0, 1, 2, 3, 4, 5, 6, 7};
  // bandwidth of each class in percent; the values of all kEts classes add up to 100
  std::array<std::uint8_t, kPriorities> bandwidth{};
  std::array<TransmissionSelection, kPriorities> selection{};

  friend bool operator==(const EtsTable& a, const EtsTable& b) {
    return a.class_of == b.class_of && a.bandwidth == b.bandwidth && a.selection == b.selection;
  }
  void add_state(StateDigest& d) const { d(class_of, bandwidth, selection); }
};

/// One entry of the application priority table of DCBX.
struct ApplicationPriority {
  static constexpr std::uint8_t kUdpPort = 3;  // values of the selector field (802.1Q, table D-9)
  static constexpr std::uint8_t kDscp = 5;

  std::uint8_t priority = 0;
  std::uint8_t selector = 0;  // kind of number in `protocol`: a UDP port, a DSCP, or another number
  std::uint16_t protocol = 0;  // protocol of the entry: UDP port, DSCP, or another number

  friend bool operator==(const ApplicationPriority& a, const ApplicationPriority& b) {
    return a.priority == b.priority && a.selector == b.selector && a.protocol == b.protocol;
  }
  void add_state(StateDigest& d) const { d(priority, selector, protocol); }
};

/// Content of an LLDP frame. An empty member has no TLV in the frame.
struct LldpFrame {
  struct Ets {
    bool willing = false;
    EtsTable table;
    void add_state(StateDigest& d) const { d(willing, table); }
  };
  struct Pfc {
    bool willing = false;
    // number of traffic classes that can be paused at once, 0 to 15
    std::uint8_t classes = kPriorities;
    std::uint8_t enabled = 0;  // mask of priorities with PFC enabled: bit p for priority p
    void add_state(StateDigest& d) const { d(willing, classes, enabled); }
  };

  roce::MacAddress source{};
  roce::MacAddress chassis{};
  std::string port;  // name of the sending port, at most kMaxPort characters
  std::uint16_t seconds_to_live = 0;
  std::optional<Ets> ets;
  std::optional<EtsTable> recommended;  // ETS recommendation to the port at the other end
  std::optional<Pfc> pfc;
  std::optional<std::vector<ApplicationPriority>> applications;

  static constexpr std::size_t kMaxPort = 255;

  void add_state(StateDigest& d) const {
    d.bytes(port.data(), port.size());
    d(source, chassis, seconds_to_live, ets, recommended, pfc, applications);
  }
};

/// Returns the LLDP frame from the Ethernet header on, padded to the minimum size, without FCS.
std::vector<std::uint8_t> serialize(const LldpFrame& frame);
/// Parses an LLDP frame. Returns false if the bytes are not an LLDP frame, are truncated, or repeat
/// a TLV. The parser accepts any input and skips unknown TLVs.
bool parse(const std::uint8_t* bytes, std::size_t size, LldpFrame& frame);

}  // namespace dcc
