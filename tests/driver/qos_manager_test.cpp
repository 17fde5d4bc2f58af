// Tests the parts of the QoS manager, and the closed loop over a simulated bottleneck.
#include "app/qos_manager.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <deque>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "driver/dcc_regs.h"
#include "driver/nic_regs.h"
#include "fake_machine.h"
#include "qos_plant.h"

namespace qos_manager_test {
namespace {

using dcc::test::FakeMachine;
using dcc::test::QosPlant;

// Tests of the QoS manager's meter.

TEST(QosMeter, CountsBytesPerTenantAndIgnoresStrangers) {
  const qos_tenant tenants[] = {{46, 512}, {10, 256}};
  qos_meter meter;
  ASSERT_EQ(qos_meter_init(&meter, tenants, 2, 4), 1);
  qos_flow a{}, b{}, c{};
  qos_meter_count(&meter, &a, 46, 1000);
  qos_meter_count(&meter, &b, 10, 1);
  qos_meter_count(&meter, &a, 46, 1000);
  qos_meter_count(&meter, &c, 11, 5000);
  qos_meter_count(&meter, &c, 64, 5000);
  qos_report report{};
  qos_meter_report(&meter, 77, &report);
  EXPECT_EQ(report.begin, 1u);
  EXPECT_EQ(report.end, 1u);
  EXPECT_EQ(report.time_ns, 77u);
  EXPECT_EQ(report.count, 2u);
  EXPECT_EQ(report.entries[0].dscp, 46u);
  EXPECT_EQ(report.entries[0].bytes, 2000u);
  EXPECT_EQ(report.entries[0].active_flows, 1u);
  EXPECT_EQ(report.entries[1].bytes, 1u);
  qos_meter_count(&meter, &b, 10, 9);
  qos_meter_report(&meter, 78, &report);
  EXPECT_EQ(report.entries[1].bytes, 10u) << "cumulative";
  EXPECT_EQ(report.begin, 2u);
}

TEST(QosMeter, ActiveFlowsAgainstADirectCount) {
  for (const std::uint32_t window : {1u, 2u, 7u, 32u}) {
    const qos_tenant tenants[] = {{1, 256}, {2, 256}};
    qos_meter meter;
    ASSERT_EQ(qos_meter_init(&meter, tenants, 2, window), 1);
    std::mt19937 random(window);
    std::vector<qos_flow> flows(50);
    // last active interval of each flow, computed independently of the meter
    std::map<int, int> last_seen;
    for (int interval = 1; interval < 300; ++interval) {
      // Flows pause from time to time, so that whole windows pass without a byte.
      const int events = interval / 50 % 2 == 0 ? static_cast<int>(random() % 30) : 0;
      for (int i = 0; i < events; ++i) {
        const int flow = static_cast<int>(random() % flows.size());
        qos_meter_count(&meter, &flows[flow], 1 + flow % 2, 10);
        last_seen[flow] = interval;
      }
      qos_report report{};
      qos_meter_report(&meter, 0, &report);
      for (int tenant = 0; tenant < 2; ++tenant) {
        std::uint32_t active = 0;
        for (const auto& [flow, seen] : last_seen) {
          active += flow % 2 == tenant && interval - seen < static_cast<int>(window);
        }
        ASSERT_EQ(report.entries[tenant].active_flows, active)
            << "window " << window << " interval " << interval;
      }
    }
  }
}

TEST(QosMeter, ImpossibleTenantsAreRefused) {
  qos_meter meter;
  const qos_tenant sound[] = {{46, 512}};
  const qos_tenant twice[] = {{46, 512}, {46, 256}};
  const qos_tenant dscp[] = {{64, 512}};
  const qos_tenant light[] = {{46, 15}};
  const qos_tenant heavy[] = {{46, 65536}};
  EXPECT_EQ(qos_meter_init(&meter, sound, 0, 4), 0);
  EXPECT_EQ(qos_meter_init(&meter, sound, 17, 4), 0);
  EXPECT_EQ(qos_meter_init(&meter, sound, 1, 0), 0);
  EXPECT_EQ(qos_meter_init(&meter, sound, 1, 33), 0);
  EXPECT_EQ(qos_meter_init(&meter, twice, 2, 4), 0);
  EXPECT_EQ(qos_meter_init(&meter, dscp, 1, 4), 0);
  EXPECT_EQ(qos_meter_init(&meter, light, 1, 4), 0);
  EXPECT_EQ(qos_meter_init(&meter, heavy, 1, 4), 0);
}

// Tests of the QoS manager's parts.

class QosManagerTest : public ::testing::Test {
 protected:
  void start(const std::vector<qos_tenant>& tenants, std::uint32_t meters = 1) {
    const qos_parameters parameters = qos_default_parameters();
    ASSERT_EQ(qos_manager_init(&manager, &parameters, tenants.data(),
                               static_cast<std::uint32_t>(tenants.size()), meters),
              1);
  }
  qos_report report(std::uint32_t number, std::vector<std::uint64_t> bytes,
                    std::vector<std::uint32_t> flows) {
    qos_report r{};
    r.begin = r.end = number;
    r.count = manager.tenant_count;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      r.entries[i].dscp = manager.tenants[i].dscp;
      r.entries[i].bytes = bytes[i];
      r.entries[i].active_flows = flows[i];
    }
    return r;
  }
  qos_manager manager{};
  qos_command command{};
};

TEST_F(QosManagerTest, TornOldAndForeignReportsAreLeftAside) {
  start({{46, 512}, {10, 256}});
  const qos_report untouched{};
  EXPECT_EQ(qos_manager_take(&manager, 0, &untouched), 0) << "memory nobody wrote yet";
  qos_report r = report(5, {100, 100}, {1, 1});
  r.end = 4;
  EXPECT_EQ(qos_manager_take(&manager, 0, &r), 0);
  r.end = 5;
  EXPECT_EQ(qos_manager_take(&manager, 1, &r), 0) << "no such meter";
  EXPECT_EQ(qos_manager_take(&manager, 0, &r), 1);
  EXPECT_EQ(qos_manager_take(&manager, 0, &r), 0) << "seen";
  r = report(4, {200, 200}, {1, 1});
  EXPECT_EQ(qos_manager_take(&manager, 0, &r), 0) << "older";
  r = report(6, {99, 200}, {1, 1});
  EXPECT_EQ(qos_manager_take(&manager, 0, &r), 0) << "counters do not run backwards";
  r = report(6, {200, 200}, {1, 1});
  r.entries[1].dscp = 11;
  EXPECT_EQ(qos_manager_take(&manager, 0, &r), 0);
  r = report(6, {200, 200}, {1, 1});
  r.count = 1;
  EXPECT_EQ(qos_manager_take(&manager, 0, &r), 0);
  r = report(900, {200, 200}, {1, 1});
  EXPECT_EQ(qos_manager_take(&manager, 0, &r), 1) << "lost ones in between do not matter";
}

TEST_F(QosManagerTest, AFlowsFactorIsTheTenantsWeightOverItsFlows) {
  start({{46, 256}, {10, 256}, {12, 1024}});
  const qos_report r = report(1, {1000, 1000, 4000}, {1, 16, 1});
  ASSERT_EQ(qos_manager_take(&manager, 0, &r), 1);
  ASSERT_EQ(qos_manager_update(&manager, &command), 1);
  EXPECT_EQ(command.begin, 1u);
  EXPECT_EQ(command.end, 1u);
  ASSERT_EQ(command.count, 3u);
  EXPECT_EQ(command.entries[0].dscp, 46u);
  // The lowest weight of a flow becomes 1.0, that of tenant 1, whose 16 flows share its weight.
  // Flows of the other two tenants have 16 and 64 times this weight.
  EXPECT_NEAR(command.entries[1].weight_q8_8, 256, 1);
  EXPECT_NEAR(command.entries[0].weight_q8_8, 16 * 256, 4);
  EXPECT_NEAR(command.entries[2].weight_q8_8, 64 * 256, 16);
}

TEST_F(QosManagerTest, FlowsAtSeveralMetersAddUp) {
  start({{46, 256}, {10, 256}}, 2);
  const qos_report here = report(1, {1000, 500}, {1, 1});
  const qos_report there = report(1, {0, 500}, {0, 3});
  ASSERT_EQ(qos_manager_take(&manager, 0, &here), 1);
  ASSERT_EQ(qos_manager_take(&manager, 1, &there), 1);
  ASSERT_EQ(qos_manager_update(&manager, &command), 1);
  EXPECT_NEAR(command.entries[0].weight_q8_8, 4 * 256, 2);
  EXPECT_NEAR(command.entries[1].weight_q8_8, 256, 1);
}

TEST_F(QosManagerTest, SharesAsWantedChangeNothing) {
  start({{46, 512}, {10, 256}});
  int changes = 0;
  for (std::uint32_t i = 1; i <= 100; ++i) {
    const qos_report r = report(i, {200'000ull * i, 100'000ull * i}, {1, 1});
    qos_manager_take(&manager, 0, &r);
    changes += qos_manager_update(&manager, &command);
  }
  EXPECT_LE(changes, 1);
}

TEST_F(QosManagerTest, TooSmallAShareRaisesTheFactorAfterTheHold) {
  start({{46, 256}, {10, 256}});
  std::vector<double> ratio;
  for (std::uint32_t i = 1; i <= 20; ++i) {
    const qos_report r = report(i, {100'000ull * i, 150'000ull * i}, {1, 1});
    qos_manager_take(&manager, 0, &r);
    qos_manager_update(&manager, &command);
    ratio.push_back(static_cast<double>(manager.states[0].weight_q8_8) /
                    manager.states[1].weight_q8_8);
  }
  EXPECT_DOUBLE_EQ(ratio[2], 1.0) << "the flows are given time first";
  EXPECT_DOUBLE_EQ(ratio[5], 1.0);
  EXPECT_GT(ratio[8], 1.1);
  for (std::size_t i = 8; i < ratio.size(); ++i) EXPECT_GE(ratio[i], ratio[i - 1]);
  EXPECT_LT(ratio.back(), 8.0);
}

TEST_F(QosManagerTest, ADemandLimitedTenantDoesNotDistortTheOthers) {
  // The first tenant has data for only a tenth of the link, whatever its factor is. The other two
  // tenants must share the rest 2 : 1.
  start({{1, 1024}, {2, 512}, {3, 256}});
  for (std::uint32_t i = 1; i <= 400; ++i) {
    const qos_report r = report(i, {10'000ull * i, 60'000ull * i, 30'000ull * i}, {1, 1, 1});
    qos_manager_take(&manager, 0, &r);
    qos_manager_update(&manager, &command);
  }
  EXPECT_NEAR(static_cast<double>(manager.states[1].weight_q8_8) / manager.states[2].weight_q8_8,
              2.0, 0.02);
  EXPECT_EQ(manager.states[0].integral_q16, manager.parameters.integral_limit_q16);
}

TEST_F(QosManagerTest, SilentTenantsAndSilentMetersAreNoTrouble) {
  start({{46, 512}, {10, 256}}, 3);
  EXPECT_EQ(qos_manager_update(&manager, &command), 0) << "no report at all";
  const qos_report r = report(1, {1000, 0}, {1, 0});
  qos_manager_take(&manager, 2, &r);
  qos_manager_update(&manager, &command);
  for (int i = 0; i < 50; ++i) qos_manager_update(&manager, &command);
  EXPECT_EQ(manager.states[0].weight_q8_8, 256u) << "alone: 1.0";
}

TEST_F(QosManagerTest, FactorsStayWithinTheirSpan) {
  start({{1, 65535}, {2, 16}});
  const qos_report r = report(1, {1000, 1000}, {1, 1000});
  qos_manager_take(&manager, 0, &r);
  ASSERT_EQ(qos_manager_update(&manager, &command), 1);
  EXPECT_GE(manager.states[1].weight_q8_8, 255u);
  EXPECT_LE(manager.states[0].weight_q8_8, 65535u);
  EXPECT_NEAR(
      std::log2(static_cast<double>(manager.states[0].weight_q8_8) / manager.states[1].weight_q8_8),
      8.0, 0.01);
}

TEST_F(QosManagerTest, ImpossibleParametersAreRefused) {
  const qos_tenant tenants[] = {{46, 512}};
  qos_parameters p = qos_default_parameters();
  EXPECT_EQ(qos_manager_init(&manager, &p, tenants, 0, 1), 0);
  EXPECT_EQ(qos_manager_init(&manager, &p, tenants, 1, 0), 0);
  EXPECT_EQ(qos_manager_init(&manager, &p, tenants, 1, QOS_METERS_MAX + 1), 0);
  p.smoothing_shift = 5;
  EXPECT_EQ(qos_manager_init(&manager, &p, tenants, 1, 1), 0);
  p = qos_default_parameters();
  p.span_q16 = 13 * 65536;
  EXPECT_EQ(qos_manager_init(&manager, &p, tenants, 1, 1), 0);
}

// Tests of the QoS agent.

TEST(QosAgent, LoadsNewWholeCommandsOnly) {
  FakeMachine machine;
  machine.reg(DCC_BASE + DCC_ID_OFFSET) = DCC_ID_RESET;
  machine.reg(DCC_BASE + DCC_VERSION_OFFSET) = DCC_VERSION_RESET;
  machine.reg(DCC_BASE + DCC_STATUS_OFFSET) = DCC_STATUS_READY_MASK;
  dcc_controller controller{};
  ASSERT_EQ(dcc_probe(&controller, machine.machine(), DCC_BASE), DCC_OK);
  qos_agent agent{};
  qos_command command{};
  EXPECT_EQ(qos_agent_apply(&agent, &controller, nullptr, &command), 0)
      << "memory nobody wrote yet";
  command.begin = 1;
  command.count = 2;
  command.entries[0] = {46, 1024};
  command.entries[1] = {10, 256};
  EXPECT_EQ(qos_agent_apply(&agent, &controller, nullptr, &command), 0) << "torn";
  command.end = 1;
  EXPECT_EQ(qos_agent_apply(&agent, &controller, nullptr, &command), 2);
  EXPECT_EQ(machine.reg(DCC_BASE + DCC_FACTOR_ENTRY_OFFSET(46)), 1024u << 16 | 1024u);
  EXPECT_EQ(machine.reg(DCC_BASE + DCC_FACTOR_ENTRY_OFFSET(10)), 4096u << 16 | 256u);
  EXPECT_EQ(qos_agent_apply(&agent, &controller, nullptr, &command), 0) << "loaded already";
  command.begin = command.end = 2;
  command.entries[1].dscp = 64;
  EXPECT_EQ(qos_agent_apply(&agent, &controller, nullptr, &command), -1);
}

TEST(QosAgent, WithoutAControllerTheNicHearsOfTheWeights) {
  FakeMachine machine;
  machine.reg(NIC_BASE + NIC_ID_OFFSET) = NIC_ID_RESET;
  machine.reg(NIC_BASE + NIC_VERSION_OFFSET) = NIC_VERSION_RESET;
  machine.reg(NIC_BASE + NIC_STATUS_OFFSET) = NIC_STATUS_READY_MASK;
  nic device{};
  ASSERT_EQ(nic_probe(&device, machine.machine(), NIC_BASE), NIC_OK);
  qos_agent agent{};
  qos_command command{};
  command.begin = command.end = 1;
  command.count = 1;
  command.entries[0] = {46, 640};
  EXPECT_EQ(qos_agent_apply(&agent, nullptr, &device, &command), 1);
  EXPECT_EQ(machine.reg(NIC_BASE + NIC_CC_CLASS_OFFSET), 640u << NIC_CC_CLASS_WEIGHT_SHIFT | 46u);
  command.begin = command.end = 2;
  command.entries[0] = {46, 0};
  EXPECT_EQ(qos_agent_apply(&agent, nullptr, &device, &command), -1);
  command.begin = command.end = 3;
  command.entries[0] = {64, 256};
  EXPECT_EQ(qos_agent_apply(&agent, nullptr, &device, &command), -1);
  EXPECT_EQ(machine.reg(NIC_BASE + NIC_CC_CLASS_OFFSET), 640u << NIC_CC_CLASS_WEIGHT_SHIFT | 46u);
}

// Tests of the closed loop.

/// The closed loop: plant, meter, manager and agents, with the delays between them.
class ClosedLoop {
 public:
  static constexpr double kStep = 0.005;  // simulation step in ms
  // size of a message; the meter counts whole messages
  static constexpr double kMessageBytes = 65536;
  // Delay in ms from a command of the QoS manager to the new factor in a sender's rate table.
  static constexpr double kCommandDelay = 0.1;

  explicit ClosedLoop(std::vector<qos_tenant> tenants, bool managed = true)
      : tenants_(std::move(tenants)), managed_(managed) {
    const qos_parameters parameters = qos_default_parameters();
    const auto count = static_cast<std::uint32_t>(tenants_.size());
    EXPECT_EQ(qos_meter_init(&meter_, tenants_.data(), count, QOS_METER_WINDOW), 1);
    EXPECT_EQ(qos_manager_init(&manager_, &parameters, tenants_.data(), count, 1), 1);
    for (const qos_tenant& t : tenants_) factor_[t.dscp] = t.weight_q8_8 / 256.0;
  }

  void add_flows(std::uint32_t dscp, int count, double bias = 1, double demand = 1e9) {
    for (int i = 0; i < count; ++i) {
      QosPlant::Flow flow;
      flow.dscp = dscp;
      flow.bias = bias;
      flow.demand = demand;
      plant.flows.push_back(flow);
      seen_.push_back(qos_flow{});
    }
  }

  void run(double ms) {
    const auto steps = static_cast<std::int64_t>(std::llround(ms / kStep));
    for (std::int64_t i = 0; i < steps; ++i) one_step();
  }

  double now() const { return static_cast<double>(steps_) * kStep; }

  /// Bytes that each tenant has sent, in total.
  std::map<std::uint32_t, double> totals() const {
    std::map<std::uint32_t, double> sum;
    for (const QosPlant::Flow& f : plant.flows) sum[f.dscp] += f.total_bytes;
    return sum;
  }
  double share_error(const std::map<std::uint32_t, double>& from,
                     const std::map<std::uint32_t, double>& to,
                     const std::set<std::uint32_t>& of) const {
    double bytes = 0;
    double weights = 0;
    for (const qos_tenant& t : tenants_) {
      if (of.count(t.dscp) == 0) continue;
      bytes += to.at(t.dscp) - (from.count(t.dscp) != 0 ? from.at(t.dscp) : 0);
      weights += t.weight_q8_8;
    }
    double worst = 0;
    for (const qos_tenant& t : tenants_) {
      if (of.count(t.dscp) == 0) continue;
      const double got = (to.at(t.dscp) - (from.count(t.dscp) != 0 ? from.at(t.dscp) : 0)) / bytes;
      worst = std::max(worst, std::fabs(got / (t.weight_q8_8 / weights) - 1));
    }
    return worst;
  }
  /// Greatest share error in any averaging window of `length` ms within the next `span` ms. Windows
  /// begin 1 ms apart.
  double worst_over(double length, double span, const std::set<std::uint32_t>& of) {
    std::deque<std::map<std::uint32_t, double>> history = {totals()};
    double worst = 0;
    const auto ticks = static_cast<std::size_t>(length);
    for (double t = 0; t < span; t += 1) {
      run(1);
      history.push_back(totals());
      if (history.size() <= ticks) continue;
      worst = std::max(worst, share_error(history.front(), history.back(), of));
      history.pop_front();
    }
    return worst;
  }

  QosPlant plant;
  qos_manager manager_{};

 private:
  void one_step() {
    plant.step(kStep);
    ++steps_;
    for (std::size_t i = 0; i < plant.flows.size(); ++i) {
      QosPlant::Flow& f = plant.flows[i];
      f.weight = factor_[f.dscp];
      while (f.pending_bytes >= kMessageBytes) {
        f.pending_bytes -= kMessageBytes;
        qos_meter_count(&meter_, &seen_[i], f.dscp, static_cast<std::uint32_t>(kMessageBytes));
      }
    }
    if (steps_ % 200 == 0) {  // the QoS manager runs once per millisecond
      qos_report report{};
      qos_meter_report(&meter_, 0, &report);
      qos_manager_take(&manager_, 0, &report);
    }
    if (steps_ % 400 == 0 && managed_) {
      qos_command command{};
      if (qos_manager_update(&manager_, &command) != 0) {
        under_way_.push_back({now() + kCommandDelay, command});
      }
    }
    while (!under_way_.empty() && under_way_.front().first <= now()) {
      const qos_command& command = under_way_.front().second;
      for (std::uint32_t i = 0; i < command.count; ++i) {
        factor_[command.entries[i].dscp] = command.entries[i].weight_q8_8 / 256.0;
      }
      under_way_.pop_front();
    }
  }

  std::vector<qos_tenant> tenants_;
  bool managed_;
  qos_meter meter_{};
  std::vector<qos_flow> seen_;
  std::map<std::uint32_t, double> factor_;
  std::deque<std::pair<double, qos_command>> under_way_;
  std::int64_t steps_ = 0;
};

TEST(QosClosedLoop, WithoutAManagerFlowsCountAndBiasShows) {
  // Checks the test itself: the same plant without a QoS manager must miss the shares.
  ClosedLoop loop({{1, 256}, {2, 256}}, false);
  loop.add_flows(1, 1);
  loop.add_flows(2, 16);
  loop.run(50);
  EXPECT_GT(loop.worst_over(100, 150, {1, 2}), 0.5);
}

TEST(QosClosedLoop, OneFlowAgainstSixteen) {
  ClosedLoop loop({{1, 256}, {2, 256}});
  loop.add_flows(1, 1);
  loop.add_flows(2, 16);
  loop.run(20);
  const double worst = loop.worst_over(100, 300, {1, 2});
  RecordProperty("worst_permille", static_cast<int>(worst * 1000));
  EXPECT_LE(worst, 0.03);
}

TEST(QosClosedLoop, FourTenantsOneToEightWithUnequalFlowsAndABiasedMechanism) {
  ClosedLoop loop({{1, 256}, {2, 512}, {3, 1024}, {4, 2048}});
  loop.add_flows(1, 8, 1.10);
  loop.add_flows(2, 1, 0.90);
  loop.add_flows(3, 4, 1.05);
  loop.add_flows(4, 2, 0.92);
  loop.run(20);
  EXPECT_LE(loop.worst_over(10, 40, {1, 2, 3, 4}), 0.03);
  EXPECT_LE(loop.worst_over(100, 300, {1, 2, 3, 4}), 0.01);
}

TEST(QosClosedLoop, SettlesWithinTwentyMillisecondsOfAJoinAndALeave) {
  ClosedLoop loop({{1, 256}, {2, 512}, {3, 256}});
  loop.add_flows(1, 1);
  loop.add_flows(2, 4);
  loop.run(100);
  loop.add_flows(3, 16);  // all flows of the new tenant join at the link rate
  for (QosPlant::Flow& f : loop.plant.flows) {
    if (f.dscp == 3) f.rate = 100;
  }
  loop.run(20);
  EXPECT_LE(loop.worst_over(10, 10, {1, 2, 3}), 0.03) << "after the join";
  EXPECT_LE(loop.worst_over(100, 150, {1, 2, 3}), 0.03) << "after the join";
  for (QosPlant::Flow& f : loop.plant.flows) {
    if (f.dscp == 2) f.on = false;  // the tenant leaves
  }
  loop.run(20);
  EXPECT_LE(loop.worst_over(10, 10, {1, 3}), 0.03) << "after the leave";
  EXPECT_LE(loop.worst_over(100, 150, {1, 3}), 0.03) << "after the leave";
}

TEST(QosClosedLoop, DoesNotOscillate) {
  ClosedLoop loop({{1, 256}, {2, 2048}});
  loop.add_flows(1, 16, 1.1);
  loop.add_flows(2, 1, 0.9);
  loop.run(100);
  // The shares in consecutive windows of 10 ms must stay within two percent of their mean for 200
  // ms.
  std::vector<double> shares;
  for (int i = 0; i < 20; ++i) {
    const auto before = loop.totals();
    loop.run(10);
    const auto after = loop.totals();
    const double one = after.at(1) - before.at(1);
    shares.push_back(one / (one + after.at(2) - before.at(2)));
  }
  const double mean = std::accumulate(shares.begin(), shares.end(), 0.0) / 20;
  for (const double share : shares) EXPECT_NEAR(share / mean, 1.0, 0.02);
}

TEST(QosClosedLoop, BandwidthATenantDoesNotWantGoesToTheOthersInProportion) {
  ClosedLoop loop({{1, 1024}, {2, 512}, {3, 256}});
  loop.add_flows(1, 1, 1, 5);  // the tenant is entitled to 57 Gb/s, and sends 5 Gb/s
  loop.add_flows(2, 1);
  loop.add_flows(3, 8);
  loop.run(300);
  const auto before = loop.totals();
  EXPECT_LE(loop.worst_over(100, 150, {2, 3}), 0.03);
  const auto after = loop.totals();
  double sum = 0;
  for (const std::uint32_t dscp : {1u, 2u, 3u}) sum += after.at(dscp) - before.at(dscp);
  EXPECT_GT(sum / (150 * 100 * 125e3), 0.97) << "nothing is left idle";
}

}  // namespace
}  // namespace qos_manager_test
