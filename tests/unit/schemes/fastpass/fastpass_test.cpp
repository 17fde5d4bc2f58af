// Tests Fastpass on one switch of 10 Gb/s against values calculated step by step. A packet of 4096
// bytes occupies a link for 3.328 us, and each link adds 1 us. A slot takes 4 us. A batch has four
// slots, of which the first one comes 10 us after the beginning of the batch.
#include "schemes/fastpass/fastpass.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "sim/state_digest.h"
#include "unit/schemes/transport_network.h"

namespace dcc::fastpass_test {
namespace {

using test::TransportStar;

constexpr PicoSeconds kPacket{3'328'000};
constexpr PicoSeconds kWire = kMicroSecond;
constexpr PicoSeconds kSlot = kMicroSecond * 4;
constexpr Bytes kPayload = 4096;
const PicoSeconds kThere = (kPacket + kWire) * 2;

using Change = std::function<void(FastpassParameters&)>;

/// A star whose last host is the arbiter.
struct Star : TransportStar {
  explicit Star(
      HostId hosts, const Change& change = [](FastpassParameters&) {})
      : TransportStar(hosts, fastpass(hosts, change), {}, {10_Gbps, kMicroSecond, 0}, 4096) {}
  static TransportChoice fastpass(HostId hosts, const Change& change) {
    TransportChoice choice;
    choice.choose("fastpass");
    auto& p = choice.of<FastpassParameters>("fastpass");
    p.arbiter = hosts - 1;
    p.slot = kSlot;
    p.batch = 4;
    p.lead = kMicroSecond * 10;
    p.allocation_time = {};
    change(p);
    return choice;
  }
  void expect_slots_kept() {
    const TransportCounters c = counters();
    EXPECT_EQ(c.credits_sent, c.credits_used + c.credits_unused);
    EXPECT_EQ(c.credits_dropped, 0u);
  }
};

// The request arrives at 2.1 us. The next batch begins at 16 us, and its first slot is number 7, at
// 28 us.
TEST(Fastpass, SendsInTheSlotsThatItIsGiven) {
  Star star(3);
  star.send(0, 1, kPayload * 3);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.received_at(0), kSlot * 9 + kThere);
  EXPECT_EQ(star.counters().credits_sent, 3u);
  star.expect_slots_kept();
  star.expect_all_arrived();
}

// Consecutive batches leave no unused timeslot between them.
TEST(Fastpass, ALongFlowHasEverySlot) {
  Star star(3);
  star.send(0, 1, kPayload * 50);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.received_at(0), kSlot * (7 + 49) + kThere);
  star.expect_all_arrived();
}

TEST(Fastpass, TwoThatSendToOneHostTakeTurns) {
  Star star(4);
  star.send(0, 2, kPayload * 20);
  star.send(1, 2, kPayload * 20);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.received_at(0), kSlot * (7 + 38) + kThere);
  EXPECT_EQ(star.received_at(1), kSlot * (7 + 39) + kThere);
  star.expect_all_arrived();
}

TEST(Fastpass, WithShortestTheOneThatLacksLeastGoesFirst) {
  Star star(4, [](FastpassParameters& p) { p.order = TimeslotAllocator::Order::kShortest; });
  star.send(0, 2, kPayload * 20);
  star.send(1, 2, kPayload * 5);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.received_at(1), kSlot * (7 + 4) + kThere);
  EXPECT_EQ(star.received_at(0), kSlot * (7 + 24) + kThere);
}

TEST(Fastpass, WithShortestSoDoFlowsOfOnePair) {
  Star star(4, [](FastpassParameters& p) { p.order = TimeslotAllocator::Order::kShortest; });
  star.send(0, 2, kPayload * 20);
  star.send(0, 2, kPayload * 5);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.received_at(1), kSlot * (7 + 4) + kThere);
  EXPECT_EQ(star.received_at(0), kSlot * (7 + 24) + kThere);
}

