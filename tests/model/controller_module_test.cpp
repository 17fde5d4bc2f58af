// Tests the controller's SystemC module in a platform that does not know the module's scheduler:
// rates arrive at the right SystemC time.
#include "controller_module.h"

#include <vector>

#include "model_test.h"
#include "registers/generated/dcc_map.h"

namespace dcc::model::controller_module_test {
namespace {

namespace map = regs::dcc_map;

struct Answer {
  std::uint32_t flow;
  Rate rate;
  sc_core::sc_time when;
};

class ControllerModuleTest : public ModelTest {
 protected:
  ControllerModuleTest() { initiator.socket.bind(controller.apb); }

  void write(std::uint32_t address, std::uint32_t value) {
    EXPECT_EQ(initiator.access(tlm::TLM_WRITE_COMMAND, address, value), tlm::TLM_OK_RESPONSE);
  }
  void enable() {
    for (std::uint32_t i = 0; i < 257; ++i) write(DCC_DECREASE_OFFSET + 4 * i, 32768);
    write(DCC_CTRL_OFFSET, map::kMap.registers[map::kCtrl].reset | DCC_CTRL_ENABLE_MASK);
    sc_core::wait(1, sc_core::SC_US);  // a register write affects inputs that are sampled later
  }

  std::vector<Answer> answers;
  ControllerModule controller{"controller", {}, [this](std::uint32_t flow, Rate rate) {
                                answers.push_back({flow, rate, sc_core::sc_time_stamp()});
                              }};
  Initiator initiator{"initiator"};
};

// A rate arrives after 64 cycles of 4 ns, although no process waits for another event and no code
// runs the scheduler.
TEST_F(ControllerModuleTest, ARateComesOneLatencyAfterItsNotification) {
  simulate([this] {
    enable();
    sc_core::wait(9, sc_core::SC_US);
    controller.cnp(7, 0);
    sc_core::wait(255, sc_core::SC_NS);
    EXPECT_TRUE(answers.empty());
    sc_core::wait(1, sc_core::SC_US);
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(answers[0].flow, 7u);
    // The controller samples an input at an edge and issues it at the next edge, which adds at most
    // two cycles.
    EXPECT_GE(answers[0].when, sc_core::sc_time(10'256, sc_core::SC_NS));
    EXPECT_LE(answers[0].when, sc_core::sc_time(10'264, sc_core::SC_NS));
  });
}

// The timer raises the flow's rate again without any call from outside.
TEST_F(ControllerModuleTest, TheTimerGoesOnByItself) {
  simulate([this] {
    enable();
    controller.cnp(7, 0);
    sc_core::wait(10, sc_core::SC_MS);
    ASSERT_GT(answers.size(), 3u);
    for (std::size_t i = 1; i < answers.size(); ++i) {
      EXPECT_GT(answers[i].rate, answers[i - 1].rate);
      EXPECT_GT(answers[i].when, answers[i - 1].when);
    }
    // The controller released the slot when its rate reached the maximum.
    EXPECT_FALSE(controller.device().slot_of(7).has_value());
  });
}

// Each issued rate triggers the next notification at the same time.
TEST_F(ControllerModuleTest, AnswersAndNotificationsTakeTurns) {
  std::uint32_t again = 3;
  sc_core::sc_event came;
  simulate([&] {
    enable();
    controller.cnp(1, 0);
    while (again-- > 0) {
      sc_core::wait(1, sc_core::SC_US);
      ASSERT_FALSE(answers.empty());
      controller.cnp(1 + answers.back().flow, 0);
    }
    sc_core::wait(1, sc_core::SC_US);
    ASSERT_EQ(answers.size(), 4u);
    EXPECT_EQ(answers[3].flow, 4u);
    EXPECT_GE(answers[3].when, sc_core::sc_time(4'256, sc_core::SC_NS));
  });
}

TEST_F(ControllerModuleTest, ANotificationThatNobodyTakesIsReported) {
  expect_report("/dccvp/controller");
  simulate([this] {
    controller.cnp(7, 0);
    controller.bytes(7, 0, 1000);
    sc_core::wait(1, sc_core::SC_MS);
    EXPECT_TRUE(answers.empty());
  });
}

TEST_F(ControllerModuleTest, ARefusedAccessRaisesTheInterruptLine) {
  simulate([this] {
    write(DCC_IRQ_MASK_OFFSET, DCC_IRQ_MASK_ERROR_MASK);
    std::uint32_t value = 0;
    EXPECT_NE(initiator.access(tlm::TLM_WRITE_COMMAND, DCC_ID_OFFSET, value), tlm::TLM_OK_RESPONSE);
    sc_core::wait(1, sc_core::SC_NS);
    EXPECT_TRUE(controller.interrupt.read());
    write(DCC_IRQ_STATUS_OFFSET, DCC_IRQ_STATUS_ERROR_MASK);
    sc_core::wait(1, sc_core::SC_NS);
    EXPECT_FALSE(controller.interrupt.read());
  });
}

}  // namespace
}  // namespace dcc::model::controller_module_test
