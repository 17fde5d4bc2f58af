#include "describe/quantity_text.h"

#include <gtest/gtest.h>

#include <limits>

#include "fabric/route_table.h"

namespace dcc {
namespace {

template <class T>
std::string error_of(const char* text) {
  try {
    QuantityText<T>::parse(text);
  } catch (const QuantityError& e) {
    return e.what();
  }
  return "";
}

TEST(Time, UnitsAreExact) {
  EXPECT_EQ(QuantityText<PicoSeconds>::parse("1ps").count, 1);
  EXPECT_EQ(QuantityText<PicoSeconds>::parse("1ns").count, 1'000);
  EXPECT_EQ(QuantityText<PicoSeconds>::parse("2.048us").count, 2'048'000);
  EXPECT_EQ(QuantityText<PicoSeconds>::parse("20ms").count, 20'000'000'000);
  EXPECT_EQ(QuantityText<PicoSeconds>::parse("3s").count, 3'000'000'000'000);
  // The number 0.1 has no finite binary form. Parsed as decimal digits it is exact.
  EXPECT_EQ(QuantityText<PicoSeconds>::parse("0.1us").count, 100'000);
}

TEST(Time, TheWholeRangeAndNotOneMore) {
  EXPECT_EQ(QuantityText<PicoSeconds>::parse("9223372036854775807ps").count,
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(error_of<PicoSeconds>("9223372036854775808ps"), "too large to be represented");
  EXPECT_EQ(error_of<PicoSeconds>("99999999999999999999s"), "too large to be represented");
  EXPECT_EQ(error_of<PicoSeconds>("999999999999999999999s"), "too many digits");
}

TEST(Time, Refuses) {
  EXPECT_EQ(error_of<PicoSeconds>("0.5ps"), "finer than one ps");
  EXPECT_NE(error_of<PicoSeconds>("5"), "");
  EXPECT_NE(error_of<PicoSeconds>(""), "");
  EXPECT_NE(error_of<PicoSeconds>("1.us"), "");
  EXPECT_NE(error_of<PicoSeconds>(".5us"), "");
  EXPECT_NE(error_of<PicoSeconds>("1.2.3us"), "");
  EXPECT_NE(error_of<PicoSeconds>("+5us"), "");
  EXPECT_NE(error_of<PicoSeconds>("5 us"), "");
  EXPECT_NE(error_of<PicoSeconds>("5US"), "");
  // An error message is one line, whatever text it quotes.
  EXPECT_EQ(error_of<PicoSeconds>("5\n\x1b"), "unknown unit '\\x0a\\x1b' (ps, ns, us, ms, s)");
}

TEST(Size, DecimalAndBinaryPrefixes) {
  EXPECT_EQ(QuantityText<Bytes>::parse("1KB"), 1'000);
  EXPECT_EQ(QuantityText<Bytes>::parse("1KiB"), 1'024);
  EXPECT_EQ(QuantityText<Bytes>::parse("10MB"), 10'000'000);
  EXPECT_EQ(QuantityText<Bytes>::parse("32MiB"), 33'554'432);
  EXPECT_EQ(QuantityText<Bytes>::parse("1GB"), 1'000'000'000);
  EXPECT_EQ(QuantityText<Bytes>::parse("1GiB"), 1'073'741'824);
  EXPECT_EQ(QuantityText<Bytes>::parse("20B"), 20);
  EXPECT_NE(error_of<Bytes>("1kB"), "");
  EXPECT_NE(error_of<Bytes>("1K"), "");
}

TEST(Rate, BitsPerSecond) {
  EXPECT_EQ(QuantityText<BitRate>::parse("100Gbps").bits_per_second, 100'000'000'000u);
  EXPECT_EQ(QuantityText<BitRate>::parse("1.5Mbps").bits_per_second, 1'500'000u);
  EXPECT_EQ(QuantityText<BitRate>::parse("1Tbps").bits_per_second, 1'000'000'000'000u);
}

TEST(Ratios, EveryNotationOfTheSameNumber) {
  EXPECT_EQ(QuantityText<Ratio>::parse("1/64"), Ratio(1, 64));
  EXPECT_EQ(QuantityText<Ratio>::parse("0.015625"), Ratio(1, 64));
  EXPECT_EQ(QuantityText<Ratio>::parse("1.5625%"), Ratio(1, 64));
  EXPECT_EQ(QuantityText<Ratio>::parse("2/128"), Ratio(1, 64));
  EXPECT_EQ(QuantityText<Ratio>::parse("0"), Ratio(0));
  EXPECT_EQ(error_of<Ratio>("1/0"), "division by zero");
  EXPECT_NE(error_of<Ratio>("1/2/3"), "");
  EXPECT_NE(error_of<Ratio>("1/-2"), "");
  EXPECT_NE(error_of<Ratio>("0.00000000000000001"), "");
}

TEST(Ratios, FixedPointIsRoundedToNearest) {
  EXPECT_EQ(Ratio(1, 256).to_fixed(16), 256u);
  EXPECT_EQ(Ratio(5, 1024).to_fixed(16), 320u);
  EXPECT_EQ(Ratio(15, 1000).to_fixed(16), 983u);  // 983.04 is rounded to 983
  EXPECT_EQ(Ratio(1, 3).to_fixed(1), 1u);         // 0.67 is rounded up
  EXPECT_EQ(Ratio(1, 4).to_fixed(1), 1u);         // 0.5 is rounded up
}

/// Every value that is written as text reads back as the same value.
template <class T>
void expect_round_trip(T value) {
  const std::string text = QuantityText<T>::format(value);
  EXPECT_TRUE(QuantityText<T>::parse(text) == value) << text;
}

TEST(Format, ReadsBackForManyValues) {
  std::uint64_t state = 1;
  for (int i = 0; i < 20'000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t any = state >> 1 >> (i % 63);
    expect_round_trip(PicoSeconds(static_cast<std::int64_t>(any)));
    expect_round_trip(static_cast<Bytes>(any));
    expect_round_trip(BitRate(any));
    expect_round_trip(Frequency(any));
    expect_round_trip(Ratio((state >> 24) & 0xFFFFFFFF, 1 + (state >> 44)));
    expect_round_trip(static_cast<double>(any) / 1e6);
  }
}

TEST(Format, ShortestForPeople) {
  EXPECT_EQ(QuantityText<PicoSeconds>::format(kMicroSecond * 55), "55us");
  EXPECT_EQ(QuantityText<PicoSeconds>::format(PicoSeconds(0)), "0us");
  EXPECT_EQ(QuantityText<Bytes>::format(65'536), "64KiB");
  EXPECT_EQ(QuantityText<Bytes>::format(10'000'000), "10MB");
  EXPECT_EQ(QuantityText<Ratio>::format(Ratio(1, 256)), "1/256");
  EXPECT_EQ(QuantityText<Ratio>::format(Ratio(1, 100)), "0.01");
  EXPECT_EQ(QuantityText<Ratio>::format(Ratio(3, 2)), "1.5");
}

TEST(Hosts, RangesAndLists) {
  HostList list;
  append_hosts(list, "1..3");
  append_hosts(list, "7");
  EXPECT_EQ(list, (HostList{1, 2, 3, 7}));
  EXPECT_EQ(format_hosts(list), "[1..3, 7]");
  EXPECT_EQ(format_hosts({4, 5, 6}), "4..6");
  EXPECT_EQ(format_hosts({4, 5}), "[4, 5]");
  HostList all;
  append_hosts(all, "0..1048575");  // the hosts of the largest possible network
  EXPECT_EQ(all.size(), RouteTable::kMaxHosts);
  EXPECT_EQ(format_hosts(all), "0..1048575");
  EXPECT_THROW(append_hosts(list, "1048576"), QuantityError);
  EXPECT_THROW(append_hosts(list, "3..4"), QuantityError);
  EXPECT_THROW(append_hosts(list, "5..4"), QuantityError);
  EXPECT_THROW(append_hosts(list, "0..4000000000"), QuantityError);
  EXPECT_THROW(append_hosts(list, "1...3"), QuantityError);
  EXPECT_THROW(append_hosts(list, "1..2..3"), QuantityError);
  EXPECT_THROW(append_hosts(list, ""), QuantityError);
}

TEST(EditDistance, KnownValues) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("gbps", "Gbps"), 0u);  // upper and lower case count as equal
  EXPECT_EQ(nearest("kmim", std::vector<std::string>{"kmax", "kmin", "pmax"}), "kmin");
  EXPECT_EQ(nearest("xyzzy", std::vector<std::string>{"from", "to"}), "");
}

}  // namespace
}  // namespace dcc
