#include "build/engines.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "config/own_files.h"
#include "config/rtl_shape.h"
#include "controller/own_rate_unit.h"
#include "controller/rate_lockstep.h"
#include "controller/timing_wheel.h"
#include "nic/pacer/pacer_model.h"

#if defined(DCC_HAVE_RTL) || defined(DCC_HAVE_RATE_RTL) || defined(DCC_HAVE_NOTIFIER_RTL) || \
    defined(DCC_HAVE_PARSER_RTL) || defined(DCC_HAVE_PACER_RTL)
#include "injected_fault.h"
#endif
#ifdef DCC_HAVE_RTL
#include "timer_engine_lockstep.h"
#include "timer_engine_rtl.h"
#include "timing_wheel_dut.h"
#endif
#ifdef DCC_HAVE_CONTROLLER_RTL
#include "controller_engine_lockstep.h"
#endif
#ifdef DCC_HAVE_NOTIFIER_RTL
#include "notification_engine_lockstep.h"
#include "notification_engine_rtl.h"
#endif
#ifdef DCC_HAVE_PACER_RTL
#include "pacer_engine_lockstep.h"
#include "pacer_engine_rtl.h"
#endif
#ifdef DCC_HAVE_PARSER_RTL
#include "parser_engine_lockstep.h"
#include "parser_engine_rtl.h"
#endif
#ifdef DCC_HAVE_RATE_RTL
#include "rate_engine_lockstep.h"
#include "rate_engine_rtl.h"
#endif

