// Compares a RAM with an error-correcting code (ram_guarded with Secded) with a map of the written
// words. The test does not compute the code. It flips stored bits, each bit alone and each pair of
// bits, and checks the data that it reads against the guarantee of the code.
#include <Vsecded_112.h>
#include <Vsecded_112___024root.h>
#include <Vsecded_193.h>
#include <Vsecded_193___024root.h>
#include <Vsecded_24.h>
#include <Vsecded_24___024root.h>
#include <Vsecded_4.h>
#include <Vsecded_4___024root.h>
#include <gtest/gtest.h>

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <type_traits>

#include "../turned_bits.h"

namespace dcc {
namespace {

constexpr unsigned kDepth = 16, kNumber = 21;
constexpr std::uint32_t kWrong = 1, kCorrected = 2;

template <class Word>
bool bit_of(const Word& word, unsigned bit) {
  return (word >> bit & 1) != 0;
}
template <std::size_t N>
bool bit_of(const VlWide<N>& word, unsigned bit) {
  return (word.m_storage[bit / 32] >> bit % 32 & 1) != 0;
}

/// The verilated RAM. A word has kWidth data bits, and kChecks check bits for each 64 data bits.
template <class Top, unsigned kWidth, unsigned kChecks>
struct Ram {
  static constexpr unsigned kParts = (kWidth + 63) / 64, kAll = kWidth + kParts * kChecks;
  using Data = std::bitset<kWidth>;

  Ram() { context.randReset(2); }

  void cycle() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
    top.wen_i = top.ren_i = top.use_i = 0;
    top.eval();
  }
  void set_write(unsigned address, const Data& data) {
    top.wen_i = 1;
    top.waddr_i = static_cast<std::uint8_t>(address);
    for (unsigned i = 0; i < kWidth; ++i)
      if (bit_of(top.wdata_i, i) != data[i]) turn(top.wdata_i, i);
  }
  void write(unsigned address, const Data& data) {
    set_write(address, data);
    cycle();
  }
  void set_read(unsigned address) {
    top.ren_i = 1;
    top.raddr_i = static_cast<std::uint8_t>(address);
  }
  /// Uses the word at the output for one cycle, and stores the error report.
  Data use() {
    Data data;
    for (unsigned i = 0; i < kWidth; ++i) data[i] = bit_of(top.rdata_o, i);
    top.use_i = 1;
    cycle();
    report = top.report_o;
    return data;
  }
  Data read(unsigned address) {
    set_read(address);
    cycle();
    return use();
  }
  void flip(unsigned address, unsigned bit) {
    turn(top.rootp->ram_guarded__DOT__u_ram__DOT__u_array__DOT__mem[address], bit);
  }
  static unsigned part_of(unsigned bit) {
    return bit < kWidth ? bit / 64 : (bit - kWidth) / kChecks;
  }
  static std::uint32_t report_of(unsigned address, std::uint32_t how) {
    return address << 7 | kNumber << 2 | how;
  }

