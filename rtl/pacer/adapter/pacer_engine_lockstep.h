// Pacers in lock-step: the model and a verilated unit, whose answers are compared in every cycle.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "nic/pacer/pacer_engine.h"

namespace dcc {

struct PacerLockstepOptions {
  std::string name;        // name of the unit for reports, such as "host 3 pacer"
  std::uint64_t seed = 0;  // seed of the run, for reports
};

/// An engine that returns the model's answers. Throws LockstepMismatch in the first cycle in which
/// the hardware's answer differs.
std::unique_ptr<PacerEngine> make_lockstep_pacer(std::unique_ptr<PacerEngine> hardware,
                                                 const PacerSettings& settings,
                                                 const PacerLockstepOptions& options);

}  // namespace dcc
