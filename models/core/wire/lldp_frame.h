// LLDP frames (IEEE 802.1AB) with what Data Center Bridging tells its neighbour (IEEE 802.1Q-2018,
// annex D.2: ETS, PFC, application priorities), as bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wire/packet.h"
#include "wire/roce_headers.h"

namespace dcc {

/// Who serves a traffic class of a port, and how (802.1Q, table D-8).
enum class TransmissionSelection : std::uint8_t { kStrict = 0, kCreditShaper = 1, kEts = 2 };

/// ETS: a priority's traffic class, a class's share of the bandwidth and how it is served.
struct EtsTable {
  std::array<std::uint8_t, kPriorities> class_of{0, 1, 2, 3, 4, 5, 6, 7};
  std::array<std::uint8_t, kPriorities> bandwidth{};  // percent; of kEts classes 100 together
  std::array<TransmissionSelection, kPriorities> selection{};

  friend bool operator==(const EtsTable& a, const EtsTable& b) {
    return a.class_of == b.class_of && a.bandwidth == b.bandwidth && a.selection == b.selection;
  }
  template <class Digest>
  void add_state(Digest& d) const {
    d(class_of, bandwidth, selection);
  }
};

/// A line of the table of application priorities.
struct ApplicationPriority {
  static constexpr std::uint8_t kUdpPort = 3;  // selectors, 802.1Q table D-9
  static constexpr std::uint8_t kDscp = 5;

  std::uint8_t priority = 0;
  std::uint8_t selector = 0;   // of what `protocol` is a number
  std::uint16_t protocol = 0;  // a UDP port, a DSCP, …

  friend bool operator==(const ApplicationPriority& a, const ApplicationPriority& b) {
    return a.priority == b.priority && a.selector == b.selector && a.protocol == b.protocol;
  }
  template <class Digest>
  void add_state(Digest& d) const {
    d(priority, selector, protocol);
  }
};

/// What one end of a link tells the other. What is empty is not in the frame.
struct LldpFrame {
  struct Ets {
    bool willing = false;
    EtsTable table;
    template <class Digest>
    void add_state(Digest& d) const {
      d(willing, table);
    }
  };
  struct Pfc {
    bool willing = false;
    std::uint8_t classes = kPriorities;  // that can be paused at once; 0 … 15
    std::uint8_t enabled = 0;            // bit p: priority p is paused
    template <class Digest>
    void add_state(Digest& d) const {
      d(willing, classes, enabled);
    }
  };

  roce::MacAddress source{};
  roce::MacAddress chassis{};
  std::string port;  // of the chassis, as it is called there; at most kMaxPort characters
  std::uint16_t seconds_to_live = 0;
  std::optional<Ets> ets;
  std::optional<EtsTable> recommended;  // to the other end
  std::optional<Pfc> pfc;
  std::optional<std::vector<ApplicationPriority>> applications;

  static constexpr std::size_t kMaxPort = 255;

  template <class Digest>
  void add_state(Digest& d) const {
    d.bytes(port.data(), port.size());
    d(source, chassis, seconds_to_live, ets, recommended, pfc, applications);
  }
};

/// From the Ethernet header to the end, padded to the least size, without FCS.
std::vector<std::uint8_t> serialize(const LldpFrame& frame);
/// False when the bytes are no such frame, or break off, or say something twice. Takes any bytes
/// whatever; what it does not know in a sound frame it leaves out.
bool parse(const std::uint8_t* bytes, std::size_t size, LldpFrame& frame);

}  // namespace dcc
