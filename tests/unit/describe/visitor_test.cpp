// Tests what a visitor receives of a described parameter, and which values the description refuses.
#include "describe/visitor.h"

#include <gtest/gtest.h>

#include "describe/left_out.h"
#include "unit/describe/text_reader.h"

namespace dcc {

enum class Colour { kRed, kGreen };
DCC_ENUM_NAMES(Colour, {Colour::kRed, "red"}, {Colour::kGreen, "green"});

namespace {

using test::TextReader;

constexpr unsigned kMaxBits = 255;

struct Sample {
  Bytes size = 5000;
  unsigned cycles = 64;
  std::uint8_t dscp = 48;
  std::uint32_t mtu = 1000;
  std::optional<BitRate> cap;
  Colour colour = Colour::kRed;
  std::string name = "one";
  std::array<unsigned, 2> split{1, 2};
  std::vector<unsigned> some{7};

  void describe(ParameterVisitor& v) {
    v.field("size", size, {"1B", Bytes{1} << 20}, {"how much", "", kRuntime});
    v.field("cycles", cycles, {"1", kMaxBits}, {"how long", "a paper"});
    v.field("dscp", dscp, {"0", "63"}, {"which", ""});
    v.field_as<Bytes>("mtu", mtu, {"64B", "9000B"}, {"of a packet", ""});
    v.field("cap", cap, "none", {"1Mbps", ""}, {"at most", ""});
    v.choice("colour", colour, {"which", ""});
    v.when(colour == Colour::kGreen, "colour: green", [&] {
      v.section("inner", {"more", ""}, [&] {
        v.numbers("split", split, {"1", "14"}, {"two", ""});
      });
    });
    v.numbers("some", some, 1, 3, {"0", "9"}, {"one to three", ""});
    v.one_of("name", name, {"one", "two"}, {"which of them", ""});
  }
};

std::string error_of(const std::string& key, const std::string& text) {
  Sample sample;
  TextReader reader(std::map<std::string, std::string>{{key, text}});
  try {
    sample.describe(reader);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Visitor, ListsWhatOneLineSays) {
  Sample sample;
  TextReader reader;
  sample.describe(reader);
  EXPECT_EQ(reader.rows.at("size").type, "size");
  EXPECT_EQ(reader.rows.at("size").unit, "B KB KiB MB MiB GB GiB");
  EXPECT_EQ(reader.rows.at("size").range, "1B … 1MiB");  // the bounds are a text and a constant
  EXPECT_EQ(reader.rows.at("size").shown, "5KB");
  EXPECT_TRUE(reader.rows.at("size").runtime);
  // A parameter may change at run time only if its description says so.
  EXPECT_FALSE(reader.rows.at("cycles").runtime);
  EXPECT_EQ(reader.rows.at("cycles").range, "1 … 255");
  EXPECT_EQ(reader.rows.at("mtu").shown, "1KB");
  EXPECT_EQ(reader.rows.at("cap").range, "none | at least 1Mbps");
  EXPECT_EQ(reader.rows.at("cap").shown, "none");
  EXPECT_EQ(reader.rows.at("colour").range, "red | green");
  // with the choice `red` this parameter does not exist
  EXPECT_EQ(reader.rows.count("inner.split"), 0u);
}

TEST(Visitor, ReadsIntoTheMembers) {
  Sample sample;
  TextReader reader({{"size", "1MiB"},
                     {"dscp", "63"},
                     {"mtu", "9000B"},
                     {"cap", "3Mbps"},
                     {"colour", "green"},
                     {"name", "two"}});
  sample.describe(reader);
  EXPECT_EQ(sample.size, 1 << 20);
  EXPECT_EQ(sample.dscp, 63);
  EXPECT_EQ(sample.mtu, 9000u);
  EXPECT_EQ(sample.cap->bits_per_second, 3'000'000u);
  EXPECT_EQ(sample.name, "two");
  EXPECT_EQ(reader.rows.at("inner.split").shown, "[1, 2]");
}

TEST(Visitor, RefusesBeyondTheRangeWhoeverSetIt) {
  EXPECT_EQ(error_of("size", "1048577B"), "size: '1048577B' is out of range (1B … 1MiB)");
  EXPECT_EQ(error_of("cycles", "256"), "cycles: '256' is out of range (1 … 255)");
  EXPECT_EQ(error_of("cycles", "0"), "cycles: '0' is out of range (1 … 255)");
  EXPECT_EQ(error_of("dscp", "64"), "dscp: '64' is out of range (0 … 63)");
  EXPECT_EQ(error_of("dscp", "256"), "dscp: '256': too large to be represented");
  EXPECT_EQ(error_of("mtu", "9001B"), "mtu: '9001B' is out of range (64B … 9000B)");
  EXPECT_EQ(error_of("colour", "gren"),
            "colour: 'gren' is not one of red, green; did you mean 'green'?");
  EXPECT_EQ(error_of("name", "tow"), "name: 'tow' is not one of one, two; did you mean 'two'?");
  left_out() = {"three"};
  EXPECT_EQ(error_of("name", "three"),
            "name: 'three' is not one of one, two; this program was built without 'three' "
            "(DCCVP_SCHEMES); 'make program' builds it with all schemes");
  left_out().clear();
}

TEST(Visitor, AListHasAsManyNumbersAsItsLineSays) {
  EXPECT_EQ(error_of("some", "[1]"), "");
  EXPECT_EQ(error_of("some", "[1, 2, 3]"), "");
  EXPECT_EQ(error_of("some", "[]"), "some: expected 1 to 3 numbers, not 0");
  EXPECT_EQ(error_of("some", "[1, 2, 3, 4]"), "some: expected 1 to 3 numbers, not 4");
  EXPECT_EQ(error_of("some", "[1, 10]"), "some: '10' is out of range (0 … 9)");
  EXPECT_EQ(error_of("some", "1"), "some: expected a list of numbers, not '1'");
  Sample sample;
  sample.colour = Colour::kGreen;
  TextReader exact(std::map<std::string, std::string>{{"inner.split", "[14, 1]"}});
  sample.describe(exact);
  EXPECT_EQ(sample.split, (std::array<unsigned, 2>{14, 1}));
  TextReader short_by_one(std::map<std::string, std::string>{{"inner.split", "[14]"}});
  EXPECT_THROW(sample.describe(short_by_one), ConfigError);
}

}  // namespace
}  // namespace dcc
