// Tests which flows count as interchangeable (of one kind).
#include "traffic/flow_kinds.h"

#include <gtest/gtest.h>

#include "small_platform.h"

namespace dcc::vp::flow_kinds_test {
namespace {

using Kinds = std::vector<unsigned>;

Kinds kinds_in(const std::string& topology, const std::string& traffic) {
  const Planned p("topology: " + topology + "\nhost: {driver: none}\nduration: 1ms\ntraffic: [" +
                  traffic + "]\n");
  std::vector<const PlannedFlow*> flows;
  for (const PlannedFlow& flow : p.plan.flows()) flows.push_back(&flow);
  return kinds_of(flows, p.topology, p.routing);
}
Kinds in_a_star(const std::string& traffic) {
  return kinds_in("{kind: star, hosts: 6, link: {rate: 25Gbps}}", traffic);
}
const char* const kThree = "{kind: incast, senders: 1..3, receiver: 0}";

TEST(FlowKinds, ManyToOneAreOfOneKind) { EXPECT_EQ(in_a_star(kThree), (Kinds{0, 0, 0})); }

TEST(FlowKinds, WhatFlowsAreTellsThemApart) {
  for (const char* const what : {"dscp: 1", "rate: 1Gbps", "message: 8KB", "start: 0ns, to: 4"}) {
    const std::string to = std::string(what).find("to:") == std::string::npos ? ", to: 0" : "";
    const Kinds kinds =
        in_a_star(std::string(kThree) + ", {kind: flow, from: 5, " + what + to + "}");
    EXPECT_EQ(kinds, (Kinds{0, 0, 0, 1})) << what;
  }
}

// A flow of the same sender to another host takes half of the sender's link, which changes the kind
// of both flows.
TEST(FlowKinds, SoDoesWhatElseTheirSendersSend) {
  const std::string other = std::string(kThree) + ", {kind: flow, from: 3, to: 4}";
  EXPECT_EQ(in_a_star(other), (Kinds{0, 0, 1, 2}));
  const std::string twice = std::string(kThree) + ", {kind: flow, from: 3, to: 0}";
  EXPECT_EQ(in_a_star(twice), (Kinds{0, 0, 1, 1})) << "each has half of what it would have alone";
}

TEST(FlowKinds, SendersOfTheSameAreAlike) {
  const std::string both = std::string(kThree) + ", {kind: incast, senders: 1..2, receiver: 4}";
  EXPECT_EQ(in_a_star(both), (Kinds{0, 0, 1, 2, 2}));
}

TEST(FlowKinds, WhoReceivesIsLikeNobodyElse) {
  EXPECT_EQ(in_a_star(std::string(kThree) + ", {kind: flow, from: 4, to: 1}"), (Kinds{0, 1, 1, 2}));
  EXPECT_EQ(in_a_star(std::string(kThree) +
                      ", {kind: flow, from: 4, to: 1}, {kind: flow, from: 1, to: 0}"),
            (Kinds{0, 1, 1, 2, 0}))
      << "its own two are";
}

// Sender 0 is one switch nearer to the receiver, so its flow has another kind. If a topology has
// several paths between two hosts, the kinds of flows do not tell paths apart, because it is
// unknown before the run which path a flow takes.
TEST(FlowKinds, AnotherWayTellsThemApart) {
  const std::string chain =
      "{kind: custom, nodes: [{name: a, kind: host}, {name: b, kind: host}, {name: c, kind: host}, "
      "{name: d, kind: host}, {name: s, kind: switch}, {name: t, kind: switch}], links: [{from: a, "
      "to: t}, {from: b, to: s}, {from: c, to: s}, {from: d, to: t}, {from: s, to: t}]}";
  EXPECT_EQ(kinds_in(chain, "{kind: incast, senders: 0..2, receiver: 3}"), (Kinds{0, 1, 1}));
  const std::string leaves = "{kind: leaf_spine, leaves: 2, hosts_per_leaf: 3, spines: 2}";
  EXPECT_EQ(kinds_in(leaves, "{kind: incast, senders: 0..2, receiver: 5}"), (Kinds{0, 1, 2}));
  EXPECT_EQ(kinds_in(leaves, "{kind: incast, senders: 3..4, receiver: 5}"), (Kinds{0, 0}));
}

}  // namespace
}  // namespace dcc::vp::flow_kinds_test
