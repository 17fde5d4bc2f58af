#include "controller.h"

namespace dcc::model {

ApbController::ApbController(const sc_core::sc_module_name& name, ControllerDevice& device,
                             const sc_core::sc_time& latency, const WheelSplit& split)
    : detail::ControllerRegistersHolder(device, split),
      ApbTarget(name, registers.block(), latency) {}

}  // namespace dcc::model
