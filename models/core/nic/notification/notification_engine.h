// The interface of a notification point that replaces the receiver's own model: verilated RTL,
// alone or compared with the model.
#pragma once

#include <cstdint>
#include <optional>

#include "nic/nic_parameters.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// A data packet as a notification point sees it.
struct NotifiedPacket {
  PicoSeconds now{};
  std::uint32_t flow = 0;  // flow number of the packet, for reports
  Qpn qpn = 0;             // queue pair at the receiver
  bool marked = false;     // the packet carries CE
  // true if the sender's algorithm uses CNPs; otherwise packets are only counted
  bool wanted = true;
  HostId sender = 0;
  Qpn sender_qpn = 0;  // queue pair at the sender that a CNP goes to
};

/// Content and destination of a CNP.
struct Notification {
  std::uint8_t marks = 0;    // number of CE marks that the CNP reports; 0: clear notification
  std::uint8_t packets = 0;  // number of packets that the CNP reports; 0: not reported
  HostId destination = 0;
  Qpn destination_qpn = 0;
  std::uint8_t dscp = 0;
  std::uint8_t priority = 0;
};

/// Engine of a notification point, which decides which packet causes a CNP. Calls must come in the
/// order of time.
class NotificationEngine {
 public:
  virtual ~NotificationEngine() = default;

  /// Starts a new queue pair without counts and without a CNP interval under way.
  virtual void begin(Qpn qpn) = 0;
  /// Ends a queue pair; does nothing for a queue pair that did not begin.
  virtual void end(Qpn qpn) = 0;
  /// Returns the CNP that a packet causes; empty: no CNP. `parameters`: CNP parameters for the
  /// packet's sender.
  virtual std::optional<Notification> packet(const NotifiedPacket& packet,
                                             const CnpParameters& parameters) = 0;
};

}  // namespace dcc
