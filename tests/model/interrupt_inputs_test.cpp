// The interrupt controller of each machine is at the address of that machine's memory map.
#include "machine/interrupt_inputs.h"

#include <gtest/gtest.h>

#include "bus.h"
#include "driver/memory_map.h"
#include "driver/memory_map_virt.h"
#include "model_test.h"

namespace dcc::model::interrupt_inputs_test {
namespace {

class InterruptInputsTest : public ModelTest {
 protected:
  InterruptInputsTest() { initiator.socket.bind(bus.in); }
  Bus bus{"bus", sc_core::SC_ZERO_TIME};
  Initiator initiator{"initiator"};
};

TEST_F(InterruptInputsTest, MachineVirtHasThePlic) {
  const auto controller = make_interrupt_controller(MachineKind::kVirt, bus, sc_core::SC_ZERO_TIME);
  simulate([&] {
    ASSERT_EQ(bus.ranges().size(), 1u);
    EXPECT_EQ(bus.ranges()[0].base, VIRT_PLIC_BASE);
    EXPECT_EQ(bus.ranges()[0].name, "plic");
    // A priority register of the PLIC keeps its value. The interrupt controller of machine dcc has
    // no such register.
    std::uint32_t value = 5;
    EXPECT_EQ(initiator.access(tlm::TLM_WRITE_COMMAND, VIRT_PLIC_BASE + 4, value),
              tlm::TLM_OK_RESPONSE);
    value = 0;
    EXPECT_EQ(initiator.access(tlm::TLM_READ_COMMAND, VIRT_PLIC_BASE + 4, value),
              tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(value, 5u);
  });
}

TEST_F(InterruptInputsTest, MachineDccHasItsOwn) {
  const auto controller = make_interrupt_controller(MachineKind::kDcc, bus, sc_core::SC_ZERO_TIME);
  simulate([&] {
    ASSERT_EQ(bus.ranges().size(), 1u);
    EXPECT_EQ(bus.ranges()[0].base, DCC_INTERRUPT_CONTROLLER_BASE);
    EXPECT_EQ(bus.ranges()[0].name, "interrupt_controller");
    EXPECT_FALSE(controller->output());
  });
}

}  // namespace
}  // namespace dcc::model::interrupt_inputs_test
