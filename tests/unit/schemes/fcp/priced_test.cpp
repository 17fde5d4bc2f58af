// Tests a port that charges prices, and a link's price calculated by hand. A price is per bit, and
// a budget is per second: at 10 Gb/s a budget of 1/s buys the whole link (25 000 bytes per 20 us)
// at a price of 1e-10 per bit.
#include "schemes/fcp/priced.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dcc::priced_test {
namespace {

constexpr PicoSeconds kInterval = kMicroSecond * 20;
constexpr double kOne = 1e-10;  // price at which a budget of 1 buys the whole link
constexpr double kMin = 1e-12;
constexpr Bytes kLong = 1'000'000;  // more bytes than an interval carries

struct Link10G : LinkPrice {
  explicit Link10G(LinkPriceParameters parameters = {}) : LinkPrice(parameters) {
    set_link(BitRate(10'000'000'000));
  }
  /// The price of a link that has no other reason to update it.
  double price_at(PicoSeconds now) {
    comes(0, 1, 0, now);
    return price();
  }
};
void expect_price(double price, double expected) { EXPECT_NEAR(price / expected, 1, 1e-9); }

TEST(LinkPrice, IsWhatWasPaidOverWhatTheLinkCanCarry) {
  Link10G link;
  expect_price(link.price(), kMin);
  link.comes(12'500, 2 * kOne, 0, kMicroSecond);  // half of an interval's bytes pay twice the price
  expect_price(link.price_at(kInterval - kMicroSecond), kMin);
  expect_price(link.price_at(kInterval), kOne);
  // Three flows spend budgets of 1, 2 and 4 at any price.
  link.comes(10'000, 2.5 * kOne, 0, kInterval + kMicroSecond);
  link.comes(10'000, 5 * kOne, 0, kInterval + kMicroSecond);
  link.comes(5'000, 20 * kOne, 0, kInterval + kMicroSecond);
  expect_price(link.price_at(kInterval * 2), 7 * kOne);
  expect_price(link.price_at(kInterval * 3), kMin);
}

TEST(LinkPrice, WhatPaysNothingIsNotForSale) {
  Link10G link;
  link.comes(20'000, kOne, 0, kMicroSecond);
  link.comes(5'000, 0, 0, kMicroSecond);
  expect_price(link.price_at(kInterval), kOne);
  EXPECT_NEAR(link.capacity(), 8e9, 1);
  link.comes(2'500, kOne, 0, kInterval + kMicroSecond);
  link.comes(100'000, 0, 0, kInterval + kMicroSecond);
  // the link always sells at least a tenth of its capacity
  expect_price(link.price_at(kInterval * 2), kOne);
  EXPECT_NEAR(link.capacity(), 1e9, 1);
}

TEST(LinkPrice, AQuarterOfTheShortestQueueIsToDrainInAnInterval) {
  Link10G link;
  link.comes(6'000, kOne, 20'000, kMicroSecond);
  link.comes(6'000, kOne, 12'000, kMicroSecond * 2);
  link.comes(10'000, kOne, 30'000, kMicroSecond * 3);
  link.comes(0, kOne, 0, kInterval);
  expect_price(link.price(), kOne);  // 22 000 bytes were paid, of 25 000 less 3000 bytes for sale
  link.comes(22'000, kOne, 12'000, kInterval + kMicroSecond);
  // the queue was empty when the interval began
  expect_price(link.price_at(kInterval * 2), kOne * 22 / 25);
}

TEST(LinkPrice, RisesWithWhoBeginsAndHoldsUntilItsDataIsThere) {
  Link10G link;
  link.preload({1, 0, kLong, kMicroSecond * 10}, kMicroSecond * 4);
  expect_price(link.price(), kOne + kMin);
  link.comes(7'500, kOne, 0, kMicroSecond * 15);  // data of the flow, 14 us after its start
  expect_price(link.price_at(kInterval), kOne);
}

TEST(LinkPrice, HoldsInTheNextIntervalWhatIsNotThereYet) {
  for (const bool looks : {true, false}) {
    Link10G link;
    link.preload({2, 0, kLong, kMicroSecond * 10}, kMicroSecond * 15);
    if (looks) expect_price(link.price_at(kInterval), 2 * kOne);
    expect_price(link.price_at(kInterval * 2), 2 * kOne / 4);  // the budget counts for 5 of 20 us
    expect_price(link.price_at(kInterval * 3), kMin);
  }
}

TEST(LinkPrice, WhoBeginsSpendsHereWhatItsWayHasLeft) {
  for (const double paid : {0.0, 0.5, 4.0}) {
    for (const double elsewhere : {0.0, 0.1, 1.0, 3.0}) {
      Link10G link;
      link.comes(25'000, paid * kOne, 0, kMicroSecond);
      const double before = link.price_at(kInterval);
      const double capacity = link.capacity();
      link.preload({1, elsewhere * kOne, kLong, kMicroSecond * 10}, kInterval);
      const double price = link.price();
      const double part = price / (price + elsewhere * kOne);
      EXPECT_NEAR((price - before) * capacity, part, 1e-6) << paid << ", " << elsewhere;
    }
  }
}

TEST(LinkPrice, AShortFlowRaisesItByItsShareOfAnInterval) {
  Link10G link;
  link.preload({1, 0, 2'500, kMicroSecond * 10}, kMicroSecond);
  expect_price(link.price(), kMin + kOne / 10);
  link.comes(25'000, 4 * kOne, 0, kMicroSecond * 2);
  Link10G dear;
  dear.comes(25'000, 4 * kOne, 0, kMicroSecond);
  expect_price(dear.price_at(kInterval), 4 * kOne);
  dear.preload({1, 0, 2'500, kMicroSecond * 10}, kInterval);
  expect_price(dear.price(), 4.4 * kOne);
}

/// A port whose packets have no headers.
struct Port {
  Port() {
    PricedParameters parameters;
    parameters.limit = 5000;
    port = std::make_unique<PricedPort>(parameters, DisciplineContext{random, clock});
    port->attach({BitRate(10'000'000'000), kMicroSecond, 20});
  }
  Packet* packet(PacketKind kind, bool with_prices) {
    Packet* const packet = pool.allocate();
    packet->kind = kind;
    packet->wire_bytes = 980;
    if (with_prices) {
      pool.attach_telemetry(*packet);
      packet->telemetry_hops = kMaxIntHops;
    }
    return packet;
  }
  void serve_all() {
    while (!port->empty()) pool.free(port->dequeue());
  }
  Scheduler clock;
  RandomStream random{1, "port"};
  PacketPool pool;
  std::unique_ptr<PricedPort> port;
};

TEST(PricedPort, TakesWhatDataPaysInItsPlaceAndWritesWhatItAsks) {
  Port one;
  Packet* const data = one.packet(PacketKind::kData, true);
  data->immediate = 2;  // the packet has passed two ports before this one
  PriceHeader::write(data->telemetry->hop[1], 7 * kOne);
  PriceHeader::write(data->telemetry->hop[2], 50 * kOne);
  one.port->enqueue(data);
  EXPECT_EQ(data->immediate, 3u);
  expect_price(PriceHeader::price(data->telemetry->hop[1]), 7 * kOne);
  expect_price(PriceHeader::price(data->telemetry->hop[2]), kMin);
  one.serve_all();
  one.clock.run_until(kInterval);
  Packet* const next = one.packet(PacketKind::kData, true);
  one.port->enqueue(next);
  // 1000 bytes with overhead at a price of 50 pay as much as 25 000 bytes at a price of 2.
  expect_price(PriceHeader::price(next->telemetry->hop[0]), 2 * kOne);
  one.serve_all();
}

TEST(PricedPort, AProbeHearsThePriceWithItselfAndAddsItUp) {
  Port one;
  Packet* const probe = one.packet(PacketKind::kRequest, true);
  PriceHeader::write(*probe, {2, 0.5 * kOne, kLong, kMicroSecond * 10});
  one.port->enqueue(probe);
  const double asked = PriceHeader::price(probe->telemetry->hop[0]);
  expect_price(asked, one.port->model().price());
  EXPECT_NEAR(asked / kOne, 1.5, 0.02);  // flows spend budgets of 2 here, one of them since earlier
  expect_price(PriceHeader::preload(*probe).elsewhere, 0.5 * kOne + asked);
  expect_price(PriceHeader::preload(*probe).budget, 2);
  EXPECT_EQ(PriceHeader::preload(*probe).bytes, kLong);
  EXPECT_EQ(PriceHeader::preload(*probe).round_trip, kMicroSecond * 10);
  one.serve_all();
}

TEST(PricedPort, IsNotPaidByOthersNorBeyondTheLastPlace) {
  Port one;
  one.port->enqueue(one.packet(PacketKind::kAck, true));  // an ACK returns prices
  one.port->enqueue(one.packet(PacketKind::kData, false));
  Packet* const far = one.packet(PacketKind::kData, true);
  far->immediate = kMaxIntHops;
  one.port->enqueue(far);
  EXPECT_EQ(far->immediate, static_cast<std::uint32_t>(kMaxIntHops));
  EXPECT_EQ(one.port->bytes(), 3 * 980);
  one.serve_all();
  one.clock.run_until(kInterval);
  one.port->enqueue(one.packet(PacketKind::kAck, false));
  one.serve_all();
  EXPECT_NEAR(one.port->model().capacity(), 1e10 * 22 / 25, 1);
}

TEST(PricedPort, DropsWhatFindsNoRoom) {
  Port one;
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(one.port->enqueue(one.packet(PacketKind::kData, true)).dropped.empty());
  }
  PortDiscipline::EnqueueResult result = one.port->enqueue(one.packet(PacketKind::kData, true));
  ASSERT_FALSE(result.dropped.empty());
  one.pool.free(result.dropped.pop());
  one.serve_all();
}

}  // namespace
}  // namespace dcc::priced_test
