// Tests the UART: output, input at the line rate, input flow control, interrupts.
#include "machine/uart.h"

#include "driver/memory_map.h"
#include "model_test.h"

namespace dcc::model::uart_test {
namespace {

class UartTest : public ModelTest {
 protected:
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint32_t offset,
                                  std::uint32_t& value, unsigned bytes = 4) {
    return bus_.access(command, offset, value, bytes);
  }
  std::uint32_t read(std::uint32_t offset) {
    std::uint32_t value = 0;
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, offset, value), tlm::TLM_OK_RESPONSE);
    return value;
  }
  tlm::tlm_response_status write(std::uint32_t offset, std::uint32_t value, unsigned bytes = 4) {
    return access(tlm::TLM_WRITE_COMMAND, offset, value, bytes);
  }
  static void wait_us(double us) { sc_core::wait(us, sc_core::SC_US); }
  void build(const std::string& input) {
    bus_.socket.bind(uart_.socket);
    uart_.set_input(input);
    uart_.connect_interrupt([this](bool high) {
      irq_ = high;
      ++irq_changes_;
    });
  }

  std::string sent_;
  bool irq_ = false;
  int irq_changes_ = 0;
  Initiator bus_{"bus"};
  Uart uart_{"uart", [this](char c) { sent_ += c; }};
};

TEST_F(UartTest, SendsEachByteAtOnce) {
  build("");
  simulate([this] {
    EXPECT_EQ(read(DCC_UART_STATUS), 2u) << "can send, nothing received";
    for (const char c : std::string("hi\n")) {
      EXPECT_EQ(write(DCC_UART_DATA, static_cast<std::uint8_t>(c)), tlm::TLM_OK_RESPONSE);
    }
    EXPECT_EQ(sent_, "hi\n");
    EXPECT_EQ(uart_.bytes_sent(), 3u);
    EXPECT_EQ(read(DCC_UART_DATA), 0u) << "nothing to read is zero";
  });
}

TEST_F(UartTest, InputArrivesCharacterByCharacter) {
  build("ab");
  simulate([this] {
    wait_us(9.5);
    EXPECT_EQ(read(DCC_UART_STATUS), 2u);
    wait_us(1);
    EXPECT_EQ(read(DCC_UART_STATUS), 3u);
    EXPECT_EQ(read(DCC_UART_DATA), std::uint32_t{'a'});
    EXPECT_EQ(read(DCC_UART_STATUS), 2u) << "reading takes it";
    wait_us(10);
    EXPECT_EQ(read(DCC_UART_DATA), std::uint32_t{'b'});
    wait_us(100);
    EXPECT_EQ(read(DCC_UART_STATUS), 2u) << "there were two";
  });
}

TEST_F(UartTest, SixteenUnreadBytesHoldTheSenderBackAndNoneIsLost) {
  const std::string text = "the quick brown fox jumps over the lazy dog";
  build(text);
  simulate([this, &text] {
    wait_us(10.0 * static_cast<double>(text.size()) + 50);
    std::string got;
    for (int i = 0; i < 16; ++i) got += static_cast<char>(read(DCC_UART_DATA));
    EXPECT_EQ(read(DCC_UART_STATUS), 2u) << "the FIFO held sixteen";
    while (got.size() < text.size()) {
      wait_us(10);
      sc_core::wait(sc_core::SC_ZERO_TIME);
      if ((read(DCC_UART_STATUS) & 1) != 0) got += static_cast<char>(read(DCC_UART_DATA));
    }
    EXPECT_EQ(got, text);
  });
}

TEST_F(UartTest, InterruptFollowsDataAndEnable) {
  build("xy");
  simulate([this] {
    wait_us(15);
    EXPECT_FALSE(irq_) << "not enabled";
    EXPECT_EQ(write(DCC_UART_IRQ_ENABLE, 1), tlm::TLM_OK_RESPONSE);
    EXPECT_TRUE(irq_) << "one waits already";
    EXPECT_EQ(read(DCC_UART_IRQ_ENABLE), 1u);
    read(DCC_UART_DATA);
    EXPECT_FALSE(irq_);
    wait_us(10);
    EXPECT_TRUE(irq_);
    EXPECT_EQ(write(DCC_UART_IRQ_ENABLE, 0), tlm::TLM_OK_RESPONSE);
    EXPECT_FALSE(irq_);
    EXPECT_EQ(irq_changes_, 4);
  });
}

TEST_F(UartTest, RefusesWhatIsNoRegisterOrNotWritable) {
  build("");
  simulate([this] {
    std::uint32_t value = 0;
    EXPECT_EQ(write(DCC_UART_STATUS, 1), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(write(0xC, 1), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, 0xC, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(write(DCC_UART_DATA, 'x', 1), tlm::TLM_ADDRESS_ERROR_RESPONSE) << "words only";
    EXPECT_EQ(write(DCC_UART_DATA + 2, 'x'), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(sent_, "");
  });
}

TEST_F(UartTest, ADebuggersLookTakesNothing) {
  build("z");
  simulate([this] {
    wait_us(11);
    for (int i = 0; i < 3; ++i) {
      std::uint32_t value = 0;
      tlm::tlm_generic_payload payload;
      payload.set_command(tlm::TLM_READ_COMMAND);
      payload.set_address(DCC_UART_DATA);
      payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
      payload.set_data_length(4);
      EXPECT_EQ(bus_.socket->transport_dbg(payload), 4u);
      EXPECT_EQ(value, std::uint32_t{'z'});
    }
    EXPECT_EQ(read(DCC_UART_DATA), std::uint32_t{'z'});
  });
}

}  // namespace
}  // namespace dcc::model::uart_test
