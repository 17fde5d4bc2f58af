// Tests the registry of algorithms by name, and the properties that the platform knows before it
// creates an instance.
#include "nic/algorithm/registry.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "controller/dcc.h"
#include "nic/nic_parameters.h"
#include "schemes/ibcc/ibcc.h"
#include "switch/switch_device.h"
#include "unit/describe/text_reader.h"

namespace dcc {
namespace {

using test::TextReader;

AlgorithmChoice choice(const std::string& name) {
  AlgorithmChoice chosen;
  chosen.choose(name);
  return chosen;
}

TEST(Registry, HasEveryAlgorithmByName) {
  std::vector<std::string> names;
  for (const Algorithms::Entry& entry : Algorithms::all()) {
    EXPECT_FALSE(entry.description.empty()) << entry.name;
    names.push_back(entry.name);
  }
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const char* name :
       {"dcc", "dcqcn", "dctcp", "hpcc", "hull", "ibcc", "powertcp", "qcn", "swift", "timely"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  }
}

TEST(Registry, RefusesANameThatIsTaken) {
  EXPECT_THROW(Algorithms::add({"timely", "", {}, {}, {}}), std::logic_error);
  EXPECT_THROW(Algorithms::add({"none", "", {}, {}, {}}), std::logic_error);
}

TEST(Registry, SaysWhatAnAlgorithmNeeds) {
  const auto needs = [](const char* name) { return choice(name).needs(1000); };
  for (const char* name : {"dcc", "dcqcn", "ibcc"}) EXPECT_TRUE(needs(name).cnp) << name;
  for (const char* name : {"dctcp", "hpcc", "qcn", "timely", "none"}) {
    EXPECT_FALSE(needs(name).cnp) << name;
  }
  for (const char* name : {"dctcp", "hpcc"}) EXPECT_TRUE(needs(name).ack_each) << name;
  EXPECT_TRUE(needs("timely").acks && !needs("timely").ack_each);
  EXPECT_TRUE(needs("hpcc").telemetry);
  EXPECT_EQ(needs("ibcc").burst, 4000);
  EXPECT_FALSE(needs("none").acks || needs("none").on_sent);
}

TEST(Registry, ACopyHasItsOwnParameters) {
  const AlgorithmChoice original = choice("ibcc");
  AlgorithmChoice copy = original;
  copy.of<IbccParameters>("ibcc").ccti_limit = 5;
  EXPECT_EQ(original.chosen<IbccParameters>()->ccti_limit, 127u);
  EXPECT_EQ(copy.chosen<IbccParameters>()->ccti_limit, 5u);
  const AlgorithmChoice changed = copy;
  EXPECT_EQ(changed.chosen<IbccParameters>()->ccti_limit, 5u) << "not the defaults again";
  copy = original;
  EXPECT_EQ(copy.chosen<IbccParameters>()->ccti_limit, 127u);
  EXPECT_EQ(original.chosen<DccParameters>(), nullptr);
  EXPECT_EQ(choice("none").chosen(), nullptr);
}

TEST(Registry, AsksSwitchesAndNotificationPoints) {
  SwitchParameters marking;
  choice("ibcc").chosen()->ask_switch(marking);
  EXPECT_EQ(marking.ecn.kmin, 16 * 1024);
  EXPECT_EQ(marking.ecn.kmax, 16 * 1024);
  EXPECT_TRUE(marking.ecn.pmax == Ratio(1));
  EXPECT_FALSE(marking.qcn.enabled);
  SwitchParameters sampling;
  choice("qcn").chosen()->ask_switch(sampling);
  EXPECT_TRUE(sampling.qcn.enabled);
  EXPECT_EQ(sampling.qcn.set_point, 33'000);
  CnpParameters cnp;
  choice("ibcc").chosen()->preset(cnp);
  EXPECT_EQ(cnp.interval, PicoSeconds(0));
}

TEST(Registry, PresetsComeBeforeWhatTheUserSays) {
  AlgorithmChoice chosen;
  CnpParameters cnp;
  TextReader reader({{"algorithm", "dcc"}, {"preset", "adapter"}, {"f", "7"}});
  chosen.describe(reader, cnp);
  const auto* const dcc = chosen.chosen<DccParameters>();
  ASSERT_NE(dcc, nullptr);
  EXPECT_EQ(dcc->f, 7u);
  EXPECT_EQ(dcc->byte_counter, 32'767);
  EXPECT_EQ(cnp.interval, kMicroSecond * 4);
  EXPECT_TRUE(reader.rows.at("g").runtime);  // g is a register, so a run may change it
  EXPECT_FALSE(reader.rows.at("preset").runtime);
  EXPECT_EQ(reader.rows.at("g").range, "1/65536 … 65535/65536");
}

TEST(Registry, WhatDoesNotGoTogetherNamesItsKeys) {
  AlgorithmChoice chosen = choice("dcqcn");
  auto& parameters = chosen.of<DcqcnParameters>("dcqcn");
  EXPECT_NO_THROW(parameters.check(1078));
  parameters.variant = DcqcnParameters::Variant::kSlotted;
  try {
    parameters.check(1078);
    FAIL();
  } catch (const ParameterError& error) {
    EXPECT_EQ(error.keys(), (std::vector<std::string>{"decrease_period", "variant"}));
  }
  parameters.decrease_period = kMicroSecond;
  EXPECT_NO_THROW(parameters.check(1078));
}

}  // namespace
}  // namespace dcc
