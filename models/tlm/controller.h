// The congestion controller as an APB4 target.
#pragma once

#include <functional>
#include <systemc>

#include "apb.h"
#include "controller/controller_registers.h"

namespace dcc::model {

namespace detail {
/// Base class that holds the controller's registers, so that they exist before the APB target that
/// uses them.
struct ControllerRegistersHolder {
  ControllerRegistersHolder(ControllerEngine& device, const WheelSplit& split)
      : registers(device, split) {}
  regs::ControllerRegisters registers;
};
}  // namespace detail

/// The register block of a controller behind an APB4 socket. Notifications and rates go directly
/// between the NIC and the engine (ControllerEngine::cnp, bytes, RateSink). This class is for a
/// platform with its own scheduler for devices; other platforms use ControllerModule.
class ApbController final : private detail::ControllerRegistersHolder, public ApbTarget {
 public:
  /// `device` must outlive the ApbController. `synchronise` brings the device's clock to the
  /// present before each access (ApbTarget::set_synchronise). `latency` as in ApbTarget, `split` as
  /// in ControllerRegisters.
  ApbController(const sc_core::sc_module_name& name, ControllerEngine& device,
                std::function<void()> synchronise,
                const sc_core::sc_time& latency = sc_core::SC_ZERO_TIME,
                const WheelSplit& split = {});

  ControllerEngine& device() { return registers.device(); }

  /// Sets a function that receives the level of the controller's interrupt line on every change,
  /// from the process or the device event that caused the change, at the time of the devices'
  /// clock.
  void set_interrupt_listener(std::function<void(bool)> listener) {
    registers.block().set_interrupt_listener(std::move(listener));
  }
  bool interrupt() const { return registers.block().interrupt(); }

  /// Performs a hardware reset of the controller's registers and device.
  void reset() { registers.reset(); }
};

}  // namespace dcc::model
