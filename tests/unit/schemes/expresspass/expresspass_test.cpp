// Tests ExpressPass on one switch of 10 Gb/s. Data of 1538 bytes on the wire takes 1230.4 ns.
// Credits follow each other at 1297.6 ns, the time of a credit of 84 bytes and its data: 1622
// bytes.
#include "schemes/expresspass/expresspass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "describe/parameter_error.h"
#include "unit/schemes/transport_network.h"

namespace dcc::expresspass_test {
namespace {

using test::TransportStar;

constexpr Bytes kPayload = 1460;
constexpr PicoSeconds kCreditGap{1'297'600};

TransportChoice expresspass(bool exact) {
  TransportChoice choice;
  choice.choose("expresspass");
  auto& p = choice.of<ExpressPassParameters>("expresspass");
  p.framing = {58, 64};
  if (exact) {
    p.jitter = Ratio{0, 1};
    p.credit_spread = 0;
    p.initial_rate = Ratio{1, 1};
  }
  return choice;
}

struct Star : TransportStar {
  explicit Star(HostId hosts, bool exact = false)
      : TransportStar(hosts, expresspass(exact), {}, {BitRate(10'000'000'000), kMicroSecond, 20},
                      kPayload) {}
};

// After a request a credit follows every 1297.6 ns, and a data packet follows each credit.
TEST(ExpressPass, APacketForEachCredit) {
  Star star(2, true);
  star.send(0, 1, 100 * kPayload);
  star.scheduler.run_until(kMilliSecond);
  const PicoSeconds control{67'200};
  const PicoSeconds data{1'230'400};
  const PicoSeconds there = (control + kMicroSecond) * 2;
  // The token bucket lets the first two credits pass at once. Later credits follow the flow's own
  // pace.
  EXPECT_EQ(star.received_at(0), there + there + (data + kMicroSecond) * 2 + kCreditGap * 99);
  EXPECT_EQ(star.counters().credits_used, 100u);
  star.expect_all_arrived();
}

TEST(ExpressPass, ManySendersShareTheLinkAndNothingIsLost) {
  Star star(17);
  for (HostId h = 1; h <= 16; ++h) star.send(h, 0, 2000 * kPayload);
  star.scheduler.run_until(kMilliSecond * 20);
  Bytes sum = 0;
  double squares = 0;
  for (std::uint32_t flow = 0; flow < 16; ++flow) {
    sum += star.ledger[flow].received_bytes;
    squares += static_cast<double>(star.ledger[flow].received_bytes) *
               static_cast<double>(star.ledger[flow].received_bytes);
  }
  // In 20 ms 15 413 credits leave, whose lengths are random.
  EXPECT_GT(sum, 14'600 * kPayload);
  EXPECT_LE(sum, 15'460 * kPayload);
  EXPECT_GT(static_cast<double>(sum) * static_cast<double>(sum) / (16 * squares), 0.95);
  const SwitchCounters totals = star.device->totals();
  EXPECT_EQ(totals.dropped, 0u) << "data";
  star.scheduler.run_until(kMilliSecond * 100);
  star.expect_all_arrived();
  EXPECT_EQ(star.sum_of(&NicCounters::retransmits), 0u);
}

// Credits from two receivers meet at the switch port to their common sender.
TEST(ExpressPass, CreditsAreConservedAndDroppedAtTheSwitch) {
  Star star(9);
  for (HostId h = 1; h <= 8; ++h) star.send(0, h, 500 * kPayload);
  Bytes longest = 0;
  while (star.done.size() < 8 && star.scheduler.now() < kMilliSecond * 50) {
    star.scheduler.run_until(star.scheduler.now() + kMicroSecond);
    for (int port = 1; port <= 8; ++port) {
      longest = std::max(longest, star.device->queue_bytes(port));
    }
  }
  star.scheduler.run_until(star.scheduler.now() + kMilliSecond * 5);
  star.expect_all_arrived();
  const SwitchCounters totals = star.device->totals();
  const TransportCounters counters = star.counters();
  EXPECT_GT(totals.credits_dropped, 100u);
  EXPECT_EQ(totals.dropped, 0u);
  EXPECT_EQ(counters.credits_sent, counters.credits_used + counters.credits_unused +
                                       counters.credits_dropped + totals.credits_dropped);
  EXPECT_EQ(counters.credits_used, 8u * 500u);
  EXPECT_LT(longest, 8 * 1538) << "queues are of a few packets";
}

// Without competition a flow rises from half of the rate to the full rate in a few round trips.
TEST(ExpressPass, AFlowAloneReachesTheGreatestRate) {
  Star star(2);
  star.send(0, 1, 100'000 * kPayload);
  star.scheduler.run_until(kMilliSecond);
  const Bytes before = star.ledger[0].received_bytes;
  star.scheduler.run_until(kMilliSecond * 11);
  const auto packets = (star.ledger[0].received_bytes - before) / kPayload;
  EXPECT_GT(packets, 7'700 * 97 / 100) << "10 ms of credits are 7706";
  EXPECT_LE(packets, 7'730);
}

// Packet numbers beyond 32 bits do not disturb the numbering of credits.
TEST(ExpressPass, AFlowWithoutEndIsAsFast) {
  Star star(2);
  star.send(0, 1, Bytes{1} << 50);
  star.scheduler.run_until(kMilliSecond * 10);
  EXPECT_GT(star.ledger[0].received_bytes, 7'200 * kPayload);
}

TEST(ExpressPass, MoreWorkAsksAgain) {
  Star star(2);
  star.send(0, 1, 10 * kPayload);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.done.size(), 1u);
  const std::uint64_t sent = star.counters().credits_sent;
  star.scheduler.run_until(kMilliSecond * 10);
  EXPECT_EQ(star.counters().credits_sent, sent) << "no credits for who has nothing";
  star.post(0, 0, 10 * kPayload, 1);
  star.scheduler.run_until(kMilliSecond * 11);
  EXPECT_EQ(star.done.size(), 2u);
  EXPECT_EQ(star.ledger[0].received_bytes, 20 * kPayload);
  EXPECT_EQ(star.pool.in_use(), 0);
}

TEST(ExpressPass, RefusesAWeightOutsideItsBounds) {
  ExpressPassParameters parameters;
  EXPECT_NO_THROW(parameters.check());
  parameters.initial_weight = Ratio{6, 10};
  EXPECT_THROW(parameters.check(), ParameterError);
}

class ExpressPassLosses : public testing::TestWithParam<std::uint64_t> {};

// The link loses a twentieth of the packets of every kind.
TEST_P(ExpressPassLosses, EveryByteArrivesOnceAllTheSame) {
  Star star(12);
  RandomStream random(GetParam(), "losses");
  std::array<std::uint64_t, kPacketKinds> lost{};
  star.lose([&](const Packet& packet) {
    if (!random.chance((std::uint64_t{1} << 32) / 20)) return false;
    ++lost.at(static_cast<std::size_t>(packet.kind));
    return true;
  });
  for (int round = 0; round < 3; ++round) {
    for (HostId h = 1; h < 12; ++h) {
      star.send(h, h % 2, 1 + kPayload * static_cast<Bytes>(20 + h));
    }
    for (HostId h = 2; h < 12; ++h) star.send(0, h, 700);
  }
  star.scheduler.run_until(kMilliSecond * 1000);
  star.expect_all_arrived();
  for (const PacketKind kind : {PacketKind::kData, PacketKind::kCredit, PacketKind::kAck,
                                PacketKind::kRequest, PacketKind::kNak}) {
    EXPECT_GT(lost.at(static_cast<std::size_t>(kind)), 0u) << static_cast<int>(kind);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, ExpressPassLosses, testing::Values(1, 2, 3, 4, 5));

}  // namespace
}  // namespace dcc::expresspass_test
