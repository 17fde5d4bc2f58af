// Tests the controller's driver against a fake register file.
#include "driver/dcc_driver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "driver/dcc_regs.h"
#include "driver/dcc_tables.h"
#include "fake_machine.h"
#include "sound_config.h"

namespace dcc_driver_test {
namespace {

using dcc::test::FakeMachine;
using dcc::test::sound_config;

dcc_error outside(dcc_parameter parameter) {
  return static_cast<dcc_error>(DCC_ERROR_OUTSIDE_RANGE + parameter);
}

class DccDriverTest : public ::testing::Test {
 protected:
  DccDriverTest() {
    reg(DCC_ID_OFFSET) = DCC_ID_RESET;
    reg(DCC_VERSION_OFFSET) = DCC_VERSION_RESET;
    reg(DCC_CAPS_OFFSET) = DCC_CAPS_RESET;
    reg(DCC_STATUS_OFFSET) = DCC_STATUS_READY_MASK;
    // The bit SOFT_RESET reads as 0.
    machine.on_write = [this](std::uint64_t address, std::uint32_t value) {
      if (address == DCC_BASE + DCC_CTRL_OFFSET) {
        resets += (value & DCC_CTRL_SOFT_RESET_MASK) != 0;
        reg(DCC_CTRL_OFFSET) = value & ~DCC_CTRL_SOFT_RESET_MASK;
      }
    };
  }
  std::uint32_t& reg(std::uint32_t offset) { return machine.reg(DCC_BASE + offset); }
  void probe() { ASSERT_EQ(dcc_probe(&dcc, machine.machine(), DCC_BASE), DCC_OK); }

