// Tests TCP on one switch: rounds counted by hand, losses of every kind, and the windows that the
// standards predict for a given loss rate.
#include "schemes/tcp/tcp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>
#include <vector>

#include "describe/parameter_error.h"
#include "switch/drop_tail.h"
#include "unit/schemes/transport_network.h"

namespace dcc::tcp_test {
namespace {

using test::TransportStar;
using Growth = TcpWindowParameters::Growth;

// A frame of 1500 bytes has 1430 bytes of payload. At 10 Gb/s it takes 1.2 us, and an ACK 56 ns.
constexpr Bytes kSegment = 1430;
constexpr PicoSeconds kPacket{1'200'000};
constexpr PicoSeconds kAck{56'000};

TransportChoice tcp(Growth growth, unsigned initial_window = 10, bool ecn = false) {
  TransportChoice choice;
  choice.choose("tcp");
  auto& p = choice.of<TcpParameters>("tcp");
  p.window.growth = growth;
  p.window.initial_window = initial_window;
  p.ecn = ecn;
  p.min_timeout = kMilliSecond * 5;
  p.initial_timeout = kMilliSecond * 5;
  return choice;
}

struct Star : TransportStar {
  Star(HostId hosts, const TransportChoice& transport, PicoSeconds wire = kMicroSecond,
       BitRate rate = 10_Gbps, const SwitchParameters& switches = {})
      : TransportStar(hosts, transport, switches, {rate, wire, 0},
                      static_cast<std::uint32_t>(kSegment)) {}
  const TcpWindow& window(HostId host, Qpn qpn) const {
    return static_cast<const Tcp&>(*transports[host]).window(qpn);
  }
};

TEST(Tcp, OneSegmentTakesItsWayAndBack) {
  Star star(2, tcp(Growth::kNewReno));
  star.send(0, 1, kSegment);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.done.at(0).when, (kPacket + kAck + kMicroSecond * 2) * 2);
  star.expect_all_arrived();
}

// With windows of 1, 2, 4 and 8, 15 segments take four round trips over links of 100 us. The last
// segment of the eight is seven behind the first.
TEST(Tcp, SlowStartDoublesByTheRoundTrip) {
  Star star(2, tcp(Growth::kNewReno, 1), kMicroSecond * 100);
  star.send(0, 1, kSegment * 15);
  star.scheduler.run_until(kMilliSecond * 10);
  const PicoSeconds round = (kPacket + kAck + kMicroSecond * 200) * 2;
  EXPECT_EQ(star.done.at(0).when, round * 4 + kPacket * 7);
  EXPECT_EQ(star.window(0, 0).segments(), 11) << "with five under way it was not what held them";
  star.expect_all_arrived();
}

// With windows of 1, 2, 4, 4 and 4, 15 segments take five round trips. The congestion window does
// not grow beyond twice the greatest number of segments in flight.
TEST(Tcp, TheReceiversWindowHolds) {
  TransportChoice choice = tcp(Growth::kNewReno, 1);
  choice.of<TcpParameters>("tcp").receive_window = 4;
  Star star(2, choice, kMicroSecond * 100);
  star.send(0, 1, kSegment * 15);
  star.scheduler.run_until(kMilliSecond * 10);
  const PicoSeconds round = (kPacket + kAck + kMicroSecond * 200) * 2;
  EXPECT_EQ(star.done.at(0).when, round * 5 + kPacket * 3);
  EXPECT_LE(star.window(0, 0).segments(), 2 * 4 + 1);
  star.expect_all_arrived();
}

TEST(Tcp, AWindowAboveThePipeFillsTheWire) {
  Star star(2, tcp(Growth::kCubic, 64));
  star.send(0, 1, kSegment * 500);
  star.scheduler.run_until(kMilliSecond * 10);
  EXPECT_EQ(star.done.at(0).when, kPacket * 501 + kAck * 2 + kMicroSecond * 4);
  star.expect_all_arrived();
}

/// Loses the first transmission of the data packets with the listed numbers.
struct LoseOnce {
  std::vector<Psn> list;
  bool operator()(const Packet& packet) {
    if (packet.kind != PacketKind::kData) return false;
    const auto at = std::find(list.begin(), list.end(), packet.psn);
    if (at == list.end()) return false;
    list.erase(at);
    return true;
  }
};

TEST(Tcp, OneLossCostsOneRepeatAndACut) {
  Star star(2, tcp(Growth::kNewReno, 40), kMicroSecond * 100);
  star.up[0]->set_loss_hook(LoseOnce{{3}});
  star.send(0, 1, kSegment * 40);
  star.scheduler.run_until(kMilliSecond * 50);
  EXPECT_EQ(star.ledger[0].retransmits, 1u);
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 0u);
  EXPECT_EQ(star.window(0, 0).threshold(), 18.5) << "half of the 37 from the lost one on";
  // The third duplicate ACK causes the retransmission, and one round trip later all data has
  // arrived.
  const PicoSeconds round = (kPacket + kAck + kMicroSecond * 200) * 2;
  EXPECT_LE(star.done.at(0).when, round * 2 + kPacket * 7 + kPacket);
  star.expect_all_arrived();
}

// A quarter of a window is lost at once. Each segment is retransmitted once, in one recovery,
// without a timeout.
TEST(Tcp, SelectiveAcknowledgementsRepeatWhatWasLostAndNothingElse) {
  Star star(2, tcp(Growth::kCubic, 100), kMicroSecond * 100);
  const std::vector<Psn> lost{5, 6, 7, 20, 22, 24, 26, 40, 41, 42, 43, 44, 60, 70, 80, 90, 95};
  star.up[0]->set_loss_hook(LoseOnce{lost});
  star.send(0, 1, kSegment * 300);
  star.scheduler.run_until(kMilliSecond * 50);
  EXPECT_EQ(star.ledger[0].retransmits, lost.size());
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 0u);
  EXPECT_EQ(star.sum_of(&NicCounters::duplicates), 0u);
  star.expect_all_arrived();
}

