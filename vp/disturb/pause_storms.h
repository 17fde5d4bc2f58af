// Pause storms: NICs that send PFC pauses to their switch without reason, as faulty adapters do.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "build/host.h"
#include "build/platform_part.h"
#include "config/platform_config.h"
#include "parallel/partitions.h"
#include "sim/scheduler.h"

namespace dcc::vp {

class PauseStorms final : public PlatformPart {
 public:
  /// Prepares the pause storms. Precondition: check_faults() has passed.
  PauseStorms(const PlatformConfig& config, const Topology& topology, Partitions& partitions,
              std::vector<std::unique_ptr<Host>>& hosts, std::uint32_t rank);
  /// Schedules the begin and end of all pause storms.
  void begin() override;

 private:
  struct Storm {
    Storm(const FaultParameters& parameters, Scheduler& clock, NicDevice& device,
          std::uint32_t rank);
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
