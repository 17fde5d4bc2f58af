// Tests marks at full inputs (mark_at: input_full): the switch marks only packets of the output
// that fills them.
#include <gtest/gtest.h>

#include <map>

#include "fabric/topology.h"
#include "unit/switch/test_devices.h"

namespace dcc::full_inputs_test {
namespace {

constexpr LinkParameters k25G{BitRate(25'000'000'000), kMicroSecond, 0};

SwitchParameters marking(EcnParameters::MarkAt at) {
  SwitchParameters parameters;
  parameters.buffer = 1'000'000;
  parameters.pfc.enabled = true;
  parameters.ecn.mark_at = at;
  parameters.ecn.kmin = parameters.ecn.kmax = 20'000;
  return parameters;
}

/// Returns how many marked packets `host` received from each source host (a test packet's flow
/// number is its source).
std::map<std::uint32_t, int> marks_at(const test::TestHost& host) {
  std::map<std::uint32_t, int> marks;
  for (const test::TestHost::Seen& seen : host.seen) marks[seen.flow] += seen.ecn == Ecn::kCe;
  return marks;
}

/// Hosts 0 to 2 overload the port to host 4. Host 6, behind a link between switches, sends to host
/// 4 and to host 5, which is idle.
struct HotSpot {
  explicit HotSpot(const SwitchParameters& parameters) : network(shape(), parameters) {
    for (const HostId sender : {0, 1, 2, 6}) network.host[sender]->blast(4, 1000);
    network.host[6]->blast(5, 1000);
    network.host[4]->keep = network.host[5]->keep = true;
    network.scheduler.run_until(kMilliSecond * 4);
  }
  static Topology shape() {
    TopologyParameters parameters;
    parameters.kind = TopologyKind::kParkingLot;
    parameters.hosts_per_switch = {6, 1};
    parameters.link = k25G;
    parameters.fabric_link = k25G;
    return Topology::of(parameters);
  }
  test::TestNetwork network;
};

TEST(FullInputs, MarkThePacketsOfTheOutputThatFillsThemWhateverTheirInput) {
  HotSpot hot(marking(EcnParameters::MarkAt::kInputFull));
  const auto culprits = marks_at(*hot.network.host[4]);
  for (const HostId sender : {0u, 1u, 2u, 6u}) EXPECT_GT(culprits.at(sender), 100) << sender;
  EXPECT_EQ(marks_at(*hot.network.host[5]).at(6), 0) << "the victim's packets";
  EXPECT_EQ(hot.network.drops(), 0u);
}

TEST(FullInputs, MarksByTheQueueReachTheVictim) {
  HotSpot hot(marking(EcnParameters::MarkAt::kEnqueue));
  EXPECT_GT(marks_at(*hot.network.host[5]).at(6), 100);
}

// If one input is full, the switch also marks packets of other inputs that wait for the same
// output.
TEST(FullInputs, OneFullInputMarksThePacketsOfTheOthers) {
  SwitchParameters parameters = marking(EcnParameters::MarkAt::kInputFull);
  test::TestStar star(4, parameters, k25G);
  star.host[0]->keep = true;
  star.host[1]->blast(0, 1000);
  star.host[2]->blast(0, 1000);
  for (int i = 0; i < 5; ++i) star.host[3]->send(star.host[3]->make(0, 1000));
  star.scheduler.run_until(kMilliSecond);
  EXPECT_GT(star.host[1]->pause_frames + star.host[2]->pause_frames, 0u);
  EXPECT_EQ(star.host[3]->pause_frames, 0u);
  EXPECT_EQ(marks_at(*star.host[0]).at(3), 0) << "they left before an input was full";
  for (int i = 0; i < 5; ++i) star.host[3]->send(star.host[3]->make(0, 1000));
  star.scheduler.run_until(kMilliSecond * 2);
  EXPECT_GT(marks_at(*star.host[0]).at(3), 0);
  EXPECT_EQ(star.host[3]->pause_frames, 0u);
}

TEST(FullInputs, AlsoWhereFlowControlIsByCredits) {
  SwitchParameters parameters = marking(EcnParameters::MarkAt::kInputFull);
  parameters.flow_control = SwitchParameters::FlowControl::kCredits;
  HotSpot hot(parameters);
  EXPECT_GT(marks_at(*hot.network.host[4]).at(6), 100);
  EXPECT_EQ(marks_at(*hot.network.host[5]).at(6), 0);
}

TEST(FullInputs, OtherPrioritiesKeepTheirPackets) {
  SwitchParameters parameters = marking(EcnParameters::MarkAt::kInputFull);
  parameters.ecn.priorities = 0xFE;
  HotSpot hot(parameters);
  EXPECT_EQ(marks_at(*hot.network.host[4]).at(6), 0);
}

}  // namespace
}  // namespace dcc::full_inputs_test
