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
  HostId host = 0;  // host whose addresses the CNPs carry
  unsigned fault = 0;
};

/// Number of queue pairs that the hardware was built for.
std::uint32_t verilated_notifications();

/// Makes a notification point from dc_notifier; the CNPs are parsed from the block's frames. Time
/// is in picoseconds, as the platform's; the block is clocked only while it has work. Calls throw
/// std::runtime_error if more queue pairs are open than the hardware was built for, if an assertion
/// fails, or if a frame is no CNP.
std::unique_ptr<NotificationEngine> make_rtl_notification_engine(
    const RtlNotificationOptions& options);

}  // namespace dcc
