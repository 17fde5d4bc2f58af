// Tests the load balancer that chooses paths by source and destination address only.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <set>

#include "fabric/balancers.h"

namespace dcc::addresses_test {
namespace {

class FourPorts final : public PathView {
 public:
  PicoSeconds now() const override { return {}; }
  Bytes backlog(int) const override { return 0; }
  Bytes drain(int, int) const override { return 0; }
  BitRate rate(int) const override { return BitRate(10'000'000'000); }
};

std::unique_ptr<PathChoice> made(const char* kind, const FourPorts& view, std::uint64_t seed) {
  return BalancerChoice(kind).make({view, 4, seed, 1, 0});
}

TEST(Addresses, AllFlowsOfTwoHostsShareOnePathAndPairsSpread) {
  const FourPorts view;
  const PortSet ports = PortSet::consecutive(0, 4);
  const auto balancer = made("addresses", view, 77);
  std::array<int, 4> pairs{};
  for (HostId source = 0; source < 40; ++source) {
    for (HostId destination = 100; destination < 140; ++destination) {
      std::set<std::uint32_t> paths;
      for (std::uint32_t flow = 0; flow < 20; ++flow) {
        Packet packet;
        packet.source = source;
        packet.destination = destination;
        packet.flow = flow;
        paths.insert(balancer->choose(packet, ports));
      }
      ASSERT_EQ(paths.size(), 1u);
      ++pairs[*paths.begin()];
    }
  }
  // With 1600 pairs on four ports four standard deviations are 69.
  for (const int n : pairs) EXPECT_NEAR(n, 400, 69);
}

TEST(Addresses, OtherSwitchesHaveOtherHashes) {
  const FourPorts view;
  const PortSet ports = PortSet::consecutive(0, 4);
  const auto one = made("addresses", view, 77), other = made("addresses", view, 78);
  int same = 0;
  for (HostId source = 0; source < 1600; ++source) {
    Packet packet;
    packet.source = source;
    packet.destination = 5000;
    same += one->peek(packet, ports) == other->peek(packet, ports) ? 1 : 0;
  }
  EXPECT_NEAR(same, 400, 69);
}

}  // namespace
}  // namespace dcc::addresses_test
