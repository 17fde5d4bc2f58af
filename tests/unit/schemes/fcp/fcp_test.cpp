// Tests FCP on one switch of 10 Gb/s. A packet of 1000 bytes occupies a link for 851.2 ns, a packet
// without payload for 51.2 ns, and each link adds 1 us.
#include "schemes/fcp/fcp.h"

#include <gtest/gtest.h>

#include "schemes/fcp/priced.h"
#include "unit/schemes/transport_network.h"

namespace dcc::fcp_test {
namespace {

using test::TransportStar;

constexpr PicoSeconds kPacket{851'200};
constexpr PicoSeconds kHeader{51'200};
constexpr PicoSeconds kWire = kMicroSecond;
constexpr Bytes kPayload = 1000;
const PicoSeconds kThere = (kPacket + kWire) * 2;
const PicoSeconds kAsking = (kHeader + kWire) * 4;

struct Star : TransportStar {
  using Budget = FcpParameters::Budget;
  explicit Star(HostId hosts, Budget budget = Budget::kFlow)
      : TransportStar(hosts, fcp(budget), {}, {10_Gbps, kMicroSecond, 0}, kPayload) {}
  static TransportChoice fcp(Budget budget) {
    TransportChoice choice;
    choice.choose("fcp");
    choice.of<FcpParameters>("fcp").budget = budget;
    return choice;
  }
  void weigh(HostId host, std::uint64_t weight) { nics[host]->set_weight(0, Ratio(weight)); }
  /// Returns how many bytes of each flow have arrived at its receiver since the last call.
  std::vector<Bytes> take(std::uint32_t flows) {
    seen_.resize(flows);
    std::vector<Bytes> got;
    for (std::uint32_t flow = 0; flow < flows; ++flow) {
      got.push_back(ledger[flow].received_bytes - seen_[flow]);
      seen_[flow] = ledger[flow].received_bytes;
    }
    return got;
  }
  Bytes longest_until(PicoSeconds end, int port) {
    Bytes longest = 0;
    while (scheduler.now() < end) {
      scheduler.run_until(scheduler.now() + kMicroSecond);
      longest = std::max(longest, device->queue_bytes(port));
    }
    return longest;
  }

 private:
  std::vector<Bytes> seen_;
};

// The probe and its reply take one round trip. Then the flow fills the link.
TEST(Fcp, OneSenderAsksAndThenFillsTheWire) {
  Star star(2);
  star.send(0, 1, kPayload * 1000);
  star.scheduler.run_until(kMilliSecond * 2);
  star.expect_all_arrived();
  const PicoSeconds ideal = kAsking + kPacket * 999 + kThere;
  EXPECT_GE(star.received_at(0), ideal);
  EXPECT_LT(star.received_at(0) * 100, ideal * 101);
  EXPECT_EQ(star.sum_of(&NicCounters::retransmits), 0u);
}

TEST(Fcp, SharesOfALinkAreAsBudgets) {
  Star star(4);
  const std::uint64_t weights[] = {1, 2, 4};
  for (HostId h = 1; h <= 3; ++h) {
    star.weigh(h, weights[h - 1]);
    star.send(h, 0, kPayload * 10'000);
  }
  star.scheduler.run_until(kMicroSecond * 200);
  star.take(3);
  star.scheduler.run_until(kMicroSecond * 2200);
  const std::vector<Bytes> got = star.take(3);
  const Bytes all = got[0] + got[1] + got[2];
  EXPECT_GT(all, 2'500'000 * 90 / 100) << "of the wire, a fourteenth of which is headers";
  for (std::size_t flow = 0; flow < 3; ++flow) {
    const double share = static_cast<double>(got[flow]) / static_cast<double>(all);
    EXPECT_NEAR(share * 7 / static_cast<double>(weights[flow]), 1, 0.03) << flow;
  }
}

// One host opens three flows through the port, another host one flow. With a budget per flow the
// first host gets three quarters of the link, with a budget per host one half.
TEST(Fcp, ABudgetOfTheHostIsDividedAmongItsFlows) {
  for (const auto& [budget, share] : {std::pair{FcpParameters::Budget::kFlow, 0.75},
                                      std::pair{FcpParameters::Budget::kHost, 0.5}}) {
    Star star(3, budget);
    for (int flow = 0; flow < 3; ++flow) star.send(1, 0, kPayload * 10'000);
    star.send(2, 0, kPayload * 10'000);
    star.scheduler.run_until(kMicroSecond * 500);
    star.take(4);
    star.scheduler.run_until(kMicroSecond * 2500);
    const std::vector<Bytes> got = star.take(4);
    const auto first = static_cast<double>(got[0] + got[1] + got[2]);
    EXPECT_NEAR(first / (first + static_cast<double>(got[3])), share, 0.03);
  }
}

// Each of two long flows pays only for its NIC's link, since no switch port is full.
TEST(Fcp, SharesOfTheNicAreAsBudgetsToo) {
  Star star(3);
  star.send(0, 1, kPayload * 10'000);
  star.weigh(0, 3);  // sets the weight of flows that start later
  star.send(0, 2, kPayload * 10'000);
  star.scheduler.run_until(kMicroSecond * 200);
  star.take(2);
  star.scheduler.run_until(kMicroSecond * 2200);
  const std::vector<Bytes> got = star.take(2);
  EXPECT_GT(got[0] + got[1], 2'500'000 * 90 / 100);
  EXPECT_NEAR(static_cast<double>(got[1]) / static_cast<double>(got[0]), 3, 0.1);
}

// The price rises with the probe of a new flow, before data comes.
TEST(Fcp, WhoJoinsHasItsShareAtOnceAndHardlyAnythingQueues) {
  Star star(4);
  star.send(1, 0, kPayload * 10'000);
  star.scheduler.run_until(kMicroSecond * 500);
  star.weigh(2, 3);
  star.send(2, 0, kPayload * 10'000);
  const PicoSeconds settled = star.scheduler.now() + kAsking * 4;
  Bytes longest = star.longest_until(settled, 0);
  star.take(2);
  longest = std::max(longest, star.longest_until(settled + kMicroSecond * 200, 0));
  const std::vector<Bytes> got = star.take(2);
  EXPECT_NEAR(static_cast<double>(got[1]) / static_cast<double>(got[0]), 3, 0.3);
  EXPECT_LT(longest, 8 * 1064);
}

// A port counts 23 or 24 packets per interval. A rule without rounding would lower the price for a
// single flow without end.
TEST(Fcp, BudgetsAreSpentWholeByWhoIsAlone) {
  Star star(2);
  star.send(0, 1, kPayload * 2000);
  std::uint64_t paid = 0;
  star.lose([&](const Packet& packet) {
    if (packet.kind == PacketKind::kData && packet.immediate == 0) {
      EXPECT_GE(PriceHeader::price(packet.telemetry->hop[0]) * 1e10, 1 - 1e-9);
      ++paid;
    }
    return false;
  });
  star.scheduler.run_until(kMilliSecond * 2);
  EXPECT_EQ(paid, 2000u);
}

TEST(Fcp, WhoStaysHasWhatWhoLeftHad) {
  Star star(3);
  star.send(1, 0, kPayload * 2000);
  star.send(2, 0, kPayload * 500);
  star.scheduler.run_until(kMilliSecond * 10);
  star.expect_all_arrived();
  EXPECT_LT(star.received_at(0) * 100, (kAsking + kPacket * 2499 + kThere) * 105);
}

TEST(Fcp, ACrowdIsServedWithoutALoss) {
  Star star(17);
  for (HostId h = 1; h <= 16; ++h) star.send(h, 0, kPayload * 400);
  star.longest_until(kMilliSecond * 7, 0);
  star.expect_all_arrived();
  EXPECT_EQ(star.device->totals().dropped, 0u);
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 0u);
  PicoSeconds first = PicoSeconds::max(), last{};
  for (std::uint32_t flow = 0; flow < 16; ++flow) {
    first = std::min(first, star.received_at(flow));
    last = std::max(last, star.received_at(flow));
  }
  EXPECT_LT(last * 100, (kAsking + kPacket * 6400 + kThere) * 106);
  EXPECT_GT(first * 100, last * 90) << "all alike";
}

// All replies are lost for a while. After the timeout the sender stops, and the next reply lets it
// continue.
TEST(Fcp, WhoIsNotAnsweredSendsNothingAndAsksAgain) {
  Star star(2);
  star.send(0, 1, kPayload * 4000);
  const PicoSeconds from = kMicroSecond * 100, to = kMilliSecond * 3;
  star.lose([&](const Packet& packet) {
    return star.scheduler.now() > from && star.scheduler.now() < to &&
           packet.telemetry != nullptr && packet.kind != PacketKind::kData;
  });
  star.scheduler.run_until(kMicroSecond * 1150);  // a time after the timeout of 1 ms
  const std::uint64_t received = star.sum_of(&NicCounters::data_received);
  EXPECT_GT(received, 1000u);
  star.scheduler.run_until(to);
  EXPECT_EQ(star.sum_of(&NicCounters::data_received), received);
  star.scheduler.run_until(kSecond);
  star.expect_all_arrived();
}

TEST(Fcp, MoreWorkOnARestingQueuePairIsAskedForAnew) {
  Star star(2);
  star.send(0, 1, kPayload);
  star.scheduler.run_until(kMicroSecond * 200);
  ASSERT_EQ(star.done.size(), 1u);
  star.post(0, 0, kPayload, 7);
  star.scheduler.run_until(kMicroSecond * 400);
  ASSERT_EQ(star.done.size(), 2u);
  EXPECT_EQ(star.received_at(0), kMicroSecond * 200 + kAsking + kThere);
}

}  // namespace
}  // namespace dcc::fcp_test
