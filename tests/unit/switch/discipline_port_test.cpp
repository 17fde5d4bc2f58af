// Tests a port with a queue discipline: packets that pass through an idle port, counters, dropped
// packets.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "switch/drop_tail.h"
#include "switch/switch_device.h"
#include "unit/switch/test_devices.h"

namespace dcc::discipline_port_test {
namespace {

constexpr LinkParameters k100G{BitRate(100'000'000'000), kMicroSecond, 20};

SwitchParameters with_drop_tail(Bytes limit) {
  SwitchParameters parameters;
  parameters.ecn.enabled = false;
  parameters.pfc.enabled = false;
  parameters.discipline.choose("drop_tail");
  parameters.discipline.of<DropTailParameters>("drop_tail").limit = limit;
  return parameters;
}

TEST(DisciplinePort, SendsAtLineRateAndCountsDropsOfTheDiscipline) {
  test::TestStar star(3, with_drop_tail(50'000), k100G);
  star.host[1]->blast(0, 1230);
  star.host[2]->blast(0, 1230);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_LE(star.device.queue_bytes(0), 50'000);
  EXPECT_GT(star.device.queue_bytes(0), 45'000);
  EXPECT_EQ(star.device.queue_bytes(0, 0), 0) << "a discipline has no priorities to be read";
  EXPECT_EQ(star.device.buffer().used(), star.device.queue_bytes(0));
  star.host[1]->stop();
  star.host[2]->stop();
  star.scheduler.run_until(kMilliSecond * 2);
  const SwitchCounters totals = star.device.totals();
  EXPECT_NEAR(static_cast<double>(totals.dropped), 10'000.0 - 40, 40.0);
  EXPECT_EQ(totals.enqueued, totals.dequeued);
  EXPECT_EQ(star.host[1]->sent + star.host[2]->sent, star.host[0]->packets + totals.dropped);
  EXPECT_EQ(star.device.buffer().used(), 0);
  EXPECT_EQ(star.pool.in_use(), 0);
}

TEST(DisciplinePort, ALonePacketPassesTheDisciplineByUnlessEveryPacketIsQueued) {
  for (const bool queue_all : {false, true}) {
    SwitchParameters parameters = with_drop_tail(1'000);
    parameters.queue_all = queue_all;
    test::TestStar star(2, parameters, k100G);
    star.host[1]->send(star.host[1]->make(0, 1'200));  // a packet larger than the port's queue
    star.scheduler.run_until(kMilliSecond);
    EXPECT_EQ(star.host[0]->packets, queue_all ? 0u : 1u);
    EXPECT_EQ(star.device.totals().dropped, queue_all ? 1u : 0u);
  }
}

TEST(DisciplinePort, RouteAgainTakesAllPacketsToTheOtherPort) {
  test::TestStar star(4, with_drop_tail(1'000'000), k100G);
  star.host[1]->blast(0, 1'000);
  star.host[2]->blast(0, 1'000);
  star.scheduler.run_until(kMicroSecond * 100);
  const Bytes waiting = star.device.queue_bytes(0);
  ASSERT_GT(waiting, 100'000);
  RouteTable routes(4);
  routes.set_block(0, 1, 1, 3);  // host 0 is now reached through port 3
  star.device.set_routes(routes);
  star.device.route_again(0);
  EXPECT_EQ(star.device.queue_bytes(0), 0);
  EXPECT_GE(star.device.queue_bytes(3), waiting - 1'000);
  EXPECT_EQ(star.device.buffer().used(), star.device.queue_bytes(3));
}

}  // namespace
}  // namespace dcc::discipline_port_test
