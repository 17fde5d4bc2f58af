// Memories that lose a bit: no wrong rate leaves, the block says what happened and stands still,
// and a soft reset (with tables written anew) makes it whole again.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <ostream>

#include "driver/dcc_regs.h"
#include "page_bench.h"
#include "page_profiles.h"

namespace dcc::page {
namespace {

constexpr std::uint32_t kWarmUp = 4000, kPatience = 60'000;

/// Software's part of it: every table, as the bench's oracle knows them.
void write_tables(Bench& bench) {
  const Tables tables = bench.oracle().tables;
  for (std::uint32_t i = 0; i < 64; ++i) {
    bench.write(DCC_FACTOR_ENTRY_OFFSET(i), tables.factor[i]);
    bench.write(DCC_FLOOR_ENTRY_OFFSET(i), tables.floor[i]);
    bench.write(DCC_CEILING_ENTRY_OFFSET(i), tables.ceiling[i]);
    bench.write(DCC_DECAY_HI_ENTRY_OFFSET(i), tables.decay_hi[i]);
    bench.write(DCC_DECAY_LO_ENTRY_OFFSET(i), tables.decay_lo[i]);
  }
  for (std::uint32_t i = 0; i < 257; ++i)
    bench.write(DCC_DECREASE_ENTRY_OFFSET(i), tables.decrease[i]);
}

void soft_reset(Bench& bench) {
  const Registers& r = bench.oracle().registers;
  bench.write(DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK | DCC_CTRL_SOFT_RESET_MASK |
                                   (r.timer_restart ? DCC_CTRL_TIMER_RESTART_MASK : 0) |
                                   (r.averaging ? DCC_CTRL_AVERAGING_MASK : 0) |
                                   (r.cut_by_marks ? DCC_CTRL_CUT_BY_MARKS_MASK : 0) |
                                   (r.byte_counter ? DCC_CTRL_BYTE_COUNTER_MASK : 0));
  for (int i = 0; i < 1000 && !(bench.ready && bench.oracle().ready()); ++i) bench.cycle({});
}

class MemoryErrors : public testing::TestWithParam<GuardedMemory> {};

// Every bit position once, in all words, so that the next word that counts is wrong.
TEST_P(MemoryErrors, AreSeenAndNothingWrongLeaves) {
  const GuardedMemory& memory = GetParam();
  std::uint64_t answered = 0, most_patience = 0;
  const Profile all = {256, 200, 500, 100, 0, 0};
  for (unsigned bit = 0; bit<memory.bits; bit += memory.bits> 64 ? 37 : 7) {
    Bench bench(make_small_controller(bit + 1), bit + 1);
    bench.program(bit % 2 == 0);
    bench.write(DCC_IRQ_MASK_OFFSET, DCC_IRQ_MASK_MEMORY_MASK);
    bench.run(kWarmUp, all);
    ASSERT_EQ(bench.difference(), "") << "before the error";
    ASSERT_EQ(bench.read(DCC_MEMORY_ERRORS_OFFSET), 0u);

    bench.faulty = true;
    flip_bit(bench.dut(), memory, bit);
    const std::uint64_t before = bench.answered;
    std::uint32_t waited = 0;
    do {
      // Queues are written anew all the time, and mostly empty.
      if (waited > 100 && waited % 3 == 0) flip_bit(bench.dut(), memory, bit);
      bench.run(1, all);
    } while (bench.ready && ++waited < kPatience);
    ASSERT_LT(waited, kPatience) << "bit " << bit << " was never missed";
    most_patience = std::max<std::uint64_t>(most_patience, waited);
    bench.run(200, all);  // what is on its way
    EXPECT_EQ(bench.difference(), "") << "bit " << bit;
    EXPECT_TRUE(bench.irq);
    const std::uint64_t then = bench.answered;
    bench.run(500, all);
    EXPECT_EQ(bench.answered, then) << "it stands still";
    answered += then - before;

    EXPECT_EQ(bench.read(DCC_STATUS_OFFSET) & (DCC_STATUS_READY_MASK | DCC_STATUS_FAULT_MASK),
              DCC_STATUS_FAULT_MASK);
    EXPECT_EQ(bench.read(DCC_MEMORY_ERROR_OFFSET), memory.cause);
    EXPECT_NE(bench.read(DCC_IRQ_STATUS_OFFSET) & DCC_IRQ_STATUS_MEMORY_MASK, 0u);
    EXPECT_GT(bench.read(DCC_MEMORY_ERRORS_OFFSET), 0u);
    EXPECT_GT(bench.read(DCC_STAT_INPUTS_DROPPED_LO_OFFSET), 100u);

    write_tables(bench);
    soft_reset(bench);
    bench.write(DCC_IRQ_STATUS_OFFSET, DCC_IRQ_STATUS_MEMORY_MASK);
    EXPECT_EQ(bench.read(DCC_STATUS_OFFSET) & (DCC_STATUS_READY_MASK | DCC_STATUS_FAULT_MASK),
              DCC_STATUS_READY_MASK);
    EXPECT_EQ(bench.read(DCC_MEMORY_ERROR_OFFSET), 0u);
    // A wrong word at the head of a queue was counted as long as it waited.
    const std::uint32_t errors = bench.read(DCC_MEMORY_ERRORS_OFFSET);
    EXPECT_GT(errors, 0u);
    EXPECT_FALSE(bench.irq);
    EXPECT_EQ(bench.difference(), "");
    bench.faulty = false;
    Profile again = all;
    again.access = 2;
    bench.run(kWarmUp, again);
    bench.compare_counters();
    bench.compare_slots();
    EXPECT_EQ(bench.difference(), "") << "after recovery of bit " << bit;
    EXPECT_EQ(bench.read(DCC_MEMORY_ERRORS_OFFSET), errors);
  }
  std::printf("seen within %llu cycles; %llu right answers left meanwhile\n",
              static_cast<unsigned long long>(most_patience),
              static_cast<unsigned long long>(answered));
}

INSTANTIATE_TEST_SUITE_P(All, MemoryErrors, testing::ValuesIn(guarded_memories()),
                         [](const auto& one) { return std::string(one.param.name); });

// What software reads is checked as well: of tables and slots.
TEST(MemoryScrubbing, AReadFindsAWrongWord) {
  for (const GuardedMemory& memory : guarded_memories()) {
    const std::string name = memory.name;
    const bool slots = name == "store";
    if (!slots && name != "decrease_odd") continue;
    Bench bench(make_small_controller(5), 5);
    bench.program(true);
    bench.faulty = true;
    flip_bit(bench.dut(), memory, 0);
    EXPECT_EQ(bench.read(DCC_MEMORY_ERRORS_OFFSET), 0u);
    bench.read(slots ? DCC_SLOTS_ENTRY_OFFSET(3) : DCC_DECREASE_ENTRY_OFFSET(5));
    EXPECT_GT(bench.read(DCC_MEMORY_ERRORS_OFFSET), 0u) << name;
    EXPECT_EQ(bench.read(DCC_MEMORY_ERROR_OFFSET), memory.cause) << name;
  }
}

// A second soft reset while all is swept, and the pin's reset, which alone clears the count.
TEST(MemoryErrorCount, OnlyTheResetByPinClearsIt) {
  const GuardedMemory& memory = guarded_memories().front();
  Bench bench(make_small_controller(6), 6);
  bench.program(true);
  bench.faulty = true;
  flip_bit(bench.dut(), memory, 0);
  for (int i = 0; i < 2000 && bench.read(DCC_MEMORY_ERRORS_OFFSET) == 0; ++i) {
    bench.run(10, {256, 200, 500, 100, 0, 0});
  }
  soft_reset(bench);
  EXPECT_GT(bench.read(DCC_MEMORY_ERRORS_OFFSET), 0u);
  bench.dut().reset();
  EXPECT_EQ(bench.read(DCC_MEMORY_ERRORS_OFFSET), 0u);
}

}  // namespace
}  // namespace dcc::page
