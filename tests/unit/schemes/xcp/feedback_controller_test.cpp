// Tests XCP's two controllers against their equations: at 10 Gb/s a round trip of 20 us has 25 000
// bytes.
#include "schemes/xcp/feedback_controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace dcc::feedback_controller_test {
namespace {

constexpr PicoSeconds kTrip = kMicroSecond * 20;
constexpr Bytes kFull = 25'000;
constexpr Bytes kPacket = 1000;

struct Link10G : FeedbackController {
  explicit Link10G(const FeedbackParameters& parameters = {}) : FeedbackController(parameters) {
    set_link(BitRate(10'000'000'000));
  }
  using Flow = FeedbackController::Flow;
  /// Simulates an interval in which flows send their windows once per round trip, with `queue`
  /// bytes waiting. Returns the changes of the flows' windows.
  std::vector<double> interval(const std::vector<Flow>& flows, Bytes queue = 0) {
    std::vector<double> changes;
    for (const Flow& flow : flows) {
      double change = 0;
      const double trips = to_seconds(kTrip) / to_seconds(flow.round_trip);
      for (double left = flow.window * trips; left >= 1; left -= kPacket) {
        const auto bytes = static_cast<Bytes>(std::min(left, static_cast<double>(kPacket)));
        change += comes(bytes, queue, flow, now);
      }
      changes.push_back(change);
    }
    now = now + kTrip;
    return changes;
  }
  PicoSeconds now{};
};

TEST(FeedbackController, PacketsOfARoundTripGetTheWholeChange) {
  for (const auto& [queue, change] : {std::pair{Bytes{0}, 0.4 * (kFull - 12'000)},
                                      {Bytes{40'000}, 0.4 * 13'000 - 0.226 * 40'000}}) {
    Link10G link;
    const std::vector<FeedbackController::Flow> flows{{8000, kTrip}, {3000, kTrip}, {1000, kTrip}};
    const std::vector<double> none = link.interval(flows, queue);
    EXPECT_DOUBLE_EQ(none[0] + none[1] + none[2], 0) << "nothing is known yet";
    const std::vector<double> changes = link.interval(flows, queue);
    EXPECT_NEAR(changes[0] + changes[1] + changes[2], change, 1e-6);
    for (std::size_t i = 0; i < 3; ++i) {
      // An increase is an equal rate for all flows, a decrease an equal fraction of each rate.
      const double own = change > 0 ? change / 3 : change * flows[i].window / 12'000;
      EXPECT_NEAR(changes[i], own, 1e-6) << i;
    }
  }
}

// With a full link and an empty queue a fraction γ of the traffic is moved between flows; otherwise
// any unequal shares would stay.
TEST(FeedbackController, AFullLinkMovesATenthTowardsEqualShares) {
  Link10G link;
  const std::vector<FeedbackController::Flow> flows{{20'000, kTrip}, {5000, kTrip}};
  link.interval(flows);
  const std::vector<double> changes = link.interval(flows);
  EXPECT_NEAR(changes[0], 0.1 * (12'500 - 20'000), 1e-6);
  EXPECT_NEAR(changes[1], 0.1 * (12'500 - 5000), 1e-6);
  FeedbackParameters broken;
  broken.shuffle = Ratio(0);
  Link10G still(broken);
  still.interval(flows);
  EXPECT_NEAR(still.interval(flows)[0], 0, 1e-6);
}

// Equal rates are an equilibrium for any round trips, so the windows are proportional to the RTTs.
// A change in bytes instead of in rate (without the RTT in the numerators) would favour one of the
// two flows.
TEST(FeedbackController, EqualRatesAreAtRestWhateverTheRoundTrips) {
  Link10G link;
  const std::vector<FeedbackController::Flow> flows{{10'000, kMicroSecond * 16},
                                                    {20'000, kMicroSecond * 32}};
  // The mean RTT d over the packets, of which both flows have the same number, is 24 us.
  link.interval(flows);
  link.now = link.now + kMicroSecond * 4;
  const std::vector<double> changes = link.interval(flows);
  EXPECT_NEAR(changes[0] / 10'000, changes[1] / 20'000, 1e-6);
}

// The use of a link with one flow approaches 1 by the factor 1 − α in each round trip in which the
// flow has acted on the last change.
TEST(FeedbackController, ALonelyFlowTakesFourTenthsOfTheRest) {
  Link10G link;
  double window = 1000;
  link.interval({{window, kTrip}});
  for (int trip = 0; trip < 8; ++trip) {
    const double change = link.interval({{window, kTrip}})[0];
    link.interval({{window += change, kTrip}});  // the port sees the changed window
    EXPECT_NEAR((kFull - window) / (kFull - window + change), 0.6, 0.01) << trip;
  }
  EXPECT_NEAR(window, kFull, 0.05 * kFull);
}

// A flow with a window of an eighth of a packet sends one packet in eight round trips. If the link
// took such a gap for a pause of the flow, the flow would never get spare capacity.
TEST(FeedbackController, AFlowOfTheShortestWindowIsGivenTheSpareCapacity) {
  Link10G link;
  const FeedbackController::Flow flow{kPacket / 8.0, kTrip};
  link.comes(kPacket, 0, flow, PicoSeconds());
  const double change = link.comes(kPacket, 0, flow, kTrip * 8);
  EXPECT_NEAR(change, 0.4 * (kFull - kPacket / 8.0), 1e-6);
}

TEST(FeedbackController, AfterAPauseNothingIsGivenAtFirst) {
  Link10G link;
  link.interval({{1000, kTrip}});
  link.now = kTrip * 20;
  EXPECT_DOUBLE_EQ(link.interval({{1000, kTrip}})[0], 0);
}

}  // namespace
}  // namespace dcc::feedback_controller_test
