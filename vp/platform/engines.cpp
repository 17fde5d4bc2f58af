#include "platform/engines.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "config/own_files.h"
#include "controller/timing_wheel.h"

#if defined(DCC_HAVE_RTL) || defined(DCC_HAVE_RATE_RTL)
#include "injected_fault.h"
#endif
#ifdef DCC_HAVE_RTL
#include "timer_engine_lockstep.h"
#include "timer_engine_rtl.h"
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
WheelFault injected_wheel_fault() { return injected_fault<WheelFault>("DCCVP_WHEEL_FAULT"); }
#endif
#ifdef DCC_HAVE_RATE_RTL
RateFault injected_rate_fault() { return injected_fault<RateFault>("DCCVP_RATE_FAULT"); }
#endif

#if defined(DCC_HAVE_RTL) || defined(DCC_HAVE_RATE_RTL)
/// So that the command in a report works from any folder.
std::string recording_path(const std::string& file) {
  return std::filesystem::absolute(file).string();
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

std::unique_ptr<TimerEngine> make_timer_engine(const PlatformConfig& config, HostId host) {
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
  options.log_path = recording_path(fmt::format("wheel_lockstep_host{}.log", host));
  options.replay_program = own_program("wheel_replay").string();
  return make_lockstep_timer_engine(options);
}

void finish_timer_engine(TimerEngine& engine, Tick now) {
  if (auto* const both = dynamic_cast<LockstepTimerEngine*>(&engine)) both->finish(now);
}

#else

void finish_timer_engine(TimerEngine&, Tick) {}

std::unique_ptr<TimerEngine> make_timer_engine(const PlatformConfig& config, HostId) {
  need_model(config.nic.controller.timer, "timer");
  return make_model(config.nic.controller);
}

#endif

#ifdef DCC_HAVE_RATE_RTL

std::unique_ptr<RateEngine> make_rate_engine(const PlatformConfig& config, HostId host) {
  const Implementation implementation = config.nic.controller.rate_lut;
  if (implementation == Implementation::kModel) return nullptr;
  RateLockstepOptions options;
  options.rtl.fault = injected_rate_fault();
  if (implementation == Implementation::kRtl) return make_rtl_rate_engine(options.rtl);
  options.seed = config.seed;
  options.name = fmt::format("host {} rate unit", host);
  options.log_path = recording_path(fmt::format("rate_lockstep_host{}.log", host));
  options.replay_program = own_program("rate_replay").string();
  return make_lockstep_rate_engine(options);
}

void finish_rate_engine(RateEngine& engine) {
  if (auto* const both = dynamic_cast<LockstepRateEngine*>(&engine)) both->finish();
}

#else

void finish_rate_engine(RateEngine&) {}

std::unique_ptr<RateEngine> make_rate_engine(const PlatformConfig& config, HostId) {
  need_model(config.nic.controller.rate_lut, "rate_lut");
  return nullptr;
}

#endif

}  // namespace dcc::vp