TEST(Tcp, ALostEndWaitsForTheTimeoutAndASecondOneForTwice) {
  Star star(2, tcp(Growth::kNewReno, 10));
  std::size_t lost = 0;
  star.up[0]->set_loss_hook([&](const Packet& packet) {
    if (packet.kind != PacketKind::kData || packet.psn != 9 || lost == 2) return false;
    ++lost;
    return true;
  });
  star.send(0, 1, kSegment * 10);
  star.scheduler.run_until(kMilliSecond * 100);
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 2u);
  // Timeouts expire five milliseconds after the ninth ACK, and ten milliseconds later.
  const PicoSeconds ninth = kPacket * 10 + kAck * 2 + kMicroSecond * 4;
  EXPECT_EQ(star.done.at(0).when,
            ninth + kMilliSecond * 15 + (kPacket + kAck + kMicroSecond * 2) * 2);
  star.expect_all_arrived();
}

TEST(Tcp, LostAcknowledgementsAreMadeGoodByTheNext) {
  Star star(2, tcp(Growth::kCubic, 64));
  int nth = 0;
  star.up[1]->set_loss_hook([&](const Packet&) { return ++nth % 2 == 1; });
  star.send(0, 1, kSegment * 400);
  star.scheduler.run_until(kMilliSecond * 50);
  EXPECT_EQ(star.ledger[0].retransmits, 0u);
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 0u);
  star.expect_all_arrived();
}

TEST(Tcp, FlowsOfAHostTakeTurns) {
  Star star(3, tcp(Growth::kCubic, 200));
  star.send(0, 1, kSegment * 150);
  star.send(0, 2, kSegment * 150);
  star.scheduler.run_until(kMilliSecond * 10);
  // The first flow has sent one segment and has the next turn when the second flow begins.
  EXPECT_EQ(star.received_at(1) - star.received_at(0), kPacket * 2);
  star.expect_all_arrived();
}

