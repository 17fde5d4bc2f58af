#include "switch/ecn_marker.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace dcc::ecn_marker_test {
namespace {

constexpr BitRate k100G{100'000'000'000};

EcnParameters ramp(Bytes kmin, Bytes kmax, double pmax) {  // pmax is rounded to a thousandth
  EcnParameters parameters;
  parameters.kmin = kmin;
  parameters.kmax = kmax;
  parameters.pmax = Ratio(static_cast<std::uint64_t>(pmax * 1000 + 0.5), 1000);
  return parameters;
}

TEST(EcnMarker, NeverUpToKminAlwaysAboveKmax) {
  EcnMarker marker(ramp(5'000, 200'000, 0.01), k100G);
  RandomStream random(1, "ecn");
  for (int i = 0; i < 20'000; ++i) {
    EXPECT_FALSE(marker.congested(0, random));
    EXPECT_FALSE(marker.congested(5'000, random));
    EXPECT_TRUE(marker.congested(200'001, random));
    EXPECT_TRUE(marker.congested(30'000'000, random));
  }
}

TEST(EcnMarker, ProbabilityRisesOnTheLineToPmax) {
  // Chi-square over 16 queue lengths; each adds (hits − n·p)² / (n·p·(1−p)).
  for (const double pmax : {0.01, 0.2, 1.0}) {
    const Bytes kmin = 100'000, kmax = 400'000;
    EcnMarker marker(ramp(kmin, kmax, pmax), k100G);
    RandomStream random(2, "ecn");
    double chi = 0;
    const int n = 200'000;
    for (int step = 1; step <= 16; ++step) {
      const Bytes queue = kmin + (kmax - kmin) * step / 17;
      int hits = 0;
      for (int i = 0; i < n; ++i) hits += marker.congested(queue, random) ? 1 : 0;
      const double p = pmax * static_cast<double>(queue - kmin) / static_cast<double>(kmax - kmin);
      chi += (hits - n * p) * (hits - n * p) / (n * p * (1 - p));
    }
    // chi-square with 16 degrees of freedom exceeds this once in 1000
    EXPECT_LT(chi, 39.3) << pmax;
    EXPECT_GT(chi, 3.9) << pmax;  // a much smaller chi-square would be suspicious too
  }
  // At a queue of Kmax the marking probability is Pmax.
  EcnMarker marker(ramp(100'000, 400'000, 0.2), k100G);
  RandomStream random(3, "ecn");
  int hits = 0;
  for (int i = 0; i < 100'000; ++i) hits += marker.congested(400'000, random) ? 1 : 0;
  EXPECT_NEAR(hits, 20'000, 500);
}

// Two switches on a path mark with probabilities 0.3 and 0.5. With `draw: packet` the second switch
// marks each packet that the first one marks, so half of the packets are marked after both. With
// independent random numbers 1 - 0.7 * 0.5 are marked. Four standard deviations of a share of 1/2
// of 100000 packets are 632.
TEST(EcnMarker, APacketHasOneNumberInAllSwitches) {
  const auto marked_by_both = [](EcnParameters::Draw draw) {
    EcnParameters parameters = ramp(0, 1'000'000, 1);
    parameters.draw = draw;
    EcnMarker first(parameters, k100G), second(parameters, k100G);
    EXPECT_TRUE(first.marks_at(EcnParameters::MarkAt::kEnqueue));
    EXPECT_FALSE(first.marks_at(EcnParameters::MarkAt::kDequeue));
    RandomStream random(5, "ecn");
    Packet packet;
    packet.source = 3;
    packet.flow = 7;
    const auto marks = [&](EcnMarker& marker, Bytes queue) {
      return marker.draws_at(EcnParameters::MarkAt::kEnqueue)
                 ? marker.congested(queue, random)
                 : marker.congested_by_packet(queue, packet);
    };
    int one = 0, other = 0, both = 0;
    for (Psn psn = 0; psn < 100'000; ++psn) {
      packet.psn = psn;
      const bool a = marks(first, 300'000);
      const bool b = marks(second, 500'000);
      one += a ? 1 : 0;
      other += b ? 1 : 0;
      both += a && b ? 1 : 0;
    }
    EXPECT_NEAR(one, 30'000, 632);
    EXPECT_NEAR(other, 50'000, 632);
    return std::pair{one, both};
  };
  const auto [one, both] = marked_by_both(EcnParameters::Draw::kPacket);
  EXPECT_EQ(both, one);
  EXPECT_NEAR(marked_by_both(EcnParameters::Draw::kRandom).second, 15'000, 632);
}

// Packets with the same PSN of different flows, hosts or directions have different random numbers.
// Of pairs that differ in one field both packets are marked in a share of 0.25, as with independent
// numbers.
TEST(EcnMarker, ThePacketsNumberDependsOnEachField) {
  EcnParameters parameters = ramp(0, 1'000'000, 1);
  parameters.draw = EcnParameters::Draw::kPacket;
  EcnMarker marker(parameters, k100G);
  const auto both_marked = [&](void (*other)(Packet&)) {
    int both = 0;
    for (Psn psn = 0; psn < 100'000; ++psn) {
      Packet packet;
      packet.source = 3;
      packet.destination = 9;
      packet.flow = 7;
      packet.psn = psn;
      const bool first = marker.congested_by_packet(500'000, packet);
      other(packet);
      both += first && marker.congested_by_packet(500'000, packet) ? 1 : 0;
    }
    return both;
  };
  EXPECT_NEAR(both_marked([](Packet& p) { p.psn += 1; }), 25'000, 632);
  EXPECT_NEAR(both_marked([](Packet& p) { p.flow = 8; }), 25'000, 632);
  EXPECT_NEAR(both_marked([](Packet& p) { std::swap(p.source, p.destination); }), 25'000, 632);
  EXPECT_NEAR(both_marked([](Packet& p) { p.ecn = Ecn::kCe; }), 50'000, 632);
}

TEST(EcnMarker, ThePacketsNumberCountsBetweenTheThresholdsOnly) {
  EcnParameters parameters = ramp(5'000, 200'000, 1);
  parameters.draw = EcnParameters::Draw::kPacket;
  parameters.unmarked_between = 1;
  EcnMarker marker(parameters, k100G);
  Packet packet;
  for (Psn psn = 0; psn < 1'000; ++psn) {
    packet.psn = psn;
    EXPECT_FALSE(marker.congested_by_packet(5'000, packet));
    EXPECT_EQ(marker.congested_by_packet(200'001, packet), psn % 2 == 0);
  }
}

// Classes of one queue have thresholds of their own, so marking depends on the packet's DSCP.
TEST(EcnMarker, ThresholdsByJob) {
  EcnParameters parameters = ramp(30'000, 30'000, 1);
  parameters.by_dscp[10].kmin = parameters.by_dscp[10].kmax = 10'000;
  parameters.by_dscp[46].kmin = 50'000;
  parameters.by_dscp[46].kmax = 150'000;
  parameters.by_dscp[46].pmax = Ratio(1, 2);
  parameters.by_dscp[0].enabled = false;
  EcnMarker marker(parameters, k100G);
  RandomStream random(4, "ecn");
  EXPECT_TRUE(marker.has_rare_rules());
  const auto marked = [&](std::uint8_t dscp, Bytes queue) {
    EcnMarker& one = marker.of_class(dscp);
    return one.marks_at(EcnParameters::MarkAt::kEnqueue) && one.congested(queue, random);
  };
  EXPECT_FALSE(marked(10, 10'000));
  EXPECT_TRUE(marked(10, 10'001));
  EXPECT_FALSE(marked(20, 30'000));  // an unlisted class has the queue's thresholds
  EXPECT_TRUE(marked(20, 30'001));
  EXPECT_FALSE(marked(0, 200'000));
  // Class 46 at 100 KB is half-way up its ramp to 1/2. The tolerance is four standard deviations of
  // 20 000 packets.
  int hits = 0;
  for (int i = 0; i < 20'000; ++i) hits += marked(46, 100'000) ? 1 : 0;
  EXPECT_NEAR(hits, 5'000, 245);
  EXPECT_FALSE(marked(46, 50'000));
  EXPECT_TRUE(marked(46, 150'001));
}

TEST(EcnMarker, AClassCanBeTheOnlyOneThatIsMarked) {
  using MarkAt = EcnParameters::MarkAt;
  EcnParameters parameters;
  parameters.enabled = false;
  EXPECT_FALSE(EcnMarker(parameters, k100G).marks_any_at(MarkAt::kEnqueue));
  parameters.by_dscp[46].enabled = true;
  EcnMarker marker(parameters, k100G);
  EXPECT_FALSE(marker.marks_at(MarkAt::kEnqueue));
  EXPECT_TRUE(marker.marks_any_at(MarkAt::kEnqueue));
  EXPECT_FALSE(marker.marks_any_at(MarkAt::kDequeue));
  EXPECT_TRUE(marker.of_class(46).marks_at(MarkAt::kEnqueue));
  EXPECT_FALSE(marker.of_class(10).marks_at(MarkAt::kEnqueue));
}

TEST(EcnMarker, StepWhenKminIsKmax) {
  EcnMarker marker(ramp(30'000, 30'000, 0.5), k100G);
  RandomStream random(1, "ecn");
  EXPECT_FALSE(marker.congested(30'000, random));
  EXPECT_TRUE(marker.congested(30'001, random));
}

TEST(EcnMarker, ThresholdsGrowWithTheRateWhenAsked) {
  EcnParameters parameters = ramp(100'000, 100'000, 1);
  parameters.reference_rate = BitRate(25'000'000'000);
  EcnMarker marker(parameters, k100G);
  RandomStream random(1, "ecn");
  EXPECT_FALSE(marker.congested(400'000, random));
  EXPECT_TRUE(marker.congested(400'001, random));
}

TEST(EcnMarker, MarkingRateLetsPacketsPassBetweenMarks) {
  EcnParameters parameters = ramp(10'000, 10'000, 1);
  parameters.unmarked_between = 3;
  EcnMarker marker(parameters, k100G);
  RandomStream random(1, "ecn");
  std::string marks;
  for (int i = 0; i < 10; ++i) {
    marks += marker.congested(20'000, random) ? 'x' : '.';
    // a packet below the threshold does not count for the marking interval
    EXPECT_FALSE(marker.congested(10'000, random));
  }
  EXPECT_EQ(marks, "x...x...x.");
}

TEST(EcnMarker, OnlyEctPacketsAreMarked) {
  Packet packet;
  const auto after = [&](Ecn before) {
    packet.ecn = before;
    const bool turned = EcnMarker::mark(packet);
    EXPECT_EQ(turned, before == Ecn::kEct0 || before == Ecn::kEct1);
    return packet.ecn;
  };
  EXPECT_EQ(after(Ecn::kEct0), Ecn::kCe);
  EXPECT_EQ(after(Ecn::kEct1), Ecn::kCe);
  EXPECT_EQ(after(Ecn::kCe), Ecn::kCe);
  EXPECT_EQ(after(Ecn::kNotEct), Ecn::kNotEct);
}

TEST(EcnMarker, PhantomQueueGrowsByWhatExceedsItsDrain) {
  // The phantom queue drains at half the rate. At full rate packet n finds (n − 1) · 512 bytes and
  // adds its 1024, so the counter holds 512 · (n + 1) bytes and exceeds 3000 with the fifth packet.
  EcnParameters parameters;
  parameters.phantom_drain = Ratio(1, 2);
  parameters.phantom_threshold = 3'000;
  EcnMarker marker(parameters, k100G);
  const PicoSeconds packet_time = serialization_time(1024, k100G);
  int first = 0;
  for (int i = 1; i <= 10; ++i) {
    if (marker.phantom_congested(1024, packet_time * i) && first == 0) first = i;
  }
  EXPECT_EQ(first, 5);
  // After a pause in which the phantom queue drains, its counter starts again.
  EXPECT_FALSE(marker.phantom_congested(1024, kMilliSecond));
}

TEST(EcnMarker, RefusesWhatCannotBe) {
  EXPECT_THROW(EcnMarker(ramp(-1, 10, 0.1), k100G), std::invalid_argument);
  EXPECT_THROW(EcnMarker(ramp(11, 10, 0.1), k100G), std::invalid_argument);
  EXPECT_THROW(EcnMarker(ramp(0, Bytes{1} << 31, 0.1), k100G), std::invalid_argument);
  EcnParameters parameters;
  parameters.pmax = Ratio(1001, 1000);
  EXPECT_THROW(EcnMarker(parameters, k100G), std::invalid_argument);
  parameters = EcnParameters{};
  parameters.phantom_drain = Ratio(65'537, 65'536);
  EXPECT_THROW(EcnMarker(parameters, k100G), std::invalid_argument);
}

}  // namespace
}  // namespace dcc::ecn_marker_test
