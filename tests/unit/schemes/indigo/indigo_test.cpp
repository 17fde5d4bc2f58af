// Tests Indigo: tables of actions against values computed by hand, and the trained policy in a
// closed loop with one link against the windows of the expert that it imitates.
#include "schemes/indigo/indigo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "describe/visitor.h"
#include "sim/random.h"
#include "unit/schemes/algorithm_host.h"

namespace dcc::indigo_test {
namespace {

constexpr double kBaseUs = 10;
constexpr double kProduct = 125'000;  // bytes of a base round trip at 100 Gb/s
constexpr std::size_t kDigits = IndigoPolicy::kLevels * IndigoPolicy::kActions;

/// Text of a table with the same action in all cells.
std::string table_of(char action) {
  std::string text;
  for (std::size_t i = 0; i < IndigoPolicy::kLevels; ++i)
    text += std::string(kDigits, action) + '\n';
  return text;
}

/// The error message for a table; empty if the table is accepted.
std::string refusal(const std::string& text) {
  try {
    const IndigoPolicy policy(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

TEST(IndigoPolicy, LevelsAreQuartersOfOctaves) {
  // Only one cell of the table doubles the window: delay 1/4 to 2^-1.75, window 1/2 to 2^-0.75,
  // after the action "more".
  std::string text = table_of('2');
  const std::size_t delay_level = 1 + 4 * 3;
  const std::size_t window_level = 1 + 4 * 5;
  text[delay_level * (kDigits + 1) + window_level * IndigoPolicy::kActions + 3] = '4';
  const IndigoPolicy policy("# one cell\n" + text);
  EXPECT_EQ(policy.action(0.25L, 0.5L, IndigoPolicy::kMore), IndigoPolicy::kDouble);
  EXPECT_EQ(policy.action(0.297L, 0.594L, IndigoPolicy::kMore), IndigoPolicy::kDouble);
  EXPECT_EQ(policy.action(0.298L, 0.5L, IndigoPolicy::kMore), IndigoPolicy::kStay);
  EXPECT_EQ(policy.action(0.249L, 0.5L, IndigoPolicy::kMore), IndigoPolicy::kStay);
  EXPECT_EQ(policy.action(0.25L, 0.499L, IndigoPolicy::kMore), IndigoPolicy::kStay);
  EXPECT_EQ(policy.action(0.25L, 0.5L, IndigoPolicy::kStay), IndigoPolicy::kStay);
}

TEST(IndigoPolicy, ValuesBeyondTheTableTakeItsBorders) {
  std::string text = table_of('2');
  text[0 * (kDigits + 1) + 31 * IndigoPolicy::kActions + 2] = '0';
  text[31 * (kDigits + 1) + 0 * IndigoPolicy::kActions + 2] = '4';
  const IndigoPolicy policy(text);
  EXPECT_EQ(policy.action(0, 1e9L, IndigoPolicy::kStay), IndigoPolicy::kHalve);
  EXPECT_EQ(policy.action(1e30L, 0, IndigoPolicy::kStay), IndigoPolicy::kDouble);
}

TEST(IndigoPolicy, BadTablesAreRefusedWithTheirLine) {
  EXPECT_EQ(refusal(table_of('0')), "");
  EXPECT_EQ(refusal(table_of('5')),
            "line 1: a character that is no action; actions are the digits 0 to 4");
  EXPECT_EQ(refusal("# a comment\n0123\n"),
            "line 2: 4 characters; a line of a policy has 160 digits");
  EXPECT_EQ(refusal(""), "0 lines of digits; a policy has 32");
  EXPECT_EQ(refusal(table_of('1') + table_of('1')),
            "line 33: a policy has 32 lines of digits, not more");
}

TEST(IndigoPolicy, FilesThatAreNoTablesAreRefused) {
  for (const char* const path : {"/nowhere/policy.txt", "/", "/dev/null", "/dev/zero"}) {
    IndigoParameters p;
    p.policy = path;
    EXPECT_THROW(p.check(1000), ParameterError) << path;
  }
  EXPECT_NO_THROW(IndigoParameters().check(1000));
}

TEST(IndigoPolicy, LimitsThatLeaveNoWindowAreRefused) {
  IndigoParameters p;
  p.min_window = 1'000'000;
  EXPECT_NO_THROW(p.check(1000));
  p.initial_window = 999'999;
  EXPECT_THROW(p.check(1000), ParameterError);
  p.initial_window.reset();
  p.max_window = 999'999;
  EXPECT_THROW(p.check(1000), ParameterError);
  p.max_window = p.initial_window = 1'000'000;
  EXPECT_NO_THROW(p.check(1000));
}

struct Result {
  double delay = 0;            // mean queueing delay in base round trips
  std::vector<double> shares;  // mean window of each flow relative to the mean of all
};

/// Simulates flows that share a link. The first flow starts with `ahead` bandwidth-delay products,
/// the other flows with 1/8.
Result share(const std::string& policy, FlowNumber flows, double ahead) {
  IndigoParameters p;
  p.policy = policy;
  test::FakeHost host(100'000);
  p.initial_window = static_cast<Bytes>(kProduct / 8);
  Indigo indigo(host, p, 1000);
  FlowStart start;
  start.base_rtt = kMicroSecond * static_cast<std::int64_t>(kBaseUs);
  for (FlowNumber flow = 0; flow < flows; ++flow) indigo.on_flow_start(flow, start);
  constexpr int kRounds = 2000;
  Result result;
  result.shares.assign(flows, 0);
  AckInfo info;
  // The first flow is alone until its window reaches `ahead`.
  while (flows > 1 && indigo.window(0) < ahead * kProduct && info.psn < 100) {
    info.rtt = start.base_rtt;
    info.psn = info.next_psn = info.psn + 1;
    indigo.on_ack(0, info);
  }
  for (int round = 0; round < kRounds; ++round) {
    double sum = 0;
    for (FlowNumber flow = 0; flow < flows; ++flow) sum += static_cast<double>(indigo.window(flow));
    const double rtt = std::max(1.0, sum / kProduct);
    info.psn = info.next_psn = info.psn + 1;
    for (FlowNumber flow = 0; flow < flows; ++flow) {
      // The other packets of a round trip come up to half a packet earlier or later.
      const double noise = static_cast<double>(mix64(info.psn * 64 + flow) >> 40) / (1 << 24) - 0.5;
      info.rtt =
          PicoSeconds(static_cast<std::int64_t>(kBaseUs * 1e6 * std::max(1.0, rtt + 0.02 * noise)));
      if (round >= kRounds / 2) {
        result.shares[flow] += static_cast<double>(indigo.window(flow));
      }
      indigo.on_ack(flow, info);
    }
    if (round >= kRounds / 2) result.delay += (rtt - 1) / (kRounds - kRounds / 2);
  }
  double mean = 0;
  for (const double one : result.shares) mean += one / flows;
  for (double& one : result.shares) one /= mean;
  return result;
}

// The expert that the policy imitates keeps a sixteenth of a bandwidth-delay product of each flow
// in the queue. The policy distinguishes delays in levels of a quarter of an octave (19 %).
TEST(Indigo, FlowsKeepEqualPartsInTheQueueAsTheExpertDoes) {
  for (const FlowNumber flows : {1u, 2u, 4u, 8u, 16u}) {
    const Result r = share(IndigoParameters().policy, flows, 0.5);
    const auto [least, most] = std::minmax_element(r.shares.begin(), r.shares.end());
    EXPECT_NEAR(r.delay, flows / 16.0, 0.19 * flows / 16.0 + 1 / 64.0) << flows;
    EXPECT_GE(*least, 0.81) << flows;
    EXPECT_LE(*most, 1.19) << flows;
  }
}

TEST(Indigo, APolicyThatStaysKeepsWindows) {
  const std::string path = testing::TempDir() + "/indigo_stay.txt";
  std::ofstream(path) << table_of('2');
  const Result r = share(path, 4, 0.1);
  for (const double one : r.shares) EXPECT_EQ(one, 1);
  EXPECT_EQ(r.delay, 0);
}

TEST(Indigo, ActionsHalveStepAndDouble) {
  for (const auto& [digit, factor, steps] : {std::tuple{'0', 0.5, 0.0},
                                             {'1', 1.0, -1.0},
                                             {'2', 1.0, 0.0},
                                             {'3', 1.0, 1.0},
                                             {'4', 2.0, 0.0}}) {
    const std::string path = testing::TempDir() + "/indigo_one.txt";
    std::ofstream(path) << table_of(digit);
    IndigoParameters p;
    p.policy = path;
    p.step = Ratio(1, 50);
    p.initial_window = 100'000;
    test::FakeHost host(100'000);
    Indigo indigo(host, p, 1000);
    FlowStart start;
    start.base_rtt = kMicroSecond * 10;
    indigo.on_flow_start(0, start);
    AckInfo info;
    info.rtt = start.base_rtt;
    info.psn = info.next_psn = 1;
    indigo.on_ack(0, info);
    EXPECT_DOUBLE_EQ(static_cast<double>(indigo.window(0)),
                     100'000 * factor + steps * kProduct / 50);
  }
}

}  // namespace
}  // namespace dcc::indigo_test