TransportChoice patient(unsigned initial_window) {
  TransportChoice choice = tcp(Growth::kNewReno, initial_window);
  choice.of<TcpParameters>("tcp").fast_retransmit = false;
  return choice;
}

// 36 segments after a gap cause no retransmission. The timeout retransmits only the missing
// segment.
TEST(TcpWithoutFastRetransmit, OnlyATimeoutTellsOfALoss) {
  Star star(2, patient(40), kMicroSecond * 100);
  star.up[0]->set_loss_hook(LoseOnce{{3}});
  star.send(0, 1, kSegment * 40);
  star.scheduler.run_until(kMilliSecond * 5);
  EXPECT_EQ(star.ledger[0].retransmits, 0u);
  EXPECT_EQ(star.window(0, 0).segments(), 43) << "three came in order";
  star.scheduler.run_until(kMilliSecond * 50);
  EXPECT_EQ(star.ledger[0].retransmits, 1u);
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 1u);
  EXPECT_EQ(star.sum_of(&NicCounters::duplicates), 0u);
  star.expect_all_arrived();
}

// A pause of priority 3 stops one flow for a millisecond, so the other flow has the link to itself.
TEST(TcpPaused, AFlowWaitsForItsPriorityAlone) {
  Star star(3, tcp(Growth::kCubic, 200));
  const std::uint32_t held = star.send(0, 1, kSegment * 150, PicoSeconds::max(), 3);
  const std::uint32_t free = star.send(0, 2, kSegment * 150, PicoSeconds::max(), 4);
  star.scheduler.run_until(kPacket * 10);
  star.nics[0]->transmitter().block(1u << 3);
  star.scheduler.run_until(kPacket * 15);
  const std::uint64_t before = star.ledger[held].received_bytes;
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.ledger[held].received_bytes, before);
  EXPECT_EQ(star.done.size(), 1u);
  // Time of 150 segments of this flow, of six segments of the other flow before the pause, and of
  // the second link.
  EXPECT_EQ(star.received_at(free), kPacket * 157 + kMicroSecond * 2);
  star.nics[0]->transmitter().block(0);
  star.scheduler.run_until(kMilliSecond * 3);
  EXPECT_EQ(star.received_at(held), kMilliSecond + kPacket * 145 + kMicroSecond * 2);
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 0u);
  star.expect_all_arrived();
}

// Seven windows of 200 segments meet in a buffer for 130 segments. With PFC no segment is lost,
// without PFC most are.
TEST(TcpPaused, AnIncastLosesNothing) {
  for (const bool pauses : {true, false}) {
    SwitchParameters switches;
    switches.discipline.choose("fifo");
    switches.buffer = 200'000;
    switches.pfc.enabled = pauses;
    Star star(8, patient(200), kMicroSecond, 10_Gbps, switches);
    for (HostId host = 1; host < 8; ++host) star.send(host, 0, kSegment * 200);
    star.scheduler.run_until(kSecond * 20);
    EXPECT_EQ(star.device->totals().dropped == 0, pauses);
    EXPECT_EQ(star.sum_of(&NicCounters::retransmits) == 0, pauses);
    EXPECT_EQ(star.sum_of(&NicCounters::timeouts) == 0, pauses);
    EXPECT_EQ(star.device->pfc_totals().pauses_sent > 0, pauses);
    if (pauses) {  // the link to host 0 was never idle
      PicoSeconds last{};
      for (std::uint32_t flow = 0; flow < 7; ++flow) last = std::max(last, star.received_at(flow));
      EXPECT_EQ(last, kPacket * 1401 + kMicroSecond * 2);
    }
    star.expect_all_arrived();
  }
}

