// Tests the interrupt controller against the rules of driver/irq_regs.h.
#include "machine/interrupt_controller.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include "driver/irq_regs.h"
#include "model_test.h"

namespace dcc::model::interrupt_controller_test {
namespace {

class InterruptControllerTest : public ModelTest {
 protected:
  InterruptControllerTest() {
    initiator.socket.bind(controller.socket);
    controller.connect_output([this](bool high) { edges.push_back(high); });
  }
  tlm::tlm_response_status transport(tlm::tlm_command command, std::uint64_t offset,
                                     std::uint32_t& value, unsigned length = 4) {
    payload.set_command(command);
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    initiator.socket->b_transport(payload, delay);
    return payload.get_response_status();
  }
  std::uint32_t read(std::uint64_t offset) {
    std::uint32_t value = 0;
    EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, offset, value), tlm::TLM_OK_RESPONSE);
    return value;
  }
  void write(std::uint64_t offset, std::uint32_t value) {
    EXPECT_EQ(transport(tlm::TLM_WRITE_COMMAND, offset, value), tlm::TLM_OK_RESPONSE);
  }

  InterruptController controller{"controller", sc_core::sc_time(20, sc_core::SC_NS)};
  Initiator initiator{"initiator"};
  tlm::tlm_generic_payload payload;
  sc_core::sc_time delay;
  std::vector<bool> edges;
};

TEST_F(InterruptControllerTest, OnlyAnEnabledSourceRaisesTheOutput) {
  simulate([&] {
    controller.set_level(IRQ_SOURCE_NIC, true);
    EXPECT_FALSE(controller.output());
    EXPECT_EQ(read(IRQ_PENDING_OFFSET), 1u << 2);
    EXPECT_EQ(read(IRQ_CLAIM_OFFSET), 0u);
    write(IRQ_ENABLE_OFFSET, 0xFFFFFFFF);
    EXPECT_EQ(read(IRQ_ENABLE_OFFSET), 0xFFFFFFFEu) << "source 0 does not exist";
    EXPECT_TRUE(controller.output());
    controller.set_level(IRQ_SOURCE_NIC, false);
    EXPECT_FALSE(controller.output());
    EXPECT_EQ(edges, (std::vector<bool>{true, false}));
  });
}

TEST_F(InterruptControllerTest, ClaimsLowestFirstAndServiceHidesTheSource) {
  simulate([&] {
    write(IRQ_ENABLE_OFFSET, 1u << 4 | 1u << 2);
    controller.set_level(4, true);
    controller.set_level(2, true);
    controller.set_level(1, true);  // source 1 is not enabled
    EXPECT_EQ(read(IRQ_CLAIM_OFFSET), 2u);
    EXPECT_EQ(read(IRQ_SERVICE_OFFSET), 1u << 2);
    EXPECT_TRUE(controller.output()) << "4 still waits";
    EXPECT_EQ(read(IRQ_CLAIM_OFFSET), 4u);
    EXPECT_FALSE(controller.output());
    EXPECT_EQ(read(IRQ_CLAIM_OFFSET), 0u);
    EXPECT_EQ(read(IRQ_LEVEL_OFFSET), 1u << 4 | 1u << 2 | 1u << 1);
    EXPECT_EQ(controller.claims(), 2u);
  });
}

TEST_F(InterruptControllerTest, CompletionOfAStillHighLineRaisesAgain) {
  simulate([&] {
    write(IRQ_ENABLE_OFFSET, 1u << 2);
    controller.set_level(2, true);
    EXPECT_EQ(read(IRQ_CLAIM_OFFSET), 2u);
    EXPECT_FALSE(controller.output());
    write(IRQ_COMPLETE_OFFSET, 3);  // a completion of a source that is not in service has no effect
    write(IRQ_COMPLETE_OFFSET, 99);
    EXPECT_FALSE(controller.output());
    write(IRQ_COMPLETE_OFFSET, 2);
    EXPECT_TRUE(controller.output());
    EXPECT_EQ(read(IRQ_CLAIM_OFFSET), 2u);
    controller.set_level(2, false);
    write(IRQ_COMPLETE_OFFSET, 2);
    EXPECT_FALSE(controller.output());
    EXPECT_EQ(edges, (std::vector<bool>{true, false, true, false}));
  });
}