// The link is down from 27 to 45 us, so the granted slots 7, 8 and 9 pass unused.
TEST(Fastpass, ASlotThatGoesByIsDemandedAgain) {
  Star star(3);
  star.send(0, 1, kPayload * 3);
  star.scheduler.run_until(kMicroSecond * 27);
  star.nics[0]->transmitter().set_carrier(false);
  star.scheduler.run_until(kMicroSecond * 45);
  star.nics[0]->transmitter().set_carrier(true);
  star.scheduler.run_until(kMilliSecond);
  star.expect_all_arrived();
  star.expect_slots_kept();
  EXPECT_EQ(star.counters().credits_sent, 6u);
  EXPECT_EQ(star.counters().credits_used, 3u);
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 0u) << "nobody had to wait for that";
}

// The arbiter learns of the unused slots 16 us after the first of them.
TEST(Fastpass, SlotsThatComeTooLateAreNotUsed) {
  Star star(3, [](FastpassParameters& p) {
    p.allocation_time = kMicroSecond * 8;
    p.lead = PicoSeconds();
  });
  star.send(0, 1, kPayload * 4);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.ledger[0].received_bytes, 0);
  EXPECT_EQ(star.counters().credits_used, 0u);
  EXPECT_GT(star.counters().credits_unused, 20u) << "and are demanded again and again";
}

// The arbiter takes 8 us to allocate a slot, so it grants only two of the four slots of a batch.
TEST(Fastpass, ASlowArbiterGivesOutFewerSlots) {
  Star star(3, [](FastpassParameters& p) {
    p.allocation_time = kMicroSecond * 8;
    p.lead = kMicroSecond * 26;  // then the first slot of the batch begun at 16 us is number 11
  });
  star.send(0, 1, kPayload * 8);
  star.scheduler.run_until(kMilliSecond);
  // The granted slots are 11, 12; 15, 16; 19, 20; 23, 24.
  EXPECT_EQ(star.received_at(0), kSlot * 24 + kThere);
  star.expect_all_arrived();
}

// Four requests take 10 us of processing each from 2.1 us on. The first is processed at 12.1 us,
// the last at 42.1 us.
TEST(Fastpass, RequestsWaitForTheArbitersProcessor) {
  Star star(6, [](FastpassParameters& p) { p.request_time = kMicroSecond * 10; });
  for (HostId h = 0; h < 4; ++h) star.send(h, (h + 1) % 4, kPayload);
  star.scheduler.run_until(kMilliSecond);
  std::map<std::int64_t, int> at;
  for (std::uint32_t flow = 0; flow < 4; ++flow) ++at[(star.received_at(flow) - kThere).count];
  // Batches begin at 16 us with one request, at 32 us with the request processed at 22.1 us, and at
  // 48 us with those processed at 32.1 and 42.1 us.
  EXPECT_EQ(at, (std::map<std::int64_t, int>{
                    {(kSlot * 7).count, 1}, {(kSlot * 11).count, 1}, {(kSlot * 15).count, 2}}));
}

// A flow of the arbiter's own host needs no request packet.
TEST(Fastpass, TheArbiterSendsAndReceivesAsOthersDo) {
  Star star(2);
  star.send(1, 0, kPayload * 3);
  star.send(0, 1, kPayload * 3);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.received_at(0), kSlot * (3 + 2) + kThere) << "begun at 0 s";
  star.expect_all_arrived();
  star.expect_slots_kept();
}

