// Tests the faults of a configuration: faults of missing links and flows are refused, and all
// others act only at their configured place and time.
#include "disturb/fault_plan.h"

#include <gtest/gtest.h>

#include "small_platform.h"

namespace dcc::vp {
namespace {

const std::string kFlows =
    "nic: {recovery: {kind: go_back_n}}\n"
    "traffic: [{kind: flow, from: 1, to: 0}, {kind: flow, from: 2, to: 3}]\n";

std::string refusal(const std::string& faults) {
  const Planned p(star(faults + kFlows));
  try {
    check_faults(p.config, p.topology, p.plan.flows().size());
  } catch (const SettingError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(FaultPlan, ALinkOrFlowThatIsNotThereIsRefused) {
  EXPECT_EQ(refusal("faults: [{kind: link_down, link: h1->s0, stop: 9us}]\n"), "accepted");
  EXPECT_EQ(refusal("faults: [{kind: link_down, link: all, stop: 9us}]\n"), "accepted");
  EXPECT_NE(refusal("faults: [{kind: link_down, link: h9->s0, stop: 9us}]\n")
                .find("there is no link 'h9->s0'"),
            std::string::npos);
  EXPECT_EQ(refusal("faults: [{kind: cnp_loss, flow: 1}]\n"), "accepted");
  EXPECT_NE(refusal("faults: [{kind: cnp_loss, flow: 2}]\n").find("there are 0 to 1"),
            std::string::npos);
}

TEST(FaultPlan, ALinkThatIsDownLosesWhatIsSentThenAndOnlyThere) {
  const RunResults r = run(star(
      "faults: [{kind: link_down, link: h1->s0, start: 20us, stop: 40us}]\nmeasure: {from: 0us}\n" +
      kFlows));
  EXPECT_GT(r.counters.of(&LinkCounters::lost), 0u);
  EXPECT_EQ(r.balance.packets_dropped, r.counters.of(&LinkCounters::lost));
  EXPECT_EQ(r.flows[1].counts.of(&FlowRecord::retransmits), 0u);
  EXPECT_GT(r.flows[1].delivered_total, r.flows[0].delivered_total);
}

TEST(FaultPlan, WithoutFaultsNothingIsLost) {
  EXPECT_EQ(run(star(kFlows)).balance.packets_dropped, 0u);
}

}  // namespace
}  // namespace dcc::vp
