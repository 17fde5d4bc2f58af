// Chooses what computes the controller or its parts: model, verilated RTL, or both in lock-step.
#pragma once

#include <filesystem>
#include <memory>

#include "config/platform_config.h"
#include "controller/controller_engine.h"
#include "controller/rate_engine.h"
#include "controller/timer_engine.h"
#include "controller/timing_wheel.h"

namespace dcc::vp {

/// How the wheel is split, as configured.
WheelSplit wheel_split(const ControllerConfig& controller);

/// Where lock-step leaves what a replay needs, at a difference. Empty: the working directory.
struct RecordingFolder {
  std::filesystem::path now;   // it is written there …
  std::filesystem::path told;  // … and found there when the run is over
};

/// Null (rate engine): the controller's own model.
std::unique_ptr<TimerEngine> make_timer_engine(const PlatformConfig& config, HostId host,
                                               const RecordingFolder& recordings = {});
std::unique_ptr<RateEngine> make_rate_engine(const PlatformConfig& config, HostId host,
                                             const RecordingFolder& recordings = {});

/// Of the whole block. Empty: the model, of those parts.
ControllerEngineFactory controller_engine(const PlatformConfig& config, HostId host,
                                          const RecordingFolder& recordings = {});

/// At the end of a run: in lock-step, what is left in model and hardware must agree too. Throws
/// with the report if it does not.
void finish_timer_engine(TimerEngine& engine, Tick now);
void finish_rate_engine(RateEngine& engine);

}  // namespace dcc::vp