/// Trims the payload of the packets for which `cut` returns true, when they arrive at host 1.
template <class Cut>
void cut_payloads(Star& star, Cut cut) {
  star.down[1]->set_tap([cut](const Packet& packet, PicoSeconds) mutable {
    if (packet.kind != PacketKind::kData || !cut(packet)) return;
    auto& mine = const_cast<Packet&>(packet);
    mine.kind = PacketKind::kTrimmed;
    mine.payload_bytes = 0;
  });
}

// No segment follows the last one, so only its trimmed header reports the loss before the timeout.
TEST(TcpCutPayload, ALostEndIsSentAgainAtOnce) {
  Star star(2, tcp(Growth::kNewReno, 40), kMicroSecond * 100);
  cut_payloads(star, LoseOnce{{39}});
  star.send(0, 1, kSegment * 40);
  star.scheduler.run_until(kMilliSecond * 50);
  EXPECT_EQ(star.ledger[0].retransmits, 1u);
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 0u);
  EXPECT_EQ(star.window(0, 0).threshold(), 2) << "half of the one that was under way, or two";
  const PicoSeconds round = (kPacket + kAck + kMicroSecond * 200) * 2;
  EXPECT_EQ(star.done.at(0).when, round * 2 + kPacket * 39);
  star.expect_all_arrived();
}

// Plain losses cause the incast collapse: a whole window is lost and the sender waits for a
// timeout.
TEST(TcpCutPayload, AWholeWindowComesBackByItsOwnClock) {
  Star star(2, tcp(Growth::kCubic, 40), kMicroSecond * 100);
  std::vector<Psn> all(40);
  for (Psn psn = 0; psn < 40; ++psn) all[static_cast<std::size_t>(psn)] = psn;
  cut_payloads(star, LoseOnce{all});
  star.send(0, 1, kSegment * 40);
  star.scheduler.run_until(kMilliSecond * 50);
  EXPECT_EQ(star.ledger[0].retransmits, 40u);
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 0u);
  EXPECT_EQ(star.sum_of(&NicCounters::duplicates), 0u);
  EXPECT_LE(star.done.at(0).when, kMilliSecond * 2);
  star.expect_all_arrived();
}

// Duplicate ACKs cannot reveal the loss of a segment that was retransmitted and lost again.
TEST(TcpCutPayload, ARepeatIsCutAgainAndAgain) {
  Star star(2, tcp(Growth::kNewReno, 30), kMicroSecond * 100);
  cut_payloads(star, LoseOnce{{5, 5, 5, 5, 20, 21, 22}});
  star.send(0, 1, kSegment * 100);
  star.scheduler.run_until(kMilliSecond * 50);
  EXPECT_EQ(star.ledger[0].retransmits, 7u);
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 0u);
  EXPECT_EQ(star.sum_of(&NicCounters::duplicates), 0u);
  star.expect_all_arrived();
}

class TcpCutsAndLosses : public testing::TestWithParam<std::tuple<Growth, std::uint64_t>> {};

// The link also loses trimmed headers, their answers and whole packets.
TEST_P(TcpCutsAndLosses, EveryByteArrivesOnceAllTheSame) {
  const auto [growth, seed] = GetParam();
  Star star(2, tcp(growth, 10, growth == Growth::kDctcp), kMicroSecond * 20);
  RandomStream random(seed, "cuts");
  std::array<std::uint64_t, kPacketKinds> lost{};
  cut_payloads(star, [&](const Packet&) { return random.chance((std::uint64_t{1} << 32) / 5); });
  const auto lose = [&](const Packet& packet) {
    if (!random.chance((std::uint64_t{1} << 32) / 30)) return false;
    ++lost.at(static_cast<std::size_t>(packet.kind));
    return true;
  };
  star.up[0]->set_loss_hook(lose);
  star.up[1]->set_loss_hook(lose);
  for (int flow = 0; flow < 6; ++flow) star.send(0, 1, kSegment * 300 + flow);
  star.scheduler.run_until(kSecond * 400);
  star.expect_all_arrived();
  EXPECT_GT(lost.at(static_cast<std::size_t>(PacketKind::kNak)), 5u);
  EXPECT_GT(lost.at(static_cast<std::size_t>(PacketKind::kData)), 20u);
}
INSTANTIATE_TEST_SUITE_P(All, TcpCutsAndLosses,
                         testing::Combine(testing::Values(Growth::kNewReno, Growth::kCubic,
                                                          Growth::kDctcp),
                                          testing::Values(1, 2, 3)));

