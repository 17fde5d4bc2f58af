// The congestion controller as an APB4 target.
#pragma once

#include <functional>
#include <systemc>

#include "apb.h"
#include "controller/controller_registers.h"

namespace dcc::model {

namespace detail {
/// A base class, so that the registers exist before the target that shows them.
struct ControllerRegistersHolder {
  ControllerRegistersHolder(ControllerEngine& device, const WheelSplit& split)
      : registers(device, split) {}
  regs::ControllerRegisters registers;
};
}  // namespace detail

/// Joins a controller to its register map and puts it on APB. Notifications and rates go past it,
/// straight between the NIC and the device (ControllerEngine::cnp, bytes, RateSink). For a platform
/// that keeps devices on a scheduler of its own; any other takes ControllerModule.
class ApbController final : private detail::ControllerRegistersHolder, public ApbTarget {
 public:
  /// `device` outlives this. `synchronise` as in ApbTarget::set_synchronise: without it a device
  /// would answer nothing, for its clock would stand, so it is asked for here. Latency per access
  /// as in ApbTarget; `split` as in ControllerRegisters.
  ApbController(const sc_core::sc_module_name& name, ControllerEngine& device,
                std::function<void()> synchronise,
                const sc_core::sc_time& latency = sc_core::SC_ZERO_TIME,
                const WheelSplit& split = {});

  ControllerEngine& device() { return registers.device(); }

  /// Level of the interrupt line, called on every change, from the process or device event that
  /// caused it; the devices' clock tells the time.
  void set_interrupt_listener(std::function<void(bool)> listener) {
    registers.block().set_interrupt_listener(std::move(listener));
  }
  bool interrupt() const { return registers.block().interrupt(); }

  /// Hardware reset of registers and device.
  void reset() { registers.reset(); }
};

}  // namespace dcc::model
