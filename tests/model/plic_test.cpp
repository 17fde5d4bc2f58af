// Tests the PLIC against its specification: priorities, threshold, claim and completion, and
// gateways. Programs with one serial port cannot test these.
#include "machine/plic.h"

#include "driver/memory_map_virt.h"
#include "model_test.h"

namespace dcc::model::plic_test {
namespace {

class PlicTest : public ModelTest {
 protected:
  PlicTest() {
    bus_.socket.bind(plic_.socket);
    plic_.connect_output([this](bool high) {
      output_ = high;
      ++changes_;
    });
  }
  std::uint32_t read(std::uint32_t offset) {
    std::uint32_t value = 0;
    EXPECT_EQ(bus_.access(tlm::TLM_READ_COMMAND, offset, value), tlm::TLM_OK_RESPONSE);
    return value;
  }
  void write(std::uint32_t offset, std::uint32_t value) {
    EXPECT_EQ(bus_.access(tlm::TLM_WRITE_COMMAND, offset, value), tlm::TLM_OK_RESPONSE);
  }
  void set_priority(unsigned source, std::uint32_t priority) {
    write(VIRT_PLIC_PRIORITY + 4 * source, priority);
  }
  void enable(unsigned source) {
    const std::uint32_t word = VIRT_PLIC_ENABLE + source / 32 * 4;
    write(word, read(word) | 1u << (source % 32));
  }
  bool is_pending(unsigned source) {
    return (read(VIRT_PLIC_PENDING + source / 32 * 4) >> (source % 32) & 1u) != 0;
  }
  std::uint32_t claim() { return read(VIRT_PLIC_CLAIM); }
  void complete(std::uint32_t source) { write(VIRT_PLIC_CLAIM, source); }