// Survey, section 3.2.4: throughput stays high with many simultaneous flows, where plain TCP waits
// for timeouts.
TEST(TcpCutPayload, ManySendersAtOnceKeepTheWireBusy) {
  const auto end = [](std::optional<Bytes> cut_above) {
    SwitchParameters switches;
    switches.discipline.choose("drop_tail");
    auto& port = switches.discipline.of<DropTailParameters>("drop_tail");
    port.limit = 100 * 1500;
    port.cut_above = cut_above;
    TransportChoice choice = tcp(Growth::kCubic);
    choice.of<TcpParameters>("tcp").min_timeout = kMilliSecond * 200;
    choice.of<TcpParameters>("tcp").initial_timeout = kMilliSecond * 200;
    Star star(65, choice, kMicroSecond * 10, 10_Gbps, switches);
    for (HostId h = 1; h < 65; ++h) star.send(h, 0, kSegment * 100);
    star.scheduler.run_until(kSecond * 20);
    star.expect_all_arrived();
    if (cut_above) {
      EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 0u);
      EXPECT_GT(star.device->totals().trimmed, 0u);
    } else {
      EXPECT_GT(star.sum_of(&NicCounters::timeouts), 0u);
    }
    PicoSeconds last;
    for (const auto& one : star.done) last = std::max(last, one.when);
    return last;
  };
  const PicoSeconds ideal = kPacket * 6400;  // all segments take 7.7 ms on the link
  EXPECT_GT(end({}), kMilliSecond * 200);
  // A trimmed header has a twentieth of a segment's bytes, and some segments are trimmed several
  // times.
  EXPECT_LT(end(50 * 1500), PicoSeconds(ideal.count * 3 / 2));
}

class TcpLosses : public testing::TestWithParam<std::tuple<Growth, std::uint64_t>> {};

TEST_P(TcpLosses, EveryByteArrivesOnceAllTheSame) {
  const auto [growth, seed] = GetParam();
  Star star(8, tcp(growth, 10, growth == Growth::kDctcp));
  RandomStream random(seed, "losses");
  std::array<std::uint64_t, kPacketKinds> lost{};
  star.lose([&](const Packet& packet) {
    if (!random.chance((std::uint64_t{1} << 32) / 20)) return false;
    ++lost.at(static_cast<std::size_t>(packet.kind));
    return true;
  });
  for (int round = 0; round < 3; ++round) {
    for (HostId h = 1; h < 8; ++h) star.send(h, h % 2, 1 + kSegment * static_cast<Bytes>(50 * h));
    for (HostId h = 2; h < 8; ++h) star.send(0, h, 700);
  }
  star.scheduler.run_until(kSecond * 400);
  star.expect_all_arrived();
  EXPECT_GT(lost.at(static_cast<std::size_t>(PacketKind::kData)), 50u);
  EXPECT_GT(lost.at(static_cast<std::size_t>(PacketKind::kAck)), 50u);
}
INSTANTIATE_TEST_SUITE_P(All, TcpLosses,
                         testing::Combine(testing::Values(Growth::kNewReno, Growth::kCubic,
                                                          Growth::kDctcp),
                                          testing::Values(1, 2, 3)));

