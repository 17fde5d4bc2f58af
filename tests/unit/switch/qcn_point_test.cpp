#include "switch/qcn_point.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

namespace dcc {
namespace {

QcnPointParameters parameters() {
  QcnPointParameters p;
  p.enabled = true;
  p.set_point = 20'000;
  p.w = 2;
  p.sample_base = 150'000;
  return p;
}

std::uint32_t arrival(QcnPoint& point, std::uint32_t bytes, Bytes queue, RandomStream& random) {
  Packet packet;
  packet.wire_bytes = bytes;
  return point.arrival(packet, queue, random, {});
}

TEST(QcnPoint, FeedbackByHand) {
  RandomStream random(1, "qcn");
  {
    // The queue rises from 0 to 30000 bytes: 10000 + 2·30000 = 70000; 70000·63/100000 = 44.1.
    QcnPoint point(parameters());
    EXPECT_EQ(arrival(point, 150'000, 30'000, random), 44u);
    // The queue stays at 30000 bytes: 10000 + 0 gives 6.3. The next sample comes after at least
    // 0.85 · 30 KB.
    EXPECT_EQ(arrival(point, 25'000, 30'000, random), 0u);
    EXPECT_EQ(arrival(point, 10'000, 30'000, random), 6u);
    // A queue of 25 KB is above its set point by less than it fell since the last sample. The
    // congestion measure is therefore negative, and QCN sends no message.
    EXPECT_EQ(arrival(point, 200'000, 25'000, random), 0u);
  }
  {
    QcnPoint point(parameters());  // a feedback that saturates at 63
    EXPECT_EQ(arrival(point, 150'000, 500'000, random), 63u);
  }
  {
    // The queue stays at the set point.
    QcnPoint point(parameters());
    // the feedback is 2·20000·63/100000 = 25.2
    EXPECT_EQ(arrival(point, 150'000, 20'000, random), 25u);
    EXPECT_EQ(arrival(point, 200'000, 20'000, random), 0u);
  }
}

TEST(QcnPoint, SamplesEvery150KbWithoutAndEvery18WithMuchCongestion) {
  const auto samples = [](Bytes queue) {
    RandomStream random(1, "qcn");
    QcnPoint point(parameters());
    int count = 0;
    for (int i = 0; i < 30'000; ++i) count += arrival(point, 1'000, queue, random) != 0 ? 1 : 0;
    return count;
  };
  // A steady queue of 21600 bytes has the feedback 1600·63/100000 = 1.008 and thus a sample every
  // 150 KB of 30 MB.
  EXPECT_NEAR(samples(21'600), 200, 10);
  // A queue of 110000 bytes has the feedback 90000·63/100000 = 56.7 and a sample every 0.123 · 150
  // KB, plus half a packet because samples are whole packets.
  EXPECT_NEAR(samples(110'000), 30'000 / (18.45 + 0.5), 60);
}

// The feedback rule sees every packet, including packets without a sample, and sets the feedback of
// the message.
TEST(QcnPoint, ARuleChangesTheFeedback) {
  struct Doubled final : FeedbackRule {
    explicit Doubled(int& calls) : calls_(calls) {}
    std::uint32_t feedback(std::uint32_t feedback, const Packet&, PicoSeconds) override {
      ++calls_;
      return 2 * feedback;
    }
    void add_state(StateDigest&) const override {}
    int& calls_;
  };
  int calls = 0;
  QcnPointParameters p = parameters();
  p.rule = [&](const QcnPointParameters&) { return std::make_unique<Doubled>(calls); };
  QcnPoint point(p);
  RandomStream random(1, "qcn");
  // Without the feedback rule the feedback would be 25.
  EXPECT_EQ(arrival(point, 150'000, 20'000, random), 50u);
  EXPECT_EQ(arrival(point, 1'000, 20'000, random), 0u);
  EXPECT_EQ(calls, 2);
}

TEST(QcnPoint, RefusesWhatCannotBe) {
  QcnPointParameters p = parameters();
  p.set_point = 0;
  EXPECT_THROW(QcnPoint{p}, std::invalid_argument);
  p = parameters();
  p.w = -1;
  EXPECT_THROW(QcnPoint{p}, std::invalid_argument);
  p = parameters();
  p.sample_base = 0;
  EXPECT_THROW(QcnPoint{p}, std::invalid_argument);
}

}  // namespace
}  // namespace dcc