  FakeMachine machine;
  struct dcc_controller dcc {};
  int resets = 0;
  std::uint32_t write_enable = DCC_REGWEN_RESET;
};

TEST_F(DccDriverTest, ProbeReadsWhatTheInstanceWasBuiltWith) {
  reg(DCC_CAPS_OFFSET) = 14u << DCC_CAPS_SLOTS_LOG2_SHIFT | 77u << DCC_CAPS_LATENCY_SHIFT;
  probe();
  EXPECT_EQ(dcc.slots, 16384u);
  EXPECT_EQ(dcc.latency_cycles, 77u);
}

TEST_F(DccDriverTest, ProbeRefusesAnotherDeviceAndAnotherVersion) {
  reg(DCC_ID_OFFSET) = 0xFFFFFFFF;
  EXPECT_EQ(dcc_probe(&dcc, machine.machine(), DCC_BASE), DCC_ERROR_ID);
  reg(DCC_ID_OFFSET) = DCC_ID_RESET;
  reg(DCC_VERSION_OFFSET) = 2u << DCC_VERSION_MAJOR_SHIFT;
  EXPECT_EQ(dcc_probe(&dcc, machine.machine(), DCC_BASE), DCC_ERROR_VERSION);
  reg(DCC_VERSION_OFFSET) = DCC_VERSION_RESET | 9;  // a newer minor version is accepted
  EXPECT_EQ(dcc_probe(&dcc, machine.machine(), DCC_BASE), DCC_OK);
}

TEST_F(DccDriverTest, ProbeWaitsForTheSweepAndGivesUpInTheEnd) {
  reg(DCC_STATUS_OFFSET) = 0;
  machine.at(5'000, [this] { reg(DCC_STATUS_OFFSET) = DCC_STATUS_READY_MASK; });
  EXPECT_EQ(dcc_probe(&dcc, machine.machine(), DCC_BASE), DCC_OK);
  EXPECT_LT(machine.now(), 10'000u);
  reg(DCC_STATUS_OFFSET) = 0;
  EXPECT_EQ(dcc_probe(&dcc, machine.machine(), DCC_BASE), DCC_ERROR_NOT_READY);
}

TEST_F(DccDriverTest, ConfigureProgramsEveryParameterAndEveryTableEntry) {
  probe();
  dcc_config config = sound_config();
  config.classes[46] = dcc_class_of(8 * 256, 1000 << 8, 50000 << 8);
  ASSERT_EQ(dcc_configure(&dcc, &config), DCC_OK);
  EXPECT_EQ(resets, 1);
  EXPECT_EQ(reg(DCC_CTRL_OFFSET), DCC_CTRL_CUT_BY_MARKS_MASK | DCC_CTRL_BYTE_COUNTER_MASK);
  EXPECT_EQ(reg(DCC_TICK_DIV_OFFSET), 250u);
  EXPECT_EQ(reg(DCC_TIMER_INTERVAL_OFFSET), 22u);
  EXPECT_EQ(reg(DCC_BYTE_THRESHOLD_OFFSET), 10'000'000u);
  EXPECT_EQ(reg(DCC_F_OFFSET), 5u);
  EXPECT_EQ(reg(DCC_G_OFFSET), 256u);
  EXPECT_EQ(reg(DCC_R_AI_OFFSET), 6u << 8);
  EXPECT_EQ(reg(DCC_R_HAI_OFFSET), 150u << 8);
  EXPECT_EQ(reg(DCC_MI_OFFSET), 459u);
  EXPECT_EQ(reg(DCC_R_MIN_OFFSET), 10u << 8);
  EXPECT_EQ(reg(DCC_R_MAX_OFFSET), 100000u << 8);
  EXPECT_EQ(reg(DCC_INITIAL_RATE_OFFSET), 90000u << 8);
  EXPECT_EQ(reg(DCC_INITIAL_ALPHA_OFFSET), 65536u);
  EXPECT_EQ(reg(DCC_ALPHA_RECIP_OFFSET), 78090315u);
  EXPECT_EQ(reg(DCC_DECREASE_PERIOD_OFFSET), 4u);
  EXPECT_EQ(reg(DCC_FIRST_CUT_OFFSET), 32768u);
  EXPECT_EQ(reg(DCC_MARK_SHIFT_OFFSET), 10u);

  EXPECT_EQ(reg(0x1000 + 4 * 46), 512u << 16 | 2048u);
  EXPECT_EQ(reg(0x1000 + 4 * 10), 4096u << 16 | 256u);
  EXPECT_EQ(reg(0x1100 + 4 * 46), 1000u << 8);
  EXPECT_EQ(reg(0x1200 + 4 * 46), 50000u << 8);
  EXPECT_EQ(reg(0x1200 + 4 * 10), UINT32_MAX);
  for (int i = 0; i < 64; ++i) {
    EXPECT_NEAR(reg(0x1300 + 4 * i), 65536 * std::pow(255.0 / 256, 64 * i), 0.51) << i;
    EXPECT_NEAR(reg(0x1400 + 4 * i), 65536 * std::pow(255.0 / 256, i), 0.51) << i;
  }
  for (int i = 0; i < 257; ++i) {
    EXPECT_EQ(reg(0x2000 + 4 * i), i < 64 ? 65536u - 1024u * i : 0u) << i;
  }
  EXPECT_EQ(reg(DCC_CTRL_OFFSET) & DCC_CTRL_ENABLE_MASK, 0u) << "configured, not enabled";
  dcc_enable(&dcc);
  EXPECT_EQ(reg(DCC_CTRL_OFFSET),
            DCC_CTRL_CUT_BY_MARKS_MASK | DCC_CTRL_BYTE_COUNTER_MASK | DCC_CTRL_ENABLE_MASK);
  dcc_disable(&dcc);
  EXPECT_EQ(reg(DCC_CTRL_OFFSET) & DCC_CTRL_ENABLE_MASK, 0u);
}

TEST_F(DccDriverTest, DcqcnSetsItsOwnPolicyBitsAndTheStraightLine) {
  probe();
  dcc_config config = sound_config();
  config.policy = DCC_POLICY_DCQCN;
  config.byte_counter = 0;
  config.timer_restart = 1;
  config.keep_target = 1;
  ASSERT_EQ(dcc_configure(&dcc, &config), DCC_OK);
  EXPECT_EQ(reg(DCC_CTRL_OFFSET),
            DCC_CTRL_LAW_MASK | DCC_CTRL_TIMER_RESTART_MASK | DCC_CTRL_KEEP_TARGET_MASK);
  EXPECT_EQ(reg(0x2000 + 4 * 256), 32768u);
}

TEST_F(DccDriverTest, WhatIsLockedIsNotWritten) {
  machine.on_write = [this](std::uint64_t address, std::uint32_t value) {
    if (address != DCC_BASE + DCC_REGWEN_OFFSET) return;
    write_enable &= value;
    reg(DCC_REGWEN_OFFSET) = write_enable;
  };
  reg(DCC_REGWEN_OFFSET) = write_enable;
  probe();
  const dcc_config config = sound_config();
  ASSERT_EQ(dcc_configure(&dcc, &config), DCC_OK);
  ASSERT_EQ(dcc_lock(&dcc, DCC_REGWEN_TABLES_MASK), DCC_OK);
  EXPECT_EQ(write_enable, DCC_REGWEN_PARAMETERS_MASK | DCC_REGWEN_CTRL_MASK);
  const std::uint32_t before = reg(DCC_FACTOR_ENTRY_OFFSET(46));
  const dcc_class entitled = dcc_class_of(8 * 256, 0, UINT32_MAX);
  EXPECT_EQ(dcc_set_class(&dcc, 46, &entitled), DCC_ERROR_LOCKED);
  EXPECT_EQ(dcc_set_weight(&dcc, 46, 8 * 256), DCC_ERROR_LOCKED);
  EXPECT_EQ(reg(DCC_FACTOR_ENTRY_OFFSET(46)), before);
  EXPECT_EQ(dcc_soft_reset(&dcc), DCC_OK) << "CTRL is not locked";
  EXPECT_EQ(dcc_configure(&dcc, &config), DCC_ERROR_LOCKED);
  EXPECT_EQ(dcc_retune(&dcc, &config, &config), DCC_ERROR_LOCKED);
  EXPECT_EQ(dcc_lock(&dcc, DCC_REGWEN_CTRL_MASK), DCC_OK);
  EXPECT_EQ(dcc_soft_reset(&dcc), DCC_ERROR_LOCKED);
  probe();  // the driver of another program probes, which does not know of the locks
  EXPECT_EQ(dcc.locked, 0u);
  EXPECT_EQ(dcc_read_locks(&dcc), DCC_REGWEN_TABLES_MASK | DCC_REGWEN_CTRL_MASK);
  machine.on_write = nullptr;
  machine.on_read = [](std::uint64_t address, std::uint32_t value) {
    return address == DCC_BASE + DCC_REGWEN_OFFSET ? DCC_REGWEN_RESET : value;
  };
  EXPECT_EQ(dcc_lock(&dcc, DCC_REGWEN_CTRL_MASK), DCC_ERROR_READ_BACK);
}

TEST_F(DccDriverTest, TellsOfMemoriesThatLostABit) {
  probe();
  reg(DCC_STATUS_OFFSET) = DCC_STATUS_FAULT_MASK;
  reg(DCC_MEMORY_ERROR_OFFSET) = DCC_MEMORY_ERROR_SLOTS_MASK;
  reg(DCC_MEMORY_ERRORS_OFFSET) = 3;
  reg(DCC_MEMORY_CORRECTED_OFFSET) = 4;
  reg(DCC_MEMORY_WORD_OFFSET) = 0x85;
  dcc_memory_state state{};
  dcc_read_memory_state(&dcc, &state);
  EXPECT_EQ(state.fault, 1u);
  EXPECT_EQ(state.memories, DCC_MEMORY_ERROR_SLOTS_MASK);
  EXPECT_EQ(state.errors, 3u);
  EXPECT_EQ(state.corrected, 4u);
  EXPECT_EQ(state.word, 0x85u);
}

// A controller that a memory error has stopped continues after dcc_soft_reset, unless CTRL is
// locked. dcc_configure also restarts it if no register is locked; otherwise dcc_configure writes
// nothing.
TEST_F(DccDriverTest, AFaultUnderLocksLastsUntilWhatIsNotLockedEndsIt) {
  bool faulty = true;
  std::vector<std::uint64_t> written;
  machine.on_write = [&](std::uint64_t address, std::uint32_t value) {
    written.push_back(address - DCC_BASE);
    if (address == DCC_BASE + DCC_REGWEN_OFFSET) {
      write_enable &= value;
      reg(DCC_REGWEN_OFFSET) = write_enable;
    }
    if (address == DCC_BASE + DCC_CTRL_OFFSET && (value & DCC_CTRL_SOFT_RESET_MASK) != 0) {
      faulty = false;
    }
  };
  machine.on_read = [&](std::uint64_t address, std::uint32_t value) {
    if (address != DCC_BASE + DCC_STATUS_OFFSET) return value;
    return faulty ? DCC_STATUS_FAULT_MASK : DCC_STATUS_READY_MASK;
  };
  const auto stands_still = [&] {
    dcc_memory_state state{};
    dcc_read_memory_state(&dcc, &state);
    return state.fault != 0;
  };
  const dcc_config config = sound_config();
  for (const std::uint32_t lock :
       {0u, unsigned{DCC_REGWEN_PARAMETERS_MASK}, unsigned{DCC_REGWEN_TABLES_MASK},
        unsigned{DCC_REGWEN_CTRL_MASK}}) {
    SCOPED_TRACE(lock);
    write_enable = DCC_REGWEN_RESET;
    reg(DCC_REGWEN_OFFSET) = write_enable;
    faulty = false;
    probe();
    ASSERT_EQ(dcc_configure(&dcc, &config), DCC_OK);
    dcc_enable(&dcc);
    ASSERT_EQ(dcc_lock(&dcc, lock), DCC_OK);
    faulty = true;
    written.clear();
    if (lock == 0) {
      EXPECT_EQ(dcc_configure(&dcc, &config), DCC_OK);
      EXPECT_FALSE(stands_still());
      continue;
    }
    EXPECT_EQ(dcc_configure(&dcc, &config), DCC_ERROR_LOCKED);
    EXPECT_TRUE(written.empty());
    EXPECT_TRUE(stands_still());
    const bool of_control = lock == DCC_REGWEN_CTRL_MASK;
    EXPECT_EQ(dcc_soft_reset(&dcc), of_control ? DCC_ERROR_LOCKED : DCC_OK);
    EXPECT_EQ(written.empty(), of_control);
    EXPECT_EQ(stands_still(), of_control);
    EXPECT_NE(reg(DCC_CTRL_OFFSET) & DCC_CTRL_ENABLE_MASK, 0u) << "enabled as it was";
  }
}

TEST_F(DccDriverTest, AParameterThatDoesNotStickIsReported) {
  probe();
  machine.on_read = [](std::uint64_t address, std::uint32_t value) {
    return address == DCC_BASE + DCC_MI_OFFSET ? value ^ 1u : value;
  };
  const dcc_config config = sound_config();
  EXPECT_EQ(dcc_configure(&dcc, &config), DCC_ERROR_READ_BACK);
}

TEST_F(DccDriverTest, EveryImpossibleParameterHasItsErrorAndTouchesNothing) {
  probe();
  struct Case {
    dcc_error error;
    std::function<void(dcc_config&)> spoil;
  };
  const Case cases[] = {
      {DCC_ERROR_POLICY, [](dcc_config& c) { c.policy = 2; }},
      {DCC_ERROR_FLAG, [](dcc_config& c) { c.timer_restart = 2; }},
      {DCC_ERROR_FLAG, [](dcc_config& c) { c.byte_counter = 2; }},
      {DCC_ERROR_FLAG, [](dcc_config& c) { c.keep_target = 2; }},
      {DCC_ERROR_RATES, [](dcc_config& c) { c.parameters.r_max = c.parameters.r_min - 1; }},
      {outside(DCC_PARAMETER_TICK_DIV), [](dcc_config& c) { c.parameters.tick_div = 63; }},
      {outside(DCC_PARAMETER_TICK_DIV), [](dcc_config& c) { c.parameters.tick_div = 65536; }},
      {outside(DCC_PARAMETER_TIMER_INTERVAL),
       [](dcc_config& c) { c.parameters.timer_interval = 0; }},
      {outside(DCC_PARAMETER_TIMER_INTERVAL),
       [](dcc_config& c) { c.parameters.timer_interval = 65536; }},
      {outside(DCC_PARAMETER_BYTE_THRESHOLD),
       [](dcc_config& c) { c.parameters.byte_threshold = 63; }},
      {outside(DCC_PARAMETER_DECREASE_PERIOD),
       [](dcc_config& c) { c.parameters.decrease_period = 1u << 20; }},
      {outside(DCC_PARAMETER_ALPHA_RECIP),
       [](dcc_config& c) { c.parameters.alpha_recip = DCC_ALPHA_RECIP_VALUE_MIN - 1; }},
      {outside(DCC_PARAMETER_F), [](dcc_config& c) { c.parameters.f = 256; }},
      {outside(DCC_PARAMETER_G), [](dcc_config& c) { c.parameters.g = 65536; }},
      {outside(DCC_PARAMETER_MI), [](dcc_config& c) { c.parameters.mi = 65536; }},
      {outside(DCC_PARAMETER_R_MIN), [](dcc_config& c) { c.parameters.r_min = 0; }},
      {outside(DCC_PARAMETER_INITIAL_RATE), [](dcc_config& c) { c.parameters.initial_rate = 0; }},
      {outside(DCC_PARAMETER_INITIAL_ALPHA),
       [](dcc_config& c) { c.parameters.initial_alpha = 65537; }},
      {outside(DCC_PARAMETER_FIRST_CUT), [](dcc_config& c) { c.parameters.first_cut = 65537; }},
      {outside(DCC_PARAMETER_MARK_SHIFT), [](dcc_config& c) { c.parameters.mark_shift = 11; }},
      {DCC_ERROR_WEIGHT, [](dcc_config& c) { c.classes[63].weight_q8_8 = 15; }},
      {DCC_ERROR_CLASS_RATES, [](dcc_config& c) { c.classes[0].ceiling_q24_8 = 0; }},
      {DCC_ERROR_CLASS_RATES,
       [](dcc_config& c) { c.classes[9].floor_q24_8 = (c.classes[9].ceiling_q24_8 = 7) + 1; }},
  };
  const std::size_t writes = machine.writes().size();
  for (const Case& c : cases) {
    dcc_config config = sound_config();
    c.spoil(config);
    EXPECT_EQ(dcc_configure(&dcc, &config), c.error) << dcc_error_text(c.error);
  }
  EXPECT_EQ(machine.writes().size(), writes);
}

TEST_F(DccDriverTest, EveryErrorHasItsOwnSentence) {
  std::set<std::string> sentences;
  for (int error = 0; error < DCC_ERRORS; ++error) {
    const char* const text = dcc_error_text(static_cast<dcc_error>(error));
    ASSERT_NE(text, nullptr) << error;
    EXPECT_TRUE(sentences.insert(text).second) << text;
  }
  EXPECT_NE(dcc_error_text(DCC_ERRORS), nullptr);
}

TEST_F(DccDriverTest, AClassCanBeRetunedAtRunTime) {
  probe();
  const dcc_class entitled = dcc_class_of(1024, 3, 4);
  EXPECT_EQ(dcc_set_class(&dcc, 5, &entitled), DCC_OK);
  EXPECT_EQ(reg(0x1000 + 20), 1024u << 16 | 1024u);
  EXPECT_EQ(reg(0x1100 + 20), 3u);
  EXPECT_EQ(reg(0x1200 + 20), 4u);
  EXPECT_EQ(dcc_set_weight(&dcc, 5, 128), DCC_OK);
  EXPECT_EQ(reg(0x1000 + 20), 8192u << 16 | 128u);
  EXPECT_EQ(reg(0x1100 + 20), 3u);
  EXPECT_EQ(dcc_set_class(&dcc, 64, &entitled), DCC_ERROR_DSCP);
  EXPECT_EQ(dcc_set_weight(&dcc, 64, 256), DCC_ERROR_DSCP);
  EXPECT_EQ(dcc_set_weight(&dcc, 5, 15), DCC_ERROR_WEIGHT);
  EXPECT_EQ(dcc_set_weight(&dcc, 5, 65536), DCC_ERROR_WEIGHT);
}

TEST_F(DccDriverTest, RetuneWritesWhatDiffersAndLeavesTheControllerRunning) {
  probe();
  const dcc_config from = sound_config();
  ASSERT_EQ(dcc_configure(&dcc, &from), DCC_OK);
  dcc_enable(&dcc);
  dcc_config to = from;
  to.parameters.r_ai = 7u << 8;
  to.classes[3] = dcc_class_of(1024, 0, 4);
  std::map<std::uint32_t, std::uint32_t> written;
  machine.on_write = [&](std::uint64_t address, std::uint32_t value) {
    written[static_cast<std::uint32_t>(address - DCC_BASE)] = value;
  };
  ASSERT_EQ(dcc_retune(&dcc, &from, &to), DCC_OK);
  EXPECT_EQ(written, (std::map<std::uint32_t, std::uint32_t>{{DCC_R_AI_OFFSET, 7u << 8},
                                                             {0x1000 + 12, 1024u << 16 | 1024u},
                                                             {0x1100 + 12, 0},
                                                             {0x1200 + 12, 4}}));
  written.clear();
  dcc_config back = to;  // the flags of the new configuration keep the enable bit
  back.byte_counter = to.byte_counter == 0;
  ASSERT_EQ(dcc_retune(&dcc, &to, &back), DCC_OK);
  ASSERT_EQ(written.size(), 1u);
  EXPECT_EQ(written.at(DCC_CTRL_OFFSET), DCC_CTRL_CUT_BY_MARKS_MASK | DCC_CTRL_ENABLE_MASK);
  written.clear();
  dcc_config quick = back;  // the parameter G changes together with its tables
  quick.parameters.g = 512;
  ASSERT_EQ(dcc_retune(&dcc, &back, &quick), DCC_OK);
  EXPECT_EQ(written.size(), 1u + 2 * DCC_DECAY_LO_ENTRIES);
  EXPECT_NEAR(reg(0x1400 + 4), 65536 * 254.0 / 256, 0.51);
  EXPECT_EQ(resets, 1);
}

TEST_F(DccDriverTest, RetuneRefusesWhatConfigureRefusesAndAnotherPolicy) {
  probe();
  const dcc_config from = sound_config();
  dcc_config to = from;
  to.policy = from.policy == DCC_POLICY_DCQCN ? DCC_POLICY_PROPORTIONAL : DCC_POLICY_DCQCN;
  int writes = 0;
  machine.on_write = [&](std::uint64_t, std::uint32_t) { ++writes; };
  EXPECT_EQ(dcc_retune(&dcc, &from, &to), DCC_ERROR_POLICY);
  to = from;
  to.parameters.r_min = to.parameters.r_max + 1;
  EXPECT_EQ(dcc_retune(&dcc, &from, &to), DCC_ERROR_RATES);
  EXPECT_EQ(writes, 0);
  to = from;
  to.parameters.mi = from.parameters.mi + 2;
  machine.on_read = [](std::uint64_t address, std::uint32_t value) {
    return address == DCC_BASE + DCC_MI_OFFSET ? value ^ 1u : value;
  };
  EXPECT_EQ(dcc_retune(&dcc, &from, &to), DCC_ERROR_READ_BACK);
}

TEST_F(DccDriverTest, ACounterThatCarriesBetweenTheTwoReadsIsReadCoherently) {
  probe();
  // The counter increments with every access. A read of the low word latches the high word.
  std::uint64_t counter = 0xFFFFFFFD;
  std::uint32_t latched = 0;
  machine.on_read = [&](std::uint64_t address, std::uint32_t value) -> std::uint32_t {
    const std::uint64_t offset = address - DCC_BASE;
    if (offset < 0x3000 || offset >= 0x3000 + 8 * 15) return value;
    counter += 3;
    if (offset % 8 != 0) return latched;
    latched = static_cast<std::uint32_t>(counter >> 32);
    return static_cast<std::uint32_t>(counter);
  };
  dcc_statistics statistics{};
  dcc_read_statistics(&dcc, &statistics);
  EXPECT_EQ(statistics.cnps_received, 0x100000000u);
  EXPECT_EQ(statistics.cnps_dropped_no_slot, 0x100000006u);
  EXPECT_EQ(statistics.missed_latency, 0x100000000u + 6 * 14);
}

TEST_F(DccDriverTest, EveryStatisticComesFromItsOwnPair) {
  probe();
  for (std::uint32_t i = 0; i < 17; ++i) {
    reg(0x3000 + 8 * i) = 100 + i;
    reg(0x3004 + 8 * i) = i;
  }
  dcc_statistics s{};
  dcc_read_statistics(&dcc, &s);
  // The 17 counters of the register map have the order of the driver's structure, and none is
  // missing.
  const auto* const counters = reinterpret_cast<const std::uint64_t*>(&s);
  static_assert(sizeof s == 17 * 8);
  for (std::uint64_t i = 0; i < 17; ++i) EXPECT_EQ(counters[i], i << 32 | (100 + i)) << i;
}

TEST_F(DccDriverTest, StateIsReadFromItsRegisters) {
  probe();
  reg(DCC_STATUS_OFFSET) = DCC_STATUS_READY_MASK | DCC_STATUS_OVERRUN_MASK;
  reg(DCC_FREE_SLOTS_OFFSET) = 1;
  reg(DCC_TIME_OFFSET) = 2;
  reg(DCC_TIMER_LAG_OFFSET) = 3;
  reg(DCC_TIMER_LATENESS_MAX_OFFSET) = 4;
  reg(DCC_EVENTS_PENDING_OFFSET) = 5;
  dcc_state state{};
  dcc_read_state(&dcc, &state);
  EXPECT_EQ(state.free_slots, 1u);
  EXPECT_EQ(state.time_ticks, 2u);
  EXPECT_EQ(state.timer_lag_ticks, 3u);
  EXPECT_EQ(state.timer_lateness_max_ticks, 4u);
  EXPECT_EQ(state.events_pending, 5u);
  EXPECT_EQ(state.idle, 0u);
  EXPECT_EQ(state.overrun, 1u);
}

TEST_F(DccDriverTest, ASlotIsTakenApartFieldByField) {
  probe();
  const std::uint32_t words[8] = {0x80ABCDEF, 111, 222, 65536, 0x002E0307, 444, 555, 0x8001FFFE};
  for (std::uint32_t i = 0; i < 8; ++i) reg(0x80000 + 32 * 1023 + 4 * i) = words[i];
  dcc_slot slot{};
  ASSERT_EQ(dcc_read_slot(&dcc, 1023, &slot), DCC_OK);
  EXPECT_EQ(slot.valid, 1u);
  EXPECT_EQ(slot.flow, 0xABCDEFu);
  EXPECT_EQ(slot.rate_q24_8, 111u);
  EXPECT_EQ(slot.target_q24_8, 222u);
  EXPECT_EQ(slot.alpha_q1_16, 65536u);
  EXPECT_EQ(slot.timer_count, 7u);
  EXPECT_EQ(slot.byte_count, 3u);
  EXPECT_EQ(slot.dscp, 46u);
  EXPECT_EQ(slot.length_bytes, 444u);
  EXPECT_EQ(slot.last_cut_tick, 555u);
  EXPECT_EQ(slot.due_tick, 0xFFFEu);
  EXPECT_EQ(slot.due_epoch, 1u);
  EXPECT_EQ(slot.pending, 1u);
  EXPECT_EQ(dcc_read_slot(&dcc, 1024, &slot), DCC_ERROR_SLOT);
}

TEST_F(DccDriverTest, ASlotThatChangesWhileItIsReadIsReadAgain) {
  probe();
  // All words of the slot change together from time to time. The driver must never return a mixture
  // of old and new words.
  std::uint32_t generation = 1;
  std::uint64_t reads = 0;
  std::uint64_t change_every = 11;
  machine.on_read = [&](std::uint64_t address, std::uint32_t value) -> std::uint32_t {
    if (address < DCC_BASE + 0x80000) return value;
    if (++reads % change_every == 0 && reads < 40) ++generation;
    return generation;
  };
  dcc_slot slot{};
  ASSERT_EQ(dcc_read_slot(&dcc, 0, &slot), DCC_OK);
  EXPECT_EQ(slot.flow, slot.rate_q24_8);
  EXPECT_EQ(slot.flow, slot.last_cut_tick);
  EXPECT_GT(reads, 16u);
  reads = 0;
  machine.on_read = [&](std::uint64_t, std::uint32_t) { return ++generation; };
  EXPECT_EQ(dcc_read_slot(&dcc, 0, &slot), DCC_ERROR_SLOT_CHANGING);
}

TEST_F(DccDriverTest, OnlyEnabledCausesAreTakenAndCleared) {
  probe();
  std::uint32_t status = 0x7;
  machine.on_read = [&](std::uint64_t address, std::uint32_t value) {
    return address == DCC_BASE + DCC_IRQ_STATUS_OFFSET ? status : value;
  };
  machine.on_write = [&](std::uint64_t address, std::uint32_t value) {
    if (address == DCC_BASE + DCC_IRQ_STATUS_OFFSET) status &= ~value;
  };
  dcc_enable_interrupts(&dcc, DCC_IRQ_STATUS_TABLE_FULL_MASK | DCC_IRQ_STATUS_OVERRUN_MASK);
  EXPECT_EQ(dcc_take_interrupts(&dcc), 0x3u);
  EXPECT_EQ(status, 0x4u);
  EXPECT_EQ(dcc_take_interrupts(&dcc), 0u);
  reg(DCC_ERROR_INFO_OFFSET) = 0x80000000u | 3u << 24 | 0x00010;
  dcc_refused_access access{};
  dcc_read_refused_access(&dcc, &access);
  EXPECT_EQ(access.address, 0x10u);
  EXPECT_EQ(access.code, DCC_ERROR_INFO_CODE_READ_ONLY);
  EXPECT_EQ(access.write, 1u);
}

}  // namespace
}  // namespace dcc_driver_test
