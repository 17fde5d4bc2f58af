#include "traffic/flow_sizes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "traffic/traffic_spec.h"

namespace dcc {
namespace {

std::string message_of(const std::string& text) {
  try {
    FlowSizes::parse(text, "file");
  } catch (const TrafficError& error) {
    return error.what();
  }
  return "";
}

TEST(FlowSizes, MeanIsTheAreaUnderTheDistribution) {
  // Half of the flows have 0 … 100 bytes, half have 100 … 1100 bytes. The mean is (50 + 600) / 2.
  EXPECT_EQ(FlowSizes::parse("0 0\n100 50\n1100 100\n", "t").mean_micro_bytes(), 325'000'000u);
  // In a step distribution every flow has exactly 1000 bytes.
  EXPECT_EQ(FlowSizes::parse("1000 0\n1000 100\n", "t").mean_micro_bytes(), 1'000'000'000u);
}

TEST(FlowSizes, DrawsFollowTheDistribution) {
  for (const char* name : {"websearch", "fbhadoop"}) {
    const FlowSizes sizes = FlowSizes::named_or_file(name);
    RandomStream random(3, "sizes");
    const int n = 200'000;
    long double sum = 0, squares = 0;
    int small = 0;
    for (int i = 0; i < n; ++i) {
      const Bytes bytes = sizes.draw(random);
      ASSERT_GE(bytes, 1);
      ASSERT_LE(bytes, 30'000'000);
      if (bytes <= 10'000) ++small;
      sum += static_cast<long double>(bytes);
      squares += static_cast<long double>(bytes) * static_cast<long double>(bytes);
    }
    const long double mean = sum / n;
    const long double deviation = std::sqrt((squares / n - mean * mean) / n);
    EXPECT_NEAR(static_cast<double>(mean), static_cast<double>(sizes.mean_micro_bytes()) * 1e-6,
                static_cast<double>(4 * deviation))
        << name;
    // Share of flows up to 10 kB: 15 % of the web search flows, 70 + 2·3/23 % of the Hadoop flows.
    const double expected = std::string(name) == "websearch" ? 0.15 : 0.70 + 0.02 * 3 / 23;
    EXPECT_NEAR(small / static_cast<double>(n), expected, 0.004) << name;
  }
}

TEST(FlowSizes, SamplesBetweenTwoPointsAreUniform) {
  const FlowSizes sizes = FlowSizes::parse("1000 0\n2000 100\n", "t");
  RandomStream random(9, "sizes");
  std::vector<int> bin(10, 0);
  for (int i = 0; i < 100'000; ++i)
    ++bin[static_cast<std::size_t>((sizes.draw(random) - 1000) / 100)];
  double chi = 0;
  for (const int n : bin) chi += (n - 1e4) * (n - 1e4) / 1e4;
  EXPECT_LT(chi, 27.9);  // chi-square with 9 degrees of freedom exceeds this once in 1000
}

TEST(FlowSizes, BuiltInTablesAreTheShippedFiles) {
  const std::string data = std::string(DCC_SOURCE_DIR) + "/configs/data/";
  for (const std::string& name : FlowSizes::names()) {
    const FlowSizes built_in = FlowSizes::named_or_file(name);
    const FlowSizes file = FlowSizes::named_or_file(data + name + ".cdf");
    EXPECT_EQ(built_in.mean_micro_bytes(), file.mean_micro_bytes());
    RandomStream a(1, "same"), b(1, "same");
    for (int i = 0; i < 10'000; ++i) ASSERT_EQ(built_in.draw(a), file.draw(b));
  }
}

// The published means are 185 bytes (here with the tail as it was drawn), 441, 2927, 127 800 and
// 1744.7 packets of 1442 bytes. The distributions are steps, so only sizes of the tables are drawn.
TEST(FlowSizes, HomasWorkloadsHaveTheirMeans) {
  const double means[] = {187.5, 441, 2927, 127'800, 1744.7 * 1442};
  for (int w = 1; w <= 5; ++w) {
    const FlowSizes sizes = FlowSizes::named_or_file("homa_w" + std::to_string(w));
    EXPECT_NEAR(static_cast<double>(sizes.mean_micro_bytes()) / 1e6, means[w - 1],
                means[w - 1] / 1000)
        << "W" << w;
  }
  const FlowSizes packets = FlowSizes::named_or_file("homa_w5");
  RandomStream random(3, "sizes");
  for (int i = 0; i < 10'000; ++i) ASSERT_EQ(packets.draw(random) % 1442, 0);
}

TEST(FlowSizes, ErrorsNameTheLine) {
  EXPECT_EQ(message_of("0 0\n# comment\n\nten 50\n10 100\n"),
            "file:4: expected a size in bytes (0 … 2^40)");
  EXPECT_EQ(message_of("0 0\n10 101\n"), "file:2: expected \"bytes percent\" with 0 … 100 percent");
  EXPECT_EQ(message_of("0 0\n10 50 7\n"),
            "file:2: expected \"bytes percent\" with 0 … 100 percent");
  EXPECT_EQ(message_of("0 0\n10 -5\n"), "file:2: expected \"bytes percent\" with 0 … 100 percent");
  EXPECT_EQ(message_of("0 5\n10 100\n"), "file:1: the first line must stand at 0 percent");
  EXPECT_EQ(message_of("0 0\n10 60\n5 100\n"), "file:3: sizes and percentages must not fall");
  EXPECT_EQ(message_of("0 0\n10 60\n20 50\n"), "file:3: sizes and percentages must not fall");
  EXPECT_EQ(message_of("0 0\n10 60\n"), "file:2: the last line must stand at 100 percent");
  EXPECT_EQ(message_of(""), "file: the last line must stand at 100 percent");
  EXPECT_EQ(message_of("0 0\n0 100\n"), "file:2: every flow would be empty");
  EXPECT_EQ(message_of("0 0\n99999999999999999999999 100\n"),
            "file:2: expected a size in bytes (0 … 2^40)");
  EXPECT_THROW(FlowSizes::named_or_file("/nonexistent/sizes"), TrafficError);
  EXPECT_THROW(FlowSizes::named_or_file("/"), TrafficError);
}

}  // namespace
}  // namespace dcc
