// Tests the names of wires, and the error message for a name that matches no wire.
#include "build/wire_selection.h"

#include <gtest/gtest.h>

#include "small_platform.h"

namespace dcc::vp::wire_selection_test {
namespace {

Topology four() { return Topology::of(config_of(star("")).topology); }

std::string refusal(const std::vector<std::string>& names) {
  try {
    (void)select_wires(four(), names, "output.trace.packets.0.ports");
  } catch (const SettingError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(WireSelection, AllWithoutNames) {
  EXPECT_EQ(select_wires(four(), {}, "p").size(), 8u) << "both ways of four cables";
}

TEST(WireSelection, AWireACableFromEitherSideOrANode) {
  const Topology topology = four();
  const auto one = select_wires(topology, {"s0->h2"}, "p");
  ASSERT_EQ(one.size(), 1u);
  const auto back = select_wires(topology, {"h2->s0"}, "p");
  ASSERT_EQ(back.size(), 1u);
  EXPECT_NE(one, back);
  const std::vector<std::size_t> both{std::min(one[0], back[0]), std::max(one[0], back[0])};
  EXPECT_EQ(select_wires(topology, {"s0--h2"}, "p"), both);
  EXPECT_EQ(select_wires(topology, {"h2--s0"}, "p"), both);
  EXPECT_EQ(select_wires(topology, {"h2"}, "p"), both);
  EXPECT_EQ(select_wires(topology, {"h2", "s0->h2", "h2"}, "p"), both) << "none twice";
  EXPECT_EQ(select_wires(topology, {"s0"}, "p").size(), 8u);
}

TEST(WireSelection, AnUnknownNameIsRefusedWithTheNearest) {
  EXPECT_NE(refusal({"h2", "s0->h22"}).find("there is no port 's0->h22'; did you mean 's0->h2'?"),
            std::string::npos)
      << refusal({"s0->h22"});
  EXPECT_EQ(refusal({"h2"}), "accepted");
}

TEST(WireSelection, FlowsThatExist) {
  EXPECT_NO_THROW(require_flow(2, 3, "p"));
  EXPECT_THROW(require_flow(3, 3, "p"), SettingError);
  EXPECT_THROW(require_flow(0, 0, "p"), SettingError);
}

}  // namespace
}  // namespace dcc::vp::wire_selection_test
