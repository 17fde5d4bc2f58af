// Chooses the implementation of the controller or its parts: model, verilated RTL, or both in
// lock-step.
#pragma once

#include <filesystem>
#include <memory>

#include "config/platform_config.h"
#include "controller/controller_engine.h"
#include "controller/rate_engine.h"
#include "controller/timer_engine.h"
#include "controller/timing_wheel.h"
#include "nic/notification/notification_engine.h"
#include "nic/pacer/pacer_engine.h"
#include "nic/parser/parser_engine.h"

namespace dcc::vp {

/// The configured split of the timing wheel's tick number into digits.
WheelSplit wheel_split(const ControllerConfig& controller);

/// Folder for the recording that lock-step writes for a replay when model and hardware differ.
/// Empty: the working directory.
struct RecordingFolder {
  std::filesystem::path now;  // folder to which the recording is written during the run
  // folder of the recording that messages name, since the results move there at the end
  std::filesystem::path told;
};

/// Makes the engine for timers or rates. Null for rates: the controller's own model.
std::unique_ptr<TimerEngine> make_timer_engine(const PlatformConfig& config, HostId host,
                                               const RecordingFolder& recordings = {});
std::unique_ptr<RateEngine> make_rate_engine(const PlatformConfig& config, HostId host,
                                             const RecordingFolder& recordings = {});

/// Makes the notification point of a host's receiver. Null: the receiver's own model.
std::unique_ptr<NotificationEngine> make_notification_engine(const PlatformConfig& config,
                                                             HostId host);

/// The parser of a host's NIC. Null: CNPs and sent packets go to the algorithm as they are.
std::unique_ptr<ParserEngine> make_parser_engine(const PlatformConfig& config, HostId host);

/// The pacer block of a host's NIC. Null: the transmitter's pacing without a block.
std::unique_ptr<PacerEngine> make_pacer_engine(const PlatformConfig& config, HostId host,
                                               const PacerSettings& settings);

/// Makes the engine for the whole controller block. Empty: the model, composed of timer and rate
/// engines.
ControllerEngineFactory controller_engine(const PlatformConfig& config, HostId host,
                                          const RecordingFolder& recordings = {});

/// Checks at the end of a run that lock-step left the same state in model and hardware. Throws with
/// a report if a difference is found.
void finish_timer_engine(TimerEngine& engine, Tick now);
void finish_rate_engine(RateEngine& engine);

}  // namespace dcc::vp