TEST(Tcp, ManySendersOverflowAPortAndAllEnd) {
  SwitchParameters switches;
  switches.discipline.choose("drop_tail");
  switches.discipline.of<DropTailParameters>("drop_tail").limit = 64 * 1500;
  Star star(17, tcp(Growth::kCubic), kMicroSecond, 10_Gbps, switches);
  for (HostId h = 1; h < 17; ++h) star.send(h, 0, kSegment * 200);
  star.scheduler.run_until(kSecond * 20);
  EXPECT_GT(star.device->totals().dropped, 0u);
  star.expect_all_arrived();
}

/// The time average of the window with one loss every `gap` segments, on links without a queue. The
/// loss of segment `first` ends slow start. After a cut a CUBIC window returns to about its size
/// before the cut, so it keeps its initial size for a very long time. The run therefore begins
/// close to the formula's maximum.
double mean_window(Growth growth, PicoSeconds rtt, std::uint64_t gap, std::uint64_t first) {
  TransportChoice choice = tcp(growth);
  choice.of<TcpParameters>("tcp").initial_timeout = kSecond;
  // the formula assumes no fast convergence
  choice.of<TcpParameters>("tcp").window.fast_convergence = false;
  Star star(2, choice, PicoSeconds(rtt.count / 4), 100_Gbps);
  std::uint64_t nth = 0;
  star.up[0]->set_loss_hook([&](const Packet&) { return ++nth % gap == 0 || nth == first; });
  star.send(0, 1, Bytes{1} << 40);
  while (nth < gap * 30) star.scheduler.run_until(star.scheduler.now() + rtt);
  double sum = 0;
  int samples = 0;
  while (nth < gap * 60) {
    star.scheduler.run_until(star.scheduler.now() + PicoSeconds(rtt.count / 4));
    sum += star.window(0, 0).segments();
    ++samples;
  }
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 0u);
  return sum / samples;
}

// The response function of RFC 9438 (and 8312), section 5.1: (C (3 + beta) / (4 (1 - beta)))^(1/4)
// * RTT^0.75 / p^0.75.
double cubic_response(double rtt, double p) {
  return std::pow(0.4 * 3.7 / 1.2, 0.25) * std::pow(rtt / p, 0.75);
}

