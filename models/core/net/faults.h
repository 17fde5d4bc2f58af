// Faults on links: what Link::set_loss_hook takes.
#pragma once

#include <cstdint>
#include <vector>

#include "net/link.h"
#include "sim/random.h"
#include "sim/scheduler.h"
#include "units.h"

namespace dcc {

/// When a fault is there: from `start` (included) to `stop`.
struct FaultWindow {
  PicoSeconds start{};
  PicoSeconds stop = PicoSeconds::max();

  bool contains(PicoSeconds t) const { return start <= t && t < stop; }
};

// All of them spare PFC frames. Real ports repeat these while a pause lasts and let it lapse when
// nothing comes, so that a lost one does no lasting harm; the models send each change once.

/// Every packet is lost with probability q32 / 2^32, each independently. `index` tells links apart.
Link::LossHook lose_randomly(const Scheduler& scheduler, FaultWindow window, std::uint64_t q32,
                             std::uint64_t seed, std::uint64_t index);

/// The CNPs of one flow are lost, nothing else.
Link::LossHook lose_cnps(const Scheduler& scheduler, FaultWindow window, std::uint32_t flow);

/// The wire is cut: whatever is sent is lost.
Link::LossHook cut(const Scheduler& scheduler, FaultWindow window);

/// Several faults on one link. All see every packet, so that one does not change another's draws.
Link::LossHook combine(std::vector<Link::LossHook> faults);

}  // namespace dcc
