#include "switch/switch_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "schemes/lmc/lmc.h"
#include "unit/switch/test_devices.h"

namespace dcc::switch_device_test {
namespace {

using test::TestStar;

constexpr LinkParameters k100G{BitRate(100'000'000'000), kMicroSecond, 20};

SwitchParameters plain() {
  SwitchParameters parameters;
  parameters.ecn.enabled = false;
  return parameters;
}

TEST(SwitchDevice, StoresAndForwardsInTheTimeTheLinksTake) {
  TestStar star(2, plain(), k100G);
  star.host[1]->keep = true;
  star.host[0]->send(star.host[0]->make(1, 1230));
  star.scheduler.run_until(kMilliSecond);
  // A packet takes (1230 + 20) bytes at 80 ps per byte, and a delay of 1 us, on each of two links.
  ASSERT_EQ(star.host[1]->seen.size(), 1u);
  EXPECT_EQ(star.host[1]->seen[0].when, PicoSeconds(2 * (1250 * 80 + 1'000'000)));
  EXPECT_EQ(star.pool.in_use(), 0);
  EXPECT_EQ(star.device.buffer().used(), 0);
}

TEST(SwitchDevice, PacketsOfAFlowStayInOrderAndNoneIsLost) {
  for (const auto arbitration :
       {SwitchParameters::Arbitration::kFifo, SwitchParameters::Arbitration::kRoundRobin}) {
    SwitchParameters parameters = plain();
    parameters.arbitration = arbitration;
    TestStar star(5, parameters, k100G);
    star.host[0]->keep = true;
    for (HostId h = 1; h < 5; ++h) star.host[h]->blast(0, 1000);
    star.scheduler.run_until(kMicroSecond * 200);
    for (HostId h = 1; h < 5; ++h) star.host[h]->stop();
    star.scheduler.run_until(kMilliSecond * 5);
    std::vector<Psn> next(5, 0);
    for (const auto& seen : star.host[0]->seen) {
      ASSERT_EQ(seen.psn, next[seen.flow]);
      ++next[seen.flow];
    }
    std::uint64_t sent = 0;
    for (HostId h = 1; h < 5; ++h) sent += star.host[h]->sent;
    EXPECT_GT(sent, 5000u);
    EXPECT_EQ(star.host[0]->packets, sent);
    EXPECT_EQ(star.pool.in_use(), 0);
    EXPECT_EQ(star.device.buffer().used(), 0);
    EXPECT_EQ(star.device.queue_bytes(0), 0);
    EXPECT_EQ(star.device.totals().enqueued, sent);
    EXPECT_EQ(star.device.totals().dequeued, sent);
  }
}

TEST(SwitchDevice, EqualPathsAreSharedByHashOrInTurn) {
  const auto counts = [](const std::string& kind, std::uint32_t flows) {
    SwitchParameters parameters = plain();
    parameters.routing.choose(kind);
    parameters.routing.of<LmcParameters>("lmc").lmc = 2;
    Scheduler scheduler;
    PacketPool pool;
    SwitchDevice device(scheduler, pool, parameters, 4, 7, 3, 0);
    RouteTable routes(10);
    routes.from(9, PortSet::consecutive(0, 4));
    device.set_routes(routes);
    std::vector<int> count(4, 0);
    for (std::uint32_t flow = 0; flow < flows; ++flow) {
      Packet packet;
      packet.source = flow % 16;
      packet.destination = 9;
      packet.flow = flow;
      const int port = device.route_of(packet);
      EXPECT_EQ(port, device.route_of(packet));
      ++count[static_cast<std::size_t>(port)];
    }
    return count;
  };
  // Chi-square with 3 degrees of freedom exceeds 16.3 once in 1000.
  double chi = 0;
  for (const int n : counts("ecmp", 40'000)) {
    chi += (n - 10'000.0) * (n - 10'000.0) / 10'000.0;
  }
  EXPECT_LT(chi, 16.3);
  // LMC has four addresses per host, so at most four paths lead to a destination, each for a
  // quarter of the flows.
  for (const int n : counts("lmc", 40'000)) {
    EXPECT_EQ(n % 10'000, 0);
  }

  SwitchParameters spray = plain();
  spray.routing.choose("spray");
  TestStar star(4, spray, k100G);
  RouteTable routes(4);
  routes.from(3, PortSet::consecutive(1, 3));
  star.device.set_routes(routes);
  for (int i = 0; i < 300; ++i) star.host[0]->send(star.host[0]->make(3, 500));
  star.scheduler.run_until(kMilliSecond);
  for (HostId h = 1; h < 4; ++h) EXPECT_EQ(star.host[h]->packets, 100u);
}

TEST(SwitchDevice, APacketToNowhereIsCountedAndGivenBack) {
  TestStar star(2, plain(), k100G);
  star.host[0]->send(star.host[0]->make(77, 1000));
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.device.totals().unroutable, 1u);
  EXPECT_EQ(star.pool.in_use(), 0);
}

TEST(SwitchDevice, TheSameSeedGivesTheSameRunAndAnotherDoesNot) {
  const auto run = [](std::uint64_t seed) {
    SwitchParameters parameters = plain();
    parameters.ecn = EcnParameters{};
    parameters.ecn.pmax = Ratio(1, 5);
    TestStar star(5, parameters, k100G, seed);
    star.host[0]->keep = true;
    for (HostId h = 1; h < 5; ++h) star.host[h]->blast(0, 1000);
    star.scheduler.run_until(kMicroSecond * 300);
    std::uint64_t digest = 0;
    for (const auto& seen : star.host[0]->seen) {
      digest = mix64(digest ^ static_cast<std::uint64_t>(seen.when.count) ^
                     (std::uint64_t{seen.flow} << 48) ^ static_cast<std::uint64_t>(seen.ecn));
    }
    return digest;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(SwitchDevice, RefusesWhatCannotBe) {
  Scheduler scheduler;
  PacketPool pool;
  SwitchParameters parameters;
  EXPECT_THROW(SwitchDevice(scheduler, pool, parameters, 0, 1, 0, 0), std::invalid_argument);
  parameters.buffer = 0;
  EXPECT_THROW(SwitchDevice(scheduler, pool, parameters, 2, 1, 0, 0), std::invalid_argument);
  parameters = SwitchParameters{};
  SwitchDevice device(scheduler, pool, parameters, 2, 1, 0, 0);
  RouteTable routes(1);
  routes.set_block(0, 1, 1, 2);
  EXPECT_THROW(device.set_routes(routes), std::invalid_argument);
}

}  // namespace
}  // namespace dcc::switch_device_test
