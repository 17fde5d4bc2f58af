// The interface of a notification point that replaces the receiver's own model: verilated RTL,
// alone or compared with the model.
#pragma once

#include <cstdint>
#include <optional>

#include "nic/nic_parameters.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// A data packet at the notification point.
struct NotifiedPacket {
  PicoSeconds now{};
  std::uint32_t flow = 0;  // flow number, for reports
  Qpn qpn = 0;             // queue pair of the receiver
  bool marked = false;     // the packet carries CE
  bool wanted = true;      // true if the sender's algorithm uses CNPs; else packets are counted
  HostId sender = 0;
  Qpn sender_qpn = 0;  // queue pair that a CNP goes to
};

/// Content and addressee of a CNP.
struct Notification {
  std::uint8_t marks = 0;    // CE marks that the CNP reports; 0: clear notification
  std::uint8_t packets = 0;  // packets that the CNP reports; 0: not reported
  HostId destination = 0;
  Qpn destination_qpn = 0;
  std::uint8_t dscp = 0;
  std::uint8_t priority = 0;
};

/// Decides which packet causes a CNP. Calls must come in the order of time.
class NotificationEngine {
 public:
  virtual ~NotificationEngine() = default;

  /// Starts a new queue pair: no counts, no interval under way.
  virtual void begin(Qpn qpn) = 0;
  /// Ends a queue pair; does nothing for a queue pair that did not begin.
  virtual void end(Qpn qpn) = 0;
  /// Returns the CNP that this packet causes; none: no CNP. `parameters`: those for its sender.
  virtual std::optional<Notification> packet(const NotifiedPacket& packet,
                                             const CnpParameters& parameters) = 0;
};

}  // namespace dcc
