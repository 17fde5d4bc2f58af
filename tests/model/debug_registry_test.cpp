// Tests debug values by name: single values, indexed values, values found by a look-up, and the
// message for an unknown name.
#include "cpu/debug_registry.h"

#include <gtest/gtest.h>

namespace dcc::model::debug_registry_test {
namespace {

class DebugRegistryTest : public ::testing::Test {
 protected:
  DebugRegistryTest() {
    registry_.add_value({"lag", "ticks", 0, [](std::uint32_t) { return "7"; }});
    registry_.add_value(
        {"slot", "of N", 4, [](std::uint32_t index) { return "slot " + std::to_string(index); }});
    registry_.add_lookup([](const std::string& name) -> DebugRegistry::Reader {
      if (name != "computed[x]") return {};
      return [] { return std::string("looked up"); };
    });
  }
  std::string read(const std::string& path) const {
    std::string error;
    const auto reader = registry_.find(path, error);
    return reader ? reader() : error;
  }
  DebugRegistry registry_;
};

TEST_F(DebugRegistryTest, SingleIndexedAndComputed) {
  EXPECT_EQ(read("lag"), "7");
  EXPECT_EQ(read("slot[3]"), "slot 3");
  EXPECT_EQ(read("slot[0x2]"), "slot 2");
  EXPECT_EQ(read("computed[x]"), "looked up");
}

TEST_F(DebugRegistryTest, SaysWhatIsWrong) {
  EXPECT_EQ(read("slot"), "slot needs an index, as in slot[0]");
  EXPECT_EQ(read("lag[1]"), "lag takes no index");
  EXPECT_EQ(read("slot[4]"), "slot[4]: indices go from 0 to 3");
  EXPECT_EQ(read("slot[99999999999999999999]"),
            "slot[99999999999999999999]: indices go from 0 to 3");
  EXPECT_EQ(read("slot[]"), "slot[]: the index must be a number in brackets, as in name[3]");
  EXPECT_EQ(read("slot[1"), "slot[1: the index must be a number in brackets, as in name[3]");
  EXPECT_EQ(read("nothing"), "nothing: no such value; `modules` lists them");
}

TEST_F(DebugRegistryTest, TheFirstResolverThatKnowsAName) {
  EXPECT_FALSE(registry_.address_of("CTRL"));
  registry_.add_names([](const std::string& name) {
    return name == "CTRL" ? std::optional<std::uint32_t>(0x40) : std::nullopt;
  });
  registry_.add_names([](const std::string&) { return std::optional<std::uint32_t>(0x80); });
  EXPECT_EQ(registry_.address_of("CTRL"), 0x40u);
  EXPECT_EQ(registry_.address_of("other"), 0x80u);
}

}  // namespace
}  // namespace dcc::model::debug_registry_test
