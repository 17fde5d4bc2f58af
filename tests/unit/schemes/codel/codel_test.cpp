// Tests CoDel against the closed form of its control law, and CoDel's other rules.
#include "schemes/codel/codel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "describe/parameter_error.h"

namespace dcc::codel_test {
namespace {

constexpr PicoSeconds kTarget = kMicroSecond * 50;
constexpr PicoSeconds kInterval = kMilliSecond;
constexpr PicoSeconds kStep = kMicroSecond;  // time between two departures

class Codel : public testing::Test {
 protected:
  Codel() {
    p_.limit = 1'000'000'000;
    p_.target = kTarget;
    p_.interval = kInterval;
  }
  ~Codel() override {
    while (port_ && !port_->empty()) pool_.free(port_->evict());
  }
  void build() { port_.emplace(p_, DisciplineContext{random_, clock_}); }
  bool arrive(Ecn ecn = Ecn::kNotEct) {
    Packet* const packet = pool_.allocate();
    packet->wire_bytes = 1000;
    packet->ecn = ecn;
    PortDiscipline::EnqueueResult result = port_->enqueue(packet);
    const bool kept = result.dropped.empty();
    while (!result.dropped.empty()) pool_.free(result.dropped.pop());
    return kept;
  }
  /// Dequeues a packet. Returns the number of packets that were dropped before it.
  int leave() {
    pool_.free(port_->dequeue());
    int dropped = 0;
    PacketFifo& lost = port_->departure_drops();
    for (; !lost.empty(); ++dropped) pool_.free(lost.pop());
    return dropped;
  }
  /// Keeps `waiting` packets queued, so that each packet waits for waiting · kStep. Returns the
  /// times of the drops.
  std::vector<PicoSeconds> drops(int waiting, PicoSeconds until, Ecn ecn = Ecn::kNotEct) {
    std::vector<PicoSeconds> times;
    for (int i = 0; i < waiting; ++i) arrive(ecn);
    while (clock_.now() < until) {
      clock_.run_until(clock_.now() + kStep);
      arrive(ecn);
      for (int lost = leave(); lost > 0; --lost) {
        times.push_back(clock_.now());
        arrive(ecn);
      }
    }
    return times;
  }

  CodelParameters p_;
  RandomStream random_{1, "codel"};
  Scheduler clock_;
  PacketPool pool_;
  std::optional<CodelPort> port_;
};

TEST_F(Codel, DropsByTheInverseSquareRoot) {
  build();
  const std::vector<PicoSeconds> times = drops(200, kMilliSecond * 10);
  // The first packet whose waiting time reaches the target leaves after 50 us. Then an interval
  // passes.
  ASSERT_GT(times.size(), 20u);
  EXPECT_NEAR(to_seconds(times[0]), to_seconds(kTarget + kInterval), to_seconds(kStep * 2));
  double expected = to_seconds(times[0]);
  for (std::size_t n = 1; n < times.size(); ++n) {
    expected += to_seconds(kInterval) / std::sqrt(static_cast<double>(n));
    ASSERT_NEAR(to_seconds(times[n]), expected, to_seconds(kStep)) << n;
  }
}

TEST_F(Codel, DropsNothingBelowTheTarget) {
  build();
  EXPECT_TRUE(drops(49, kMilliSecond * 10).empty());
}

TEST_F(Codel, TheLastPacketIsNeverDropped) {
  build();
  for (int i = 0; i < 1000; ++i) {
    arrive();
    clock_.run_until(clock_.now() + kInterval);
    EXPECT_EQ(leave(), 0);
  }
}

TEST_F(Codel, MarksInsteadWhatCanBeMarked) {
  build();
  EXPECT_TRUE(drops(200, kMilliSecond * 10, Ecn::kEct0).empty());
  const std::uint64_t marked = port_->consume_departure_marks();
  while (!port_->empty()) pool_.free(port_->evict());
  // CoDel marks as many packets as it drops in the first test.
  Scheduler again;
  int n = 0;
  for (double t = 1.05e-3; t < 10e-3; t += 1e-3 / std::sqrt(static_cast<double>(++n))) {
  }
  EXPECT_NEAR(static_cast<double>(marked), n, 1);
}

TEST_F(Codel, BeginsWithTheLastRateIfThatWasAMomentAgo) {
  build();
  const std::vector<PicoSeconds> first = drops(200, kMilliSecond * 10);
  while (port_->bytes() > 10'000) pool_.free(port_->evict());
  leave();  // this packet waited for less than the target, so the port stops dropping
  while (!port_->empty()) pool_.free(port_->evict());
  const PicoSeconds start = clock_.now();
  const std::vector<PicoSeconds> second = drops(200, start + kMilliSecond * 4);
  ASSERT_GT(second.size(), 2u);
  // The count of a new dropping state begins with the number of drops that the previous dropping
  // state made after its first drop.
  const double count = static_cast<double>(first.size()) - 1;
  EXPECT_NEAR(to_seconds(second[1] - second[0]), to_seconds(kInterval) / std::sqrt(count),
              to_seconds(kStep));
}

TEST_F(Codel, HasALimitAndChecksItsTimes) {
  p_.limit = 2500;
  build();
  EXPECT_TRUE(arrive());
  EXPECT_TRUE(arrive());
  EXPECT_FALSE(arrive());
  p_.interval = p_.target - PicoSeconds(1);
  EXPECT_THROW(p_.check(), ParameterError);
}

}  // namespace
}  // namespace dcc::codel_test
