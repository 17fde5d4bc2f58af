// Tests traffic classes with rules of their own in a shared buffer: limits, reserved bytes, pools,
// resuming.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <stdexcept>

#include "switch/shared_buffer.h"

namespace dcc::buffer_rules_test {
namespace {

constexpr std::uint32_t kOne = 65'536;  // an alpha of 1.0, in units of 1/65536

SharedBufferParameters parameters(Bytes size, std::uint8_t lossless = 0) {
  SharedBufferParameters p;
  p.size = size;
  p.alpha_q16 = kOne / 8;
  p.resume_offset = 3'000;
  p.lossless = lossless;
  return p;
}

/// Admits packets of 100 bytes until one is refused. Returns the admitted bytes.
Bytes fill(SharedBuffer& buffer, int port, int priority) {
  Bytes held = 0;
  while (buffer.admit(port, priority, 100)) held += 100;
  return held;
}

TEST(BufferRules, AlphaOfLossyClassesLeavesTheirShareOfThePoolFree) {
  SharedBuffer buffer(parameters(900'000), 3);
  for (const int port : {0, 1}) buffer.set_rules(port, 0, {kOne, {}, 0, 0, 0, 0});
  // In a pool of S bytes n classes with the same alpha fill n alpha S / (1 + n alpha). With alpha 1
  // one class fills half of the pool, and two classes fill two thirds.
  EXPECT_NEAR(static_cast<double>(fill(buffer, 0, 0)), 450'000, 100);
  Bytes both = buffer.held(0, 0);
  // the bytes of the first class shrink as those of the second grow
  for (bool more = true; more;) {
    more = false;
    if (buffer.admit(1, 0, 100)) more = true;
    if (!more && buffer.held(0, 0) > buffer.threshold(0, 0)) {
      buffer.release(0, 0, 100);
      more = true;
    }
  }
  both = buffer.held(0, 0) + buffer.held(1, 0);
  EXPECT_NEAR(static_cast<double>(both), 600'000, 400);
  EXPECT_EQ(fill(buffer, 2, 0), 900'000 - both) << "a class without rules takes all that is left";
}

TEST(BufferRules, AFixedLimitHoldsWhateverIsFree) {
  SharedBuffer buffer(parameters(900'000, 0x08), 2);
  buffer.set_headroom(1, 5'000);
  buffer.set_rules(0, 0, {{}, 20'000, 0, 0, 0, 0});
  buffer.set_rules(1, 3, {{}, 20'000, 0, 0, 3'000, 0});
  EXPECT_EQ(fill(buffer, 0, 0), 20'000);
  Bytes held = 0;
  for (; !buffer.must_pause(1, 3); held += 100) ASSERT_TRUE(buffer.admit(1, 3, 100));
  EXPECT_EQ(held, 20'000);
  EXPECT_EQ(fill(buffer, 1, 3), 5'000) << "the headroom comes on top";
}

TEST(BufferRules, ReservedBytesAreThereWhenThePoolIsFull) {
  SharedBuffer buffer(parameters(100'000), 2);
  buffer.set_rules(0, 5, {{}, {}, 4'000, 0, 0, 0});
  EXPECT_EQ(fill(buffer, 1, 0), 96'000) << "nobody else takes what is reserved";
  EXPECT_EQ(fill(buffer, 0, 5), 4'000);
  EXPECT_EQ(buffer.used(), 100'000);
  buffer.release(1, 0, 1'000);
  EXPECT_EQ(fill(buffer, 0, 5), 1'000) << "beyond its own, a class takes from the pool";
  buffer.release(0, 5, 5'000);
  EXPECT_EQ(buffer.used(), 95'000);
  EXPECT_EQ(fill(buffer, 1, 0), 1'000) << "and gives back to the pool first";
}

TEST(BufferRules, ThresholdsCountFromTheReservedBytesOn) {
  SharedBuffer buffer(parameters(100'000), 2);
  buffer.set_rules(0, 3, {kOne / 2, {}, 4'000, 0, 0, 0});
  buffer.set_rules(1, 3, {{}, 10'000, 4'000, 0, 0, 0});
  EXPECT_EQ(buffer.threshold(0, 3), 4'000 + 92'000 / 2);
  EXPECT_EQ(buffer.threshold(1, 3), 14'000);
  EXPECT_EQ(fill(buffer, 1, 3), 14'000);
}

TEST(BufferRules, PoolsDoNotTakeFromEachOther) {
  SharedBufferParameters p = parameters(100'000);
  p.pools = {30'000, 20'000};
  SharedBuffer buffer(p, 2);
  buffer.set_rules(0, 1, {{}, {}, 0, 1, 0, 0});
  buffer.set_rules(1, 2, {kOne, {}, 0, 2, 0, 0});
  EXPECT_EQ(fill(buffer, 0, 1), 30'000);
  EXPECT_EQ(fill(buffer, 1, 2), 10'000) << "half of its pool, by alpha 1";
  EXPECT_EQ(fill(buffer, 0, 0), 50'000);
  EXPECT_EQ(buffer.used(), 90'000);
  EXPECT_EQ(buffer.peak(), 90'000);
  EXPECT_THROW(buffer.set_rules(0, 3, {{}, {}, 0, 3, 0, 0}), std::invalid_argument);
  EXPECT_THROW(buffer.set_rules(0, 3, {{}, {}, 20'001, 2, 0, 0}), std::length_error);
  p.pools = {100'000};
  EXPECT_THROW(SharedBuffer(p, 1), std::invalid_argument);
}

TEST(BufferRules, AGroupCountsThePacketsOfAllItsPriorities) {
  SharedBuffer buffer(parameters(100'000), 2);
  ClassRules grouped;
  grouped.group = 0;
  buffer.set_rules(0, 0, {{}, 10'000, 2'000, 0, 0, 0});
  buffer.set_rules(0, 5, grouped);
  EXPECT_EQ(fill(buffer, 0, 5), 12'000) << "reserved and limit of priority 0";
  EXPECT_FALSE(buffer.admit(0, 0, 1'000));
  EXPECT_EQ(buffer.held(0, 0), 12'000);
  EXPECT_EQ(buffer.held(0, 5), 0);
  buffer.release(0, 5, 3'000);
  EXPECT_EQ(fill(buffer, 0, 0), 3'000);
  EXPECT_EQ(fill(buffer, 1, 5), 88'000) << "other ports have classes of their own";
  buffer.release(0, 0, 3'000);
  buffer.release(0, 5, 9'000);
  buffer.release(1, 5, 88'000);
  EXPECT_EQ(buffer.used(), 0);
}

TEST(BufferRules, AClassResumesAtItsFloorOrBelowItsThreshold) {
  const auto resumes_at = [](Bytes below, Bytes floor) {
    SharedBuffer buffer(parameters(900'000, 0x08), 1);
    buffer.set_rules(0, 3, {{}, 50'000, 0, 0, below, floor});
    while (!buffer.must_pause(0, 3)) buffer.admit(0, 3, 100);
    while (!buffer.may_resume(0, 3)) buffer.release(0, 3, 100);
    return buffer.held(0, 3);
  };
  EXPECT_EQ(resumes_at(10'000, 0), 40'000);
  EXPECT_EQ(resumes_at(10'000, 45'000), 45'000);
  EXPECT_EQ(resumes_at(60'000, 8'000), 8'000);
  EXPECT_EQ(resumes_at(60'000, 0), 0);
}

TEST(BufferRules, HeldBytesAreKnownThroughEveryMixOfClassesAndChanges) {
  SharedBufferParameters p = parameters(60'000, 0x0C);
  p.pools = {10'000};
  SharedBuffer buffer(p, 3);
  for (int port = 0; port < 3; ++port) buffer.set_headroom(port, 3'000);
  buffer.set_rules(0, 2, {kOne / 2, {}, 1'000, 0, 2'000, 500});
  buffer.set_rules(1, 3, {{}, 4'000, 700, 1, 2'000, 0});
  buffer.set_rules(2, 0, {{}, {}, 300, 1, 0, 0});
  std::mt19937 random(7);
  std::array<Bytes, 24> held{};
  Bytes most = 0;
  for (int step = 0; step < 20'000; ++step) {
    const int port = static_cast<int>(random() % 3);
    const int priority = static_cast<int>(random() % 8);
    Bytes& mine = held[static_cast<std::size_t>(port * 8 + priority)];
    const auto bytes = static_cast<Bytes>(64 + random() % 1'000);
    if (random() % 5 < 3) {
      if (buffer.admit(port, priority, bytes)) mine += bytes;
    } else if (mine > 0) {
      const Bytes gone = std::min(mine, bytes);
      buffer.release(port, priority, gone);
      mine -= gone;
    }
    if (step % 1'000 == 999) buffer.set_lossless(port, step % 2'000 == 999 ? 0x08 : 0x0C);
    if (step % 700 == 699) buffer.set_rules(0, 2, {kOne / (step % 3 + 1), {}, 1'000, 0, 0, 0});
    Bytes sum = 0;
    for (const Bytes one : held) sum += one;
    most = std::max(most, sum);
    ASSERT_EQ(buffer.used(), sum) << "step " << step;
    ASSERT_EQ(buffer.peak(), most) << "step " << step;
    ASSERT_LE(sum, 60'000);
  }
  for (int i = 0; i < 24; ++i) buffer.release(i / 8, i % 8, held[static_cast<std::size_t>(i)]);
  EXPECT_EQ(buffer.used(), 0);
}

TEST(BufferRules, PacketsTakeWholeCells) {
  SharedBufferParameters p = parameters(100'000, 0x08);
  p.cell = 208;
  SharedBuffer buffer(p, 2);
  buffer.set_headroom(1, 416);
  buffer.set_rules(0, 0, {{}, {}, 0, 0, 0, 0});
  buffer.set_rules(1, 3, {{}, 2'080, 0, 0, 0, 0});
  EXPECT_EQ(fill(buffer, 1, 3), 12 * 100) << "ten cells to the limit, two in the headroom";
  EXPECT_EQ(buffer.held(1, 3), 12 * 208);
  ASSERT_TRUE(buffer.admit(0, 0, 209));
  EXPECT_EQ(buffer.held(0, 0), 2 * 208);
  buffer.release(0, 0, 209);
  for (int i = 0; i < 12; ++i) buffer.release(1, 3, 100);
  EXPECT_EQ(buffer.used(), 0);
  EXPECT_FALSE(buffer.can_pass_through(0, 0, 100)) << "no packet goes past the cells";
}

TEST(BufferRules, ASharedHeadroomIsOneLimitForAllClasses) {
  SharedBufferParameters p = parameters(100'000, 0x18);
  p.shared_headroom = 10'000;
  SharedBuffer buffer(p, 2);
  for (const int port : {0, 1}) {
    buffer.set_headroom(port, 6'000);
    for (const int priority : {3, 4}) buffer.set_rules(port, priority, {{}, 1'000, 0, 0, 0, 0});
  }
  EXPECT_EQ(fill(buffer, 0, 3), 1'000 + 6'000) << "one class takes no more than its headroom";
  EXPECT_EQ(fill(buffer, 1, 3), 1'000 + 4'000) << "and the next one what is left";
  EXPECT_EQ(fill(buffer, 1, 4), 1'000);
  EXPECT_EQ(fill(buffer, 0, 0), 90'000 - 3'000) << "the pool has what the headroom leaves";
  buffer.set_lossless(0, 0x10);
  EXPECT_EQ(buffer.used(), 100'000 - 10'000 + 10'000);
  buffer.release(0, 3, 6'000);
  EXPECT_EQ(fill(buffer, 1, 4), 6'000) << "what a class no longer holds is free for others";
  p.shared_headroom = 100'000;
  EXPECT_THROW(SharedBuffer(p, 1), std::invalid_argument);
}

TEST(BufferRules, AClassThatBecomesLossyLeavesASharedHeadroomAsItWas) {
  SharedBufferParameters p = parameters(100'000, 0x08);
  p.shared_headroom = 10'000;
  SharedBuffer buffer(p, 1);
  buffer.set_headroom(0, 6'000);
  ASSERT_TRUE(buffer.admit(0, 3, 100));
  buffer.release(0, 3, 100);
  buffer.set_lossless(0, 0);
  EXPECT_EQ(buffer.free(0), 90'000);
}

TEST(BufferRules, AClassThatBecomesLosslessHasThePortsAlpha) {
  SharedBuffer buffer(parameters(90'000), 1);
  buffer.set_headroom(0, 1'000);
  buffer.set_rules(0, 5, {{}, {}, 0, 0, 0, 0});
  buffer.set_lossless(0, 0x20);
  EXPECT_EQ(buffer.threshold(0, 5), 90'000 / 8);
}

}  // namespace
}  // namespace dcc::buffer_rules_test
