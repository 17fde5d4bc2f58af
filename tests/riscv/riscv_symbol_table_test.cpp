// Tests the names of addresses: functions take precedence over labels, a symbol's size counts, and
// distant addresses have no name.
#include <gtest/gtest.h>

#include "riscv/symbol_table.h"

namespace dcc::riscv {
namespace {

SymbolTable table() {
  SymbolTable t;
  t.add({"data", 0x80001000, 16, false});
  t.add({"main", 0x80000100, 0x40, true});
  t.add({"loop", 0x80000110, 0, false});        // a label inside main
  t.add({"text_begin", 0x80000100, 0, false});  // a label at the beginning of main
  t.add({"helper", 0x80000140, 0x10, true});
  t.add({"tail", 0x80003000, 0, false});
  t.sort();
  return t;
}

TEST(SymbolTable, NamesWhatCoversTheAddress) {
  const SymbolTable t = table();
  EXPECT_EQ(t.describe(0x80000100), "main");
  EXPECT_EQ(t.describe(0x80000104), "main+0x4");
  EXPECT_EQ(t.describe(0x80000110), "loop");
  EXPECT_EQ(t.describe(0x8000013C), "loop+0x2c");
  EXPECT_EQ(t.describe(0x80000140), "helper");
  EXPECT_EQ(t.describe(0x8000014F), "helper+0xf");
  EXPECT_EQ(t.describe(0x8000100F), "data+0xf");
}

TEST(SymbolTable, NamesNothingItDoesNotKnow) {
  const SymbolTable t = table();
  EXPECT_EQ(t.describe(0x800000FF), "");
  EXPECT_EQ(t.describe(0x80001010), "") << "behind data, which has a size";
  EXPECT_EQ(t.describe(0x80003FFF), "tail+0xfff");
  EXPECT_EQ(t.describe(0x80004000), "") << "a label does not name what is far off";
  EXPECT_EQ(t.find(0), nullptr);
  EXPECT_EQ(SymbolTable{}.describe(0x80000000), "");
}

TEST(SymbolTable, FindsFunctionsFirst) {
  const SymbolTable t = table();
  ASSERT_NE(t.find(0x80000102), nullptr);
  EXPECT_EQ(t.find(0x80000102)->name, "main");
  EXPECT_TRUE(t.find(0x80000102)->is_function);
}

TEST(SymbolTable, AddressesOfNamesAndText) {
  const SymbolTable t = table();
  EXPECT_EQ(t.address_of("helper"), 0x80000140u);
  EXPECT_EQ(t.address_of("absent"), std::nullopt);
  EXPECT_EQ(t.with_address(0x80000104), "0x80000104 (main+0x4)");
  EXPECT_EQ(t.with_address(0x10), "0x00000010");
}

}  // namespace
}  // namespace dcc::riscv