TEST_F(InterruptControllerTest, EveryMistakenAccessHasItsResponse) {
  simulate([&] {
    std::uint32_t value = 0;
    EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, IRQ_COMPLETE_OFFSET, value),
              tlm::TLM_COMMAND_ERROR_RESPONSE);
    for (const std::uint64_t offset :
         {IRQ_PENDING_OFFSET, IRQ_CLAIM_OFFSET, IRQ_LEVEL_OFFSET, IRQ_SERVICE_OFFSET}) {
      EXPECT_EQ(transport(tlm::TLM_WRITE_COMMAND, offset, value), tlm::TLM_COMMAND_ERROR_RESPONSE);
    }
    EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, 0x18, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, 0x02, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, 0x00, value, 2), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_THROW(controller.set_level(0, true), std::out_of_range);
    EXPECT_THROW(controller.set_level(32, true), std::out_of_range);
  });
}

TEST_F(InterruptControllerTest, ALookThroughTheDebuggerClaimsNothing) {
  simulate([&] {
    write(IRQ_ENABLE_OFFSET, 1u << 3);
    controller.set_level(3, true);
    std::uint32_t words[2] = {};
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(IRQ_ENABLE_OFFSET);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(words));
    payload.set_data_length(8);
    EXPECT_EQ(initiator.socket->transport_dbg(payload), 8u);
    EXPECT_EQ(words[0], 1u << 3);
    EXPECT_EQ(words[1], 3u) << "what a claim would give";
    EXPECT_TRUE(controller.output());
    EXPECT_EQ(controller.claims(), 0u);
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    EXPECT_EQ(initiator.socket->transport_dbg(payload), 0u);
  });
}

TEST_F(InterruptControllerTest, AnAccessHappensAtItsOwnTime) {
  int synchronised = 0;
  controller.set_synchronise([&] { ++synchronised; });
  simulate([&] {
    delay = sc_core::sc_time(300, sc_core::SC_NS);
    write(IRQ_ENABLE_OFFSET, 2);
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(300, sc_core::SC_NS));
    EXPECT_EQ(delay, sc_core::sc_time(20, sc_core::SC_NS));
    EXPECT_EQ(synchronised, 1);
  });
}

TEST_F(InterruptControllerTest, NoSourceIsForgottenUnderRandomTraffic) {
  simulate([&] {
    // Interrupt sources rise at random and fall when they are served. Every rise must be served
    // exactly once.
    std::mt19937 random(5);
    std::vector<int> raised(32), served(32);
    std::uint32_t level = 0;
    write(IRQ_ENABLE_OFFSET, 0xFFFFFFFE);
    for (int i = 0; i < 20'000; ++i) {
      const std::uint32_t source = 1 + random() % 31;
      if ((level >> source & 1u) == 0 && random() % 3 != 0) {
        level |= 1u << source;
        ++raised[source];
        controller.set_level(source, true);
      }
      if (random() % 2 == 0) {
        ASSERT_EQ(controller.output(), level != 0);
        const std::uint32_t claimed = read(IRQ_CLAIM_OFFSET);
        ASSERT_EQ(claimed == 0, level == 0);
        if (claimed == 0) continue;
        ASSERT_EQ(level & ((1u << claimed) - 1), 0u) << "a lower one was pending";
        ++served[claimed];
        level &= ~(1u << claimed);
        controller.set_level(claimed, false);
        write(IRQ_COMPLETE_OFFSET, claimed);
      }
    }
    while (const std::uint32_t claimed = read(IRQ_CLAIM_OFFSET)) {
      ++served[claimed];
      controller.set_level(claimed, false);
      write(IRQ_COMPLETE_OFFSET, claimed);
    }
    EXPECT_EQ(raised, served);
  });
}

}  // namespace
}  // namespace dcc::model::interrupt_controller_test
