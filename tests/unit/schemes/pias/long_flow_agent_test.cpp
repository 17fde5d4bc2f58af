// Tests AuTO's agent for long messages. It reads the long messages of all hosts and sets priority,
// rate and path of each.
#include "schemes/pias/long_flow_agent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "schemes/pias/pias.h"
#include "sim/state_digest.h"
#include "unit/schemes/transport_network.h"

namespace dcc::long_flow_agent_test {
namespace {

constexpr Bytes kFrom = 100'000;
constexpr PicoSeconds kPeriod = kMicroSecond * 100;

TransportChoice pias() {
  TransportChoice choice;
  choice.choose("pias");
  choice.of<PiasParameters>("pias").thresholds = {50'000};
  return choice;
}

/// A star of hosts of 10 Gb/s. The test sees priority and path of each data packet that a host
/// sends.
struct Star : test::TransportStar {
  explicit Star(unsigned action) : TransportStar(4, pias(), {}, {10_Gbps, kMicroSecond, 0}, 1000) {
    tuning.every = kPeriod;
    tuning.from = kFrom;
    tuning.policy.assign(tuning.policy.size(), action);
    lose([this](const Packet& packet) {
      if (packet.kind == PacketKind::kData) {
        seen[packet.flow].push_back({packet.priority, packet.overlay.route.first_port});
      }
      return false;
    });
  }
  void begin() {
    agent = std::make_unique<LongFlowAgent>(scheduler, 5000, tuning);
    for (auto& nic : nics) agent->add_host(nic->transmitter(), 10_Gbps);
    agent->begin();
  }
  struct Sent {
    int priority;
    int way;
  };
  LongFlowTuning tuning;
  std::unique_ptr<LongFlowAgent> agent;
  std::map<std::uint32_t, std::vector<Sent>> seen;
};

/// Number of an action with this priority, rate and path.
unsigned number(unsigned priority, unsigned halvings, unsigned spreads) {
  return priority + 2 * (halvings + 3 * spreads);
}

TEST(LongFlowAgent, NumbersStatesAndActions) {
  LongFlowTuning tuning;
  tuning.from = 1000;
  EXPECT_EQ(tuning.state_of(1000, 1), 0u);
  EXPECT_EQ(tuning.state_of(3999, 3), 1u);
  EXPECT_EQ(tuning.state_of(4000, 4), 5u);
  EXPECT_EQ(tuning.state_of(16'000, 9), 8u);
  for (unsigned one = 0; one < LongFlowTuning::kActions; ++one) {
    const LongFlowTuning::Action action = LongFlowTuning::action(one);
    const unsigned halvings = action.divisor == 4 ? 2 : action.divisor - 1;
    EXPECT_EQ(number(action.priority, halvings, action.spreads ? 1 : 0), one);
  }
}

TEST(LongFlowAgent, OrdersThePriorityOfWhatFollowsTheLongPart) {
  Star star(number(1, 0, 0));
  star.begin();
  const std::uint32_t flow = star.send(0, 1, 1'000'000);
  star.scheduler.run_until(kMilliSecond * 2);
  star.expect_all_arrived();
  const std::vector<Star::Sent>& sent = star.seen[flow];
  ASSERT_EQ(sent.size(), 2000u);  // each packet crosses two links
  EXPECT_EQ(sent.front().priority, 7);
  EXPECT_EQ(sent.back().priority, 1);
  int demoted = 0, ordered = 0;
  for (const Star::Sent& one : sent) {
    demoted += one.priority == 6;
    ordered += one.priority == 1;
    EXPECT_EQ(one.way, 0);
  }
  // 117 packets leave in a period, so the message counts as long at the first decision.
  EXPECT_NEAR(demoted, 2 * 67, 8);
  EXPECT_NEAR(ordered, 2 * 883, 8);
}

TEST(LongFlowAgent, OrdersTheRate) {
  Star star(number(0, 2, 0));
  star.begin();
  const std::uint32_t flow = star.send(0, 1, 1'000'000);
  star.scheduler.run_until(kMilliSecond * 5);
  star.expect_all_arrived();
  // The message is sent at 10 Gb/s in the first period, and at a quarter of that afterwards.
  const double closed_form = 100 + (1000 * 1.06 - 125) * 8 / 2.5;
  EXPECT_NEAR(to_seconds(star.received_at(flow)) * 1e6, closed_form, 0.06 * closed_form);
}

TEST(LongFlowAgent, SpreadsLongMessagesOverTheWaysAndLeavesEachOnItsOwn) {
  Star star(number(0, 0, 1));
  star.tuning.ways = 3;
  star.begin();
  for (HostId sender = 0; sender < 3; ++sender) star.send(sender, sender + 1, 1'000'000);
  star.scheduler.run_until(kMilliSecond * 6);
  star.expect_all_arrived();
  std::vector<int> ways;
  for (std::uint32_t flow = 0; flow < 3; ++flow) {
    ways.push_back(star.seen[flow].back().way);
    for (const Star::Sent& one : star.seen[flow])
      EXPECT_TRUE(one.way == 0 || one.way == ways[flow]);
  }
  std::sort(ways.begin(), ways.end());
  EXPECT_EQ(ways, (std::vector<int>{1, 2, 3}));
}

TEST(LongFlowAgent, TheNextMessageOfTheQueuePairBeginsWithoutAnOrder) {
  Star star(number(1, 2, 1));
  star.begin();
  const std::uint32_t flow = star.send(0, 1, 400'000);
  star.scheduler.run_until(kMilliSecond * 3);
  ASSERT_EQ(star.seen[flow].back().priority, 1);
  star.seen.clear();
  const PicoSeconds then = star.scheduler.now();
  star.post(flow, 0, 50'000);
  star.scheduler.run_until(kMilliSecond * 6);
  for (const Star::Sent& one : star.seen[flow]) EXPECT_TRUE(one.priority == 7 && one.way == 0);
  EXPECT_LT(star.received_at(flow) - then, kMicroSecond * 60) << "at the line rate again";
}

// In state 0 a message is alone at its receiver, in state 1 it shares the receiver.
TEST(LongFlowAgent, ChoosesByTheStateOfTheMessage) {
  Star star(0);
  star.tuning.policy[0] = number(1, 0, 0);
  star.begin();
  const std::uint32_t alone = star.send(0, 1, 350'000);
  const std::uint32_t beside = star.send(2, 3, 350'000);
  star.send(1, 3, 350'000);
  star.scheduler.run_until(kMilliSecond * 3);
  EXPECT_EQ(star.seen[alone].back().priority, 1);
  bool was_beside = false;
  for (const Star::Sent& one : star.seen[beside]) was_beside = was_beside || one.priority == 0;
  EXPECT_TRUE(was_beside);
}

TEST(LongFlowAgent, ItsOrdersAreInItsDigest) {
  const auto digest = [](Bytes bytes) {
    Star star(0);
    star.begin();
    star.send(0, 1, bytes);
    star.scheduler.run_until(kPeriod * 2 + kMicroSecond);
    StateDigest d;
    d(*star.agent);
    return d.value();
  };
  EXPECT_EQ(digest(1'000'000), digest(1'000'000));
  EXPECT_NE(digest(1'000'000), digest(50'000));
}

}  // namespace
}  // namespace dcc::long_flow_agent_test
