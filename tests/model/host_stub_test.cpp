// Tests the model of a native processor: HAL accesses on the bus, sleep and wake-up, and the effect
// of a refused access.
#include "host_stub.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "bus.h"
#include "driver/hal.h"
#include "driver/irq_regs.h"
#include "machine/interrupt_controller.h"
#include "model_test.h"
#include "ram.h"

namespace dcc::model::host_stub_test {
namespace {

using sc_core::SC_NS;
using sc_core::sc_time;
using sc_core::SC_US;

constexpr std::uint64_t kRam = 0x8000'0000;
constexpr std::uint64_t kIrq = DCC_INTERRUPT_CONTROLLER_BASE;

class HostStubTest : public ModelTest {
 protected:
  /// Builds a host with an interrupt controller and RAM. An access to RAM takes 12 ns.
  void build(HostStub::Program program) {
    stub = std::make_unique<HostStub>("stub", std::move(program));
    stub->socket.bind(bus.in);
    stub->set_namer([this](std::uint64_t address) { return bus.describe(address); });
    bus.attach(ram.socket, kRam, ram.size(), "ram");
    bus.attach(irq.socket, kIrq, DCC_INTERRUPT_CONTROLLER_BYTES, "irq");
    irq.connect_output([this](bool high) { stub->set_interrupt(high); });
  }

  Bus bus{"bus", sc_time(2, SC_NS)};
  Ram ram{"ram", 1 << 20, sc_time(10, SC_NS)};
  InterruptController irq{"irq", sc_time(20, SC_NS)};
  std::unique_ptr<HostStub> stub;
};

TEST_F(HostStubTest, RegistersAndMemoryAreTheSameRam) {
  build([](const hal& h) {
    auto* const words = static_cast<std::uint32_t*>(hal_memory(&h, kRam + 0x100, 8));
    EXPECT_NE(words, nullptr);
    words[0] = 0x12345678;
    hal_barrier(&h);
    EXPECT_EQ(hal_read32(&h, kRam + 0x100), 0x12345678u);
    hal_write32(&h, kRam + 0x104, 99);
    EXPECT_EQ(words[1], 99u);
    return 42;
  });
  simulate([&] {
    sc_core::wait(1, SC_US);
    EXPECT_TRUE(stub->finished());
    EXPECT_EQ(stub->exit_code(), 42);
    EXPECT_FALSE(stub->failed());
  });
}

TEST_F(HostStubTest, MemoryOutsideRamIsNull) {
  build([](const hal& h) {
    EXPECT_NE(hal_memory(&h, kRam, 1 << 20), nullptr);
    EXPECT_EQ(hal_memory(&h, kRam, (1 << 20) + 1), nullptr);
    EXPECT_NE(hal_memory(&h, kRam + (1 << 20) - 4, 4), nullptr);
    EXPECT_EQ(hal_memory(&h, kRam + (1 << 20) - 4, 5), nullptr);
    EXPECT_EQ(hal_memory(&h, kIrq, 4), nullptr);
    EXPECT_EQ(hal_memory(&h, 0x10, 4), nullptr);
    return 0;
  });
  simulate([&] {
    sc_core::wait(1, SC_US);
    EXPECT_TRUE(stub->finished());
  });
}

TEST_F(HostStubTest, TimeIsWhatTheAccessesCostAndIsWaitedOutAtTheQuantum) {
  build([](const hal& h) {
    EXPECT_EQ(hal_time_ns(&h), 0u);
    // 80 accesses take 960 ns, less than the quantum of 1 us
    for (int i = 0; i < 80; ++i) hal_read32(&h, kRam);
    EXPECT_EQ(hal_time_ns(&h), 960u);
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME) << "still within the quantum";
    for (int i = 0; i < 4; ++i) hal_read32(&h, kRam);  // four further accesses end at 1008 ns
    EXPECT_EQ(hal_time_ns(&h), 1008u);
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_time(1008, SC_NS));
    hal_read32(&h, kRam);
    // The target of an access at this address requires the exact time.
    hal_write32(&h, kIrq + IRQ_ENABLE_OFFSET, 2);
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_time(1022, SC_NS));
    EXPECT_EQ(hal_time_ns(&h), 1042u);
    return 0;
  });
  simulate([&] {
    sc_core::wait(3, SC_US);
    EXPECT_TRUE(stub->finished());
  });
}

