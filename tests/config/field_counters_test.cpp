// Tests the table of counter names and the page that documents the counters.
#include "measure/field_counters.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace dcc::vp::field_counters_test {
namespace {

/// The counter's name as the page writes it: rx_prioN_pause for rx_prio3_pause.
std::string as_on_page(const std::string& name) {
  static const std::regex kNumbered("(_prio|_PFC_)[0-7]_");
  return std::regex_replace(name, kNumbered, "$1N_");
}

std::string page() {
  std::ifstream file(DCC_SOURCE_DIR "/docs/counters.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(FieldCounters, EveryNameOnceWithAMeaningAndOnThePage) {
  const std::string text = page();
  std::set<std::string> names;
  for (const auto* const table : {&host_counters(), &port_counters(), &queue_counters()}) {
    EXPECT_GT(table->size(), 5u);
    for (const FieldCounter& one : *table) {
      EXPECT_TRUE(names.insert(one.name).second) << one.name;
      EXPECT_STRNE(one.meaning, "") << one.name;
      EXPECT_NE(text.find('`' + as_on_page(one.name) + '`'), std::string::npos) << one.name;
    }
  }
  for (const MissingCounter& one : missing_counters()) {
    std::stringstream list(one.name);
    for (std::string name; std::getline(list >> std::ws, name, ',');) {
      EXPECT_EQ(names.count(name), 0u) << name << " is counted";
      EXPECT_NE(text.find('`' + name + '`'), std::string::npos) << name;
    }
  }
}

}  // namespace
}  // namespace dcc::vp::field_counters_test
