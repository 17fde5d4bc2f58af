// Tests LLDP frames: the bytes required by the standard, and safe parsing of any input.
#include "wire/lldp_frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace dcc::lldp_test {
namespace {

LldpFrame example() {
  LldpFrame frame;
  frame.source = {2, 0, 0, 0, 0, 9};
  frame.chassis = {2, 0, 0, 0, 0, 1};
  frame.port = "port7";
  frame.seconds_to_live = 121;
  EtsTable table;
  table.class_of = {0, 0, 1, 2, 1, 0, 6, 7};
  table.bandwidth = {10, 30, 60, 0, 0, 0, 0, 0};
  table.selection.fill(TransmissionSelection::kEts);
  table.selection[7] = TransmissionSelection::kStrict;
  frame.ets = LldpFrame::Ets{true, table};
  table.bandwidth = {50, 50, 0, 0, 0, 0, 0, 0};
  frame.recommended = table;
  frame.pfc = LldpFrame::Pfc{true, 8, 1u << 3 | 1u << 4};
  frame.applications = std::vector<ApplicationPriority>{{3, ApplicationPriority::kUdpPort, 4791},
                                                        {6, ApplicationPriority::kDscp, 48}};
  return frame;
}

bool operator==(const LldpFrame& a, const LldpFrame& b) { return serialize(a) == serialize(b); }

TEST(LldpFrame, HasTheBytesOfTheStandard) {
  const std::vector<std::uint8_t> expected = {
      0x01, 0x80, 0xC2, 0, 0, 0x0E, 2, 0, 0, 0, 0, 9, 0x88, 0xCC,
      // Chassis TLV: a MAC address.
      0x02, 0x07, 4, 2, 0, 0, 0, 0, 1,
      // Port TLV: an interface name.
      0x04, 0x06, 5, 'p', 'o', 'r', 't', '7',
      // Time-to-live TLV.
      0x06, 0x02, 0, 121,
      // ETS configuration TLV: willing, eight classes, priorities, bandwidths, selections.
      0xFE, 25, 0x00, 0x80, 0xC2, 0x09, 0x80, 0x00, 0x12, 0x10, 0x67,  //
      10, 30, 60, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 0,
      // ETS recommendation TLV.
      0xFE, 25, 0x00, 0x80, 0xC2, 0x0A, 0x00, 0x00, 0x12, 0x10, 0x67,  //
      50, 50, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 0,
      // PFC TLV: willing, eight classes at once, priorities 3 and 4.
      0xFE, 6, 0x00, 0x80, 0xC2, 0x0B, 0x88, 0x18,
      // Application TLV: priority 3 for UDP port 4791, priority 6 for DSCP 48.
      0xFE, 11, 0x00, 0x80, 0xC2, 0x0C, 0x00, 0x63, 0x12, 0xB7, 0xC5, 0x00, 48,
      // End TLV.
      0, 0};
  EXPECT_EQ(serialize(example()), expected);
}

TEST(LldpFrame, WhatIsWrittenIsRead) {
  const std::vector<std::uint8_t> bytes = serialize(example());
  LldpFrame read;
  ASSERT_TRUE(parse(bytes.data(), bytes.size(), read));
  EXPECT_TRUE(read == example());
  EXPECT_EQ(read.port, "port7");
  EXPECT_EQ(read.seconds_to_live, 121);
  EXPECT_TRUE(read.ets->willing);
  EXPECT_EQ(read.ets->table, example().ets->table);
  EXPECT_EQ(*read.recommended, *example().recommended);
  EXPECT_EQ(read.pfc->enabled, 0x18);
  EXPECT_EQ(*read.applications, *example().applications);
}

TEST(LldpFrame, ShortOnesArePaddedAndSayNothingOfDcb) {
  LldpFrame frame = example();
  frame.ets.reset();
  frame.recommended.reset();
  frame.pfc.reset();
  frame.applications.reset();
  const std::vector<std::uint8_t> bytes = serialize(frame);
  EXPECT_EQ(bytes.size(), 60u);
  LldpFrame read;
  ASSERT_TRUE(parse(bytes.data(), bytes.size(), read));
  EXPECT_FALSE(read.ets || read.recommended || read.pfc || read.applications);
}

TEST(LldpFrame, AnotherOrganisationsPartIsLeftOut) {
  std::vector<std::uint8_t> bytes = serialize(example());
  bytes.resize(bytes.size() - 2);
  const std::vector<std::uint8_t> more = {0xFE, 5, 0x00, 0x12, 0x0F, 1, 7, 0, 0};
  bytes.insert(bytes.end(), more.begin(), more.end());
  LldpFrame read;
  ASSERT_TRUE(parse(bytes.data(), bytes.size(), read));
  EXPECT_TRUE(read == example());
}

TEST(LldpFrame, WhatTheStandardForbidsIsRefused) {
  const std::vector<std::uint8_t> whole = serialize(example());
  LldpFrame read;
  // Truncates the frame at each length.
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::vector<std::uint8_t> part(whole.begin(),
                                   whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(parse(part.data(), part.size(), read)) << size;
  }
  // Repeats the PFC TLV, eight bytes before the end of the frame.
  std::vector<std::uint8_t> twice = whole;
  const auto pfc =
      std::search(twice.begin(), twice.end(), whole.end() - 2 - 13 - 8, whole.end() - 2 - 13);
  const std::vector<std::uint8_t> copy(pfc, pfc + 8);
  twice.insert(twice.end() - 2, copy.begin(), copy.end());
  EXPECT_FALSE(parse(twice.data(), twice.size(), read));
  // Puts the port TLV before the chassis TLV.
  std::vector<std::uint8_t> swapped = whole;
  std::rotate(swapped.begin() + 14, swapped.begin() + 23, swapped.begin() + 31);
  EXPECT_FALSE(parse(swapped.data(), swapped.size(), read));
  // Frames with another destination address or another EtherType.
  for (const std::size_t at : {std::size_t{5}, std::size_t{13}}) {
    std::vector<std::uint8_t> other = whole;
    other[at] ^= 1;
    EXPECT_FALSE(parse(other.data(), other.size(), read)) << at;
  }
}

TEST(LldpFrame, RubbishIsReadWithoutHarm) {
  std::mt19937 noise(7);
  const std::vector<std::uint8_t> sound = serialize(example());
  int read_well = 0;
  for (int round = 0; round < 50'000; ++round) {
    std::vector<std::uint8_t> bytes = sound;
    for (unsigned change = noise() % 3; change-- > 0;) {
      bytes[noise() % bytes.size()] = static_cast<std::uint8_t>(noise());
    }
    if (round % 4 == 0) bytes.resize(noise() % (bytes.size() + 1));
    bytes.shrink_to_fit();
    LldpFrame frame;
    if (!parse(bytes.data(), bytes.size(), frame)) continue;
    ++read_well;
    LldpFrame again;
    const std::vector<std::uint8_t> written = serialize(frame);
    ASSERT_TRUE(parse(written.data(), written.size(), again));
    ASSERT_TRUE(again == frame);
  }
  EXPECT_GT(read_well, 10'000);
}

}  // namespace
}  // namespace dcc::lldp_test
