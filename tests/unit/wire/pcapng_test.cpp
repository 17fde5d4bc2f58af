#include "wire/pcapng.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace dcc {
namespace {

/// An independent reader of pcapng files. It returns blocks by type with their bodies, and checks
/// their lengths.
struct Block {
  std::uint32_t type = 0;
  std::string body;
};

std::uint32_t le32(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value |= std::uint32_t{static_cast<std::uint8_t>(bytes[at + i])} << (8 * i);
  }
  return value;
}

std::vector<Block> blocks_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(in)), {});
  std::vector<Block> blocks;
  for (std::size_t at = 0; at < all.size();) {
    const std::uint32_t length = le32(all, at + 4);
    EXPECT_EQ(length % 4, 0u);
    EXPECT_LE(at + length, all.size());
    if (length < 12 || at + length > all.size()) break;
    EXPECT_EQ(le32(all, at + length - 4), length) << "the length is repeated at the end";
    blocks.push_back({le32(all, at), all.substr(at + 8, length - 12)});
    at += length;
  }
  return blocks;
}

/// Returns the value of an option in the body of a block, whose options begin at `at`.
std::string option(const std::string& body, std::size_t at, std::uint32_t code) {
  while (at + 4 <= body.size()) {
    const std::uint32_t word = le32(body, at);
    const std::size_t size = word >> 16;
    if ((word & 0xFFFF) == code) return body.substr(at + 4, size);
    at += 4 + (size + 3) / 4 * 4;
  }
  return "";
}

class Pcapng : public ::testing::Test {
 protected:
  Pcapng()
      : path_(std::filesystem::temp_directory_path() /
              (std::string("dcc-pcapng-") +
               ::testing::UnitTest::GetInstance()->current_test_info()->name())) {}
  ~Pcapng() override { std::filesystem::remove(path_); }
  std::filesystem::path path_;
};

TEST_F(Pcapng, SectionInterfacesAndPacketsAsTheDraftHasThem) {
  PcapngWriter writer(path_.string(), 128);
  EXPECT_EQ(writer.add_interface({"s0->h0", "port 0 of s0", 400'000'000'000}), 0u);
  EXPECT_EQ(writer.add_interface({"h1->s0", "x", 25'000'000'000}), 1u);
  std::uint8_t* const room = writer.begin_packet(1, 0x1'2345'6789u);
  for (std::uint8_t i = 0; i < 5; ++i) room[i] = static_cast<std::uint8_t>('a' + i);
  writer.end_packet(5, 1062);
  EXPECT_EQ(writer.packets(), 1u);
  writer.close();

  const std::vector<Block> blocks = blocks_of(path_.string());
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(blocks[0].type, 0x0A0D0D0Au);
  EXPECT_EQ(le32(blocks[0].body, 0), 0x1A2B3C4Du);
  EXPECT_EQ(le32(blocks[0].body, 4), 1u) << "version 1.0";
  EXPECT_EQ(option(blocks[0].body, 16, 4), "dccvp");

  EXPECT_EQ(blocks[1].type, 1u);
  EXPECT_EQ(le32(blocks[1].body, 0), 1u) << "Ethernet";
  EXPECT_EQ(le32(blocks[1].body, 4), 128u);
  EXPECT_EQ(option(blocks[1].body, 8, 2), "s0->h0");
  EXPECT_EQ(option(blocks[1].body, 8, 9), std::string(1, 9)) << "nanoseconds";
  const std::string speed = option(blocks[1].body, 8, 8);
  ASSERT_EQ(speed.size(), 8u);
  EXPECT_EQ(le32(speed, 0) + (std::uint64_t{le32(speed, 4)} << 32), 400'000'000'000u);
  EXPECT_EQ(option(blocks[2].body, 8, 2), "h1->s0");

  EXPECT_EQ(blocks[3].type, 6u);
  const std::string& packet = blocks[3].body;
  EXPECT_EQ(le32(packet, 0), 1u);
  EXPECT_EQ(le32(packet, 4), 1u) << "upper half of the time";
  EXPECT_EQ(le32(packet, 8), 0x2345'6789u);
  EXPECT_EQ(le32(packet, 12), 5u);
  EXPECT_EQ(le32(packet, 16), 1062u);
  EXPECT_EQ(packet.substr(20), std::string("abcde\0\0\0", 8)) << "padded with zeros";
}

TEST_F(Pcapng, MorePacketsThanTheBufferHolds) {
  PcapngWriter writer(path_.string(), 0xFFFF);
  writer.add_interface({"p", "", 1});
  for (std::uint32_t i = 0; i < 100; ++i) {
    std::uint8_t* const room = writer.begin_packet(0, i);
    for (std::uint32_t b = 0; b < 0xFFFF; ++b) room[b] = static_cast<std::uint8_t>(b + i);
    writer.end_packet(0xFFFF - i, 0xFFFF);
  }
  writer.close();
  const std::vector<Block> blocks = blocks_of(path_.string());
  ASSERT_EQ(blocks.size(), 102u);
  for (std::uint32_t i = 0; i < 100; ++i) {
    const std::string& packet = blocks[i + 2].body;
    ASSERT_EQ(le32(packet, 8), i);
    ASSERT_EQ(le32(packet, 12), 0xFFFF - i);
    ASSERT_EQ(static_cast<std::uint8_t>(packet[20 + 60'000]),
              static_cast<std::uint8_t>(60'000 + i));
  }
}

TEST_F(Pcapng, SaysWhenItCannotWrite) {
  EXPECT_THROW(PcapngWriter("/nowhere/at/all", 128), std::runtime_error);
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  PcapngWriter writer("/dev/full", 128);
  EXPECT_THROW(writer.close(), std::runtime_error);
}

}  // namespace
}  // namespace dcc
