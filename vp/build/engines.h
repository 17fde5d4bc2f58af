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

/// Division of the timing wheel's tick number into the digits of its levels, as configured.
WheelSplit wheel_split(const ControllerConfig& controller);

/// Folder into which lock-step records its inputs for a replay if model and RTL differ. Empty: the
/// working directory.
struct RecordingFolder {
  std::filesystem::path now;  // folder to which lock-step writes the recording during the run
  // folder that error messages name, since the results move to this folder at the end of the run
  std::filesystem::path told;
};

/// Makes the engine for timers or rates. Null for rates: the controller's model computes the rates.
std::unique_ptr<TimerEngine> make_timer_engine(const PlatformConfig& config, HostId host,
                                               const RecordingFolder& recordings = {});
std::unique_ptr<RateEngine> make_rate_engine(const PlatformConfig& config, HostId host,
                                             const RecordingFolder& recordings = {});

/// Makes the engine of a receiver's notification point. Null: the receiver's model sends the CNPs.
std::unique_ptr<NotificationEngine> make_notification_engine(const PlatformConfig& config,
                                                             HostId host);

/// Makes the parser of a host's NIC. Null: the algorithm gets CNPs and sent packets without a
/// parser.
std::unique_ptr<ParserEngine> make_parser_engine(const PlatformConfig& config, HostId host);

/// Makes the pacer block of a host's NIC. Null: the transmitter paces packets without a pacer
/// block.
std::unique_ptr<PacerEngine> make_pacer_engine(const PlatformConfig& config, HostId host,
                                               const PacerSettings& settings);

/// Makes the engine of the whole controller block. Empty: the controller's model runs, with engines
/// for timers and rates.
ControllerEngineFactory controller_engine(const PlatformConfig& config, HostId host,
                                          const RecordingFolder& recordings = {});

/// Compares the states of model and RTL at the end of a lock-step run. Throws with a report if the
/// states differ.
void finish_timer_engine(TimerEngine& engine, Tick now);
void finish_rate_engine(RateEngine& engine);

}  // namespace dcc::vp
