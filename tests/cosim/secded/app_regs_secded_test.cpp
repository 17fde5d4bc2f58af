// Tests the registers of a NIC's application block (dc_app_regs) that count events and tell lost
// bits: each counter alone, what a report of lost bits changes, greatest values, and the reset.
#include <Vapp_regs_secded.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "block_pins.h"
#include "lost_bits.h"

namespace dcc {
namespace {

// Words of the register map (rtl/nic/doc/contract.md).
constexpr std::uint32_t kStatus = 1, kCounters = 12, kErrors = 17, kCorrecteds = 18, kWord = 19;
constexpr std::uint32_t kReady = 1, kError = 4, kSecded = 8, kFive = 5;

class AppRegsSecded : public testing::Test {
 protected:
  AppRegsSecded() {
    auto& pins = block_;
    pins->psel_i = pins->penable_i = pins->pwrite_i = 0;
    pins->context_ready_i = pins->command_ready_i = pins->ready_i = 1;
    pins->strict_i = 0;
    pins->pstrb_i = 15;
    quiet();
    block_.reset();
  }
  void quiet() {
    block_->report_i = 0;
    events(0);
  }
  /// Sets the inputs of the events, in the order of their counters.
  void events(std::uint32_t mask) {
    block_->refused_i = mask & 1;
    block_->unbound_i = mask >> 1 & 1;
    block_->cnp_in_i = mask >> 2 & 1;
    block_->cnp_out_i = mask >> 3 & 1;
    block_->cut_i = mask >> 4 & 1;
  }
  void cycles(std::uint32_t number) {
    for (std::uint32_t i = 0; i < number; ++i) {
      block_.settle();
      block_.edge();
    }
    quiet();
  }
  void report(std::uint32_t value) {
    block_->report_i = value;
    cycles(1);
  }
  std::uint32_t access(bool write, std::uint32_t word, std::uint32_t value = 0) {
    block_->psel_i = 1;
    block_->pwrite_i = write;
    block_->paddr_i = 4 * word;
    block_->pwdata_i = value;
    cycles(1);
    block_->penable_i = 1;
    block_.settle();
    EXPECT_TRUE(block_->pready_o && !block_->pslverr_o) << word;
    const std::uint32_t data = block_->prdata_o;
    cycles(1);
    block_->psel_i = block_->penable_i = 0;
    return data;
  }
  std::uint32_t read(std::uint32_t word) { return access(false, word); }
  void expect(std::uint32_t status, std::uint32_t errors, std::uint32_t correcteds,
              std::uint32_t word) {
    EXPECT_EQ(read(kStatus), kReady | kSecded | status);
    EXPECT_EQ(read(kErrors), errors);
    EXPECT_EQ(read(kCorrecteds), correcteds);
    EXPECT_EQ(read(kWord), word);
  }

  BlockPins<Vapp_regs_secded> block_{1};
};

TEST_F(AppRegsSecded, EachEventHasItsCounter) {
  for (std::uint32_t one = 0; one < kFive; ++one) {
    for (std::uint32_t i = 0; i < 300 + one; ++i) {
      events(1u << one);
      cycles(1);
    }
    for (std::uint32_t i = 0; i < kFive; ++i)
      EXPECT_EQ(read(kCounters + i), i <= one ? 300 + i : 0) << one;
  }
  events(31);
  cycles(1);
  for (std::uint32_t i = 0; i < kFive; ++i) EXPECT_EQ(read(kCounters + i), 301 + i);
  block_.reset();
  for (std::uint32_t i = 0; i < kFive; ++i) EXPECT_EQ(read(kCounters + i), 0u);
  expect(0, 0, 0, 0);
}

TEST_F(AppRegsSecded, ReportsAreCountedAndTheFirstWrongWordStays) {
  const std::uint32_t corrected = 9u << 7 | 4u << 2 | kCorrected;
  const std::uint32_t next = 0x155555u << 7 | 18u << 2 | kCorrected;
  const std::uint32_t wrong = 77u << 7 | 17u << 2 | kWrong;
  report(corrected);
  expect(0, 0, 1, corrected);
  report(next);
  expect(0, 0, 2, next);
  report(wrong);
  expect(kError, 1, 2, wrong);
  report(corrected);
  report(wrong ^ 1u << 9);
  expect(kError, 2, 3, wrong);
  access(true, kWord, 0xFFFFFFFF);
  expect(kError, 2, 3, 0);
  report(corrected);
  expect(kError, 2, 4, corrected);
  access(true, kWord, 0);
  expect(kError, 2, 4, 0);
  block_.reset();
  expect(0, 0, 0, 0);
}

TEST_F(AppRegsSecded, CountersOfWordsStayAtTheirGreatestValue) {
  for (std::uint32_t i = 0; i < 0xFFFE; ++i) report(kCorrected);
  expect(0, 0, 0xFFFE, kCorrected);
  for (int i = 0; i < 3; ++i) report(kCorrected);
  expect(0, 0, 0xFFFF, kCorrected);
  for (std::uint32_t i = 0; i < 0xFFFE; ++i) report(kWrong);
  expect(kError, 0xFFFE, 0xFFFF, kWrong);
  for (int i = 0; i < 3; ++i) report(kWrong);
  expect(kError, 0xFFFF, 0xFFFF, kWrong);
}

}  // namespace
}  // namespace dcc
