// Tests which hosts report to the QoS manager, and which hosts the manager commands.
#include "software/qos_links.h"

#include <gtest/gtest.h>

namespace dcc::vp {
namespace {

FlowSpec flow(HostId from, HostId to) {
  FlowSpec spec;
  spec.from = from;
  spec.to = to;
  return spec;
}

TEST(QosLinks, NoneWithoutAManager) {
  EXPECT_TRUE(qos_links(PlatformConfig{}, {flow(1, 0)}).empty());
}

TEST(QosLinks, ReceiversReportSendersAreCommandedNobodyTwice) {
  PlatformConfig config;
  config.qos.manager = 4;
  config.qos.dscp = 48;
  config.qos.priority = 6;
  const std::vector<FlowSpec> links =
      qos_links(config, {flow(2, 0), flow(1, 0), flow(2, 3), flow(4, 0)});
  std::vector<std::pair<HostId, HostId>> ends;
  for (const FlowSpec& link : links) ends.emplace_back(link.from, link.to);
  EXPECT_EQ(ends, (std::vector<std::pair<HostId, HostId>>{{0, 4}, {3, 4}, {4, 1}, {4, 2}}));
  EXPECT_EQ(links.front().id, 4u) << "ids go on after the traffic's";
  EXPECT_EQ(links.back().id, 7u);
  for (const FlowSpec& link : links) {
    EXPECT_TRUE(link.background);
    EXPECT_EQ(link.dscp, 48u);
    EXPECT_EQ(link.priority, 6u);
  }
}

TEST(QosLinks, TheManagersOwnTrafficNeedsNoWire) {
  PlatformConfig config;
  config.qos.manager = 0;
  EXPECT_TRUE(qos_links(config, {flow(0, 0)}).empty());
  EXPECT_EQ(qos_links(config, {flow(1, 0)}).size(), 1u) << "only the command to host 1";
}

}  // namespace
}  // namespace dcc::vp
