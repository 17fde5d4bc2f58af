// The platform's notification point made of verilated hardware.
#pragma once

#include <cstdint>
#include <memory>

#include "nic/notification/notification_engine.h"

namespace dcc {

/// Faults between adapter and hardware that lock-step must find. 1: bit 20 of written intervals is
/// inverted. 2: every 64th mark is lost.
constexpr unsigned kNotificationFaults = 2;

struct RtlNotificationOptions {
  HostId host = 0;  // host whose addresses the CNPs have
  unsigned fault = 0;
};

/// Number of queue pairs that the hardware was built for.
std::uint32_t verilated_notifications();

/// A notification point whose CNPs are read from frames of dc_notifier. Its time is in picoseconds,
/// as the platform's; its clock runs while it has something to do. Calls throw std::runtime_error
/// if more queue pairs are open than it was built for, an assertion fails, or a frame is no CNP.
std::unique_ptr<NotificationEngine> make_rtl_notification_engine(
    const RtlNotificationOptions& options);

}  // namespace dcc
