#include "machine/interrupt_inputs.h"

#include "bus.h"
#include "driver/memory_map.h"
#include "driver/memory_map_virt.h"
#include "machine/interrupt_controller.h"
#include "machine/plic.h"

namespace dcc::model {

std::unique_ptr<InterruptInputs> make_interrupt_controller(MachineKind machine, Bus& bus,
                                                           const sc_core::sc_time& latency,
                                                           unsigned harts) {
  if (machine == MachineKind::kVirt) {
    auto plic = std::make_unique<Plic>("interrupts", latency, harts);
    bus.attach(plic->socket, VIRT_PLIC_BASE, VIRT_PLIC_BYTES, "plic");
    return plic;
  }
  auto controller = std::make_unique<InterruptController>("interrupts", latency);
  bus.attach(controller->socket, DCC_INTERRUPT_CONTROLLER_BASE, DCC_INTERRUPT_CONTROLLER_BYTES,
             "interrupt_controller");
  return controller;
}

}  // namespace dcc::model
