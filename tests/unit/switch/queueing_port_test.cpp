// Tests queues by priority in a switch: order, weights, ECN marking and congestion notification.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "switch/switch_device.h"
#include "unit/switch/test_devices.h"

namespace dcc::queueing_port_test {
namespace {

using test::TestStar;

constexpr LinkParameters k100G{BitRate(100'000'000'000), kMicroSecond, 20};

SwitchParameters plain() {
  SwitchParameters parameters;
  parameters.ecn.enabled = false;
  return parameters;
}

TEST(QueueingPort, MarksByItsNewThresholdsFromTheInstantTheyChange) {
  SwitchParameters parameters;
  parameters.ecn.kmin = parameters.ecn.kmax = 1'000'000;
  parameters.pfc.enabled = false;
  TestStar star(3, parameters, k100G);
  star.host[1]->blast(0, 1000);
  star.host[2]->blast(0, 1000);
  star.scheduler.run_until(kMicroSecond * 20);
  EXPECT_GT(star.device.queue_bytes(0), 100'000);
  EXPECT_EQ(star.device.totals().ecn_marks, 0u);
  const std::uint64_t before = star.device.totals().enqueued;
  parameters.ecn.kmin = parameters.ecn.kmax = 50'000;
  star.device.change(parameters);
  star.scheduler.run_until(kMicroSecond * 30);
  EXPECT_EQ(star.device.totals().ecn_marks, star.device.totals().enqueued - before);
}

TEST(QueueingPort, SharesByItsNewWeightsFromTheInstantTheyChange) {
  SwitchParameters parameters = plain();
  parameters.buffer = 100'000'000;
  parameters.pfc.enabled = false;
  parameters.scheduler.kind = EgressSchedulerParameters::Kind::kEts;
  TestStar star(3, parameters, k100G);
  star.host[1]->blast(0, 1000, 1);
  star.host[2]->blast(0, 1000, 2);
  star.scheduler.run_until(kMicroSecond * 300);
  const auto before = star.host[0]->by_priority;
  EXPECT_NEAR(static_cast<double>(before[2]) / static_cast<double>(before[1]), 1, 0.02);
  parameters.scheduler.weights = {1, 1, 4, 1, 1, 1, 1, 1};
  star.device.change(parameters);
  star.scheduler.run_until(kMicroSecond * 500);
  const auto& after = star.host[0]->by_priority;
  // Of 2500 packets one round of five may be incomplete, and one packet is on the link.
  EXPECT_NEAR(static_cast<double>(after[2] - before[2]) / static_cast<double>(after[1] - before[1]),
              4, 0.1);
}

TEST(QueueingPort, RoundRobinSharesByInputAndFifoByArrival) {
  // Host 1 sends packets of 250 bytes, hosts 2 and 3 packets of 1000 bytes. Arbitration in turns
  // shares by packets. Arbitration in order of arrival shares by bytes, as long as the buffer holds
  // all packets.
  const auto shares = [](SwitchParameters::Arbitration arbitration) {
    SwitchParameters parameters = plain();
    parameters.arbitration = arbitration;
    parameters.pfc.enabled = false;
    LinkParameters link = k100G;
    link.overhead = 0;
    TestStar star(4, parameters, link);
    star.host[1]->blast(0, 250);
    star.host[2]->blast(0, 1000);
    star.host[3]->blast(0, 1000);
    star.scheduler.run_until(kMicroSecond * 800);
    EXPECT_EQ(star.device.totals().dropped, 0u);
    std::vector<double> share;
    for (HostId h = 1; h <= 3; ++h) {
      share.push_back(static_cast<double>(star.host[0]->by_source[h]) /
                      static_cast<double>(star.host[0]->bytes));
    }
    return share;
  };
  const auto turns = shares(SwitchParameters::Arbitration::kRoundRobin);
  EXPECT_NEAR(turns[0], 1.0 / 9, 0.002);
  EXPECT_NEAR(turns[1], 4.0 / 9, 0.002);
  EXPECT_NEAR(turns[2], 4.0 / 9, 0.002);
  for (const double share : shares(SwitchParameters::Arbitration::kFifo)) {
    EXPECT_NEAR(share, 1.0 / 3, 0.002);
  }
}

TEST(QueueingPort, WeightedPrioritiesShareThePort) {
  SwitchParameters parameters = plain();
  parameters.scheduler.kind = EgressSchedulerParameters::Kind::kEts;
  parameters.scheduler.weights = {1, 3, 0, 0, 0, 0, 0, 0};
  TestStar star(3, parameters, k100G);
  star.host[1]->blast(0, 1480, 0);
  star.host[2]->blast(0, 480, 1);
  star.scheduler.run_until(kMilliSecond);
  const double low = static_cast<double>(star.host[0]->by_priority[0]);
  const double high = static_cast<double>(star.host[0]->by_priority[1]);
  EXPECT_NEAR(high / low, 3.0, 0.05);
}

TEST(QueueingPort, MarksWhatFindsOrLeavesALongQueueAndOnlyEct) {
  for (const auto moment : {EcnParameters::MarkAt::kEnqueue, EcnParameters::MarkAt::kDequeue}) {
    SwitchParameters parameters = plain();
    parameters.ecn.enabled = true;
    parameters.ecn.kmin = parameters.ecn.kmax = 3000;
    parameters.ecn.mark_at = moment;
    TestStar star(3, parameters, k100G);
    star.host[0]->keep = true;
    // Six pairs of packets of 1000 bytes arrive. One packet leaves between two pairs, and one at
    // the arrival of the second packet or after it. The last pair is not ECN-capable.
    for (int i = 0; i < 6; ++i) {
      for (HostId h = 1; h <= 2; ++h) {
        Packet* const packet = star.host[h]->make(0, 1000);
        if (i == 5) packet->ecn = Ecn::kNotEct;
        star.host[h]->send(packet);
      }
    }
    star.scheduler.run_until(kMilliSecond);
    std::string marked;
    for (const auto& seen : star.host[0]->seen) marked += seen.ecn == Ecn::kCe ? 'C' : '.';
    // Each packet finds a queue of (kB) 0 0, 1 2, 2 3, 3 4, 4 5, 5 6. Each packet leaves a queue of
    // 0, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1, 0 behind.
    EXPECT_EQ(marked, moment == EcnParameters::MarkAt::kEnqueue ? ".......CCC.." : "...CCCCC....");
    EXPECT_EQ(star.host[0]->ce, star.device.totals().ecn_marks);
  }
}

TEST(QueueingPort, CongestionPointSendsFeedbackToTheSource) {
  SwitchParameters parameters = plain();
  parameters.qcn.enabled = true;
  parameters.qcn.set_point = 26'000;
  parameters.qcn.w = 2;
  parameters.qcn.sample_base = 150'000;
  TestStar star(3, parameters, k100G);
  star.host[1]->keep = true;
  star.host[1]->blast(0, 1230);
  star.host[2]->blast(0, 1230);
  star.scheduler.run_until(kMilliSecond);
  ASSERT_FALSE(star.host[1]->seen.empty());
  for (const auto& seen : star.host[1]->seen) {
    EXPECT_EQ(seen.kind, PacketKind::kCnm);
    EXPECT_GE(seen.qcn_feedback, 1u);
    EXPECT_LE(seen.qcn_feedback, 63u);
  }
  EXPECT_EQ(star.device.totals().cnms_sent, star.host[1]->packets + star.host[2]->packets);
}

TEST(QueueingPort, QueueOfRandomArrivalsWaitsAsQueueingTheorySays) {
  // M/D/1 queue: Poisson arrivals at a load of rho wait for rho / (2 (1 - rho)) service times on
  // average.
  SwitchParameters parameters = plain();
  parameters.pfc.enabled = false;
  Scheduler scheduler;
  PacketPool pool;
  LinkParameters wire{BitRate(100'000'000'000), PicoSeconds(0), 0};
  SwitchDevice device(scheduler, pool, parameters, 2, 1, 0, 0);
  test::TestHost sink(scheduler, pool, 0);
  Link out(scheduler, pool, wire, 2);
  out.connect(sink, 0);
  device.attach(0, out, wire);
  RouteTable routes(1);
  routes.set_block(0, 1, 1, 0);
  device.set_routes(routes);
  QueueStatistics statistics;
  device.observe_queue(0, &statistics);
  RandomStream random(5, "arrivals");
  const double rho = 0.8;
  const std::int64_t service = 80'000;  // time of 1000 bytes in ps
  PicoSeconds when{};
  for (int i = 0; i < 400'000; ++i) {
    when += PicoSeconds(static_cast<std::int64_t>(random.exponential(100'000)));
    scheduler.run_until(when);
    Packet* const packet = pool.allocate();
    packet->wire_bytes = 1000;
    device.receive(packet, 1);
  }
  // Mean number of waiting packets by Little's law. The packet in transmission has left the queue.
  const double waiting = rho * rho / (2 * (1 - rho));
  EXPECT_EQ(service, 80'000);
  EXPECT_NEAR(static_cast<double>(statistics.figures(scheduler.now()).mean) / 1000.0, waiting,
              0.04 * waiting);
}

}  // namespace
}  // namespace dcc::queueing_port_test
