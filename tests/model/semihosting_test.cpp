// Tests semihosting calls of a program whose memory is a few bytes.
#include "cpu/semihosting.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace dcc::model::semihosting_test {
namespace {

class SemihostingTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kBlock = 0x100, kText = 0x200;
  static constexpr std::uint32_t kFails = 0xFFFFFFFF;

  void words(std::initializer_list<std::uint32_t> values) {
    std::uint32_t at = kBlock;
    for (const std::uint32_t value : values) {
      std::memcpy(&memory[at], &value, 4);
      at += 4;
    }
  }
  void text(const std::string& s) { std::memcpy(&memory[kText], s.c_str(), s.size() + 1); }
  std::uint32_t word(std::uint32_t at) const {
    std::uint32_t value = 0;
    std::memcpy(&value, &memory[at], 4);
    return value;
  }
  bool has(std::uint32_t at, std::size_t n) const {
    return at <= memory.size() && n <= memory.size() - at;
  }
  Semihosting::Answer call(std::uint32_t operation, std::uint32_t parameter = kBlock) {
    const Semihosting::Machine machine{
        [this](std::uint32_t at, std::uint8_t* to, std::size_t n) {
          if (has(at, n)) std::memcpy(to, memory.data() + at, n);
          return has(at, n);
        },
        [this](std::uint32_t at, const std::uint8_t* from, std::size_t n) {
          if (has(at, n)) std::memcpy(memory.data() + at, from, n);
          return has(at, n);
        },
        [this](char c) { console += c; }, 1'234'567'890'123};
    return semihosting.call(operation, parameter, machine);
  }

  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(0x400);
  std::string console;
  Semihosting semihosting;
};

TEST_F(SemihostingTest, TheConsoleIsWrittenAndHasNoInput) {
  text(":tt");
  words({kText, 4, 3});
  const std::uint32_t handle = call(0x01).value;
  text("twelve bytes");
  words({handle, kText, 12});
  EXPECT_EQ(call(0x05).value, 0u);
  call(0x03, kText);
  call(0x04, kText + 7);
  EXPECT_EQ(console, "twelve bytestbytes");
  EXPECT_EQ(call(0x06).value, 12u) << "nothing was read";
  EXPECT_EQ(call(0x09).value, 1u);
  words({handle, 0x3FE, 12});
  EXPECT_EQ(call(0x05).value, 10u) << "two bytes lie in memory";
  EXPECT_EQ(call(0x02).value, 0u);
}

TEST_F(SemihostingTest, FilesAndUnknownCallsFail) {
  text("/etc/passwd");
  words({kText, 0, 11});
  EXPECT_EQ(call(0x01).value, kFails);
  EXPECT_EQ(call(0x13).value, 2u) << "errno";
  for (const std::uint32_t operation : {0x00u, 0x07u, 0x0Eu, 0x12u, 0x77u, 0xFFFFFFFFu}) {
    EXPECT_EQ(call(operation).value, kFails) << operation;
    EXPECT_FALSE(call(operation).exit);
  }
  words({99, kText, 1});
  for (const std::uint32_t operation : {0x02u, 0x05u, 0x06u, 0x09u, 0x0Au, 0x0Cu}) {
    EXPECT_EQ(call(operation).value, kFails) << operation;
    EXPECT_EQ(call(operation, 0xFFFFFFF0).value, kFails) << operation;
  }
  EXPECT_EQ(console, "");
}

TEST_F(SemihostingTest, TheListOfFeaturesOffersTheExtendedExit) {
  text(":semihosting-features");
  words({kText, 0, 21});
  const std::uint32_t handle = call(0x01).value;
  words({handle});
  EXPECT_EQ(call(0x0C).value, 5u);
  words({handle, 0x300, 4});
  EXPECT_EQ(call(0x06).value, 0u);
  EXPECT_EQ(std::memcmp(&memory[0x300], "SHFB", 4), 0);
  words({handle, 0x300, 4});
  EXPECT_EQ(call(0x06).value, 3u) << "one byte was left";
  EXPECT_EQ(memory[0x300] & 1, 1);
  words({handle, 4});
  EXPECT_EQ(call(0x0A).value, 0u);
  words({handle, 6});
  EXPECT_EQ(call(0x0A).value, kFails) << "behind the end";
}

TEST_F(SemihostingTest, TimesAreSimulated) {
  EXPECT_EQ(call(0x10).value, 123'456u);
  EXPECT_EQ(call(0x11).value, 1'234u);
  EXPECT_EQ(call(0x30).value, 0u);
  EXPECT_EQ(word(kBlock) | static_cast<std::uint64_t>(word(kBlock + 4)) << 32, 1'234'567'890'123u);
  EXPECT_EQ(call(0x31).value, 1'000'000'000u);
  EXPECT_EQ(call(0x30, 0x3FF).value, kFails);
}

TEST_F(SemihostingTest, ExitsCarryACode) {
  EXPECT_TRUE(call(0x18, 0x20026).exit);
  EXPECT_EQ(call(0x18, 0x20026).value, 0u);
  EXPECT_EQ(call(0x18, 0x20023).value, 1u);
  words({0x20026, 7});
  EXPECT_TRUE(call(0x20).exit);
  EXPECT_EQ(call(0x20).value, 7u);
}

}  // namespace
}  // namespace dcc::model::semihosting_test
