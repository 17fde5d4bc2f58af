// Tests the controller with an error-correcting code (parameter Secded) under load beside the
// oracle. One lost bit of 64 changes no answer, no timing and no register except the error
// registers. Two lost bits stop the controller like a parity error.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "driver/dcc_regs.h"
#include "guarded_memory.h"
#include "page_bench.h"
#include "page_faults.h"
#include "page_profiles.h"

namespace dcc::page {
namespace {

constexpr Profile kAll = {256, 200, 500, 100, 0, 0};
// cycles in which a software read of a slot uses the slot's word
constexpr std::uint32_t kViewed = 3;
constexpr std::uint32_t kBoth = DCC_MEMORY_WORD_WRONG_MASK | DCC_MEMORY_WORD_CORRECTED_MASK;

std::uint32_t memory_of(std::uint32_t word) {
  return (word & DCC_MEMORY_WORD_MEMORY_MASK) >> DCC_MEMORY_WORD_MEMORY_SHIFT;
}

class Secded : public testing::TestWithParam<SecdedMemory> {};

TEST_P(Secded, OneLostBitChangesNothing) {
  const SecdedMemory& one = GetParam();
  for (unsigned bit = 0; bit<one.memory.bits; bit += one.memory.bits> 64 ? 31 : 5) {
    SCOPED_TRACE("bit " + std::to_string(bit));
    Bench bench(make_secded_controller(bit + 3), bit + 3);
    bench.program(bit % 2 == 0);
    // makes timers wait in the lists of the wheel as well
    if (one.memory.cause == DCC_MEMORY_ERROR_WHEEL_MASK) {
      bench.write(DCC_TICK_DIV_OFFSET, 64);
      bench.write(DCC_TIMER_INTERVAL_OFFSET, 150);
    }
    bench.run(3000, kAll);
    ASSERT_EQ(bench.read(DCC_MEMORY_CORRECTED_OFFSET), 0u);
    ASSERT_EQ(bench.read(DCC_MEMORY_WORD_OFFSET), 0u);
    // A flip corrupts words that were right, and restores words that the previous flip corrupted.
    std::uint32_t corrected = 0;
    // The controller reads a word of a queue in a few cycles only, or not at all if the queue's
    // entry leaves at once.
    if (one.memory.cause == DCC_MEMORY_ERROR_QUEUES_MASK) {
      for (int i = 0; i < 300 && corrected == 0; ++i) {
        for (int k = 0; k < 500; ++k) {
          flip_bit(bench.dut(), one.memory, bit);
          bench.run(1, kAll);
        }
        corrected = bench.read(DCC_MEMORY_CORRECTED_OFFSET);
      }
    }
    for (int i = 0; i < 300 && (i < 3 || corrected == 0); ++i) {
      if (i < 3 || i % 5 == 0) flip_bit(bench.dut(), one.memory, bit);
      bench.run(700, kAll);
      corrected = bench.read(DCC_MEMORY_CORRECTED_OFFSET);
    }
    bench.compare_counters();
    bench.compare_slots();
    ASSERT_EQ(bench.difference(), "");
    EXPECT_TRUE(bench.ready);
    EXPECT_EQ(bench.read(DCC_MEMORY_ERROR_OFFSET), 0u);
    EXPECT_EQ(bench.read(DCC_MEMORY_ERRORS_OFFSET), 0u);
    EXPECT_GT(corrected, 0u);
    const std::uint32_t word = bench.read(DCC_MEMORY_WORD_OFFSET);
    EXPECT_EQ(word & kBoth, DCC_MEMORY_WORD_CORRECTED_MASK);
    EXPECT_EQ(memory_of(word), one.number);
    EXPECT_EQ(bench.read(DCC_IRQ_STATUS_OFFSET) & DCC_IRQ_STATUS_MEMORY_MASK, 0u);
  }
}

TEST_P(Secded, TwoLostBitsStopTheBlock) {
  const SecdedMemory& one = GetParam();
  Loss loss;
  for (unsigned bit = 0; bit<one.memory.bits; bit += one.memory.bits> 64 ? 67 : 4) {
    unsigned other = bit == 0 ? one.memory.bits - 1 : bit - 1;
    while (one.part_of(other) != one.part_of(bit))
      other = other == 0 ? one.memory.bits - 1 : other - 1;
    Bench bench(make_secded_controller(bit + 5), bit + 5);
    ASSERT_EQ(lose_bits(bench, one.memory, {bit, other}, loss), "")
        << "bits " << bit << ", " << other;
    // The soft reset at the end of lose_bits() clears the recorded place of the error.
    EXPECT_EQ(bench.read(DCC_MEMORY_WORD_OFFSET) & DCC_MEMORY_WORD_WRONG_MASK, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Secded, testing::ValuesIn(secded_memories()),
                         [](const auto& one) { return std::string(one.param.memory.name); });

// MEMORY_WORD gives the place of a corrected word that software read. The place of an uncorrectable
// word stays in the register although later words are corrected.
TEST(SecdedPlace, IsThatOfTheWordRead) {
  for (const SecdedMemory& one : secded_memories()) {
    if (std::string(one.memory.name) != "store") continue;
    Bench bench(make_secded_controller(7), 7);
    EXPECT_EQ(bench.read(DCC_CAPS_OFFSET) & DCC_CAPS_SECDED_MASK, DCC_CAPS_SECDED_MASK);
    bench.program(true);
    flip_bit(bench.dut(), one.memory, 70);
    const auto place = [](std::uint32_t index, std::uint32_t how) {
      return index << DCC_MEMORY_WORD_INDEX_SHIFT | 7u << DCC_MEMORY_WORD_MEMORY_SHIFT | how;
    };
    std::uint32_t count = 0;
    for (const std::uint32_t index : {3u, 41u, 62u}) {
      bench.read(DCC_SLOTS_ENTRY_OFFSET(index));
      EXPECT_EQ(bench.read(DCC_MEMORY_WORD_OFFSET), place(index, DCC_MEMORY_WORD_CORRECTED_MASK));
      count += kViewed;
      EXPECT_EQ(bench.read(DCC_MEMORY_CORRECTED_OFFSET), count);
    }
    EXPECT_EQ(bench.read(DCC_MEMORY_ERRORS_OFFSET), 0u);
    bench.faulty = true;
    bench.dut().check_assertions(false);
    flip_bit(bench.dut(), one.memory, 71);
    bench.read(DCC_SLOTS_ENTRY_OFFSET(17));
    EXPECT_EQ(bench.read(DCC_MEMORY_WORD_OFFSET), place(17, DCC_MEMORY_WORD_WRONG_MASK));
    EXPECT_EQ(bench.read(DCC_MEMORY_ERROR_OFFSET), DCC_MEMORY_ERROR_SLOTS_MASK);
    flip_bit(bench.dut(), one.memory, 71);
    bench.read(DCC_SLOTS_ENTRY_OFFSET(18));
    EXPECT_EQ(bench.read(DCC_MEMORY_WORD_OFFSET), place(17, DCC_MEMORY_WORD_WRONG_MASK));
    count += kViewed;
    EXPECT_EQ(bench.read(DCC_MEMORY_CORRECTED_OFFSET), count);
    soft_reset(bench);
    EXPECT_EQ(bench.read(DCC_MEMORY_WORD_OFFSET), 0u);
    EXPECT_EQ(bench.read(DCC_MEMORY_CORRECTED_OFFSET), count) << "the soft reset cleared the count";
    bench.dut().reset();
    EXPECT_EQ(bench.read(DCC_MEMORY_CORRECTED_OFFSET), 0u);
  }
}

// The byte queue has parity with Secded, too: one lost bit of any field stops the controller.
// MEMORY_WORD gives the queue's number and the entry.
TEST(SecdedByteQueue, OneLostBitStopsTheBlock) {
  const GuardedMemory queue = secded_byte_queue();
  for (const unsigned bit : {0u, 8u, 9u, 15u, 16u, 47u, 48u, 64u}) {
    Loss loss;
    Bench bench(make_secded_controller(bit + 9), bit + 9);
    ASSERT_EQ(lose_bits(bench, queue, {bit}, loss), "") << "bit " << bit;
    ASSERT_EQ(loss.word & kBoth, DCC_MEMORY_WORD_WRONG_MASK) << "bit " << bit;
    EXPECT_EQ(memory_of(loss.word), 29u);
    EXPECT_LT(loss.word >> DCC_MEMORY_WORD_INDEX_SHIFT, 16u);
  }
}

// Without the parameter Secded the error registers read as 0.
TEST(SecdedOff, RegistersReadAsZero) {
  Bench bench(make_small_controller(3), 3);
  EXPECT_EQ(bench.read(DCC_CAPS_OFFSET) & DCC_CAPS_SECDED_MASK, 0u);
  EXPECT_EQ(bench.read(DCC_MEMORY_CORRECTED_OFFSET), 0u);
  EXPECT_EQ(bench.read(DCC_MEMORY_WORD_OFFSET), 0u);
}

}  // namespace
}  // namespace dcc::page
