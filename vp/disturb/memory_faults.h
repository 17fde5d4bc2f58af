// Flips bits of memories during the run, as soft errors do.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "build/host.h"
#include "build/platform_part.h"
#include "config/platform_config.h"
#include "sim/scheduler.h"

namespace dcc::vp {

class MemoryFaults final : public PlatformPart {
 public:
  /// Prepares the bit flips. Precondition: check_faults() has passed.
  MemoryFaults(const PlatformConfig& config, Scheduler& scheduler,
               std::vector<std::unique_ptr<Host>>& hosts, std::uint32_t rank);
  /// Schedules the bit flips of memories.
  void begin() override;

 private:
  struct Flip {
    Flip(const FaultParameters& parameters, HostDriver& driver, std::uint32_t rank);
    void happen();
    const FaultParameters& fault;
    HostDriver& host;
    Event event;
  };

  Scheduler& scheduler_;
  std::deque<Flip> flips_;
};

}  // namespace dcc::vp
