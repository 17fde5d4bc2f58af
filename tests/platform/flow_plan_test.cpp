// Tests the queue pairs of a run: numbers, configuration, and start times.
#include "traffic/flow_plan.h"

#include <gtest/gtest.h>

#include <utility>

#include "small_platform.h"

namespace dcc::vp {
namespace {

const std::string kThree = star(
    "dscp: {46: {weight: 2, priority: 3}}\n"
    "traffic:\n"
    "  - {kind: flow, from: 1, to: 0, dscp: 46, bytes: 1MB}\n"
    "  - {kind: flow, from: 2, to: 0, bytes: 2MB}\n"
    "  - {kind: background, from: 1, to: 3, rate: 10Gbps}\n");

QueuePairConfig registers(HostId remote_host, Qpn remote_qpn) {
  QueuePairConfig config;
  config.remote_host = remote_host;
  config.remote_qpn = remote_qpn;
  return config;
}

TEST(FlowPlan, QueuePairsAreNumberedByHostInTheOrderOfFlowsAboveTheManagementPairs) {
  const Planned p(kThree);
  ASSERT_EQ(p.plan.flows().size(), 3u);
  EXPECT_EQ(p.plan.flow(0).from_qpn, 2u);
  EXPECT_EQ(p.plan.flow(0).to_qpn, 2u);
  EXPECT_EQ(p.plan.flow(1).to_qpn, 3u) << "the second that host 0 receives";
  EXPECT_EQ(p.plan.flow(2).from_qpn, 3u) << "the second that host 1 sends";
  EXPECT_EQ(p.plan.queue_pairs(0), 4u);
  EXPECT_EQ(p.plan.queue_pairs(2), 3u);
  EXPECT_EQ(p.plan.sent_by(1), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(p.plan.received_by(0), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_TRUE(p.plan.sent_by(0).empty());
}

TEST(FlowPlan, AQueuePairKnowsItsOtherEndAndItsClass) {
  const Planned p(kThree);
  const QueuePairConfig sender = p.plan.queue_pair(1, 2);
  EXPECT_EQ(sender.remote_host, 0u);
  EXPECT_EQ(sender.remote_qpn, 2u);
  EXPECT_EQ(sender.dscp, 46u);
  EXPECT_EQ(sender.priority, 3u);
  EXPECT_TRUE(sender.governed);
  EXPECT_TRUE(sender.ecn_capable);
  const QueuePairConfig receiver = p.plan.queue_pair(0, 2);
  EXPECT_EQ(receiver.remote_host, 1u);
  EXPECT_FALSE(receiver.governed) << "only the sending end has a rate";
  // Flow 1 has different queue pair numbers at its two ends.
  EXPECT_EQ(p.plan.queue_pair(2, 2).remote_qpn, 3u);
  EXPECT_EQ(p.plan.queue_pair(0, 3).remote_qpn, 2u);
  const QueuePairConfig background = p.plan.queue_pair(1, 3);
  EXPECT_FALSE(background.governed);
  EXPECT_FALSE(background.ecn_capable);
  EXPECT_EQ(background.rate_cap.raw, Rate::from(BitRate(10'000'000'000)).raw);
}

TEST(FlowPlan, ADeadlineIsToldToTheSenderInTheRunsTime) {
  const Planned p(
      star("traffic: [{kind: flow, from: 1, to: 0, bytes: 1MB, start: 2ms, deadline: 300us}]\n"));
  EXPECT_EQ(p.plan.queue_pair(1, 2).deadline, kMicroSecond * 2300);
  EXPECT_EQ(p.plan.queue_pair(1, 2).bytes, 1'000'000);
  EXPECT_EQ(p.plan.queue_pair(0, 2).deadline, PicoSeconds::max());
  const QueuePairIdentity same = p.plan.identify(1, 2, registers(0, 2));
  EXPECT_EQ(same.deadline, kMicroSecond * 2300) << "the same for software";
  EXPECT_EQ(same.bytes, 1'000'000);
}

TEST(FlowPlan, ConnectsBothEndsOnceBothExist) {
  Planned p(kThree);
  std::vector<std::pair<HostId, Qpn>> connected;
  p.plan.connections().on_connected(
      [&](HostId host, Qpn qpn) { connected.emplace_back(host, qpn); });
  p.plan.created(1, 2, registers(0, 2));
  EXPECT_TRUE(connected.empty());
  p.plan.destroyed(1, 2);
  p.plan.created(0, 2, registers(1, 2));
  EXPECT_TRUE(connected.empty()) << "the first end is gone again";
  p.plan.created(1, 2, registers(0, 2));
  EXPECT_EQ(connected, (std::vector<std::pair<HostId, Qpn>>{{1, 2}, {0, 2}}));
}

TEST(FlowPlan, AQueuePairThatNobodyPlannedIsKnownByItsRegisters) {
  const Planned p(kThree);
  const QueuePairIdentity planned = p.plan.identify(1, 2, registers(0, 2));
  EXPECT_EQ(planned.flow, 0u);
  EXPECT_TRUE(planned.waits_for_peer);
  EXPECT_GT(planned.base_rtt, PicoSeconds(0));
  const QueuePairIdentity other = p.plan.identify(1, 77, registers(0, 9));
  EXPECT_EQ(other.flow, p.plan.unplanned_flow(1)) << "counts in no flow of the plan";
  EXPECT_EQ(other.base_rtt, planned.base_rtt);
  EXPECT_FALSE(other.waits_for_peer);
  EXPECT_EQ(p.plan.identify(1, 2, registers(0, 9)).flow, p.plan.unplanned_flow(1))
      << "a planned number that software uses for another end";
  EXPECT_EQ(p.plan.identify(1, 77, registers(4, 9)).base_rtt, PicoSeconds(0)) << "no such host";
  EXPECT_FALSE(p.plan.has_host(4));
}

TEST(FlowPlan, FewFlowsAreHeldAndManyComeAsTheyAreAskedFor) {
  const std::string many = star(
      "traffic: [{kind: poisson, sizes: fbhadoop, load: 0.5, flows_per_host: 600},\n"
      "          {kind: incast, senders: 1..3, receiver: 0, bytes: 1KB, start: 1ms}]\n");
  const Planned held(many);
  ASSERT_TRUE(held.plan.is_held());
  const FlowPlan drawn = plan_flows(held.config, held.topology, held.routing, false);
  EXPECT_FALSE(drawn.is_held());
  EXPECT_EQ(drawn.count(), held.plan.flows().size());
  EXPECT_EQ(drawn.totals().bytes, held.plan.totals().bytes);
  EXPECT_EQ(drawn.totals().received_by, held.plan.totals().received_by);
  for (int walk = 0; walk < 2; ++walk) {  // the plan can be traversed repeatedly
    std::size_t id = 0;
    drawn.each([&](const PlannedFlow& flow) {
      const PlannedFlow& same = held.plan.flow(static_cast<std::uint32_t>(id++));
      EXPECT_EQ(flow.spec.id, same.spec.id);
      EXPECT_EQ(flow.spec.start, same.spec.start);
      EXPECT_EQ(flow.spec.to, same.spec.to);
      EXPECT_EQ(flow.spec.bytes, same.spec.bytes);
      EXPECT_EQ(flow.from_qpn, same.from_qpn);
      EXPECT_EQ(flow.to_qpn, same.to_qpn);
      EXPECT_EQ(flow.base_rtt, same.base_rtt);
    });
    EXPECT_EQ(id, held.plan.count());
  }
  EXPECT_TRUE(plan_flows(config_of(star("traffic: [{kind: flow, from: 1, to: 0}]\n")),
                         held.topology, held.routing, false)
                  .is_held());
}

TEST(FlowPlan, WhoeverWantsAnyFlowAtAnyTimeHasThemHeldUpToALimit) {
  const auto holds = [](const std::string& more) {
    return holds_flows(config_of(star("traffic: [{kind: flow, from: 1, to: 0}]\n" + more)));
  };
  EXPECT_FALSE(holds(""));
  EXPECT_TRUE(holds("hosts: {2: {driver: native}}\n"));
  EXPECT_TRUE(holds("output: {trace: {signals: true}}\n"));
  EXPECT_TRUE(holds("output: {digest: {every: 10us}}\n"));
  EXPECT_NO_THROW(check_held(kMaxHeldFlows, {}));
  EXPECT_THROW(check_held(kMaxHeldFlows + 1, {}), TrafficError);
}

}  // namespace
}  // namespace dcc::vp