namespace dcc::vp {

WheelSplit wheel_split(const ControllerConfig& controller) {
  WheelSplit split;
  split.top = static_cast<int>(controller.split[0]);
  split.middle = static_cast<int>(controller.split[1]);
  split.last = static_cast<int>(controller.split[2]);
  return split;
}

namespace {
std::unique_ptr<TimerEngine> make_model(const ControllerConfig& controller) {
  return std::make_unique<TimingWheel>(controller.slots, wheel_split(controller));
}

#ifdef DCC_HAVE_RTL
static_assert(kVerilatedTimers == kRtlSlots, "CAPS and the wheel that was verilated");
WheelFault injected_wheel_fault() { return injected_fault<WheelFault>("DCCVP_WHEEL_FAULT"); }
#endif
#ifdef DCC_HAVE_RATE_RTL
RateFault injected_rate_fault() { return injected_fault<RateFault>("DCCVP_RATE_FAULT"); }
#endif

#if defined(DCC_HAVE_RTL) || defined(DCC_HAVE_RATE_RTL)
/// Returns an absolute path, so that the command in a report works from any folder.
template <class Options>
void set_recording(Options& options, const RecordingFolder& recordings, const std::string& file) {
  options.log_path = std::filesystem::absolute(recordings.now / file).string();
  options.told_path = std::filesystem::absolute(recordings.told / file).string();
}
#endif

#if !defined(DCC_HAVE_RTL) || !defined(DCC_HAVE_RATE_RTL)
void need_model(Implementation implementation, const char* what) {
  if (implementation == Implementation::kModel) return;
  throw std::runtime_error(std::string("nic.controller.") + what +
                           ": this build has no RTL (configure with -DDCCVP_RTL=ON)");
}
#endif
}  // namespace

#ifdef DCC_HAVE_RTL

std::unique_ptr<TimerEngine> make_timer_engine(const PlatformConfig& config, HostId host,
                                               const RecordingFolder& recordings) {
  const ControllerConfig& controller = config.nic.controller;
  if (controller.timer == Implementation::kModel) return make_model(controller);
  RtlWheelOptions wheel;
  wheel.slots = controller.slots;
  wheel.fault = injected_wheel_fault();
  if (controller.timer == Implementation::kRtl) return make_rtl_timer_engine(wheel);
  LockstepOptions options;
  options.rtl = wheel;
  options.seed = config.seed;
  options.name = fmt::format("host {} timer", host);
  set_recording(options, recordings, fmt::format("wheel_lockstep_host{}.log", host));
  options.replay_program = own_program("wheel_replay").string();
  return make_lockstep_timer_engine(options);
}

void finish_timer_engine(TimerEngine& engine, Tick now) {
  if (auto* const both = dynamic_cast<LockstepTimerEngine*>(&engine)) both->finish(now);
}

#else

void finish_timer_engine(TimerEngine&, Tick) {}

std::unique_ptr<TimerEngine> make_timer_engine(const PlatformConfig& config, HostId,
                                               const RecordingFolder&) {
  need_model(config.nic.controller.timer, "timer");
  return make_model(config.nic.controller);
}

#endif

namespace {

std::string rate_unit_of(HostId host) { return fmt::format("host {} rate unit", host); }

/// Makes a rate unit that a plug-in supplies, alone or in lock-step with the model.
std::unique_ptr<RateEngine> make_own_rate_engine(const OwnRateUnit& unit,
                                                 const PlatformConfig& config, HostId host) {
  if (config.nic.controller.rate_lut == Implementation::kRtl) return unit.make();
  LockstepReport report(fmt::format("{} ({})", rate_unit_of(host), unit.name), {}, {});
  report.seed = config.seed;
  return make_rate_lockstep(std::move(report), unit.make(), {});
}

}  // namespace

std::unique_ptr<RateEngine> make_rate_engine(const PlatformConfig& config, HostId host,
                                             [[maybe_unused]] const RecordingFolder& recordings) {
  const Implementation implementation = config.nic.controller.rate_lut;
  if (implementation == Implementation::kModel) return nullptr;
  if (!own_rate_units().empty()) {
    return make_own_rate_engine(own_rate_units().front(), config, host);
  }
#ifdef DCC_HAVE_RATE_RTL
  RateLockstepOptions options;
  options.rtl.fault = injected_rate_fault();
  if (implementation == Implementation::kRtl) return make_rtl_rate_engine(options.rtl);
  options.seed = config.seed;
  options.name = rate_unit_of(host);
  set_recording(options, recordings, fmt::format("rate_lockstep_host{}.log", host));
  options.replay_program = own_program("rate_replay").string();
  return make_lockstep_rate_engine(options);
#else
  need_model(implementation, "rate_lut");
  return nullptr;
#endif
}

void finish_rate_engine(RateEngine& engine) {
  if (auto* const both = dynamic_cast<LockstepRateEngine*>(&engine)) both->finish();
}

std::unique_ptr<NotificationEngine> make_notification_engine(const PlatformConfig& config,
                                                             [[maybe_unused]] HostId host) {
  const Implementation engine = config.nic.np.engine;
  if (engine == Implementation::kModel) return nullptr;
#ifdef DCC_HAVE_NOTIFIER_RTL
  RtlNotificationOptions options;
  options.host = host;
  options.fault = injected_number("DCCVP_NP_FAULT", kNotificationFaults);
  auto hardware = make_rtl_notification_engine(options);
  if (engine == Implementation::kRtl) return hardware;
  return make_lockstep_notification_engine(
      std::move(hardware), {fmt::format("host {} notification point", host), config.seed});
#else
  throw std::runtime_error("nic.np.engine: this build has no RTL (configure with -DDCCVP_RTL=ON)");
#endif
}

std::unique_ptr<ParserEngine> make_parser_engine(const PlatformConfig& config,
                                                 [[maybe_unused]] HostId host) {
  const Implementation engine = config.nic.parser.engine;
  if (engine == Implementation::kModel) return nullptr;
#ifdef DCC_HAVE_PARSER_RTL
  RtlParserOptions options;
  options.host = host;
  options.fault = injected_number("DCCVP_PARSER_FAULT", kParserFaults);
  auto hardware = make_rtl_parser(options);
  if (engine == Implementation::kRtl) return hardware;
  return make_lockstep_parser(std::move(hardware),
                              {fmt::format("host {} parser", host), config.seed});
#else
  throw std::runtime_error(
      "nic.parser.engine: this build has no RTL (configure with -DDCCVP_RTL=ON)");
#endif
}

std::unique_ptr<PacerEngine> make_pacer_engine(const PlatformConfig& config,
                                               [[maybe_unused]] HostId host,
                                               const PacerSettings& settings) {
  const BlockImplementation engine = config.nic.pacer.engine;
  if (engine == BlockImplementation::kNone) return nullptr;
  if (engine == BlockImplementation::kModel) {
    return std::make_unique<PacerModel>(PacerShape{}, settings);
  }
#ifdef DCC_HAVE_PACER_RTL
  RtlPacerOptions options;
  options.host = host;
  options.fault = injected_number("DCCVP_PACER_FAULT", kPacerFaults);
  auto hardware = make_rtl_pacer(settings, options);
  if (engine == BlockImplementation::kRtl) return hardware;
  return make_lockstep_pacer(std::move(hardware), settings,
                             {fmt::format("host {} pacer", host), config.seed});
#else
  throw std::runtime_error(
      "nic.pacer.engine: this build has no RTL (configure with -DDCCVP_RTL=ON)");
#endif
}

#ifdef DCC_HAVE_CONTROLLER_RTL

static_assert(dcc::kRtlLatency == vp::kRtlLatency, "CAPS and the block that was verilated");

ControllerEngineFactory controller_engine(const PlatformConfig& config, HostId host,
                                          const RecordingFolder& recordings) {
  const Implementation engine = config.nic.controller.engine;
  if (engine == Implementation::kModel) return {};
  ControllerLockstepOptions options;
  options.rtl.fault = injected_number("DCCVP_CONTROLLER_FAULT", kControllerFaults);
  options.seed = config.seed;
  options.name = fmt::format("host {} controller", host);
  set_recording(options, recordings, fmt::format("controller_lockstep_host{}.log", host));
  options.replay_program = own_program("controller_replay").string();
  return
      [engine, options](Scheduler& scheduler, const dcc::ControllerConfig& controller,
                        std::uint32_t rank, RateSink& sink) -> std::unique_ptr<ControllerEngine> {
        if (engine == Implementation::kRtl) {
          return make_rtl_controller(scheduler, controller, rank, sink, options.rtl);
        }
        return make_lockstep_controller(scheduler, controller, rank, sink, options);
      };
}

#else

ControllerEngineFactory controller_engine(const PlatformConfig&, HostId, const RecordingFolder&) {
  return {};
}

#endif

}  // namespace dcc::vp
