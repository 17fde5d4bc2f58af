// Notification points in lock-step: the model and a hardware unit, every decision compared.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "nic/notification/notification_engine.h"

namespace dcc {

struct NotificationLockstepOptions {
  std::string name;        // "host 3 notification point", for reports
  std::uint64_t seed = 0;  // of the run, for reports
};

/// An engine that returns the model's decisions. Throws LockstepMismatch from the call at which the
/// hardware decides otherwise, or sends another CNP.
std::unique_ptr<NotificationEngine> make_lockstep_notification_engine(
    std::unique_ptr<NotificationEngine> hardware, const NotificationLockstepOptions& options);

}  // namespace dcc
