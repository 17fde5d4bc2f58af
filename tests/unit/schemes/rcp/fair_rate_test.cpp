// Tests RCP's rate of a link against its equation, by values computed by hand and in a fluid model:
// 10 Gb/s, intervals of 20 us.
#include "schemes/rcp/fair_rate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace dcc::fair_rate_test {
namespace {

constexpr double kLink = 1e10;
constexpr PicoSeconds kTrip = kMicroSecond * 20;
constexpr Bytes kFull = 25'000;  // bytes that the link sends per round trip

struct Link10G : FairRate {
  explicit Link10G(const FairRateParameters& parameters = {}) : FairRate(parameters) {
    set_link(BitRate(10'000'000'000));
  }
  double share() const { return static_cast<double>(rate().bits_per_second) / kLink; }
  /// The rate R at a time at which the link has no packet to handle.
  double share_at(PicoSeconds now, Bytes queue = 0) {
    comes(0, queue, PicoSeconds(), now);
    return share();
  }
};

TEST(FairRate, GrowsByFourTenthsOfTheSpareShareAndShrinksByTheQueue) {
  Link10G link;
  EXPECT_NEAR(link.share(), 0.05, 1e-9);
  link.comes(kFull / 2, 0, kTrip, PicoSeconds());
  EXPECT_NEAR(link.share_at(kTrip - PicoSeconds(1)), 0.05, 1e-9);
  const double first = 0.05 * (1 + 0.4 * 0.5);
  EXPECT_NEAR(link.share_at(kTrip, kFull), first, 1e-9);
  // A full interval whose queue stays at a fifth of a round trip. A longer queue has no further
  // effect.
  link.comes(kFull / 2, kFull, kTrip, kTrip + kMicroSecond);
  link.comes(kFull / 2, kFull / 5, kTrip, kTrip + kMicroSecond * 2);
  EXPECT_NEAR(link.share_at(kTrip * 2, kFull), first * (1 - 0.226 / 5), 1e-9);
}

TEST(FairRate, AnIntervalOfHalfARoundTripChangesHalfAsMuch) {
  FairRateParameters parameters;
  parameters.interval = kMicroSecond * 10;
  Link10G link(parameters);
  link.comes(0, 0, kTrip, PicoSeconds());
  EXPECT_NEAR(link.share_at(kMicroSecond * 10), 0.05 * (1 + 0.4 / 2), 1e-9);
}

TEST(FairRate, TheMeanOfTheRoundTripsIsTheNextInterval) {
  Link10G link;
  link.comes(kFull / 2, 0, kTrip, PicoSeconds());
  link.comes(kFull / 2, 0, kTrip * 3, kMicroSecond);
  EXPECT_NEAR(link.share_at(kTrip), 0.05, 1e-9);
  EXPECT_NEAR(link.share_at(kTrip * 3 - PicoSeconds(1)), 0.05, 1e-9) << "two round trips long";
  EXPECT_NEAR(link.share_at(kTrip * 3), 0.05 * 1.4, 1e-9);
}

TEST(FairRate, StaysBetweenAThousandthAndTheWholeLink) {
  Link10G link;
  link.comes(kFull * 10, 0, kTrip, PicoSeconds());
  EXPECT_NEAR(link.share_at(kTrip), 1e-3, 1e-9);
  EXPECT_NEAR(link.share_at(kTrip * 2), 1e-3 * 1.4, 1e-9);
  EXPECT_NEAR(link.share_at(kSecond), 1, 1e-9);
}

constexpr int kParts = 20;  // steps of the fluid model per round trip

/// Simulates flows that send at the rate that R had `lag` steps before. Returns R in every step as
/// a share of the link; `queue` is the queue at the end.
std::vector<double> fluid(const FairRateParameters& parameters, int flows, int lag, int trips,
                          double* queue) {
  Link10G link(parameters);
  const double full = static_cast<double>(kFull) / kParts;
  std::vector<double> rates(static_cast<std::size_t>(lag + 1), link.share());
  *queue = 0;
  for (int part = 0; part < trips * kParts; ++part) {
    const double bytes = flows * rates[static_cast<std::size_t>(part)] * full;
    link.comes(static_cast<Bytes>(bytes), static_cast<Bytes>(*queue), kTrip,
               PicoSeconds(kTrip.count / kParts * part));
    *queue = std::max(0.0, *queue + bytes - full);
    rates.push_back(link.share());
  }
  return rates;
}

// Without the queue term of the rule (beta) the rates are right, but the queue stays for ever.
TEST(FairRate, AtRestEachFlowHasItsShareAndNothingWaits) {
  for (const int flows : {2, 8, 50}) {
    double queue = 0;
    const double share = fluid({}, flows, 1, 400, &queue).back();
    EXPECT_NEAR(share * flows, 1, 0.01) << flows;
    EXPECT_LT(queue, kFull / 100) << flows;
  }
  FairRateParameters broken;
  broken.drain = Ratio(0);
  double queue = 0;
  EXPECT_NEAR(fluid(broken, 50, 1, 400, &queue).back() * 50, 1, 0.01);
  EXPECT_GT(queue, kFull / 4);
}

/// Greatest minus least rate of the last fifty round trips, in fair shares.
double swing(const FairRateParameters& parameters, int flows, int lag) {
  double queue = 0;
  const std::vector<double> rates = fluid(parameters, flows, lag, 400, &queue);
  const auto [least, most] = std::minmax_element(rates.end() - 50 * kParts, rates.end());
  return (*most - *least) * flows;
}

TEST(FairRate, AveragingSetsTheMeanHalfAnIntervalLater) {
  FairRateParameters parameters;
  parameters.averaging = true;
  Link10G link(parameters);
  link.comes(0, 0, kTrip, PicoSeconds());
  EXPECT_NEAR(link.share_at(kTrip), 0.05 * 1.4, 1e-9);
  EXPECT_NEAR(link.share_at(kMicroSecond * 30 - PicoSeconds(1)), 0.05 * 1.4, 1e-9);
  EXPECT_NEAR(link.share_at(kMicroSecond * 30), 0.05 * 1.2, 1e-9);
}

// Senders use rates that are 2.25 round trips old. Averaging halves the effective gains, but that
// alone does not stabilise R, as the plain rule with half of both gains shows.
TEST(FairRate, AveragingSettlesAtALagAtWhichThePlainRuleSwings) {
  constexpr int kLag = 45;
  FairRateParameters parameters;
  EXPECT_GT(swing(parameters, 4, kLag), 0.5);
  parameters.averaging = true;
  EXPECT_LT(swing(parameters, 4, kLag), 0.02);
  parameters.gain = Ratio(8, 10);
  EXPECT_LT(swing(parameters, 4, kLag), 0.02);
  FairRateParameters half;
  half.gain = Ratio(4, 10);
  half.drain = Ratio(113, 1000);
  EXPECT_GT(swing(half, 4, kLag), 0.1);
}

}  // namespace
}  // namespace dcc::fair_rate_test
