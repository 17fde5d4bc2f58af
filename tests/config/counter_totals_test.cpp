#include "measure/counter_totals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace dcc::vp {
namespace {

TEST(CounterTotals, CountersOfOneNameAreOneSum) {
  CounterTotals totals;
  LinkCounters link;
  link.lost = 1;
  SwitchCounters sw;
  sw.dropped = 20;
  sw.unroutable = 300;
  sw.ecn_marks = 7;
  totals.add(link);
  totals.add(sw);
  totals.add(sw);
  EXPECT_EQ(totals.of(&LinkCounters::lost), 641u);
  EXPECT_EQ(totals.of(&SwitchCounters::dropped), 641u);
  EXPECT_EQ(totals.of(&SwitchCounters::ecn_marks), 14u);
  EXPECT_EQ(totals.of(&NicCounters::cnps_sent), 0u);
}

/// Gives each counter that a struct describes a different value, one for the whole run and one for
/// the measurement window.
template <class Counters>
void expect_differences() {
  Counters counted{};
  std::uint64_t next = 5;
  Counters::describe(
      [&](auto member, std::string_view, const CounterAbout&) { counted.*member = next++; });
  CounterTotals begin;
  begin.add(counted);
  CounterTotals end;
  end.add(counted);
  end.add(counted);
  end.add(counted);
  const CounterTotals window = end.since(begin);
  Counters::describe([&](auto member, std::string_view name, const CounterAbout&) {
    EXPECT_EQ(window.of(member), 2 * begin.of(member)) << name;
    EXPECT_NE(window.of(member), 0u) << name;
  });
}

TEST(CounterTotals, TheWindowIsTheDifferenceOfEveryCounter) {
  expect_differences<LinkCounters>();
  expect_differences<SwitchCounters>();
  expect_differences<PfcCounters>();
  expect_differences<NicCounters>();
  expect_differences<AlgorithmCounters>();
  expect_differences<FlowRecord>();
}

TEST(CounterTotals, EveryFigureIsDescribedOnce) {
  std::set<std::string_view> names;
  for (const CounterInfo& figure : CounterTotals::described()) {
    EXPECT_TRUE(names.insert(figure.name).second) << figure.name;
    EXPECT_STRNE(figure.about.label, "") << figure.name;
    EXPECT_STRNE(figure.about.meaning, "") << figure.name;
    EXPECT_FALSE(figure.over.empty()) << figure.name;
  }
  const auto& all = CounterTotals::described();
  const auto drops = std::find_if(all.begin(), all.end(),
                                  [](const CounterInfo& one) { return one.name == "drops"; });
  ASSERT_NE(drops, all.end());
  EXPECT_EQ(drops->over, (std::vector<std::string_view>{"links", "switches"}));
}

TEST(CounterTotals, ACounterThatIsNotDescribedHasNoSum) {
  EXPECT_THROW((void)CounterTotals().of(&SwitchCounters::dequeued), std::out_of_range);
}

}  // namespace
}  // namespace dcc::vp
