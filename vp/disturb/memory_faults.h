// Flips bits of memories during the run, as soft errors do.
#pragma once

#include <deque>

#include "build/platform_part.h"
#include "fabric/faults.h"
#include "sim/scheduler.h"

namespace dcc::vp {

class HostDriver;

class MemoryFaults final : public PlatformPart {
 public:
  /// Prepares the bit flips. Precondition: check_faults() has passed.
  explicit MemoryFaults(Platform& platform);
  /// Schedules the bit flips of memories.
  void begin() override;

 private:
  struct Flip {
    Flip(const FaultParameters& parameters, HostDriver& driver);
    void happen();
    const FaultParameters& fault;
    HostDriver& host;
    Event event;
  };

  Scheduler& scheduler_;
  std::deque<Flip> flips_;
};

}  // namespace dcc::vp
