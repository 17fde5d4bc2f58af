// Tests the 16550A outside loopback mode: output, input at the line rate without loss, interrupt
// line. tests/firmware/virt compares registers and loopback with QEMU.
#include "machine/uart16550.h"

#include "driver/memory_map_virt.h"
#include "model_test.h"

namespace dcc::model::uart16550_test {
namespace {

class Uart16550Test : public ModelTest {
 protected:
  std::uint32_t read(std::uint32_t offset, unsigned bytes = 1) {
    std::uint32_t value = 0;
    EXPECT_EQ(bus_.access(tlm::TLM_READ_COMMAND, offset, value, bytes), tlm::TLM_OK_RESPONSE);
    return value;
  }
  void write(std::uint32_t offset, std::uint32_t value, unsigned bytes = 1) {
    EXPECT_EQ(bus_.access(tlm::TLM_WRITE_COMMAND, offset, value, bytes), tlm::TLM_OK_RESPONSE);
  }
  void build(const std::string& input) {
    bus_.socket.bind(uart_.socket);
    uart_.set_input(input);
    uart_.connect_interrupt([this](bool high) { irq_ = high; });
  }
  /// Waits for `count` characters of 10 bits at divisor 1. A character takes 16 * 10 cycles of 1.6
  /// MHz, or 100 us.
  static void wait_characters(double count) { sc_core::wait(100 * count, sc_core::SC_US); }
  void use_divisor_1() {
    write(VIRT_UART_LCR, 0x80);
    write(VIRT_UART_DATA, 1);
    write(VIRT_UART_LCR, 0x03);
  }

  std::string sent_;
  bool irq_ = false;
  Initiator bus_{"bus"};
  Uart16550 uart_{"uart", [this](char c) { sent_ += c; }, 1'600'000};
};

TEST_F(Uart16550Test, SendsEachByteAtOnceAtAnyWidth) {
  build("");
  simulate([this] {
    write(VIRT_UART_DATA, 'a');
    write(VIRT_UART_DATA, 'b', 4);
    EXPECT_EQ(read(VIRT_UART_LSR, 4), 0x60u);
    EXPECT_EQ(sent_, "ab");
    write(VIRT_UART_MCR, 0x10);
    write(VIRT_UART_DATA, 'c');
    EXPECT_EQ(sent_, "ab") << "loopback";
    std::uint32_t value = 0;
    EXPECT_EQ(bus_.access(tlm::TLM_READ_COMMAND, 8, value, 1), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}

TEST_F(Uart16550Test, InputWaitsForRoomAndNothingIsLost) {
  const std::string text = "the quick brown fox jumps over the lazy dog";
  build(text);
  simulate([this, &text] {
    use_divisor_1();
    write(VIRT_UART_IIR_FCR, 0x01);
    wait_characters(100);
    EXPECT_EQ(read(VIRT_UART_LSR), 0x61u) << "no overrun";
    std::string got;
    while (got.size() < text.size()) {
      if ((read(VIRT_UART_LSR) & 1u) != 0) {
        got += static_cast<char>(read(VIRT_UART_DATA));
      } else {
        wait_characters(1);
      }
    }
    EXPECT_EQ(got, text);
    write(VIRT_UART_IIR_FCR, 0x00);
    EXPECT_EQ(read(VIRT_UART_LSR), 0x60u);
  });
}

TEST_F(Uart16550Test, InterruptsAtTheTriggerLevelAndAfterATimeout) {
  build("abcdef");
  simulate([this] {
    write(VIRT_UART_IER, 1);
    write(VIRT_UART_IIR_FCR, 0x41);  // FIFO trigger level 4
    use_divisor_1();
    // The transmission of the first character began with the reset values: divisor 12, 7 bits.
    wait_characters(12 * 0.7 + 2.5);
    EXPECT_FALSE(irq_) << "three bytes";
    wait_characters(1);
    EXPECT_TRUE(irq_);
    EXPECT_EQ(read(VIRT_UART_IIR_FCR), 0xC4u);
    EXPECT_EQ(read(VIRT_UART_DATA), std::uint32_t{'a'});
    EXPECT_FALSE(irq_) << "three again";
    wait_characters(1);
    EXPECT_TRUE(irq_);
    for (const char c : std::string("bc")) EXPECT_EQ(read(VIRT_UART_DATA), std::uint32_t(c));
    EXPECT_FALSE(irq_);
    wait_characters(0.5 + 3.5);  // the last character, and less than the receive timeout
    EXPECT_FALSE(irq_);
    wait_characters(1);
    EXPECT_TRUE(irq_);
    EXPECT_EQ(read(VIRT_UART_IIR_FCR), 0xCCu);
  });
}

TEST_F(Uart16550Test, TransmitterInterruptsWhenEnabledAndAfterEachByte) {
  build("");
  simulate([this] {
    write(VIRT_UART_IER, 2);
    EXPECT_TRUE(irq_);
    EXPECT_EQ(read(VIRT_UART_IIR_FCR), 0x02u);
    EXPECT_FALSE(irq_) << "reading the identification takes it";
    write(VIRT_UART_DATA, 'x');
    EXPECT_TRUE(irq_);
    write(VIRT_UART_IER, 0);
    EXPECT_FALSE(irq_);
  });
}

}  // namespace
}  // namespace dcc::model::uart16550_test