TEST(TcpResponse, CubicsWindowIsTheStandardsForTwoRoundTrips) {
  const double near = mean_window(Growth::kCubic, kMilliSecond * 100, 10'000, 192);
  const double far = mean_window(Growth::kCubic, kMilliSecond * 200, 10'000, 330);
  EXPECT_NEAR(near / cubic_response(0.1, 1e-4), 1, 0.03);  // the formula gives 187 segments
  EXPECT_NEAR(far / cubic_response(0.2, 1e-4), 1, 0.03);   // the formula gives 315 segments
  // Ratio of the throughputs: the flow with twice the RTT gets 2^-(1/4).
  EXPECT_NEAR(far / 0.2 / (near / 0.1), std::pow(2, -0.25), 0.03);
}

TEST(TcpResponse, WhereNewRenoWouldHaveMoreItIsNewRenos) {
  EXPECT_NEAR(mean_window(Growth::kCubic, kMilliSecond * 10, 1000, 100) / (1.2 / std::sqrt(1e-3)),
              1, 0.05);
  EXPECT_NEAR(mean_window(Growth::kNewReno, kMilliSecond * 10, 1000, 100) / std::sqrt(1.5 / 1e-3),
              1, 0.05);
}

TEST(Tcp, DctcpKeepsTheQueueAtItsThreshold) {
  SwitchParameters switches;
  switches.discipline.choose("drop_tail");
  auto& port = switches.discipline.of<DropTailParameters>("drop_tail");
  port.red = true;
  port.min_threshold = port.max_threshold = 20 * 1500;
  port.weight = Ratio(1);
  Star star(3, tcp(Growth::kDctcp, 10, true), kMicroSecond * 10, 10_Gbps, switches);
  star.send(1, 0, kSegment * 20'000);
  star.send(2, 0, kSegment * 20'000);
  star.scheduler.run_until(kMilliSecond * 20);
  const Bytes at_start = star.ledger[0].received_bytes + star.ledger[1].received_bytes;
  double queue = 0;
  for (int i = 0; i < 1000; ++i) {
    star.scheduler.run_until(star.scheduler.now() + kMicroSecond * 10);
    queue += static_cast<double>(star.device->queue_bytes(0)) / 1500 / 1000;
  }
  const Bytes bytes = star.ledger[0].received_bytes + star.ledger[1].received_bytes - at_start;
  EXPECT_GT(queue, 8);
  EXPECT_LT(queue, 26);
  EXPECT_GT(static_cast<double>(bytes), 0.98 * 1.25e9 * 0.01 * 1430 / 1500);
  EXPECT_EQ(star.device->totals().dropped, 0u);
  EXPECT_GT(star.device->totals().ecn_marks, 0u);
  EXPECT_EQ(star.sum_of(&NicCounters::retransmits), 0u);
}

// A port that drops the packets that it cannot mark would drop ACKs without ECT above the low
// threshold.
TEST(Tcp, AcksOfDctcpMayBeMarked) {
  for (const Growth growth : {Growth::kDctcp, Growth::kNewReno}) {
    Star star(2, tcp(growth, 10, true));
    std::vector<Ecn> fields;
    star.up[1]->set_tap([&](const Packet& ack, PicoSeconds) { fields.push_back(ack.ecn); });
    star.send(0, 1, kSegment * 3);
    star.scheduler.run_until(kMilliSecond);
    const Ecn expected = growth == Growth::kDctcp ? Ecn::kEct0 : Ecn::kNotEct;
    EXPECT_EQ(fields, std::vector<Ecn>(3, expected));
  }
}

// RFC 3168: the receiver echoes the mark until the sender reports its cut, and the sender cuts
// once.
TEST(Tcp, AMarkIsEchoedUntilItIsAnswered) {
  Star star(2, tcp(Growth::kNewReno, 32, true), kMicroSecond * 100);
  star.down[1]->set_tap([](const Packet& packet, PicoSeconds) {
    if (packet.kind == PacketKind::kData && packet.psn == 4)
      const_cast<Packet&>(packet).ecn = Ecn::kCe;
  });
  std::vector<bool> echoes;
  star.up[1]->set_tap([&](const Packet& ack, PicoSeconds) { echoes.push_back(ack.ce_echo); });
  star.send(0, 1, kSegment * 64);
  star.scheduler.run_until(kMilliSecond * 20);
  ASSERT_EQ(echoes.size(), 64u);
  const auto echoed = [&](std::size_t from, std::size_t to) {
    return std::count(echoes.begin() + static_cast<std::ptrdiff_t>(from),
                      echoes.begin() + static_cast<std::ptrdiff_t>(to), true);
  };
  EXPECT_EQ(echoed(0, 4), 0);
  // When the fifth ACK cuts the window, four ACKs have released four segments. The segments after
  // them carry CWR.
  EXPECT_EQ(echoed(4, 36), 32);
  EXPECT_EQ(echoed(36, 64), 0);
  EXPECT_EQ(star.window(0, 0).threshold(), 16) << "half of the 32 that were under way, once";
  star.expect_all_arrived();
}

TEST(TcpParameters, GoTogether) {
  TcpParameters p;
  EXPECT_NO_THROW(p.check());
  p.window.growth = Growth::kDctcp;
  EXPECT_THROW(p.check(), ParameterError) << "without marks";
  p.ecn = true;
  EXPECT_NO_THROW(p.check());
  p.max_timeout = kMilliSecond;
  EXPECT_THROW(p.check(), ParameterError);
}

}  // namespace
}  // namespace dcc::tcp_test
