// Tests a port that drops arrivals without room, and RED: average, probabilities, marks or drops.
#include "switch/drop_tail.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "describe/parameter_error.h"

namespace dcc {
namespace {

class DropTailPortTest : public testing::Test {
 protected:
  DropTailPort& build(const DropTailParameters& parameters) {
    port_ = std::make_unique<DropTailPort>(parameters, DisciplineContext{random_, clock_});
    port_->attach({10_Gbps, {}, 0});
    return *port_;
  }
  struct Fate {
    bool dropped = false;
    bool marked = false;
  };
  Fate arrive(Ecn ecn = Ecn::kNotEct, std::uint32_t bytes = 1500) {
    Packet* const packet = pool_.allocate();
    packet->wire_bytes = bytes;
    packet->psn = next_++;
    packet->ecn = ecn;
    PortDiscipline::EnqueueResult result = port_->enqueue(packet);
    Fate fate{!result.dropped.empty(), result.marked != 0};
    while (!result.dropped.empty()) pool_.free(result.dropped.pop());
    return fate;
  }
  Packet leave() {
    Packet* const packet = port_->dequeue();
    const Packet copy = *packet;
    pool_.free(packet);
    return copy;
  }
  RandomStream random_{1, "red"};
  Scheduler clock_;
  PacketPool pool_;
  std::unique_ptr<DropTailPort> port_;
  Psn next_ = 0;
};

TEST_F(DropTailPortTest, DropsWhatFindsNoRoomAndServesInOrder) {
  DropTailParameters p;
  p.limit = 4500;
  build(p);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(arrive().dropped);
  EXPECT_TRUE(arrive().dropped);
  EXPECT_EQ(port_->bytes(), 4500);
  EXPECT_EQ(leave().psn, 0u);
  EXPECT_FALSE(arrive(Ecn::kNotEct, 1400).dropped);
  EXPECT_TRUE(arrive(Ecn::kNotEct, 101).dropped);
  EXPECT_FALSE(arrive(Ecn::kNotEct, 100).dropped);
  EXPECT_EQ(leave().psn, 1u);
}

TEST_F(DropTailPortTest, ServesTheHighestPriorityAndDropsWhoeverComesLast) {
  DropTailParameters p;
  p.limit = 4500;
  build(p);
  for (const std::uint8_t priority : {3, 7, 3}) {
    Packet* const packet = pool_.allocate();
    packet->wire_bytes = 1500;
    packet->priority = priority;
    packet->psn = next_++;
    EXPECT_TRUE(port_->enqueue(packet).dropped.empty());
  }
  EXPECT_TRUE(arrive(Ecn::kNotEct, 1).dropped);
  EXPECT_EQ(leave().psn, 1u);
  EXPECT_EQ(leave().psn, 0u);
  EXPECT_EQ(leave().psn, 2u);
  EXPECT_TRUE(port_->empty());
}

TEST_F(DropTailPortTest, TheAverageFollowsArrivalsAndFallsWhileEmpty) {
  DropTailParameters p;
  p.red = true;
  p.min_threshold = p.max_threshold = 100'000;
  p.weight = Ratio(1, 4);
  build(p);
  arrive();
  arrive();  // this arrival finds a queue of 1500 bytes
  EXPECT_DOUBLE_EQ(port_->average(), 375);
  arrive();  // this arrival finds 3000 bytes, so the average is 375 + (3000 - 375) / 4
  EXPECT_DOUBLE_EQ(port_->average(), 1031.25);
  for (int i = 0; i < 3; ++i) leave();
  // an idle time of two full packets and a little more
  clock_.advance_to(PicoSeconds(1'200'000 * 2 + 500'000));
  arrive();
  EXPECT_DOUBLE_EQ(port_->average(), 1031.25 * 0.75 * 0.75);
}

TEST_F(DropTailPortTest, WithWeightOneEqualThresholdsAreAStep) {
  DropTailParameters p;
  p.red = true;
  p.min_threshold = p.max_threshold = 3000;
  p.weight = Ratio(1);
  build(p);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(arrive(Ecn::kEct0).marked) << i;
  EXPECT_TRUE(arrive(Ecn::kEct0).marked) << "finds 4500";
  EXPECT_TRUE(arrive().dropped) << "cannot be marked";
  const Fate again = arrive(Ecn::kCe);
  EXPECT_FALSE(again.dropped) << "has its mark";
  EXPECT_FALSE(again.marked);
  EXPECT_EQ(port_->bytes(), 5 * 1500);
}

// Between the thresholds RED's counter makes the gaps between marked packets uniform below 1/p_b.
TEST_F(DropTailPortTest, VictimsAreSpreadEvenly) {
  DropTailParameters p;
  p.red = true;
  p.min_threshold = 0;
  p.max_threshold = 60'000;
  p.max_probability = Ratio(1, 10);
  p.weight = Ratio(1);
  p.limit = 1'000'000;
  build(p);
  arrive();  // this arrival finds an empty queue
  for (int i = 0; i < 19; ++i) arrive(Ecn::kCe);
  // From now on each arrival finds 30 000 bytes, so p_b = 1/20.
  int since = 0, longest = 0, victims = 0;
  const int n = 20'000;
  for (int i = 0; i < n; ++i) {
    ++since;
    if (arrive(Ecn::kEct0).marked) {
      longest = std::max(longest, since);
      since = 0;
      ++victims;
    }
    leave();
  }
  EXPECT_LE(longest, 20);
  EXPECT_NEAR(static_cast<double>(n) / victims, 10, 0.2) << "the mean of 1 ... 19";
}

// CP (cutting payload): the port removes the payload, the packet keeps its place, and control
// packets stay whole.
TEST_F(DropTailPortTest, CutsPayloadsAboveAThresholdAndKeepsTheOrder) {
  DropTailParameters p;
  p.limit = 6200;
  p.cut_above = 3000;
  build(p);
  const auto come = [&](PacketKind kind, std::uint32_t wire, std::uint32_t payload) {
    Packet* const packet = pool_.allocate();
    packet->kind = kind;
    packet->psn = next_++;
    packet->wire_bytes = wire;
    packet->payload_bytes = payload;
    PortDiscipline::EnqueueResult result = port_->enqueue(packet);
    while (!result.dropped.empty()) pool_.free(result.dropped.pop());
    return result;
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(come(PacketKind::kData, 1500, 1430).trimmed, 0u) << i;
  const PortDiscipline::EnqueueResult cut = come(PacketKind::kData, 1500, 1430);
  EXPECT_EQ(cut.trimmed, 1u);
  EXPECT_EQ(cut.trimmed_bytes, 1430);
  EXPECT_EQ(port_->bytes(), 4500 + 74);
  EXPECT_EQ(come(PacketKind::kAck, 1500, 0).trimmed, 0u) << "is none of data";
  EXPECT_EQ(come(PacketKind::kData, 70, 4).trimmed, 1u);
  EXPECT_EQ(port_->bytes(), 6000 + 74 + 70) << "no longer than it was";
  for (Psn psn = 0; psn < 6; ++psn) {
    const Packet packet = leave();
    EXPECT_EQ(packet.psn, psn);
    EXPECT_EQ(packet.kind == PacketKind::kTrimmed, psn == 3 || psn == 5) << psn;
  }
}

TEST(DropTailParameters, HeadersHaveRoomAboveWhereTheyAreCut) {
  DropTailParameters p;
  p.cut_above = p.limit - 1;
  EXPECT_NO_THROW(p.check());
  p.cut_above = p.limit;
  EXPECT_THROW(p.check(), ParameterError);
}

TEST(DropTailParameters, ThresholdsAscend) {
  DropTailParameters p;
  p.red = true;
  EXPECT_NO_THROW(p.check());
  p.min_threshold = p.max_threshold + 1;
  EXPECT_THROW(p.check(), ParameterError);
  p.red = false;
  EXPECT_NO_THROW(p.check());
}

}  // namespace
}  // namespace dcc