/// Random traffic between all hosts, with a record of the activity of every port in every slot.
struct Crowd : Star {
  explicit Crowd(
      HostId hosts, const Change& change = [](FastpassParameters&) {})
      : Star(hosts, change), hosts_(hosts) {}
  void run() {
    lose([this](const Packet& packet) {
      if (packet.kind != PacketKind::kData) return false;
      seen_.emplace(packet.sent.count / kSlot.count, packet.source, packet.destination, packet.psn,
                    packet.flow);
      return false;
    });
    RandomStream random(11, "crowd");
    for (int i = 0; i < 120; ++i) {
      const auto from = static_cast<HostId>(random.below(hosts_));
      const auto to = static_cast<HostId>((from + 1 + random.below(hosts_ - 1)) % hosts_);
      scheduler.run_until(kMicroSecond * 10 * i);
      send(from, to, 1 + static_cast<Bytes>(random.below(kPayload * 30)));
    }
    for (int i = 1200; i < 20'000; ++i) {
      scheduler.run_until(kMicroSecond * i);
      for (int port = 0; port < static_cast<int>(hosts_); ++port) {
        longest_ = std::max(longest_, device->queue_bytes(port));
      }
    }
  }
  HostId hosts_;
  std::set<std::tuple<std::int64_t, HostId, HostId, Psn, std::uint32_t>> seen_;
  Bytes longest_ = 0;
};

TEST(Fastpass, NoPortIsOversubscribedInAnySlot) {
  for (const auto order :
       {TimeslotAllocator::Order::kMaxMin, TimeslotAllocator::Order::kShortest}) {
    Crowd star(9, [order](FastpassParameters& p) { p.order = order; });
    star.run();
    star.expect_all_arrived();
    star.expect_slots_kept();
    std::set<std::pair<std::int64_t, HostId>> out, in;
    for (const auto& [slot, from, to, psn, flow] : star.seen_) {
      EXPECT_TRUE(out.emplace(slot, from).second) << from << " sends twice in slot " << slot;
      EXPECT_TRUE(in.emplace(slot, to).second) << to << " hears two in slot " << slot;
    }
    EXPECT_GT(star.seen_.size(), 1000u);
    EXPECT_LE(star.longest_, 4160 + 10 * 160) << "one packet, and what is told";
  }
}

// The clocks of three of four hosts are wrong by more than a slot. Packets then wait in queues, and
// all of them arrive.
TEST(Fastpass, ClocksThatAreOffMakeQueues) {
  Crowd star(9, [](FastpassParameters& p) { p.clock_error = kSlot * 4; });
  star.run();
  star.expect_all_arrived();
  EXPECT_GT(star.longest_, 4160 * 2);
}

// The first grant packet is lost. The next grant packet shows that earlier slots were granted.
TEST(Fastpass, SlotsThatNeverCameAreDemandedAgain) {
  Star star(3);
  int allocations = 0;
  star.lose([&](const Packet& packet) {
    return packet.kind == PacketKind::kCredit && packet.source == 2 && ++allocations == 1;
  });
  star.send(0, 1, kPayload * 6);
  star.scheduler.run_until(kMicroSecond * 150);
  star.expect_all_arrived();
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 0u);
  EXPECT_EQ(star.counters().credits_sent, 10u);
  EXPECT_EQ(star.counters().credits_used, 6u);
}

// The last grant packet is lost and no later one follows, so the sender asks the arbiter again.
TEST(Fastpass, WhoHearsNothingAsksWhatItWasGiven) {
  Star star(3);
  int allocations = 0;
  star.lose([&](const Packet& packet) {
    return packet.kind == PacketKind::kCredit && packet.source == 2 && ++allocations == 1;
  });
  star.send(0, 1, kPayload * 3);
  star.scheduler.run_until(kMilliSecond);
  star.expect_all_arrived();
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 1u);
  EXPECT_EQ(star.counters().credits_sent, 6u);
}

TEST(Fastpass, MoreWorkOnARestingQueuePairIsAskedForAnew) {
  Star star(3);
  star.send(0, 1, kPayload * 3);
  star.scheduler.run_until(kMicroSecond * 200);
  ASSERT_EQ(star.done.size(), 1u);
  star.post(0, 0, kPayload * 3, 7);
  star.scheduler.run_until(kMicroSecond * 400);
  ASSERT_EQ(star.done.size(), 2u);
  EXPECT_EQ(star.received_at(0), kSlot * 57 + kThere) << "begun at 208 us: slots 55 to 57";
}

