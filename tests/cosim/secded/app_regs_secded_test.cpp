// Tests the registers of a NIC's application block (dc_app_regs): configuration registers and the
// outputs that they drive, refused and waiting accesses, each counter alone, what a report of lost
// bits changes, greatest values, and the reset.
#include <Vapp_regs_secded.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "block_pins.h"
#include "lost_bits.h"

namespace dcc {
namespace {

// Words of the register map (rtl/nic/doc/contract.md).
constexpr std::uint32_t kStatus = 1, kCounters = 12, kErrors = 17, kCorrecteds = 18, kWord = 19;
constexpr std::uint32_t kConfiguration = 2, kContext = 10, kCommand = 11, kBeyond = 20;
constexpr std::array<std::uint32_t, 8> kAfterReset{0, 0, 0, 0, 0x10630, 100'000 << 8, 0, 500};
constexpr std::array<std::uint32_t, 8> kBits{0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFF,
                                             0x1073F,  0xFFFFFFFF, 0xFFFFFF,   0xFFFFFFFF};
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
  /// Starts an access in the middle of its last cycle, and checks whether it is refused.
  void begin(bool write, std::uint32_t address, std::uint32_t value, bool refused,
             std::uint32_t strobes = 15) {
    block_->psel_i = block_->penable_i = 1;
    block_->pwrite_i = write;
    block_->paddr_i = address;
    block_->pwdata_i = value;
    block_->pstrb_i = strobes;
    block_.settle();
    EXPECT_EQ(block_->pslverr_o != 0, refused) << address;
    EXPECT_EQ(block_->context_valid_o != 0, write && !refused && address == 4 * kContext);
    EXPECT_EQ(block_->command_valid_o != 0, write && !refused && address == 4 * kCommand);
  }
  void end() {
    cycles(1);
    block_->psel_i = block_->penable_i = 0;
    block_->pstrb_i = 15;
    cycles(1);
  }
  void refuse(bool write, std::uint32_t address, std::uint32_t value, std::uint32_t strobes = 15) {
    begin(write, address, value, true, strobes);
    EXPECT_TRUE(block_->pready_o) << address;
    end();
  }
  /// Checks all configuration registers and the outputs that they drive.
  void expect_configuration(const std::array<std::uint32_t, 8>& values) {
    for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(read(kConfiguration + i), values[i]) << i;
    EXPECT_EQ(block_->qpn_base_o, values[0]);
    EXPECT_EQ(block_->own_ip_o, values[1]);
    EXPECT_EQ(block_->own_mac_o, std::uint64_t{values[3]} << 32 | values[2]);
    EXPECT_EQ(block_->cnp_dscp_o, values[4] & 63);
    EXPECT_EQ(block_->cnp_priority_o, values[4] >> 8 & 7);
    EXPECT_EQ(block_->counting_o, values[4] >> 16 & 1);
    EXPECT_EQ(block_->default_rate_o, values[5]);
    EXPECT_EQ(block_->context_peer_o, values[6]);
    EXPECT_EQ(block_->context_interval_o, values[7]);
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

TEST_F(AppRegsSecded, ConfigurationIsWrittenReadAndReset) {
  EXPECT_EQ(read(0), 0x44434E31u);
  std::array<std::uint32_t, 8> values = kAfterReset;
  expect_configuration(values);
  for (const std::uint32_t pattern : {0xA5C3F10Fu, 0x5A3C0EF0u, 0xFFFFFFFFu, 0u, 0x12345678u}) {
    for (std::uint32_t i = 0; i < 8; ++i) {
      access(true, kConfiguration + i, pattern + i);
      values[i] = (pattern + i) & kBits[i];
      expect_configuration(values);
    }
  }
  for (std::uint32_t i = 0; i < 8; ++i) refuse(true, 4 * (kConfiguration + i), ~values[i], 7);
  for (std::uint32_t i = 0; i < 8; ++i) refuse(true, 4 * (kConfiguration + i) + 1, ~values[i]);
  for (std::uint32_t i = 0; i < 8; ++i) refuse(true, 4 * (kConfiguration + i) + 0x100, ~values[i]);
  for (const std::uint32_t word : {0u, kStatus, kCounters, kCounters + 4, kErrors, kCorrecteds})
    refuse(true, 4 * word, 0xFFFFFFFF);
  for (const bool write : {false, true}) refuse(write, 4 * kBeyond, 0xFFFFFFFF);
  for (const bool write : {false, true}) refuse(write, 0x80000, 0xFFFFFFFF);
  expect_configuration(values);
  // An access begins, but has no second cycle.
  block_->psel_i = block_->pwrite_i = 1;
  block_->paddr_i = 4 * kConfiguration;
  block_->pwdata_i = ~values[0];
  cycles(1);
  block_->psel_i = 0;
  expect_configuration(values);
  block_.reset();
  expect_configuration(kAfterReset);
}

TEST_F(AppRegsSecded, ContextAndCommandWaitOrAreRefused) {
  for (const std::uint32_t word : {kContext, kCommand}) {
    EXPECT_EQ(read(word), 0u);
    for (const std::uint32_t beyond : {16u, 1u << 21, 0xABC00010u}) refuse(true, 4 * word, beyond);
    block_->ready_i = 0;
    EXPECT_EQ(read(kStatus), kSecded);
    refuse(true, 4 * word, 3);
    block_->ready_i = 1;
    for (const std::uint32_t value : {0x80000003u, 0x5B40000Cu, 0x2480000Fu, 0x7FC00000u}) {
      block_->context_ready_i = block_->command_ready_i = 0;
      (word == kContext ? block_->command_ready_i : block_->context_ready_i) = 1;
      begin(true, 4 * word, value, false);
      for (int i = 0; i < 5; ++i) {
        EXPECT_FALSE(block_->pready_o);
        cycles(1);
        block_.settle();
      }
      block_->context_ready_i = block_->command_ready_i = 1;
      block_.settle();
      EXPECT_TRUE(block_->pready_o);
      EXPECT_EQ(block_->context_flow_o, value & 15);
      EXPECT_EQ(block_->context_dscp_o, value >> 22 & 63);
      EXPECT_EQ(block_->context_priority_o, value >> 28 & 7);
      EXPECT_EQ(block_->context_bound_o, value >> 31);
      EXPECT_EQ(block_->command_flow_o, value & 15);
      EXPECT_EQ(block_->command_query_o, value >> 31);
      end();
    }
  }
  block_->strict_i = 1;
  EXPECT_EQ(read(kStatus), kReady | 2 | kSecded);
  expect_configuration(kAfterReset);
}

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
