// Tests RCP on one switch of 10 Gb/s. A packet of 1000 bytes occupies a link for 851.2 ns, a packet
// without payload for 51.2 ns, and each link adds 1 us.
#include "schemes/rcp/rcp.h"

#include <gtest/gtest.h>

#include <set>

#include "schemes/rcp/fair_rate_port.h"
#include "unit/schemes/transport_network.h"

namespace dcc::rcp_test {
namespace {

constexpr PicoSeconds kPacket{851'200};
constexpr PicoSeconds kHeader{51'200};
constexpr PicoSeconds kWire = kMicroSecond;
constexpr Bytes kPayload = 1000;
const PicoSeconds kThere = (kPacket + kWire) * 2;
const PicoSeconds kAsking = (kHeader + kWire) * 4;

struct Star : test::TransportStar {
  explicit Star(HostId hosts, FairRatePortParameters port = {})
      : TransportStar(hosts, rcp(), switches(port), {10_Gbps, kMicroSecond, 0}, kPayload) {}
  static TransportChoice rcp() {
    TransportChoice choice;
    choice.choose("rcp");
    return choice;
  }
  static SwitchParameters switches(const FairRatePortParameters& port) {
    SwitchParameters all;
    all.discipline.choose("fair_rate");
    auto& own = all.discipline.of<FairRatePortParameters>("fair_rate");
    own.rates = port.rates;
    own.limit = port.limit;
    return all;
  }
  Bytes received(std::uint32_t flow) { return ledger[flow].received_bytes; }
};

TEST(Rcp, OneSenderAsksAndThenFillsTheWire) {
  FairRatePortParameters port;
  port.rates.first_rate = Ratio(1);
  Star star(2, port);
  star.send(0, 1, kPayload * 1000);
  star.scheduler.run_until(kMilliSecond * 2);
  star.expect_all_arrived();
  const PicoSeconds ideal = kAsking + kPacket * 999 + kThere;
  EXPECT_GE(star.received_at(0), ideal);
  // An interval is about ten packets long, so its packet count has an error of up to a tenth. R,
  // which cannot exceed the link rate, has 0.4 of that error in half of the time.
  EXPECT_LT(star.received_at(0) * 100, ideal * 102);
}

// From a twentieth of the link rate each flow reaches its share after some round trips, and the
// link is full.
TEST(Rcp, FlowsShareTheLinkEquallyAndFillIt) {
  Star star(5);
  for (HostId h = 1; h <= 4; ++h) star.send(h, 0, kPayload * 10'000);
  star.scheduler.run_until(kMilliSecond);
  Bytes before[4];
  for (std::uint32_t flow = 0; flow < 4; ++flow) before[flow] = star.received(flow);
  star.scheduler.run_until(kMilliSecond * 3);
  // In 2 ms 1000 of 1064 bytes on the link are payload.
  const double ideal = 2.5e6 * 1000 / 1064;
  for (std::uint32_t flow = 0; flow < 4; ++flow) {
    EXPECT_NEAR(static_cast<double>(star.received(flow) - before[flow]) * 4 / ideal, 1, 0.03)
        << flow;
  }
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 0u);
  EXPECT_LT(star.device->queue_bytes(0), 8 * 1064);
}

// With processor sharing the request of a new flow returns the rate of the present flows. Three
// flows then offer half a link each from the first round trip on, and a third of the queued packets
// are the new flow's. With the initial rate it would have one packet of ten.
TEST(Rcp, WhoJoinsHasItsShareAtOnce) {
  Star star(4);
  star.send(1, 0, kPayload * 10'000);
  star.send(2, 0, kPayload * 10'000);
  star.scheduler.run_until(kMilliSecond);
  star.send(3, 0, kPayload * 10'000);
  const PicoSeconds first = star.scheduler.now() + kAsking + kThere;
  star.scheduler.run_until(first + kPacket * 30);
  EXPECT_NEAR(static_cast<double>(star.received(2)), 10 * kPayload, 2 * kPayload);
}

TEST(Rcp, LostPacketsAreSentAgain) {
  Star star(3);
  int count = 0;
  star.lose([&](const Packet&) { return ++count % 50 == 0; });
  star.send(1, 0, kPayload * 500);
  star.send(2, 0, kPayload * 500);
  star.scheduler.run_until(kSecond);
  star.expect_all_arrived();
}

// Seven packets fill the path, so the rates of 32 flows fall to a thousandth of the link when they
// begin. A flow then sends its fifty packets 0.85 ms apart. A flow that requested no new rate
// between packets would keep this rate long after the other flows have ended.
TEST(Rcp, AFlowWhoseNextPacketIsFarOffRequestsMeanwhile) {
  Star star(33);
  for (HostId h = 1; h <= 32; ++h) star.send(h, 0, kPayload * 50);
  const PicoSeconds ideal = kAsking + kPacket * (32 * 50 - 1) + kThere;
  star.scheduler.run_until(ideal * 2);
  star.expect_all_arrived();
}

// The timeout of one packet says nothing about the rate, which the answers to later packets return.
// If each of thirty losses made the flow pause for a round trip, they would cost 174 us, or 7 %.
TEST(Rcp, AFlowThatIsAnsweredSendsOnWhenAPacketIsLost) {
  FairRatePortParameters port;
  port.rates.first_rate = Ratio(1);
  Star star(2, port);
  std::set<Psn> lost;
  star.lose([&](const Packet& packet) {
    return packet.kind == PacketKind::kData && packet.psn < 1500 && packet.psn % 50 == 49 &&
           lost.insert(packet.psn).second;
  });
  star.send(0, 1, kPayload * 3000);
  star.scheduler.run_until(kMilliSecond * 5);
  star.expect_all_arrived();
  const PicoSeconds ideal = kAsking + kPacket * 3030 + kThere;
  EXPECT_LT(star.received_at(0) * 100, ideal * 103);
}

TEST(Rcp, TheLowestRateOfThePathCounts) {
  FairRatePortParameters parameters;
  parameters.rates.first_rate = Ratio(1, 4);
  RandomStream random{1, "port"};
  Scheduler clock;
  FairRatePort port(parameters, DisciplineContext{random, clock});
  port.attach({10_Gbps, kMicroSecond, 20});
  PacketPool pool;
  for (const auto& [asked, given] :
       {std::pair{10'000'000'000u, 2'500'000'000u}, {1'000'000'000u, 1'000'000'000u}}) {
    Packet* const packet = pool.allocate();
    packet->wire_bytes = 980;
    pool.attach_places(*packet);
    FairRateHeader::write(*packet, BitRate(asked), kMicroSecond * 20);
    port.enqueue(packet);
    EXPECT_EQ(FairRateHeader::rate(*packet).bits_per_second, given);
    EXPECT_EQ(FairRateHeader::round_trip(*packet), kMicroSecond * 20);
    pool.free(port.dequeue());
  }
}

}  // namespace
}  // namespace dcc::rcp_test
