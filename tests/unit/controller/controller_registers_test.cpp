// Tests the controller's register values under load, and the values that a reset clears.
#include "controller/controller_registers.h"

#include <gtest/gtest.h>

#include "controller/controller_model.h"
#include "registers/generated/dcc_map.h"

namespace dcc::regs {
namespace {

using namespace dcc_map;

struct NoSink final : RateSink {
  void rate_calculated(std::uint32_t, Rate) override {}
};

class ControllerRegistersTest : public ::testing::Test {
 protected:
  static ControllerConfig config() {
    ControllerConfig result;
    result.slots = 1024;
    return result;
  }
  std::uint32_t read(std::uint32_t address) {
    std::uint32_t value = 0;
    EXPECT_EQ(registers.block().read(address, value), AccessResult::kOk);
    return value;
  }
  void write(std::uint32_t address, std::uint32_t value) {
    EXPECT_EQ(registers.block().write(address, value), AccessResult::kOk);
  }
  void enable() { write(DCC_CTRL_OFFSET, read(DCC_CTRL_OFFSET) | DCC_CTRL_ENABLE_MASK); }

  Scheduler scheduler;
  NoSink sink;
  ControllerModel device{scheduler, config(), 1, sink};
  ControllerRegisters registers{device};
};

TEST_F(ControllerRegistersTest, ACrowdedTickShowsAsLagAndLateness) {
  // 1024 CNPs bind one slot per cycle. 249 timers are due in tick 40, 250 each in the ticks 41 to
  // 43, and 25 in tick 44. Their events are issued 8 cycles apart from cycle 16 of tick 40 on, with
  // 4 more cycles at each new tick.
  for (std::uint32_t i = 0; i < 257; ++i) write(DCC_DECREASE_OFFSET + 4 * i, 32768);
  write(DCC_TIMER_INTERVAL_OFFSET, 40);
  enable();
  for (std::uint32_t flow = 0; flow < 1024; ++flow) device.cnp(flow, 0, 1);
  scheduler.run_until(PicoSeconds(48'500'000));
  // At cycle 12125 the events of tick 40 have been issued up to cycle 12000, and 15 events of tick
  // 41 from cycle 12012 on.
  EXPECT_EQ(read(DCC_TIME_OFFSET), 48u);
  EXPECT_EQ(read(DCC_TIMER_LAG_OFFSET), 7u);
  EXPECT_EQ(read(DCC_STAT_TIMER_EVENTS_LO_OFFSET), 264u);
  scheduler.run_until(kMicroSecond * 75);
  EXPECT_EQ(read(DCC_STAT_TIMER_EVENTS_LO_OFFSET), 1024u);
  // The last event of tick 43 is issued at cycle 18012, which is in tick 72.
  EXPECT_EQ(read(DCC_TIMER_LATENESS_MAX_OFFSET), 29u);
  // All timer events but the first five are late. These five were issued within 48 cycles of their
  // tick.
  EXPECT_EQ(read(DCC_STAT_MISSED_LATENCY_LO_OFFSET), 1019u);
  write(DCC_CTRL_OFFSET, DCC_CTRL_SOFT_RESET_MASK);
  scheduler.run_until(kMicroSecond * 76);
  // the sweep after the reset takes 1040 cycles
  EXPECT_EQ(read(DCC_STATUS_OFFSET) & DCC_STATUS_READY_MASK, 0u);
  scheduler.run_until(kMicroSecond * 80);
  EXPECT_EQ(read(DCC_STATUS_OFFSET), DCC_STATUS_READY_MASK | DCC_STATUS_IDLE_MASK);
  EXPECT_EQ(read(DCC_TIMER_LATENESS_MAX_OFFSET), 0u);
  EXPECT_EQ(read(DCC_STAT_MISSED_LATENCY_LO_OFFSET), 0u);
}

TEST_F(ControllerRegistersTest, EveryCounterHasItsOwnPlace) {
  // Seven flows bind slots, one of them is cut again later, two packets belong to unknown flows,
  // and then the rates recover to the maximum.
  for (std::uint32_t i = 0; i < 257; ++i) write(DCC_DECREASE_OFFSET + 4 * i, 65000);
  write(DCC_DECREASE_PERIOD_OFFSET, 5);
  enable();
  for (std::uint32_t flow = 0; flow < 7; ++flow) device.cnp(flow, 0, 1);
  scheduler.run_until(kMicroSecond * 2);
  device.cnp(3, 0, 1);  // the CNP comes too soon after the last cut to cut again
  scheduler.run_until(kMicroSecond * 20);
  device.cnp(4, 0, 1);
  device.bytes(100, 0, 1000);
  device.bytes(101, 0, 1000);
  device.bytes(2, 0, 1000);
  scheduler.run_until(kMilliSecond * 50);
  EXPECT_EQ(read(DCC_STAT_CNPS_RECEIVED_LO_OFFSET), 9u);
  EXPECT_EQ(read(DCC_STAT_CNPS_COALESCED_LO_OFFSET), 1u);
  EXPECT_EQ(read(DCC_STAT_CNPS_DROPPED_NO_SLOT_LO_OFFSET), 0u);
  EXPECT_EQ(read(DCC_STAT_BYTE_NOTIFICATIONS_LO_OFFSET), 3u);
  EXPECT_EQ(read(DCC_STAT_BYTE_NOTIFICATIONS_UNMATCHED_LO_OFFSET), 2u);
  EXPECT_EQ(read(DCC_STAT_RATE_DECREASES_LO_OFFSET), 8u);
  EXPECT_EQ(read(DCC_STAT_SLOTS_BOUND_LO_OFFSET), 7u);
  EXPECT_EQ(read(DCC_STAT_SLOTS_RELEASED_LO_OFFSET), 7u);
  EXPECT_EQ(read(DCC_STAT_SLOTS_IN_USE_MAX_LO_OFFSET), 7u);
  EXPECT_EQ(read(DCC_FREE_SLOTS_OFFSET), 1024u);
  EXPECT_EQ(read(DCC_STAT_EVENTS_STARTED_LO_OFFSET),
            read(DCC_STAT_TIMER_EVENTS_LO_OFFSET) + read(DCC_STAT_EVENTS_CANCELLED_LO_OFFSET));
  EXPECT_EQ(read(DCC_STAT_EVENTS_CANCELLED_LO_OFFSET), 1u) << "the second cut restarted one event";
  EXPECT_EQ(read(DCC_STAT_RATE_INCREASES_LO_OFFSET), read(DCC_STAT_TIMER_EVENTS_LO_OFFSET));
  EXPECT_EQ(read(DCC_STATUS_OFFSET), DCC_STATUS_READY_MASK | DCC_STATUS_IDLE_MASK);
}

TEST_F(ControllerRegistersTest, CausesOfTheDeviceReachTheStatusAndNothingElse) {
  registers.causes_raised(kCauseOverrun);
  EXPECT_EQ(read(DCC_IRQ_STATUS_OFFSET), DCC_IRQ_STATUS_OVERRUN_MASK);
  write(DCC_IRQ_STATUS_OFFSET, DCC_IRQ_STATUS_OVERRUN_MASK);
  EXPECT_EQ(read(DCC_IRQ_STATUS_OFFSET), 0u);
}

TEST_F(ControllerRegistersTest, AnIrqMaskWriteLeavesTheParametersAlone) {
  write(DCC_R_AI_OFFSET, 77);
  write(DCC_IRQ_MASK_OFFSET, 7);
  EXPECT_EQ(device.parameters().rate.r_ai, 77u);
  registers.reset();
  EXPECT_EQ(device.parameters().rate.r_ai, kMap.registers[kRAi].reset);
  EXPECT_EQ(read(DCC_IRQ_MASK_OFFSET), 0u);
}

TEST_F(ControllerRegistersTest, CapabilitiesTellHowTheWheelIsSplit) {
  Scheduler time;
  ControllerModel other(time, config(), 1, sink);
  WheelSplit split;
  split.top = 7;
  split.middle = 1;
  split.last = 8;
  ControllerRegisters its(other, split);
  std::uint32_t caps = 0;
  EXPECT_EQ(its.block().read(DCC_CAPS_OFFSET, caps), AccessResult::kOk);
  EXPECT_EQ(caps, 10u | 64u << 8 | 7u << 16 | 1u << 20 | 8u << 24);
}

TEST_F(ControllerRegistersTest, ADestroyedBlockIsNotToldOfCauses) {
  Scheduler time;
  ControllerConfig one_slot;
  one_slot.slots = 1;
  ControllerModel other(time, one_slot, 1, sink);
  {
    ControllerRegisters gone(other);
    EXPECT_EQ(gone.block().write(DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK), AccessResult::kOk);
  }
  other.cnp(1, 0, 1);
  other.cnp(2, 0, 1);  // no slot is free, which raises a masked interrupt cause
  time.run_until(kMicroSecond);
  EXPECT_EQ(other.statistics().cnps_dropped_no_slot, 1u);
}

}  // namespace
}  // namespace dcc::regs
