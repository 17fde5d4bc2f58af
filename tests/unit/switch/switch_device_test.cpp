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
  // (1230 + 20) bytes at 80 ps a byte, twice, and 1 us, twice.
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

TEST(SwitchDevice, MarksByItsNewThresholdsFromTheInstantTheyChange) {
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

TEST(SwitchDevice, PausesByItsNewThresholdFromTheInstantItChanges) {
  SwitchParameters parameters = plain();
  parameters.buffer = 10'000'000;
  parameters.pfc.alpha = Ratio(64);
  TestStar star(3, parameters, k100G);
  star.host[1]->blast(0, 1000);
  star.host[2]->blast(0, 1000);
  star.scheduler.run_until(kMicroSecond * 20);
  EXPECT_EQ(star.device.pfc_totals().pauses_sent, 0u);
  parameters.pfc.alpha = Ratio(1, 1024);
  star.device.change(parameters);
  star.scheduler.run_until(kMicroSecond * 21);
  EXPECT_EQ(star.device.pfc_totals().pauses_sent, 2u);
  star.scheduler.run_until(kMicroSecond * 400);
  EXPECT_GT(star.device.pfc_totals().resumes_sent, 0u);
  // A class resumes as soon as it holds nothing, however far that is under the threshold.
  parameters.pfc.resume_below = Bytes{1} << 30;
  star.device.change(parameters);
  const std::uint64_t pauses = star.device.pfc_totals().pauses_sent;
  star.scheduler.run_until(kMicroSecond * 800);
  EXPECT_LT(star.device.pfc_totals().pauses_sent - pauses, pauses);
  EXPECT_GT(star.device.pfc_totals().pauses_sent, pauses);
}

TEST(SwitchDevice, SharesByItsNewWeightsFromTheInstantTheyChange) {
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
  // 2500 packets: a round of five, and what was on the wire.
  EXPECT_NEAR(static_cast<double>(after[2] - before[2]) / static_cast<double>(after[1] - before[1]),
              4, 0.1);
}

TEST(SwitchDevice, PriorityFlowControlLosesNothingUnderIncast) {
  SwitchParameters parameters = plain();
  parameters.buffer = 1'000'000;
  TestStar star(17, parameters, k100G);
  for (HostId h = 1; h <= 16; ++h) star.host[h]->blast(0, 1080);
  star.scheduler.run_until(kMilliSecond * 2);
  EXPECT_EQ(star.device.totals().dropped, 0u);
  EXPECT_GT(star.device.pfc_totals().pauses_sent, 16u);
  EXPECT_GE(star.device.pfc_totals().pauses_sent, star.device.pfc_totals().resumes_sent);
  // The bottleneck never idles: 1.1 Mb a packet of 1100 bytes with overhead in 88 ns.
  EXPECT_GE(star.host[0]->packets, 2'000'000u / 88 - 60);
  // Then everything drains.
  for (HostId h = 1; h <= 16; ++h) star.host[h]->stop();
  star.scheduler.run_until(kMilliSecond * 4);
  EXPECT_EQ(star.pool.in_use(), 0);
  EXPECT_EQ(star.device.pfc_totals().pauses_sent, star.device.pfc_totals().resumes_sent);
}

TEST(SwitchDevice, AutomaticHeadroomIsEnoughAndNotLavish) {
  // All buffer beyond the headroom is taken away: every byte lives in the headroom.
  const Bytes automatic = headroom_for(k100G, 1080);
  const auto drops_with = [&](Bytes headroom) {
    SwitchParameters parameters = plain();
    parameters.largest_packet = 1080;
    parameters.buffer = 16 * automatic + 17'000;
    parameters.pfc.headroom = headroom;
    parameters.pfc.alpha = Ratio(1, 1000);
    TestStar star(17, parameters, k100G);
    for (HostId h = 1; h <= 16; ++h) star.host[h]->blast(0, 1080);
    star.scheduler.run_until(kMilliSecond);
    return star.device.totals().dropped;
  };
  EXPECT_EQ(drops_with(automatic), 0u);
  EXPECT_GT(drops_with(automatic * 8 / 10), 0u);
}

TEST(SwitchDevice, WithoutFlowControlAFullBufferDropsAndCounts) {
  SwitchParameters parameters = plain();
  parameters.buffer = 100'000;
  parameters.pfc.enabled = false;
  TestStar star(3, parameters, k100G);
  star.host[1]->blast(0, 1230);
  star.host[2]->blast(0, 1230);
  star.scheduler.run_until(kMilliSecond);
  star.host[1]->stop();
  star.host[2]->stop();
  star.scheduler.run_until(kMilliSecond * 2);
  const SwitchCounters totals = star.device.totals();
  EXPECT_EQ(star.device.pfc_totals().pauses_sent, 0u);
  EXPECT_EQ(star.host[1]->sent + star.host[2]->sent, star.host[0]->packets + totals.dropped);
  // Half of what two senders bring finds no room, once 81 packets fill the buffer.
  EXPECT_NEAR(static_cast<double>(totals.dropped), 10'000.0 - 81, 30.0);
  EXPECT_EQ(totals.dropped_bytes, totals.dropped * 1230);
  EXPECT_EQ(star.pool.in_use(), 0);
}

TEST(SwitchDevice, APausedPriorityStopsAloneAndItsTimeIsMeasured) {
  TestStar star(3, plain(), k100G);
  // Host 0 stops priority 3 for 100 us.
  const auto pause = [&](std::uint16_t classes) {
    Packet* const frame = star.pool.allocate();
    frame->kind = PacketKind::kPause;
    frame->wire_bytes = kPauseFrameBytes;
    frame->pause_classes = classes;
    star.host[0]->send(frame);
  };
  star.host[1]->blast(0, 1230, 3);
  star.host[2]->blast(0, 1230, 5);
  star.scheduler.run_until(kMicroSecond * 20);
  pause(1u << 3);
  star.scheduler.run_until(kMicroSecond * 40);
  const Bytes before = star.host[0]->by_priority[3];
  const Bytes others = star.host[0]->by_priority[5];
  star.scheduler.run_until(kMicroSecond * 120);
  EXPECT_EQ(star.host[0]->by_priority[3], before);
  EXPECT_NEAR(static_cast<double>(star.host[0]->by_priority[5] - others), 800 * 1230, 3 * 1230);
  pause(0);
  star.scheduler.run_until(kMicroSecond * 200);
  EXPECT_GT(star.host[0]->by_priority[3], before);
  EXPECT_EQ(star.device.pause_time(0), kMicroSecond * 100);
  EXPECT_EQ(star.device.pause_time(0, 3), kMicroSecond * 100);
  EXPECT_EQ(star.device.pause_time(0, 5), PicoSeconds(0));
  EXPECT_EQ(star.device.pause_time(1), PicoSeconds(0));
  EXPECT_EQ(star.device.pfc_totals().pauses_received, 1u);
  EXPECT_EQ(star.device.pfc_totals().resumes_received, 1u);
}

TEST(SwitchDevice, RoundRobinSharesByInputAndFifoByArrival) {
  // Host 1 sends packets of 250 bytes, hosts 2 and 3 of 1000: in turns, packet for packet, against
  // in the order of arrival, byte for byte, as long as the buffer takes everything.
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

TEST(SwitchDevice, WeightedPrioritiesShareThePort) {
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

TEST(SwitchDevice, MarksWhatFindsOrLeavesALongQueueAndOnlyEct) {
  for (const auto moment : {EcnParameters::MarkAt::kEnqueue, EcnParameters::MarkAt::kDequeue}) {
    SwitchParameters parameters = plain();
    parameters.ecn.enabled = true;
    parameters.ecn.kmin = parameters.ecn.kmax = 3000;
    parameters.ecn.mark_at = moment;
    TestStar star(3, parameters, k100G);
    star.host[0]->keep = true;
    // Six pairs of packets of 1000 bytes; one packet leaves between two pairs, at the instant at
    // which the second one arrives and after it. The last pair is not ECT.
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
    // Found (kB): 0 0, 1 2, 2 3, 3 4, 4 5, 5 6. Left behind: 0, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1, 0.
    EXPECT_EQ(marked, moment == EcnParameters::MarkAt::kEnqueue ? ".......CCC.." : "...CCCCC....");
    EXPECT_EQ(star.host[0]->ce, star.device.totals().ecn_marks);
  }
}

TEST(SwitchDevice, AcknowledgementsBringTelemetryBackAsItWas) {
  TestStar star(3, plain(), k100G);
  Packet* const packet = star.host[1]->make(0, 64);
  packet->kind = PacketKind::kAck;
  star.pool.attach_telemetry(*packet);
  packet->telemetry_hops = 2;
  star.host[1]->send(packet);
  star.scheduler.run_until(kMilliSecond);
  ASSERT_EQ(star.host[0]->telemetry.size(), 1u);
  EXPECT_EQ(star.host[0]->telemetry[0].hops, 2);
}

TEST(SwitchDevice, TelemetryTellsTheQueueLeftBehindAndTheBytesSentBefore) {
  TestStar star(3, plain(), k100G);
  for (int i = 0; i < 3; ++i) {
    for (HostId h = 1; h <= 2; ++h) {
      Packet* const packet = star.host[h]->make(0, 1230);
      star.pool.attach_telemetry(*packet);
      star.host[h]->send(packet);
    }
  }
  star.scheduler.run_until(kMilliSecond);
  ASSERT_EQ(star.host[0]->telemetry.size(), 6u);
  Bytes longest = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    const IntStack& stack = star.host[0]->telemetry[i].stack;
    ASSERT_EQ(star.host[0]->telemetry[i].hops, 1);
    EXPECT_EQ(stack.hop[0].tx_bytes, i * 1250);
    EXPECT_EQ(stack.hop[0].timestamp, PicoSeconds(1'100'000 + static_cast<int>(i) * 100'000));
    EXPECT_EQ(stack.hop[0].rate, k100G.rate);
    longest = std::max(longest, stack.hop[0].queue);
  }
  EXPECT_EQ(star.host[0]->telemetry[5].stack.hop[0].queue, 0);
  EXPECT_GE(longest, 2 * 1230);
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
  // Chi-square with 3 degrees of freedom: 16.3 is passed one time in a thousand.
  double chi = 0;
  for (const int n : counts("ecmp", 40'000)) {
    chi += (n - 10'000.0) * (n - 10'000.0) / 10'000.0;
  }
  EXPECT_LT(chi, 16.3);
  // Four addresses, so at most four ways for one destination, each the way of a quarter of flows.
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

TEST(SwitchDevice, CongestionPointSendsFeedbackToTheSource) {
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

TEST(SwitchDevice, QueueOfRandomArrivalsWaitsAsQueueingTheorySays) {
  // M/D/1: Poisson arrivals at load rho wait rho / (2 (1 - rho)) service times on average.
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
  const std::int64_t service = 80'000;  // 1000 bytes
  PicoSeconds when{};
  for (int i = 0; i < 400'000; ++i) {
    when += PicoSeconds(static_cast<std::int64_t>(random.exponential(100'000)));
    scheduler.run_until(when);
    Packet* const packet = pool.allocate();
    packet->wire_bytes = 1000;
    device.receive(packet, 1);
  }
  // Mean number waiting (the one being sent has left the queue) by Little's law.
  const double waiting = rho * rho / (2 * (1 - rho));
  EXPECT_EQ(service, 80'000);
  EXPECT_NEAR(static_cast<double>(statistics.figures(scheduler.now()).mean) / 1000.0, waiting,
              0.04 * waiting);
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
