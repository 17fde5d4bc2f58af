// Tests the PI port against the gains of PI's authors and the closed form of its integrator.
#include "schemes/pi/pi.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "describe/parameter_error.h"

namespace dcc::pi_test {
namespace {

class PiTest : public testing::Test {
 protected:
  PiTest() {
    p_.limit = 1'000'000'000;
    p_.target = 20'000;
    p_.packet = 1000;
  }
  ~PiTest() override {
    while (port_ && !port_->empty()) pool_.free(port_->dequeue());
  }
  void build() {
    port_.emplace(p_, DisciplineContext{random_, clock_});
    LinkParameters link;
    link.rate = BitRate(10'000'000'000);
    port_->attach(link);
  }
  /// Lets a packet arrive and counts marks. Returns true if the port accepted the packet.
  bool arrive(Ecn ecn = Ecn::kEct0) {
    Packet* const packet = pool_.allocate();
    packet->wire_bytes = 1000;
    packet->ecn = ecn;
    PortDiscipline::EnqueueResult result = port_->enqueue(packet);
    marked_ += result.marked;
    const bool kept = result.dropped.empty();
    while (!result.dropped.empty()) pool_.free(result.dropped.pop());
    return kept;
  }
  void leave() { pool_.free(port_->dequeue()); }
  void wait(PicoSeconds time) { clock_.run_until(clock_.now() + time); }

  PiParameters p_;
  RandomStream random_{1, "pi"};
  Scheduler clock_;
  PacketPool pool_;
  std::optional<PiPort> port_;
  std::uint64_t marked_ = 0;
};

// Section V of the paper: C = 3750 packets/s, N = 60, R = 0.246 s and 160 Hz give a = 1.822e-5 and
// b = 1.816e-5. The authors round the zero to 0.53 and the gain to 9.64e-6, so the test allows 2 %.
TEST(PiGains, AreThoseOfThePapersExample) {
  const PiGains gains = PiGains::design(3750, 60, 0.246, 1 / 160.0);
  EXPECT_NEAR(gains.a, 1.822e-5, 0.02 * 1.822e-5);
  EXPECT_NEAR(gains.b, 1.816e-5, 0.02 * 1.816e-5);
  EXPECT_NEAR(gains.a / gains.b, 1.822 / 1.816, 0.0003);
}

// The queue stays e packets above the target from the first period on: p(k) = a e + (k − 1) (a − b)
// e.
TEST_F(PiTest, IntegratesTheDistanceFromTheTarget) {
  build();
  const PiGains gains = PiGains::design(10e9 / 8000, p_.flows, 50e-6, 10e-6);
  for (int i = 0; i < 30; ++i) arrive();
  const double at_start = port_->probability();
  EXPECT_EQ(at_start,
            0);  // the first arrival makes the first update, with a queue below the target
  const double e = 10;
  const double first = -20;  // error of the queue length at the first update, in packets
  for (int k = 1; k <= 20; ++k) {
    wait(p_.period);
    leave();  // the queue at the end of the period was 30 packets
    arrive();
    const double expected = gains.a * e - gains.b * first + (k - 1) * (gains.a - gains.b) * e;
    ASSERT_NEAR(port_->probability(), std::min(1.0, expected), 1e-9) << k;
    ASSERT_EQ(port_->bytes(), 30'000);
  }
}

TEST_F(PiTest, SkipsPeriodsWithoutPacketsAtOnce) {
  build();
  const PiGains gains = PiGains::design(10e9 / 8000, p_.flows, 50e-6, 10e-6);
  for (int i = 0; i < 30; ++i) arrive();
  wait(p_.period * 5);
  leave();
  const double expected = gains.a * 10 + gains.b * 20 + 4 * (gains.a - gains.b) * 10;
  EXPECT_NEAR(port_->probability(), std::min(1.0, expected), 1e-9);
  while (!port_->empty()) leave();
  wait(kMilliSecond * 100);  // ten thousand periods with an empty queue
  arrive();
  EXPECT_EQ(port_->probability(), 0);
}

TEST_F(PiTest, MarksWithThatProbability) {
  build();
  for (int i = 0; i < 1020; ++i) arrive();
  wait(p_.period);
  leave();
  arrive();
  marked_ = 0;
  const double p = port_->probability();
  ASSERT_GT(p, 0.001);
  ASSERT_LT(p, 0.999);
  constexpr int kPackets = 20'000;
  for (int i = 0; i < kPackets; ++i) {  // all arrivals fall into one update period
    leave();
    arrive();
  }
  EXPECT_NEAR(static_cast<double>(marked_) / kPackets, p, 5 * std::sqrt(p * (1 - p) / kPackets));
}

TEST_F(PiTest, DropsWhatCannotBeMarkedAndWhatFindsNoRoom) {
  p_.limit = 40'000;
  build();
  int kept = 0;
  for (int i = 0; i < 60; ++i) kept += arrive(Ecn::kNotEct) ? 1 : 0;
  EXPECT_EQ(kept, 40);
  p_.target = 50'000;
  EXPECT_THROW(p_.check(), ParameterError);
  p_.target = 20'000;
  p_.period = p_.rtt * 2;
  EXPECT_THROW(p_.check(), ParameterError);
}

}  // namespace
}  // namespace dcc::pi_test
