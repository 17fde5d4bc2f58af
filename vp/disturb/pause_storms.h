// Pause storms: NICs that send PFC pauses to their switch without reason, as faulty adapters do.
#pragma once

#include <deque>

#include "build/platform_part.h"
#include "fabric/faults.h"
#include "nic/nic_device.h"
#include "sim/scheduler.h"

namespace dcc::vp {

class PauseStorms final : public PlatformPart {
 public:
  /// Prepares the pause storms. Precondition: check_faults() has passed.
  explicit PauseStorms(Platform& platform);
  /// Schedules the begin and end of all pause storms.
  void begin() override;

 private:
  struct Storm {
    Storm(const FaultParameters& parameters, Scheduler& clock, NicDevice& device);
    void change();
    const FaultParameters& fault;
    Scheduler& scheduler;
    NicDevice& nic;
    bool rages = false;
    Event event;
  };

  std::deque<Storm> storms_;
};

}  // namespace dcc::vp
