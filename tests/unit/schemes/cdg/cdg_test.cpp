// Tests CDG against the probability of its backoffs.
#include "schemes/cdg/cdg.h"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/schemes/delay_bottleneck.h"

namespace dcc::cdg_test {
namespace {

class CdgTest : public testing::Test {
 protected:
  CdgTest() {
    p_.initial_window = 100'000;
    p_.max_window = 1'000'000'000;
    p_.min_window = 1000;
  }
  void build(std::uint64_t seed = 1) {
    link_.algorithm = std::make_unique<Cdg>(link_.host, p_, link_.kMtu, seed);
    link_.begin(1);
  }
  CdgParameters p_;
  test::DelayBottleneck link_;
};

TEST_F(CdgTest, GrowsByAPacketAtAConstantOrFallingRtt) {
  build();
  for (int t = 0; t < 100; ++t) link_.ack(200 - t);
  EXPECT_NEAR(link_.window(), 200'000, 1e-6);
}

// A backoff occurs with the probability P = 1 − exp(−g / scale) in each round trip, except in the
// round trip after a backoff. The share of round trips with a backoff is therefore P / (1 + P).
TEST_F(CdgTest, BacksOffWithTheProbabilityOfTheGradient) {
  p_.scale = kMicroSecond;
  for (const double gradient_us : {0.1, 0.5, 1.0, 3.0}) {
    build();
    constexpr int kRounds = 20'000;
    int backoffs = 0;
    for (int t = 0; t < kRounds; ++t) {
      const double before = link_.window();
      link_.ack(10 + gradient_us * t);
      if (link_.window() < before) ++backoffs;
    }
    const double p = 1 - std::exp(-gradient_us);
    const double share = p / (1 + p);
    // The tolerance is five standard deviations of a binomial distribution with this number of
    // draws.
    EXPECT_NEAR(backoffs / static_cast<double>(kRounds), share,
                5 * std::sqrt(share * (1 - share) / kRounds))
        << gradient_us;
  }
}

TEST_F(CdgTest, TakesTheGreatestRttIfTheLeastDoesNotRise) {
  p_.scale = PicoSeconds(1);  // a scale with which the backoff is certain
  build();
  AckInfo info;
  const auto round = [&](double least_us, double most_us) {
    info.rtt = PicoSeconds{static_cast<std::int64_t>(most_us * 1e6)};
    info.psn = 0;
    info.next_psn += 10;
    link_.algorithm->on_ack(0, info);
    info.rtt = PicoSeconds{static_cast<std::int64_t>(least_us * 1e6)};
    info.psn = info.next_psn;
    link_.algorithm->on_ack(0, info);
  };
  link_.ack(10);
  info.next_psn = 100;
  round(10, 10);
  const double before = link_.window();
  round(10, 20);
  EXPECT_NEAR(link_.window(), 0.7 * before, 1.0);
}

TEST_F(CdgTest, TheScaleFollowsTheBaseRtt) {
  // The scale is 10 us / 16. If the RTT grows by 0.625 us per round trip, CDG backs off in 63 % of
  // the round trips.
  int backoffs = 0;
  constexpr int kSeeds = 4000;
  for (int seed = 0; seed < kSeeds; ++seed) {
    build(static_cast<std::uint64_t>(seed));
    link_.ack(10);
    const double before = link_.window();
    link_.ack(10.625);
    if (link_.window() < before) ++backoffs;
  }
  const double p = 1 - std::exp(-1.0);
  EXPECT_NEAR(backoffs / static_cast<double>(kSeeds), p, 5 * std::sqrt(p * (1 - p) / kSeeds));
}

}  // namespace
}  // namespace dcc::cdg_test
