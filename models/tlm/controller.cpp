#include "controller.h"

#include <utility>

namespace dcc::model {

ApbController::ApbController(const sc_core::sc_module_name& name, ControllerEngine& device,
                             std::function<void()> synchronise, const sc_core::sc_time& latency,
                             const WheelSplit& split)
    : detail::ControllerRegistersHolder(device, split),
      ApbTarget(name, registers.block(), latency) {
  set_synchronise(std::move(synchronise));
}

}  // namespace dcc::model