TEST_F(HostStubTest, SleepsUntilTheInterruptOrTheDeadline) {
  std::vector<std::uint64_t> woke;
  build([&](const hal& h) {
    hal_write32(&h, kIrq + IRQ_ENABLE_OFFSET, 1u << 2);
    EXPECT_EQ(hal_wait_for_interrupt(&h, 5'000), 0);
    woke.push_back(hal_time_ns(&h));
    EXPECT_EQ(hal_wait_for_interrupt(&h, 5'000), 0) << "a deadline that has passed";
    woke.push_back(hal_time_ns(&h));
    EXPECT_EQ(hal_wait_for_interrupt(&h, 100'000), 1);
    woke.push_back(hal_time_ns(&h));
    EXPECT_EQ(hal_wait_for_interrupt(&h, 100'000), 1) << "the line is still high";
    woke.push_back(hal_time_ns(&h));
    EXPECT_EQ(hal_read32(&h, kIrq + IRQ_CLAIM_OFFSET), 2u);
    irq.set_level(2, false);
    hal_write32(&h, kIrq + IRQ_COMPLETE_OFFSET, 2);
    EXPECT_EQ(hal_wait_for_interrupt(&h, UINT64_MAX), 1) << "no deadline";
    woke.push_back(hal_time_ns(&h));
    return 0;
  });
  simulate([&] {
    sc_core::wait(20, SC_US);
    irq.set_level(2, true);
    sc_core::wait(30, SC_US);
    irq.set_level(2, true);
    sc_core::wait(1, SC_US);
    EXPECT_EQ(woke, (std::vector<std::uint64_t>{5'000, 5'000, 20'000, 20'000, 50'000}));
    EXPECT_TRUE(stub->finished());
  });
}

TEST_F(HostStubTest, AnInterruptBeforeTheWaitIsNotLost) {
  build([&](const hal& h) {
    hal_write32(&h, kIrq + IRQ_ENABLE_OFFSET, 1u << 1);
    irq.set_level(1, true);
    EXPECT_EQ(hal_wait_for_interrupt(&h, UINT64_MAX), 1);
    return 0;
  });
  simulate([&] {
    sc_core::wait(1, SC_US);
    EXPECT_TRUE(stub->finished());
  });
}

TEST_F(HostStubTest, APulseWhileAsleepWakesOnlyIfTheLineIsHigh) {
  build([&](const hal& h) {
    hal_write32(&h, kIrq + IRQ_ENABLE_OFFSET, 1u << 1);
    EXPECT_EQ(hal_wait_for_interrupt(&h, 10'000), 0);
    EXPECT_EQ(hal_time_ns(&h), 10'000u);
    return 0;
  });
  simulate([&] {
    sc_core::wait(2, SC_US);
    irq.set_level(1, true);
    irq.set_level(1, false);
    sc_core::wait(10, SC_US);
    EXPECT_TRUE(stub->finished());
  });
}

TEST_F(HostStubTest, ThePlatformsNotifierIsUsed) {
  int notified = 0;
  build([&](const hal& h) {
    hal_write32(&h, kIrq + IRQ_ENABLE_OFFSET, 1u << 1);
    hal_wait_for_interrupt(&h, UINT64_MAX);
    EXPECT_EQ(hal_time_ns(&h), 3'000u);
    return 0;
  });
  stub->set_notifier([&](sc_core::sc_event& event) {
    ++notified;
    event.notify(1, SC_US);  // the devices' time is a microsecond ahead of SystemC's
  });
  simulate([&] {
    sc_core::wait(2, SC_US);
    irq.set_level(1, true);
    sc_core::wait(2, SC_US);
    EXPECT_TRUE(stub->finished());
    EXPECT_EQ(notified, 1);
  });
}

TEST_F(HostStubTest, ARefusedAccessStopsTheProgramAndNamesTheRegister) {
  bool went_on = false;
  std::vector<std::string> failures;
  build([&](const hal& h) {
    hal_write32(&h, kIrq + IRQ_CLAIM_OFFSET, 7);
    went_on = true;
    return 0;
  });
  stub->set_fatal_handler([&](const std::string& sentence) { failures.push_back(sentence); });
  simulate([&] {
    sc_core::wait(1, SC_US);
    EXPECT_FALSE(went_on);
    EXPECT_FALSE(stub->finished());
    EXPECT_TRUE(stub->failed());
    EXPECT_EQ(stub->failure(),
              "stub: write of 0x7 at 0xc000008 (irq + 0x8) failed: the register does not allow it");
    EXPECT_EQ(failures, std::vector<std::string>{stub->failure()});
  });
}

TEST_F(HostStubTest, AnAccessToNowhereSaysWhereItWent) {
  build([&](const hal& h) { return static_cast<int>(hal_read32(&h, 0x9000'0000)); });
  stub->set_fatal_handler([](const std::string&) {});
  simulate([&] {
    sc_core::wait(1, SC_US);
    EXPECT_EQ(stub->failure(),
              "stub: read at 0x90000000 (nothing is mapped there; ram ends at 0x800fffff) failed: "
              "no register there");
  });
}

TEST_F(HostStubTest, PointersStayGoodWhenDirectAccessIsWithdrawn) {
  build([&](const hal& h) {
    auto* const before = static_cast<std::uint32_t*>(hal_memory(&h, kRam, 4));
    ram.allow_dmi(false);
    EXPECT_EQ(hal_memory(&h, kRam, 4), before);
    *before = 5;
    EXPECT_EQ(hal_read32(&h, kRam), 5u);
    return 0;
  });
  simulate([&] {
    sc_core::wait(1, SC_US);
    EXPECT_TRUE(stub->finished());
  });
}

TEST_F(HostStubTest, WithoutDirectAccessThereIsNoMemory) {
  build([](const hal& h) {
    EXPECT_EQ(hal_memory(&h, kRam, 4), nullptr);
    hal_write32(&h, kRam, 7);
    EXPECT_EQ(hal_read32(&h, kRam), 7u);
    return 0;
  });
  ram.allow_dmi(false);
  simulate([&] {
    sc_core::wait(1, SC_US);
    EXPECT_TRUE(stub->finished());
  });
}

}  // namespace
}  // namespace dcc::model::host_stub_test
