// Tests the check pattern of payload: the check detects every wrong byte, and does not report a
// later message as damage.
#include "app/payload_pattern.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace payload_pattern_test {
namespace {

struct Buffer {
  explicit Buffer(std::uint32_t size) : bytes(size), words((size + 3) / 4 + 1, 0xEEEEEEEE) {}
  std::uint8_t* data() { return reinterpret_cast<std::uint8_t*>(words.data()); }
  void fill(std::uint32_t seed, std::uint32_t message) {
    pattern_fill(data(), bytes, seed, message);
  }
  pattern_verdict check(std::uint32_t seed, std::uint32_t message, std::uint32_t slots = 4) {
    return pattern_check(data(), bytes, 0, bytes, seed, message, slots, &wrong_at);
  }
  std::uint32_t bytes;
  std::uint32_t wrong_at = 0;
  std::vector<std::uint32_t> words;
};

TEST(PayloadPattern, WhatWasFilledIsVerifiedAtEveryLength) {
  for (std::uint32_t bytes = 1; bytes <= 1100; ++bytes) {
    Buffer buffer(bytes);
    buffer.fill(3, bytes);
    EXPECT_EQ(buffer.check(3, bytes), PATTERN_VERIFIED) << bytes;
    EXPECT_EQ(buffer.data()[bytes], 0xEE) << "wrote beyond " << bytes;
  }
}

TEST(PayloadPattern, EveryFlippedBitOfEveryByteIsFound) {
  for (const std::uint32_t bytes : {1u, 3u, 7u, 258u, 700u}) {
    Buffer buffer(bytes);
    buffer.fill(11, 5);
    for (std::uint32_t at = 0; at < bytes; ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        buffer.data()[at] ^= 1u << bit;
        const pattern_verdict verdict = buffer.check(11, 5);
        // A stamp that the message's end cuts to one byte has only 256 values, so a flipped bit may
        // give the stamp of a later message.
        const bool cut_stamp = at / 4 % (PATTERN_BLOCK_BYTES / 4) == 0 && at / 4 == bytes / 4;
        if (!cut_stamp) {
          EXPECT_EQ(verdict, PATTERN_CORRUPT) << bytes << " bytes, at " << at;
          EXPECT_EQ(buffer.wrong_at, at / 4 * 4);
        } else {
          EXPECT_NE(verdict, PATTERN_VERIFIED);
        }
        buffer.data()[at] ^= 1u << bit;
      }
    }
    EXPECT_EQ(buffer.check(11, 5), PATTERN_VERIFIED);
  }
}

TEST(PayloadPattern, APacketThatNeverArrivedLeavesAnOldStamp) {
  constexpr std::uint32_t kMtu = 1000;
  constexpr std::uint32_t kBytes = 65536;
  Buffer before(kBytes);
  before.fill(1, 2);
  Buffer after(kBytes);
  after.fill(1, 6);  // four slots in turn, so message 6 overwrites message 2
  for (std::uint32_t lost = 0; lost < kBytes; lost += kMtu) {
    Buffer mixed(kBytes);
    std::memcpy(mixed.data(), after.data(), kBytes);
    const std::uint32_t count = std::min(kMtu, kBytes - lost);
    std::memcpy(mixed.data() + lost, before.data() + lost, count);
    EXPECT_EQ(mixed.check(1, 6), PATTERN_CORRUPT) << lost;
  }
}

TEST(PayloadPattern, ALaterMessageOfTheSlotIsOvertakenNotCorrupt) {
  Buffer buffer(4000);
  for (const std::uint32_t turns : {1u, 2u, 100u, 4096u}) {
    buffer.fill(9, 40 + 4 * turns);
    EXPECT_EQ(buffer.check(9, 40), PATTERN_OVERTAKEN) << turns;
  }
  buffer.fill(9, 41);  // message 41 belongs to the next slot
  EXPECT_EQ(buffer.check(9, 40), PATTERN_CORRUPT);
  buffer.fill(9, 36);  // an earlier message of the same slot
  EXPECT_EQ(buffer.check(9, 40), PATTERN_CORRUPT);
  buffer.fill(9, 44);  // a later message of the same slot, with a damaged byte
  buffer.data()[1001] ^= 1;
  EXPECT_EQ(buffer.check(9, 40), PATTERN_CORRUPT);
}

TEST(PayloadPattern, MessageNumbersWrap) {
  Buffer buffer(1000);
  buffer.fill(9, 1);
  EXPECT_EQ(buffer.check(9, UINT32_MAX - 2), PATTERN_OVERTAKEN);
}

TEST(PayloadPattern, StampingMakesTheNextMessage) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const std::uint32_t bytes = 1 + random() % 3000;
    Buffer stamped(bytes);
    Buffer filled(bytes);
    stamped.fill(4, 7);
    pattern_stamp(stamped.data(), bytes, 4, 8);
    filled.fill(4, 8);
    EXPECT_EQ(stamped.words, filled.words) << bytes;
  }
}

TEST(PayloadPattern, ASampleSeesOnlyItsPart) {
  Buffer buffer(4096);
  buffer.fill(4, 7);
  buffer.data()[2000] ^= 1;
  std::uint32_t at = 0;
  EXPECT_EQ(pattern_check(buffer.data(), 4096, 0, 1024, 4, 7, 1, &at), PATTERN_VERIFIED);
  EXPECT_EQ(pattern_check(buffer.data(), 4096, 2048, 9999, 4, 7, 1, &at), PATTERN_VERIFIED);
  EXPECT_EQ(pattern_check(buffer.data(), 4096, 1900, 128, 4, 7, 1, &at), PATTERN_CORRUPT);
  EXPECT_EQ(at, 2000u);
}

TEST(PayloadPattern, FlowsDiffer) {
  Buffer buffer(1000);
  buffer.fill(1, 0);
  EXPECT_EQ(buffer.check(2, 0), PATTERN_CORRUPT);
}

}  // namespace
}  // namespace payload_pattern_test
