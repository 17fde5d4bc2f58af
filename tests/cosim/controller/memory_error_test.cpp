// Tests lost bits in the controller's memories. No wrong rate leaves the controller. The controller
// reports the error and stops, and works again after a soft reset and newly written tables.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "driver/dcc_regs.h"
#include "guarded_memory.h"
#include "page_bench.h"
#include "page_faults.h"
#include "page_profiles.h"

namespace dcc::page {
namespace {

class MemoryErrors : public testing::TestWithParam<GuardedMemory> {};

// Flips each bit position once in all words of a memory, so that the next word that the controller
// reads is wrong.
TEST_P(MemoryErrors, AreSeenAndNothingWrongLeaves) {
  const GuardedMemory& memory = GetParam();
  Loss loss;
  for (unsigned bit = 0; bit<memory.bits; bit += memory.bits> 64 ? 37 : 7) {
    Bench bench(make_small_controller(bit + 3), bit + 3);
    ASSERT_EQ(lose_a_bit(bench, memory, bit, loss), "") << "bit " << bit;
  }
  std::printf("seen within %llu cycles; %llu right answers left meanwhile\n",
              static_cast<unsigned long long>(loss.most_waited),
              static_cast<unsigned long long>(loss.answered));
}

INSTANTIATE_TEST_SUITE_P(All, MemoryErrors, testing::ValuesIn(guarded_memories()),
                         [](const auto& one) { return std::string(one.param.name); });

class SparseMemoryErrors : public testing::TestWithParam<GuardedMemory> {};

TEST_P(SparseMemoryErrors, AreSeenAndNothingWrongLeaves) {
  const GuardedMemory& memory = GetParam();
  Loss loss;
  for (unsigned bit = 0; bit < memory.bits; bit += 11) {
    Bench bench(make_sparse_controller(bit + 1), bit + 1);
    ASSERT_EQ(lose_a_bit(bench, memory, bit, loss), "") << "bit " << bit;
  }
  std::printf("seen within %llu cycles\n", static_cast<unsigned long long>(loss.most_waited));
}

INSTANTIATE_TEST_SUITE_P(All, SparseMemoryErrors, testing::ValuesIn(sparse_memories()),
                         [](const auto& one) { return std::string(one.param.name); });

// Every field of the byte queue's entries has parity.
TEST(MemoryErrorFields, OfTheByteQueueAreAllSeen) {
  const GuardedMemory& queue = guarded_memories().back();
  ASSERT_STREQ(queue.name, "bytes");
  for (const unsigned bit : {3u, 8u, 9u, 15u, 17u, 47u, 50u, 63u, 64u}) {
    Loss loss;
    Bench bench(make_small_controller(bit + 2), bit + 2);
    EXPECT_EQ(lose_a_bit(bench, queue, bit, loss), "") << "bit " << bit;
  }
}

// Register reads by software check parity as well, for tables and slots.
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

// Software has locked all registers. While a memory error is pending, software may nevertheless
// rewrite a lost table word and reset the controller. After the reset the locks hold again.
TEST(MemoryErrorLocks, AreOpenWhileTheErrorStands) {
  for (const GuardedMemory& memory : guarded_memories()) {
    if (std::string(memory.name) != "decrease_odd") continue;
    Bench bench(make_small_controller(5), 5);
    bench.program(true);
    bench.may_refuse = true;
    bench.write(DCC_REGWEN_OFFSET, 0);
    const auto refuses = [&bench](std::uint32_t address, std::uint32_t value) {
      const std::uint64_t before = bench.refused;
      bench.write(address, value);
      return bench.refused != before;
    };
    EXPECT_TRUE(refuses(DCC_DECREASE_ENTRY_OFFSET(5), 60'000));
    EXPECT_TRUE(refuses(DCC_CTRL_OFFSET, DCC_CTRL_SOFT_RESET_MASK));
    bench.faulty = true;
    bench.dut().check_assertions(false);
    flip_bit(bench.dut(), memory, 0);
    bench.read(DCC_DECREASE_ENTRY_OFFSET(5));
    ASSERT_NE(bench.read(DCC_STATUS_OFFSET) & DCC_STATUS_FAULT_MASK, 0u);
    EXPECT_TRUE(refuses(DCC_R_AI_OFFSET, 77));
    for (std::uint32_t i = 0; i < DCC_DECREASE_ENTRIES; ++i)
      EXPECT_FALSE(refuses(DCC_DECREASE_ENTRY_OFFSET(i), 60'000)) << i;
    EXPECT_FALSE(refuses(DCC_CTRL_OFFSET, DCC_CTRL_SOFT_RESET_MASK));
    for (int i = 0; i < 1000; ++i) bench.cycle({});
    EXPECT_EQ(bench.read(DCC_STATUS_OFFSET) & (DCC_STATUS_READY_MASK | DCC_STATUS_FAULT_MASK),
              DCC_STATUS_READY_MASK);
    EXPECT_EQ(bench.read(DCC_DECREASE_ENTRY_OFFSET(5)), 60'000u);
    EXPECT_EQ(bench.read(DCC_MEMORY_ERROR_OFFSET), 0u);
    EXPECT_TRUE(refuses(DCC_DECREASE_ENTRY_OFFSET(5), 50'000));
    EXPECT_TRUE(refuses(DCC_CTRL_OFFSET, DCC_CTRL_SOFT_RESET_MASK));
  }
}

TEST(MemoryErrorCount, GoesToItsEndACycleAtATime) {
  for (const GuardedMemory& memory : guarded_memories()) {
    if (std::string(memory.name) != "cnps") continue;
    Bench bench(make_small_controller(8), 8);
    EXPECT_EQ(count_errors(bench, memory), "");
  }
}

// Tests a second soft reset during the sweep, and a reset by the pin rst_ni. Only the pin clears
// the error count.
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
