// Tests lossless traffic beside lossy traffic in a switch: protection by settings of single
// priorities.
#include <gtest/gtest.h>

#include "switch/switch_device.h"
#include "unit/switch/test_devices.h"

namespace dcc::deployed_switch_test {
namespace {

using test::TestStar;

constexpr LinkParameters k100G{BitRate(100'000'000'000), kNanoSecond * 500, 20};

SwitchParameters one_alpha() {
  SwitchParameters parameters;
  parameters.ecn.enabled = false;
  parameters.buffer = 4'000'000;
  parameters.pfc.priorities = 0x08;
  return parameters;
}

/// Share of its link's rate that two lossless flows to one port reach together, while eight lossy
/// senders overload another port.
double lossless_share(const SwitchParameters& parameters) {
  TestStar star(11, parameters, k100G);
  for (HostId h = 1; h <= 8; ++h) star.host[h]->blast(0, 1'000, 0);
  for (HostId h = 9; h <= 10; ++h) star.host[h]->blast(1, 1'000, 3);
  star.scheduler.run_until(kMicroSecond * 200);
  const Bytes before = star.host[1]->bytes;
  star.scheduler.run_until(kMicroSecond * 400);
  EXPECT_EQ(star.device.counters(1).dropped, 0u);
  const double wire = static_cast<double>(star.host[1]->bytes - before) * 1.02 * 8;
  return wire / (200e-6 * 100e9);
}

TEST(DeployedSwitch, LossyTrafficWithALimitOfItsOwnLeavesLosslessTrafficAlone) {
  EXPECT_LT(lossless_share(one_alpha()), 0.9) << "lossy traffic has taken the buffer";
  SwitchParameters parameters = one_alpha();
  parameters.priorities[0].alpha = Ratio(1);
  EXPECT_GT(lossless_share(parameters), 0.995);
  parameters.priorities[0] = {};
  parameters.priorities[0].queue.alpha = Ratio(1);
  EXPECT_GT(lossless_share(parameters), 0.995);
  parameters.priorities[0] = {};
  parameters.priorities[0].pool = "bulk";
  parameters.pools.push_back({"bulk", 2'000'000});
  EXPECT_GT(lossless_share(parameters), 0.995);
  parameters = one_alpha();
  PortException inputs;
  inputs.priorities[0].limit = 100'000;
  TestStar star(2, parameters, k100G);  // a port's exception must apply to that port
  SwitchDevice other(star.scheduler, star.pool, parameters, 2, 1, 1, 2'000);
  other.set_exceptions(1, {&inputs});
  other.attach(0, *star.down[0], k100G);
  other.attach(1, *star.down[1], k100G);
  EXPECT_GT(other.buffer().threshold(1, 0), 0);
  EXPECT_EQ(other.buffer().threshold(1, 0), 100'000);
}

TEST(DeployedSwitch, CellsAndASharedHeadroomLoseNoLosslessPacket) {
  SwitchParameters parameters = one_alpha();
  parameters.priorities[0].alpha = Ratio(1);
  parameters.cell = 208;
  parameters.pfc.shared_headroom = 2 * parameters.headroom_of(k100G);
  EXPECT_GT(lossless_share(parameters), 0.995);
  parameters.priorities[3].limit = 4'000;  // with this limit both inputs use the shared headroom
  EXPECT_GT(lossless_share(parameters), 0.4);
}

TEST(DeployedSwitch, WeightsHoldWhereLossyTrafficCannotTakeTheBuffer) {
  const auto share = [](const SwitchParameters& parameters) {
    TestStar star(11, parameters, k100G);
    for (HostId h = 1; h <= 8; ++h) star.host[h]->blast(0, 1'000, 0);
    for (HostId h = 9; h <= 10; ++h) star.host[h]->blast(0, 1'000, 3);
    star.scheduler.run_until(kMicroSecond * 200);
    const auto before = star.host[0]->by_priority;
    star.scheduler.run_until(kMicroSecond * 600);
    const auto got = [&](std::size_t p) {
      return static_cast<double>(star.host[0]->by_priority[p] - before[p]);
    };
    return got(3) / (got(0) + got(3));
  };
  SwitchParameters parameters = one_alpha();
  parameters.scheduler.kind = EgressSchedulerParameters::Kind::kEts;
  parameters.scheduler.weights = {60, 1, 1, 40, 1, 1, 1, 1};
  EXPECT_LT(share(parameters), 0.39);
  parameters.priorities[0].queue.alpha = Ratio(1);
  // 4900 packets come in rounds of 100. A round more or less is 1 %.
  EXPECT_NEAR(share(parameters), 0.4, 0.004);
}

}  // namespace
}  // namespace dcc::deployed_switch_test
