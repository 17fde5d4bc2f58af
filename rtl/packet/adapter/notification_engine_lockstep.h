// Notification points in lock-step: the model and a verilated unit, whose decisions are compared
// packet by packet.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "nic/notification/notification_engine.h"

namespace dcc {

struct NotificationLockstepOptions {
  std::string name;        // name for reports, such as "host 3 notification point"
  std::uint64_t seed = 0;  // seed of the run, for reports
};

/// An engine that returns the model's decisions. Throws LockstepMismatch in the call in which the
/// hardware decides differently or sends a different CNP.
std::unique_ptr<NotificationEngine> make_lockstep_notification_engine(
    std::unique_ptr<NotificationEngine> hardware, const NotificationLockstepOptions& options);

}  // namespace dcc