  Initiator bus_{"bus"};
  Plic plic_{"plic", sc_core::SC_ZERO_TIME};
  bool output_ = false;
  int changes_ = 0;
};

TEST_F(PlicTest, ClaimsByPriorityAndThenByNumber) {
  simulate([this] {
    // Pairs of interrupt source and priority.
    const std::pair<unsigned, std::uint32_t> all[] = {{95, 3}, {96, 7}, {2, 3}, {31, 1},
                                                      {32, 3}, {64, 7}, {1, 0}};
    for (const auto& [source, priority] : all) {
      set_priority(source, priority);
      enable(source);
      plic_.set_level(source, true);
    }
    for (const std::uint32_t wanted : {64u, 96u, 2u, 32u, 95u, 31u, 0u}) {
      EXPECT_EQ(claim(), wanted);
    }
    EXPECT_TRUE(is_pending(1)) << "priority 0 is pending and never interrupts";
    EXPECT_FALSE(output_);
  });
}

TEST_F(PlicTest, ThresholdHoldsTheOutputBackAndNotTheClaim) {
  simulate([this] {
    set_priority(5, 4);
    enable(5);
    write(VIRT_PLIC_THRESHOLD, 4);
    plic_.set_level(5, true);
    EXPECT_FALSE(output_) << "a priority must be above the threshold";
    write(VIRT_PLIC_THRESHOLD, 3);
    EXPECT_TRUE(output_);
    write(VIRT_PLIC_THRESHOLD, 7);
    EXPECT_FALSE(output_);
    EXPECT_EQ(claim(), 5u) << "polling finds what the threshold holds back";
  });
}

TEST_F(PlicTest, GatewayForwardsOneRequestUntilCompletion) {
  simulate([this] {
    set_priority(3, 1);
    enable(3);
    plic_.set_level(3, true);
    EXPECT_EQ(claim(), 3u);
    EXPECT_FALSE(output_);
    plic_.set_level(3, false);
    plic_.set_level(3, true);
    EXPECT_FALSE(is_pending(3)) << "in service";
    EXPECT_EQ(claim(), 0u);
    complete(3);
    EXPECT_TRUE(output_) << "the line is still high";
    EXPECT_EQ(claim(), 3u);
    plic_.set_level(3, false);
    complete(3);
    EXPECT_FALSE(is_pending(3));
    EXPECT_FALSE(output_);
  });
}

TEST_F(PlicTest, RequestStaysWhenTheLineFalls) {
  simulate([this] {
    set_priority(3, 1);
    enable(3);
    plic_.set_level(3, true);
    plic_.set_level(3, false);
    EXPECT_TRUE(is_pending(3));
    EXPECT_TRUE(output_);
    EXPECT_EQ(claim(), 3u);
    complete(3);
    EXPECT_EQ(claim(), 0u);
  });
}

TEST_F(PlicTest, CompletionOfADisabledOrUnknownSourceIsIgnored) {
  simulate([this] {
    set_priority(40, 1);
    enable(40);
    plic_.set_level(40, true);
    EXPECT_EQ(claim(), 40u);
    for (const std::uint32_t other : {0u, 41u, 97u, 0xFFFFFFFFu}) complete(other);
    EXPECT_EQ(claim(), 0u);
    write(VIRT_PLIC_ENABLE + 4, 0);
    complete(40);
    enable(40);
    EXPECT_FALSE(is_pending(40)) << "still in service";
    complete(40);
    EXPECT_TRUE(is_pending(40));
  });
}

TEST_F(PlicTest, RegistersKeepWhatExists) {
  simulate([this] {
    for (const std::uint32_t word : {0u, 1u, 2u, 3u}) {
      write(VIRT_PLIC_ENABLE + 4 * word, 0xFFFFFFFF);
      write(VIRT_PLIC_PENDING + 4 * word, 0xFFFFFFFF);
      EXPECT_EQ(read(VIRT_PLIC_PENDING + 4 * word), 0u);
    }
    EXPECT_EQ(read(VIRT_PLIC_ENABLE), 0xFFFFFFFEu);
    EXPECT_EQ(read(VIRT_PLIC_ENABLE + 8), 0xFFFFFFFFu);
    EXPECT_EQ(read(VIRT_PLIC_ENABLE + 12), 1u) << "source 96 is the last";
    EXPECT_EQ(read(VIRT_PLIC_ENABLE + 16), 0u);
    set_priority(0, 7);
    set_priority(96, 0xFFFFFFFF);
    set_priority(97, 7);
    EXPECT_EQ(read(VIRT_PLIC_PRIORITY), 0u);
    EXPECT_EQ(read(VIRT_PLIC_PRIORITY + 4 * 96), 7u);
    EXPECT_EQ(read(VIRT_PLIC_PRIORITY + 4 * 97), 0u);
    write(VIRT_PLIC_THRESHOLD, 0xFFFFFFFF);
    EXPECT_EQ(read(VIRT_PLIC_THRESHOLD), Plic::kMaxPriority);
    std::uint32_t value = 0;
    EXPECT_EQ(bus_.access(tlm::TLM_READ_COMMAND, VIRT_PLIC_CLAIM, value, 1),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_THROW(plic_.set_level(0, true), std::out_of_range);
    EXPECT_THROW(plic_.set_level(97, true), std::out_of_range);
  });
}

TEST_F(PlicTest, DebuggerClaimsNothing) {
  simulate([this] {
    set_priority(9, 2);
    enable(9);
    plic_.set_level(9, true);
    std::uint32_t value = 0;
    tlm::tlm_generic_payload look;
    look.set_read();
    look.set_address(VIRT_PLIC_CLAIM);
    look.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    look.set_data_length(4);
    EXPECT_EQ(bus_.socket->transport_dbg(look), 4u);
    EXPECT_EQ(value, 9u);
    EXPECT_TRUE(output_);
    EXPECT_EQ(changes_, 1);
  });
}

TEST_F(PlicTest, EachHartHasItsContext) {
  Plic plic("several", sc_core::SC_ZERO_TIME, 2);
  Initiator second("second");
  second.socket.bind(plic.socket);
  bool output[2] = {};
  for (unsigned hart : {0u, 1u}) {
    plic.connect_hart(hart, [&output, hart](bool high) { output[hart] = high; });
  }
  const auto access = [&second](tlm::tlm_command command, std::uint32_t offset,
                                std::uint32_t value) {
    EXPECT_EQ(second.access(command, offset, value), tlm::TLM_OK_RESPONSE);
    return value;
  };
  const auto set = [&](std::uint32_t offset, std::uint32_t value) {
    access(tlm::TLM_WRITE_COMMAND, offset, value);
  };
  const auto get = [&](std::uint32_t offset) { return access(tlm::TLM_READ_COMMAND, offset, 0); };
  simulate([&] {
    set(VIRT_PLIC_PRIORITY + 4 * 5, 3);
    set(VIRT_PLIC_ENABLE + 0x80, 1u << 5);
    plic.set_level(5, true);
    EXPECT_FALSE(output[0]);
    EXPECT_TRUE(output[1]);
    set(VIRT_PLIC_THRESHOLD + 0x1000, 3);
    EXPECT_FALSE(output[1]);
    set(VIRT_PLIC_ENABLE, 1u << 5);
    EXPECT_TRUE(output[0]) << "threshold 0 is that of hart 0";
    EXPECT_EQ(get(VIRT_PLIC_CLAIM + 0x1000), 5u) << "a claim heeds no threshold";
    EXPECT_FALSE(output[0]) << "one of the harts has the source in service";
    EXPECT_EQ(get(VIRT_PLIC_CLAIM), 0u);
    set(VIRT_PLIC_CLAIM + 0x1000, 5);
    EXPECT_TRUE(output[0]);
    set(VIRT_PLIC_ENABLE + 0x100, ~0u);
    EXPECT_EQ(get(VIRT_PLIC_ENABLE + 0x100), 0u) << "context of no hart";
  });
}

}  // namespace
}  // namespace dcc::model::plic_test
