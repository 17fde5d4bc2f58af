// Tests pHost on one switch of 10 Gb/s against values calculated step by step. 1500 bytes occupy a
// link for 1.2 us, 40 bytes for 32 ns, and each link adds 0.2 us. A request or a token therefore
// takes 0.464 us to the other end, a data packet 2.8 us.
#include "schemes/phost/phost.h"

#include <gtest/gtest.h>

#include <vector>

#include "unit/schemes/transport_network.h"

namespace dcc::phost_test {
namespace {

using test::TransportStar;

constexpr PicoSeconds kPacket{1'200'000};
constexpr PicoSeconds kControlWay{464'000};
constexpr PicoSeconds kDataWay{2'800'000};

struct Star : TransportStar {
  Star(HostId hosts, PicoSeconds wire)
      : TransportStar(hosts, phost(), {}, {10_Gbps, wire, 0}, 1460) {}
  static TransportChoice phost() {
    TransportChoice choice;
    choice.choose("phost");
    choice.of<PhostParameters>("phost").framing = {40, 40};
    return choice;
  }
};
constexpr PicoSeconds kWire = kNanoSecond * 200;

// In the published replay a packet within an idle rack takes 3.264 us to its ACK, and 32 ns for the
// request before it.
TEST(Phost, OnePacketTakesWhatTheReplayTook) {
  Star star(2, kWire);
  star.send(0, 1, 1460);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.done.at(0).when, PicoSeconds(3'264'000 + 32'000));
  EXPECT_EQ(star.counters().credits_sent, 0u) << "its packet was free";
  star.expect_all_arrived();
}

TEST(Phost, ALongMessageWaitsForItsTokens) {
  Star star(2, kWire);
  star.send(0, 1, 1460 * 20);
  star.scheduler.run_until(kMilliSecond);
  // The flow takes the time of a request, a token, packets at the rate of tokens, and the ACK.
  EXPECT_EQ(star.done.at(0).when, kControlWay * 2 + kDataWay + kPacket * 19 + kControlWay);
  const TransportCounters c = star.counters();
  EXPECT_EQ(c.credits_sent, 20u);
  EXPECT_EQ(c.credits_used, 20u);
  EXPECT_EQ(c.credits_unused, 0u);
  star.expect_all_arrived();
}

TEST(Phost, TheMessageWithLeastMissingGetsTheTokens) {
  Star star(3, kWire);
  star.send(1, 0, 1460 * 100);
  star.scheduler.run_until(kMicroSecond * 24);
  star.send(2, 0, 1460 * 12);
  star.scheduler.run_until(kMilliSecond);
  // The flow gets tokens from the next packet time on, behind at most three packets.
  EXPECT_LE(star.received_at(1),
            kMicroSecond * 24 + kControlWay * 2 + kDataWay + kPacket * 11 + kPacket * 4);
  EXPECT_EQ(star.received_at(0), kControlWay * 2 + kDataWay + kPacket * 111 + PicoSeconds(32'000))
      << "and but for the other's request the wire was never idle";
  star.expect_all_arrived();
}

// Two receivers give the same sender two tokens per packet time, of which the sender can use one.
// Every token is used or expires, and all messages complete.
TEST(Phost, TokensAreUsedOrVoid) {
  Star star(3, kWire);
  star.send(0, 1, 1460 * 60);
  star.send(0, 2, 1460 * 60);
  star.scheduler.run_until(kMilliSecond * 10);
  const TransportCounters c = star.counters();
  EXPECT_GT(c.credits_unused, 0u);
  EXPECT_EQ(c.credits_sent, c.credits_used + c.credits_unused);
  EXPECT_EQ(c.credits_used, 120 + star.sum_of(&NicCounters::duplicates));
  // Packets whose token expired are sent later, for the first time.
  EXPECT_EQ(star.sum_of(&NicCounters::retransmits), star.sum_of(&NicCounters::duplicates));
  star.expect_all_arrived();
}

/// Records the times at which tokens leave host `host`.
void watch_tokens(Star& star, HostId host, std::vector<PicoSeconds>& when) {
  star.up[host]->set_tap([&when](const Packet& p, PicoSeconds now) {
    if (p.kind == PacketKind::kCredit) when.push_back(now);
  });
}

// No packet answers the tokens. The receiver sends eight tokens, then one every 25 packet times.
TEST(Phost, TokensStopAtTheWindowAndAreGivenUpOneByOne) {
  Star star(2, kWire);
  bool dead = true;
  star.up[0]->set_loss_hook([&](const Packet& p) { return dead && p.kind == PacketKind::kData; });
  std::vector<PicoSeconds> tokens;
  watch_tokens(star, 1, tokens);
  star.send(0, 1, 1460 * 40);
  star.scheduler.run_until(kMicroSecond * 70);
  ASSERT_EQ(tokens.size(), 10u);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(tokens[i], kControlWay + kPacket * static_cast<std::int64_t>(i)) << i;
  }
  EXPECT_EQ(tokens[8] - tokens[7], kPacket * 25);
  EXPECT_EQ(tokens[9] - tokens[8], kPacket * 25);
  dead = false;
  star.scheduler.run_until(kMilliSecond * 5);
  star.expect_all_arrived();
}

// With links of 5 us the data of a token arrives 22.464 us later, after more than the eight packet
// times of the window. All eight packets arrive within the pause of 25 packet times, and the
// receiver sends no token before the pause ends.
TEST(Phost, DataThatOpensTheWindowWakesNobody) {
  Star star(2, kMicroSecond * 5);
  std::vector<PicoSeconds> tokens;
  watch_tokens(star, 1, tokens);
  star.send(0, 1, 1460 * 16);
  star.scheduler.run_until(kMilliSecond);
  ASSERT_EQ(tokens.size(), 16u);
  EXPECT_EQ(tokens[7] - tokens[0], kPacket * 7);
  EXPECT_EQ(tokens[8] - tokens[7], kPacket * 25);
  EXPECT_EQ(tokens[15] - tokens[8], kPacket * 7);
  star.expect_all_arrived();
}

// A new message ends the pause. At 31 us after the first token, when all eight packets have passed
// the switch, another host announces a message of one packet. That message gets a token, and the
// next token goes to the flow whose window is open again.
TEST(Phost, ANewMessageDoes) {
  Star star(3, kMicroSecond * 5);
  std::vector<PicoSeconds> tokens;
  watch_tokens(star, 1, tokens);
  star.send(0, 1, 1460 * 16);
  star.scheduler.run_until(kMicroSecond * 31);
  star.send(2, 1, 1460);
  star.scheduler.run_until(kMilliSecond);
  ASSERT_EQ(tokens.size(), 16u);
  EXPECT_EQ(tokens[8] - tokens[0], kMicroSecond * 31 + kPacket);
  star.expect_all_arrived();
}

// Eight tokens would go to the first message. After 0.5 us a longer message is announced, which
// gets the second token.
TEST(Phost, TheNewestRequestSaysHowLongToHold) {
  Star star(3, kWire);
  std::vector<PicoSeconds> tokens;
  watch_tokens(star, 1, tokens);
  star.send(0, 1, 1460 * 8);
  star.scheduler.run_until(kNanoSecond * 500);
  star.send(2, 1, 1460 * 20);
  star.scheduler.run_until(kMilliSecond);
  ASSERT_EQ(tokens.size(), 20u);
  EXPECT_EQ(tokens[0], kControlWay + kPacket);
  star.expect_all_arrived();
}

// The only packet of a message is lost. Two packet times after its request the flow gets a token
// for it.
TEST(Phost, AFreePacketThatIsLostGetsATokenSoon) {
  Star star(2, kWire);
  int packets = 0;
  star.up[0]->set_loss_hook(
      [&](const Packet& p) { return p.kind == PacketKind::kData && ++packets == 1; });
  star.send(0, 1, 1460);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.done.at(0).when, kControlWay + kPacket * 2 + kControlWay + kDataWay + kControlWay);
  EXPECT_EQ(star.counters().credits_sent, 1u);
  star.expect_all_arrived();
}

// The last packet of twelve is lost. Nine packet times after the last token the flow gets another
// token.
TEST(Phost, WhatIsMissingAtTheEndGetsANewToken) {
  Star star(2, kWire);
  bool lost = false;
  star.up[0]->set_loss_hook([&](const Packet& p) {
    const bool now = !lost && p.kind == PacketKind::kData && p.psn == 11;
    lost = lost || now;
    return now;
  });
  star.send(0, 1, 1460 * 12);
  star.scheduler.run_until(kMilliSecond);
  const PicoSeconds last_token = kControlWay + kPacket * 11;
  EXPECT_EQ(star.done.at(0).when, last_token + kPacket * 9 + kControlWay + kDataWay + kControlWay);
  EXPECT_EQ(star.counters().credits_sent, 13u);
  star.expect_all_arrived();
}

TEST(Phost, ALostRequestIsRepeated) {
  Star star(2, kWire);
  int requests = 0;
  star.up[0]->set_loss_hook(
      [&](const Packet& p) { return p.kind == PacketKind::kRequest && ++requests == 1; });
  star.send(0, 1, 1460 * 12);
  star.scheduler.run_until(kMilliSecond * 5);
  EXPECT_EQ(star.done.at(0).when,
            kMilliSecond + kControlWay * 2 + kDataWay + kPacket * 11 + kControlWay);
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 1u);
  star.expect_all_arrived();
}

// The ACK is lost, so the sender repeats its request. The answer to the repeated request must not
// count as an RTT sample.
TEST(Phost, AnAnswerWithoutDataIsNoRoundTrip) {
  Star star(2, kWire);
  int acks = 0;
  star.down[0]->set_loss_hook(
      [&](const Packet& p) { return p.kind == PacketKind::kAck && ++acks == 1; });
  star.send(0, 1, 1460);
  star.scheduler.run_until(kMilliSecond * 5);
  EXPECT_EQ(acks, 2);
  EXPECT_EQ(star.nics[0]->transmitter().requester().rtt_ns().count(), 0u);
  star.expect_all_arrived();
}

TEST(Phost, AStoppedMessageEnds) {
  Star star(2, kWire);
  star.send(0, 1, 1460 * 100);
  star.scheduler.run_until(kMicroSecond * 20);
  star.nics[0]->transmitter().stop(0);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.done.size(), 1u);
  EXPECT_EQ(star.ledger[0].received_bytes, star.ledger[0].acked_bytes);
  EXPECT_LT(star.ledger[0].received_bytes, 1460 * 20);
  EXPECT_EQ(star.pool.in_use(), 0);
  const std::uint64_t events = star.scheduler.events_run();
  star.scheduler.run_until(kSecond);
  EXPECT_LE(star.scheduler.events_run(), events + 2) << "nobody asks any more";
}

}  // namespace
}  // namespace dcc::phost_test
