// Tests the transport of Ultra Ethernet on one switch of 10 Gb/s against values calculated by hand.
// A packet of 4096 bytes occupies a link for 3.328 us, a packet without payload for 51.2 ns, and
// each link adds 1 us. The base RTT is 10.7584 us, so 13 448 bytes fill the path. The initial
// window allows four packets (NSCC) or five (RCCC, which sends while it has credit).
#include "schemes/uec/uec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "describe/parameter_error.h"
#include "schemes/ndp/trimming.h"
#include "unit/schemes/transport_network.h"

namespace dcc::uec_test {
namespace {

using Control = UecParameters::Control;
using test::TransportStar;

constexpr PicoSeconds kPacket{3'328'000};
constexpr PicoSeconds kHeader{51'200};
constexpr PicoSeconds kWire = kMicroSecond;
constexpr Bytes kPayload = 4096;
// Time of a data packet over two links, and of a packet without payload back over two links.
const PicoSeconds kThere = (kPacket + kWire) * 2;
const PicoSeconds kBack = (kHeader + kWire) * 2;
const PicoSeconds kTimeout = kMicroSecond * 15 + (kThere + kBack) * 6;

TransportChoice uec(Control control, Bytes window = 0, Bytes ack_every = 0) {
  TransportChoice choice;
  choice.choose("uec");
  UecParameters& p = choice.of<UecParameters>("uec");
  p.control = control;
  if (window != 0) p.initial_window = p.max_window = window;
  p.ack_every = ack_every;
  return choice;
}

struct Star : TransportStar {
  Star(HostId hosts, const TransportChoice& choice, SwitchParameters switches = {})
      : TransportStar(hosts, choice, switches, {10_Gbps, kMicroSecond, 0}, 4096) {}

  /// Loses the packets for which `lost` returns true, each packet number once.
  template <class Lost>
  void lose_once(PacketKind kind, Lost lost) {
    lose([this, kind, lost](const Packet& packet) {
      return packet.kind == kind && lost(packet) && once_.insert(packet.psn).second;
    });
  }
  std::uint64_t retransmits() const { return sum_of(&NicCounters::retransmits); }
  std::uint64_t timeouts() const { return sum_of(&NicCounters::timeouts); }

 private:
  std::set<Psn> once_;
};

TEST(Uec, OneSenderFillsTheWireByWindow) {
  Star star(2, uec(Control::kNscc));
  star.send(0, 1, kPayload * 100);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.received_at(0), kThere + kPacket * 99);
  EXPECT_EQ(star.done.at(0).when, kThere + kPacket * 99 + kBack);
  EXPECT_EQ(star.counters().credits_sent, 0u);
  EXPECT_EQ(star.retransmits(), 0u);
  star.expect_all_arrived();
}

// The first packet requests credit for one more packet. Its PULL, after its ACK, releases four
// packets before the link would be idle. From then on a PULL every 13.447 us (four packets at 99 %)
// releases 13.312 us of data.
TEST(Uec, OneSenderIsLetGoAtThePaceOfPulls) {
  Star star(2, uec(Control::kRccc));
  star.send(0, 1, kPayload * 400);
  star.scheduler.run_until(kMilliSecond * 2);
  const PicoSeconds first_pull = kThere + kHeader + kBack;
  const PicoSeconds interval{13'446'465};
  // Four packets leave before the first answer, and four more after each PULL.
  const PicoSeconds last_sent = first_pull + interval * 98 + kPacket * 3;
  EXPECT_NEAR(static_cast<double>((star.received_at(0) - last_sent - kThere).count), 0, 52'000)
      << "that one header may wait for another";
  const TransportCounters c = star.counters();
  EXPECT_EQ(c.credits_used, 396u);
  EXPECT_GE(c.credits_sent, 396u);
  EXPECT_LE(c.credits_sent, 408u) << "asked for by packets, given by fours, and ahead at the end";
  EXPECT_EQ(star.retransmits(), 0u);
  star.expect_all_arrived();
}

// Four of eight packets leave before the first answer ends the initial window, and the receiver
// then knows only of one more wanted packet. The receiver grants the other packets while nobody
// waits.
TEST(Uec, CreditAheadOfDemandSavesARoundTrip) {
  const auto arrival = [](std::optional<Bytes> ahead) {
    TransportChoice choice = uec(Control::kRccc, kPayload * 8);
    choice.of<UecParameters>("uec").pull_packets = 1;
    choice.of<UecParameters>("uec").ahead = ahead;
    Star star(2, choice);
    star.send(0, 1, kPayload * 8);
    star.scheduler.run_until(kMilliSecond);
    star.expect_all_arrived();
    return star.received_at(0).count;
  };
  EXPECT_EQ(arrival({}), (kPacket * 7 + kThere).count) << "the wire is never idle";
  EXPECT_GE(arrival(0), ((kThere + kBack) * 2 + kPacket * 2 + kThere).count) << "a round trip more";
}

// One PULL grants four packets for the one that is wanted, and another PULL the 20 172 bytes ahead
// of demand.
TEST(Uec, CreditAheadOfDemandIsLimited) {
  for (const auto& [ahead, credits] :
       {std::pair<Bytes, unsigned>{0, 4}, {20'172, 8}, {40'000, 12}}) {
    TransportChoice choice = uec(Control::kRccc);
    choice.of<UecParameters>("uec").ahead = ahead;
    Star star(2, choice);
    star.send(0, 1, kPayload * 3);
    star.scheduler.run_until(kMilliSecond);
    star.expect_all_arrived();
    EXPECT_EQ(star.counters().credits_sent, credits) << ahead;
  }
}

TEST(Uec, AShortRunOfPacketsNeverWaitsForCredit) {
  Star star(2, uec(Control::kRccc));
  star.send(0, 1, kPayload * 40);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.received_at(0), kThere + kPacket * 39);
  star.expect_all_arrived();
}

// Twelve senders send one packet each. One packet passes, eight wait, three are trimmed and
// retransmitted at once. Trimmed headers and NACKs pass while data drains, so the port is never
// idle.
TEST(Uec, WhatIsTrimmedIsSentAgainBeforeThePortRunsDry) {
  Star star(16, uec(Control::kNscc));
  for (HostId h = 1; h <= 12; ++h) star.send(h, 0, kPayload);
  star.scheduler.run_until(kMilliSecond);
  star.expect_all_arrived();
  EXPECT_EQ(star.device->totals().trimmed, 3u);
  EXPECT_EQ(star.retransmits(), 3u);
  EXPECT_EQ(star.sum_of(&NicCounters::naks_sent), 3u);
  EXPECT_EQ(star.timeouts(), 0u);
  PicoSeconds last{};
  for (std::uint32_t flow = 0; flow < 12; ++flow) last = std::max(last, star.received_at(flow));
  EXPECT_EQ(last, kThere + kPacket * 11 + kHeader * 3) << "12 packets and 3 headers, no gap";
}

// With credit the three trimmed packets wait for their turn among all twelve senders, which cannot
// know whether they will need credit.
TEST(Uec, WhatIsTrimmedWaitsForItsPull) {
  for (const Control control : {Control::kRccc, Control::kBoth}) {
    SCOPED_TRACE(static_cast<int>(control));
    TransportChoice choice = uec(control);
    choice.of<UecParameters>("uec").ahead = 0;
    Star star(16, choice);
    for (HostId h = 1; h <= 12; ++h) star.send(h, 0, kPayload);
    star.scheduler.run_until(kMilliSecond);
    star.expect_all_arrived();
    EXPECT_EQ(star.device->totals().trimmed, 3u);
    EXPECT_EQ(star.retransmits(), 3u);
    EXPECT_EQ(star.timeouts(), 0u);
    const TransportCounters c = star.counters();
    EXPECT_EQ(c.credits_sent, 12u * 4u);
    EXPECT_EQ(c.credits_used, 3u);
    PicoSeconds last{};
    for (std::uint32_t flow = 0; flow < 12; ++flow) last = std::max(last, star.received_at(flow));
    EXPECT_LT(last, kThere * 2 + kBack + PicoSeconds(13'446'465) * 12);
  }
}

TEST(Uec, WhatIsLostIsSentAgainAfterTheTimeoutAlone) {
  Star star(2, uec(Control::kNscc));
  star.lose_once(PacketKind::kData, [](const Packet& packet) { return packet.psn == 2; });
  star.send(0, 1, kPayload * 10);
  star.scheduler.run_until(kMilliSecond);
  star.expect_all_arrived();
  EXPECT_EQ(star.retransmits(), 1u);
  EXPECT_EQ(star.timeouts(), 1u);
  EXPECT_EQ(star.sum_of(&NicCounters::duplicates), 0u);
  EXPECT_EQ(star.received_at(0), kPacket * 2 + kTimeout + kThere);
}

// The first packet and all ACKs but the last are lost. The bitmap in the last ACK reports the other
// packets.
TEST(Uec, OneAnswerTellsOfAllThatCame) {
  Star star(2, uec(Control::kNscc));
  int answers = 0;
  star.lose([&](const Packet& packet) {
    if (packet.kind == PacketKind::kData && packet.psn == 0 && answers < 3) return true;
    return packet.kind == PacketKind::kAck && ++answers <= 2;
  });
  star.send(0, 1, kPayload * 4);
  star.scheduler.run_until(kMilliSecond);
  star.expect_all_arrived();
  EXPECT_EQ(star.retransmits(), 1u);
  EXPECT_EQ(star.sum_of(&NicCounters::duplicates), 0u);
}

TEST(Uec, AnswersAreAsRareAsIsWanted) {
  for (const bool rare : {false, true}) {
    Star star(2, uec(Control::kNscc, 100'000, rare ? (kPayload + 64) * 4 : 0));
    star.send(0, 1, kPayload * 20);
    star.scheduler.run_until(kMilliSecond);
    star.expect_all_arrived();
    // The receiver acknowledges the first packet, every fourth packet after it, and the last
    // packet, which requests an ACK.
    EXPECT_EQ(star.sum_of(&NicCounters::acks_sent), rare ? 6u : 20u);
  }
}

// An ACK returns the data packet's mark, and the entropy value by which the data's path was chosen.
TEST(Uec, AnAnswerBringsBackMarkAndPath) {
  Star star(2, uec(Control::kNscc));
  star.send(0, 1, kPayload);
  star.scheduler.run_until(kMilliSecond);
  std::vector<Packet> answers;
  star.lose([&](const Packet& packet) {
    answers.push_back(packet);
    return true;
  });
  for (const bool marked : {false, true}) {
    Packet* const data = star.pool.allocate();
    data->destination = 1;
    data->flow = data->destination_qpn = 0;
    data->psn = 70;
    data->payload_bytes = kPayload;
    data->ecn = marked ? Ecn::kCe : Ecn::kEct0;
    data->overlay.entropy.value = marked ? 7 : 9;
    data->sent = kMicroSecond;
    star.transports[1]->receive(data);
    star.scheduler.run_until(star.scheduler.now() + kMilliSecond);
  }
  ASSERT_EQ(answers.size(), 2u);
  for (std::size_t i : {0, 1}) {
    EXPECT_EQ(answers[i].kind, PacketKind::kAck);
    EXPECT_EQ(answers[i].ce_echo, i) << "the mark";
    EXPECT_EQ(answers[i].overlay.entropy.echo, i == 1 ? 7 : 9);
    EXPECT_EQ(answers[i].sent, kMicroSecond);
    EXPECT_EQ(answers[i].psn, 1u) << "in order";
    EXPECT_EQ(answers[i].immediate, 7u) << "64 packets that end with this one";
    EXPECT_EQ(answers[i].scheme, std::uint64_t{1} << 63);
  }
}

/// Delivers data packets to the receiver of a star of two hosts, and records the receiver's
/// answers.
struct Told {
  explicit Told(Bytes ack_every) : star(2, uec(Control::kNscc, 0, ack_every)) {
    star.send(0, 1, 1);
    star.scheduler.run_until(kMilliSecond);
    star.lose([this](const Packet& packet) {
      ++answers;
      EXPECT_EQ(packet.kind, PacketKind::kAck);
      for (Psn psn = 0; psn < packet.psn; ++psn) of.insert(psn);
      for (unsigned bit = 0; bit < 64; ++bit) {
        if ((packet.scheme >> bit & 1) != 0) of.insert(packet.immediate + bit);
      }
      return true;
    });
  }
  void comes(Psn psn) {
    Packet* const data = star.pool.allocate();
    data->destination = 1;
    data->psn = psn;
    data->payload_bytes = kPayload;
    data->wire_bytes = kPayload + 64;
    star.transports[1]->receive(data);
    star.scheduler.run_until(star.scheduler.now() + kMicroSecond * 10);
  }

  Star star;
  std::set<Psn> of;
  int answers = 0;
};

// Packet 0 has arrived earlier and was acknowledged.
TEST(Uec, AnAnswerTellsOfAllThatCameSinceTheLast) {
  Told told((kPayload + 64) * 4);
  for (const Psn psn : {62, 63, 64, 65}) told.comes(psn);
  EXPECT_EQ(told.answers, 1);
  EXPECT_EQ(told.of, (std::set<Psn>{0, 62, 63, 64, 65}));
  // The two packets are too far apart for one ACK.
  for (const Psn psn : {10, 80, 81, 82, 83}) told.comes(psn);
  EXPECT_EQ(told.answers, 3);
  EXPECT_EQ(told.of, (std::set<Psn>{0, 10, 62, 63, 64, 65, 80, 81, 82, 83}));
}

TEST(Uec, NothingIsLeftUntoldWhateverTheOrder) {
  for (const Bytes every : {kPayload * 4, kPayload * 1000}) {
    Told told(every);
    std::mt19937 random(5);
    std::set<Psn> come{0};
    int answers = 0;
    for (Psn front = 1; front < 2000; ++front) {
      const Psn psn = front + random() % (front % 300 < 150 ? 20 : 300);
      told.comes(psn);
      come.insert(psn);
      if (told.answers == answers) continue;
      answers = told.answers;
      std::set<Psn> untold;
      std::set_difference(come.begin(), come.end(), told.of.begin(), told.of.end(),
                          std::inserter(untold, untold.end()));
      untold.erase(psn);  // an ACK that was due earlier leaves this packet to the next ACK
      ASSERT_TRUE(untold.empty()) << *untold.begin() << " when " << psn << " came";
    }
    EXPECT_GT(answers, 100);
  }
}

// One packet is lost four times. The sender knows that the packets after it arrived, although the
// receiver acknowledges only every fourth packet.
TEST(Uec, RareAnswersLeaveNothingBehindAGapToTheTimeout) {
  Star star(2, uec(Control::kNscc, 1'000'000, (kPayload + 64) * 4));
  int lost = 0;
  star.lose([&](const Packet& packet) {
    return packet.kind == PacketKind::kData && packet.psn == 2 && ++lost <= 4;
  });
  star.send(0, 1, kPayload * 200);
  star.scheduler.run_until(kMilliSecond * 10);
  star.expect_all_arrived();
  EXPECT_EQ(star.timeouts(), 4u);
  EXPECT_EQ(star.retransmits(), 4u);
  EXPECT_EQ(star.sum_of(&NicCounters::duplicates), 0u);
}

// Marked packets cut the windows of many senders, so that after the initial windows nothing is
// trimmed.
TEST(Uec, MarksKeepACrowdFromBeingTrimmed) {
  SwitchParameters switches;
  TrimmingParameters& ports = switches.discipline.of<TrimmingParameters>("trimming");
  ports.data_packets = 16;
  ports.ecn = true;
  ports.kmin = 4160 * 3;
  ports.kmax = 4160 * 12;
  Star star(5, uec(Control::kNscc), switches);
  for (HostId h = 1; h <= 4; ++h) star.send(h, 0, kPayload * 400);
  star.scheduler.run_until(kMilliSecond);
  const std::uint64_t trimmed_early = star.device->totals().trimmed;
  EXPECT_GT(star.device->totals().ecn_marks, 50u);
  star.scheduler.run_until(kMilliSecond * 20);
  star.expect_all_arrived();
  EXPECT_EQ(star.device->totals().trimmed, trimmed_early);
  EXPECT_EQ(star.timeouts(), 0u);
  PicoSeconds last{};
  for (std::uint32_t flow = 0; flow < 4; ++flow) last = std::max(last, star.received_at(flow));
  EXPECT_LT(last * 1000, (kThere + kPacket * 1600) * 1005) << "and the port is never idle";
}

// The receiver gives credit to the flows of different senders in turn. The queue holds no more
// packets than the initial windows left there.
TEST(Uec, PullsOfAllSendersTakeTurns) {
  Star star(9, uec(Control::kRccc));
  for (HostId h = 1; h <= 8; ++h) star.send(h, 0, kPayload * 100);
  star.scheduler.run_until(kMilliSecond);
  Bytes least = INT64_MAX, most = 0;
  for (std::uint32_t flow = 0; flow < 8; ++flow) {
    least = std::min(least, star.ledger[flow].received_bytes);
    most = std::max(most, star.ledger[flow].received_bytes);
  }
  EXPECT_LE(most - least, kPayload * 9) << "a PULL is four, and of the first windows eight wait";
  EXPECT_GT(least, kPayload * 31) << "1 ms is 300 packets, of which the first come twice";
  const std::uint64_t trimmed_early = star.device->totals().trimmed;
  EXPECT_LE(trimmed_early, 8u * 5u - 9u);
  star.scheduler.run_until(kMilliSecond * 20);
  star.expect_all_arrived();
  EXPECT_EQ(star.device->totals().trimmed, trimmed_early) << "nothing that was let go";
  EXPECT_EQ(star.timeouts(), 0u);
  PicoSeconds last{};
  for (std::uint32_t flow = 0; flow < 8; ++flow) last = std::max(last, star.received_at(flow));
  EXPECT_LT(last * 1000, (kThere + kPacket * 800) * 1020) << "99 %, and what the crowd began with";
}

// The last packet is trimmed when its sender has used all its credit. The header suffices to get a
// PULL.
TEST(Uec, ATrimmedPacketIsLetGoAgainUnasked) {
  Star star(2, uec(Control::kRccc));
  Packet header;
  star.lose([&](const Packet& packet) {
    EXPECT_NE(packet.kind, PacketKind::kRequest);
    if (packet.kind != PacketKind::kData || packet.psn != 7 || header.psn == 7) return false;
    header = packet;
    return true;
  });
  star.send(0, 1, kPayload * 8);  // four packets before the first answer, four by its PULL
  while (header.psn != 7) star.scheduler.run_until(star.scheduler.now() + kNanoSecond * 100);
  Packet* const trimmed = star.pool.allocate();
  *trimmed = header;
  trimmed->kind = PacketKind::kTrimmed;
  trimmed->wire_bytes = 64;
  const PicoSeconds came = star.scheduler.now();
  star.transports[1]->receive(trimmed);
  star.scheduler.run_until(kMilliSecond);
  star.expect_all_arrived();
  EXPECT_EQ(star.timeouts(), 0u);
  EXPECT_EQ(star.retransmits(), 1u);
  EXPECT_LT(star.received_at(0), came + PicoSeconds(13'446'465) + kBack + kThere);
}

// No PULL ever arrives, but every second ACK reports the sender's credit limit.
TEST(Uec, LostPullsAreMadeGoodByOtherAnswers) {
  Star star(2, uec(Control::kRccc));
  star.lose([](const Packet& packet) { return packet.kind == PacketKind::kCredit; });
  star.send(0, 1, kPayload * 100);
  star.scheduler.run_until(kMilliSecond * 500);
  star.expect_all_arrived();
  EXPECT_EQ(star.retransmits(), 0u);
}

// A sender that gets no answer requests credit.
TEST(Uec, WhoHearsNothingAndMaySendNothingAsks) {
  Star star(2, uec(Control::kRccc));
  std::uint64_t requests = 0;
  star.lose([&](const Packet& packet) {
    if (packet.kind == PacketKind::kRequest) ++requests;
    return star.scheduler.now() < kMilliSecond * 5 &&
           (packet.kind == PacketKind::kCredit || packet.kind == PacketKind::kAck);
  });
  star.send(0, 1, kPayload * 100);
  star.scheduler.run_until(kMilliSecond * 5);
  EXPECT_GE(requests, 5u);
  EXPECT_LE(requests, 12u) << "ever more rarely, not once in a timeout of 80 us";
  star.scheduler.run_until(kMilliSecond * 500);
  star.expect_all_arrived();
}

TEST(Uec, WhoIsImpatientAsksOnceARoundTripAllTheSame) {
  TransportChoice choice = uec(Control::kRccc, kPayload);
  choice.of<UecParameters>("uec").timeout = kMicroSecond;
  Star star(2, choice);
  std::uint64_t requests = 0;
  star.lose([&](const Packet& packet) {
    if (packet.kind == PacketKind::kRequest) ++requests;
    return star.scheduler.now() < kMilliSecond &&
           (packet.kind == PacketKind::kCredit || packet.kind == PacketKind::kAck);
  });
  star.send(0, 1, kPayload * 10);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_GE(requests, 5u);
  EXPECT_LE(requests, 1000 / 10u);
  star.scheduler.run_until(kMilliSecond * 500);
  star.expect_all_arrived();
}

// With grants of many packets and with losses senders run out of work and get new work again and
// again.
TEST(Uec, CreditThatIsLeftIsCountedOnce) {
  TransportChoice choice = uec(Control::kRccc, kPayload);
  choice.of<UecParameters>("uec").pull_packets = 64;
  Star star(2, choice);
  RandomStream random(1, "losses");
  star.lose([&](const Packet& packet) {
    return packet.kind == PacketKind::kData && random.chance((std::uint64_t{1} << 32) / 10 * 3);
  });
  star.send(0, 1, kPayload * 15);
  star.scheduler.run_until(kSecond);
  star.expect_all_arrived();
  EXPECT_GT(star.counters().credits_unused, 0u);
  EXPECT_LE(star.counters().credits_unused, star.counters().credits_sent);
}

TEST(Uec, MoreWorkOnARestingQueuePairGoesUnaskedAgain) {
  Star star(2, uec(Control::kRccc));
  star.send(0, 1, kPayload * 3);
  star.scheduler.run_until(kMicroSecond * 200);
  ASSERT_EQ(star.done.size(), 1u);
  star.post(0, 0, kPayload * 3, 7);
  star.scheduler.run_until(kMicroSecond * 400);
  ASSERT_EQ(star.done.size(), 2u);
  EXPECT_EQ(star.done[1].when, kMicroSecond * 200 + kThere + kPacket * 2 + kBack);
  EXPECT_EQ(star.ledger[0].received_bytes, kPayload * 6);
}

TEST(Uec, AFlowThatIsStoppedSendsNoMoreThanItHas) {
  for (const Control control : {Control::kNscc, Control::kRccc}) {
    Star star(2, uec(control));
    star.send(0, 1, kPayload * 1000);
    star.scheduler.run_until(kMicroSecond * 500);
    star.nics[0]->transmitter().stop(0);
    star.scheduler.run_until(kMicroSecond * 600);
    const Bytes received = star.ledger[0].received_bytes;
    EXPECT_GT(received, kPayload * 130);
    star.scheduler.run_until(kMilliSecond * 20);
    EXPECT_EQ(star.ledger[0].received_bytes, received);
    EXPECT_EQ(star.ledger[0].acked_bytes, received);
    EXPECT_EQ(star.pool.in_use(), 0);
  }
}

struct Lossy {
  Control control;
  std::uint64_t seed;
};
class UecLosses : public testing::TestWithParam<Lossy> {};

// Links lose a twentieth of the packets of every kind, while many senders cause trimming.
TEST_P(UecLosses, EveryByteArrivesOnceAllTheSame) {
  SwitchParameters switches;
  switches.discipline.of<TrimmingParameters>("trimming").header_queue = 64 * 2;
  Star star(12, uec(GetParam().control, 50'000), switches);
  RandomStream random(GetParam().seed, "losses");
  std::array<std::uint64_t, kPacketKinds> lost{};
  star.lose([&](const Packet& packet) {
    if (!random.chance((std::uint64_t{1} << 32) / 20)) return false;
    ++lost.at(static_cast<std::size_t>(packet.kind));
    return true;
  });
  for (int round = 0; round < 8; ++round) {
    for (HostId h = 1; h < 12; ++h) star.send(h, h % 2, 1 + kPayload * static_cast<Bytes>(5 + h));
    for (HostId h = 2; h < 12; ++h) star.send(0, h, 2000);
  }
  star.scheduler.run_until(kSecond);
  star.expect_all_arrived();
  for (const PacketKind kind :
       {PacketKind::kData, PacketKind::kAck, PacketKind::kNak, PacketKind::kTrimmed}) {
    EXPECT_GT(lost.at(static_cast<std::size_t>(kind)), 0u) << static_cast<int>(kind);
  }
  EXPECT_GT(star.device->totals().returned, 0u);
}
INSTANTIATE_TEST_SUITE_P(Each, UecLosses,
                         testing::Values(Lossy{Control::kNscc, 1}, Lossy{Control::kNscc, 2},
                                         Lossy{Control::kRccc, 3}, Lossy{Control::kRccc, 4},
                                         Lossy{Control::kBoth, 5}));

TEST(UecParameters, RefuseAGreatestWindowBelowTheFirst) {
  UecParameters p;
  p.initial_window = 2000;
  p.max_window = 1000;
  EXPECT_THROW(p.check(), ParameterError);
  p.max_window = 2000;
  EXPECT_NO_THROW(p.check());
}

}  // namespace
}  // namespace dcc::uec_test
