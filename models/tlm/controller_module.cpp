#include "controller_module.h"

#include <stdexcept>
#include <utility>

namespace dcc::model {

namespace {
// rank of the controller's events; any rank is sufficient, since the scheduler has no other events
constexpr std::uint32_t kRank = 1;

WheelSplit split_of(const ControllerConfig& config) {
  WheelSplit split;
  split.top = static_cast<int>(config.split[0]);
  split.middle = static_cast<int>(config.split[1]);
  split.last = static_cast<int>(config.split[2]);
  return split;
}
}  // namespace

ControllerModule::ControllerModule(const sc_core::sc_module_name& name,
                                   const ControllerConfig& config, RateListener listener,
                                   const sc_core::sc_time& apb_latency,
                                   std::unique_ptr<TimerEngine> timers,
                                   std::unique_ptr<RateEngine> rates)
    : sc_module(name),
      listener_(std::move(listener)),
      kernel_("kernel", scheduler_, SimulationKernel::InStep{}),
      device_(scheduler_, config, kRank, *this, std::move(timers), std::move(rates)),
      registers_(
          "registers", device_, [this] { kernel_.synchronise(); }, apb_latency, split_of(config)) {
  if (!listener_) throw std::invalid_argument("a controller without anybody who takes its rates");
  apb.bind(registers_.apb);
  registers_.set_interrupt_listener([this](bool level) {
    interrupt_level_ = level;
    interrupt_changed_.notify(sc_core::SC_ZERO_TIME);
  });
  SC_HAS_PROCESS(ControllerModule);
  SC_METHOD(drive_interrupt);
  dont_initialize();
  sensitive << interrupt_changed_;
}

void ControllerModule::cnp(std::uint32_t flow, std::uint8_t dscp, std::uint8_t marks,
                           std::uint8_t packets) {
  kernel_.synchronise();
  need_enabled();
  device_.cnp(flow, dscp, marks, packets);
}

void ControllerModule::bytes(std::uint32_t flow, std::uint8_t dscp, std::uint32_t length) {
  kernel_.synchronise();
  need_enabled();
  device_.bytes(flow, dscp, length);
}

void ControllerModule::reset() {
  kernel_.synchronise();
  registers_.reset();
}

ControllerEngine& ControllerModule::device() {
  kernel_.synchronise();
  return device_;
}

void ControllerModule::need_enabled() {
  if (warned_ || device_.parameters().enable) return;
  warned_ = true;
  SC_REPORT_WARNING("/dccvp/controller",
                    "a notification while CTRL.ENABLE is 0: it is dropped, as are all until "
                    "software has enabled the controller");
}

void ControllerModule::drive_interrupt() { interrupt.write(interrupt_level_); }

}  // namespace dcc::model