TEST(Fastpass, EntriesComeOutAsTheyWentIn) {
  PacketPool pool;
  Packet* const packet = pool.allocate();
  pool.attach_telemetry(*packet);
  for (std::size_t i = 0; i < FastpassEntries::kMax; ++i) {
    FastpassEntry entry;
    entry.kind = i % 2 == 0 ? FastpassEntry::Kind::kSlot : FastpassEntry::Kind::kAsk;
    entry.first_way = static_cast<std::uint8_t>(255 - i);
    entry.second_way = static_cast<std::uint8_t>(200 + i);
    entry.slot = static_cast<std::uint8_t>(i);
    entry.host = static_cast<HostId>(0xFFFF'0000 + i);
    entry.total = ~std::uint64_t{0} - i;
    FastpassEntries::add(*packet, entry);
  }
  EXPECT_EQ(packet->immediate, FastpassEntries::kMax);
  EXPECT_EQ(packet->wire_bytes, 6u * 4 + 6u * 6);
  for (std::size_t i = 0; i < FastpassEntries::kMax; ++i) {
    const FastpassEntry entry = FastpassEntries::get(*packet, i);
    EXPECT_EQ(entry.kind, i % 2 == 0 ? FastpassEntry::Kind::kSlot : FastpassEntry::Kind::kAsk);
    EXPECT_EQ(entry.first_way, 255 - i);
    EXPECT_EQ(entry.second_way, 200 + i);
    EXPECT_EQ(entry.slot, i);
    EXPECT_EQ(entry.host, 0xFFFF'0000 + i);
    EXPECT_EQ(entry.total, ~std::uint64_t{0} - i);
  }
  pool.free(packet);
}

// The earlier use of a telemetry stack must not matter: a hop writes only one of two entries.
TEST(Fastpass, AnEntryShowsNothingOfWhatTheStackHeldBefore) {
  PacketPool pool;
  Packet* const fresh = pool.allocate();
  Packet* const used = pool.allocate();
  pool.attach_telemetry(*fresh);
  pool.attach_telemetry(*used);
  used->telemetry->hop[0] = {kMicroSecond, 7, 8, 9_Gbps};
  for (Packet* const packet : {fresh, used}) {
    FastpassEntries::add(*packet, {FastpassEntry::Kind::kDemand, 0, 0, 0, 3, 5});
  }
  StateDigest one, other;
  one(*fresh);
  other(*used);
  EXPECT_EQ(one.value(), other.value());
  pool.free(fresh);
  pool.free(used);
}

// Allocations that were made and not sent yet are part of the state digest, including their paths.
// The allocators themselves have equal state.
TEST(Fastpass, ABatchNotYetSentIsInTheDigest) {
  struct Nobody final : FastpassArbiter::Client {
    void send_entries(HostId, std::uint64_t, const std::vector<FastpassEntry>&) override {}
  } nobody;
  const auto digest = [&](unsigned ways) {
    Scheduler scheduler;
    FastpassArbiter arbiter(
        scheduler, 1, {kSlot, 4, kSlot},
        ArbiterParameters{0, TimeslotAllocator::Order::kMaxMin, {}, kMicroSecond, 2, ways}, nobody);
    arbiter.hear(0, {FastpassEntry::Kind::kDemand, 0, 0, 0, 2, 1});
    arbiter.hear(1, {FastpassEntry::Kind::kDemand, 0, 0, 0, 3, 1});
    scheduler.run_until(kMicroSecond);
    StateDigest d;
    d(arbiter);
    return d.value();
  };
  EXPECT_EQ(digest(1), digest(1));
  EXPECT_NE(digest(1), digest(2));
}

}  // namespace
}  // namespace dcc::fastpass_test