  VerilatedContext context;
  Top top{&context, "ram"};
  std::uint32_t report = 0;
};

template <class Kind>
class RamSecded : public testing::Test {
 protected:
  typename Kind::Data some() {
    typename Kind::Data data;
    for (unsigned i = 0; i < data.size(); ++i) data[i] = random_() % 2 != 0;
    return data;
  }
  std::mt19937 random_{20};
  Kind ram_;
};

using Kinds = testing::Types<Ram<Vsecded_4, 4, 4>, Ram<Vsecded_24, 24, 6>, Ram<Vsecded_112, 112, 8>,
                             Ram<Vsecded_193, 193, 8>>;
TYPED_TEST_SUITE(RamSecded, Kinds);

TYPED_TEST(RamSecded, WholeWordsComeBackUntold) {
  std::array<typename TypeParam::Data, kDepth> written;
  for (unsigned i = 0; i < kDepth; ++i) this->ram_.write(i, written[i] = this->some());
  for (int n = 0; n < 2000; ++n) {
    const unsigned to = this->random_() % kDepth,
                   from = this->random_() % 3 ? this->random_() % kDepth : to;
    if (this->random_() % 2 != 0) this->ram_.set_write(to, written[to] = this->some());
    // the write and the read may happen in the same cycle
    ASSERT_EQ(this->ram_.read(from), written[from]);
    ASSERT_EQ(this->ram_.report, 0u);
  }
}

TYPED_TEST(RamSecded, OneLostBitIsCorrectedAndTold) {
  for (unsigned bit = 0; bit < TypeParam::kAll; ++bit) {
    const auto data = this->some();
    const unsigned at = bit % kDepth;
    this->ram_.write(at, data);
    this->ram_.flip(at, bit);
    ASSERT_EQ(this->ram_.read(at), data) << bit;
    ASSERT_EQ(this->ram_.report, TypeParam::report_of(at, kCorrected)) << bit;
    this->ram_.flip(at, bit);
    ASSERT_EQ(this->ram_.read(at), data);
    ASSERT_EQ(this->ram_.report, 0u);
  }
}

TYPED_TEST(RamSecded, TwoLostBitsOfAPartAreTold) {
  for (unsigned one = 0; one < TypeParam::kAll; ++one) {
    for (unsigned other = 0; other < one; ++other) {
      auto data = this->some();
      const unsigned at = (one + other) % kDepth;
      this->ram_.write(at, data);
      this->ram_.flip(at, one);
      this->ram_.flip(at, other);
      const auto read = this->ram_.read(at);
      if (TypeParam::part_of(one) != TypeParam::part_of(other)) {
        ASSERT_EQ(read, data) << one << ", " << other;
        ASSERT_EQ(this->ram_.report, TypeParam::report_of(at, kCorrected)) << one << ", " << other;
        continue;
      }
      for (const unsigned bit : {one, other})
        if (bit < data.size()) data.flip(bit);
      ASSERT_EQ(read, data) << one << ", " << other << ": a right bit was turned";
      ASSERT_EQ(this->ram_.report, TypeParam::report_of(at, kWrong)) << one << ", " << other;
    }
  }
}

// A word with one corrected part and one uncorrectable part counts as uncorrectable.
TYPED_TEST(RamSecded, WrongCountsMoreThanCorrected) {
  if (TypeParam::kParts < 2) GTEST_SKIP() << "a word of one part";
  const unsigned last = TypeParam::kAll - 1;  // a check bit of the last part
  for (int i = 0; i < 2; ++i) {
    this->ram_.write(3, this->some());
    const bool first_is_wrong = i == 0;
    this->ram_.flip(3, 0);
    this->ram_.flip(3, last);
    this->ram_.flip(3, first_is_wrong ? 1 : last - 1);
    this->ram_.read(3);
    EXPECT_EQ(this->ram_.report, TypeParam::report_of(3, kWrong));
  }
}

// A memory word of zeros only is uncorrectable.
TYPED_TEST(RamSecded, ZerosAreWrong) {
  this->ram_.write(5, {});
  auto& word = this->ram_.top.rootp->ram_guarded__DOT__u_ram__DOT__u_array__DOT__mem[5];
  for (unsigned bit = 0; bit < TypeParam::kAll; ++bit)
    if (bit_of(word, bit)) turn(word, bit);
  this->ram_.read(5);
  EXPECT_EQ(this->ram_.report, TypeParam::report_of(5, kWrong));
}

// The RAM reports an error only in cycles in which the word is used, with the address from which
// the word was read.
TYPED_TEST(RamSecded, OnlyUseIsTold) {
  const auto data = this->some();
  this->ram_.write(9, data);
  this->ram_.flip(9, 1);
  this->ram_.set_read(9);
  this->ram_.cycle();
  EXPECT_EQ(this->ram_.top.report_o, 0u);
  this->ram_.top.raddr_i = 2;  // changes the read address without a read in this cycle
  this->ram_.cycle();
  EXPECT_EQ(this->ram_.top.report_o, 0u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(this->ram_.use(), data) << "the word is not held";
    EXPECT_EQ(this->ram_.report, TypeParam::report_of(9, kCorrected));
  }
  this->ram_.cycle();
  EXPECT_EQ(this->ram_.top.report_o, 0u);
}

}  // namespace
}  // namespace dcc
