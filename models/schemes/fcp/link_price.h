// The price per bit of a link, at which the payments of all flows buy exactly its capacity (FCP).
#pragma once

#include <algorithm>
#include <cstdint>

#include "describe/quantities.h"
#include "describe/visitor.h"
#include "sim/state_digest.h"
#include "units.h"

namespace dcc {

/// Parameters of FCP's link price (Han, Grandl, Akella, Seshan, "FCP: A Flexible Transport
/// Framework for Accommodating Diversity", SIGCOMM 2013).
struct LinkPriceParameters {
  PicoSeconds interval = kMicroSecond * 20;
  Ratio drain{1, 4};
  Ratio floor{1, 100};

  void describe(ParameterVisitor& v);
};

/// A flow's budget is a number per second. At the price p a budget w sends w / p bits per second,
/// overhead included.
///
/// In every interval the price is the sum of the payments of the last interval, divided by the bits
/// that the link could carry for these payments: its capacity without the bits of packets that pay
/// nothing, and without a part of the minimum queue that arrivals found. So the price of a single
/// bottleneck, where flows spend their whole budgets, is right after one interval, however old the
/// prices are that the flows pay.
///
/// A flow announces its start, and the price rises at once: the payment expected from the flow
/// counts until its data arrives, to the end of the next interval.
class LinkPrice {
 public:
  /// Announcement of a starting flow, for which the link raises its price.
  struct Preload {
    double budget = 0;
    double elsewhere = 0;  // price of the flow's path up to this port
    Bytes bytes = 0;       // wire bytes that the starting flow has to send
    PicoSeconds round_trip{};
  };

  explicit LinkPrice(const LinkPriceParameters& parameters) : parameters_(parameters) {}
  void set_link(BitRate rate);

  /// Records arriving bytes, overhead included. `paid`: price per bit that the packet pays, 0 for
  /// none. `queue`: bytes that wait for the link.
  void comes(Bytes bytes, double paid, Bytes queue, PicoSeconds now);
  void preload(const Preload& ahead, PicoSeconds now);

  /// Price per bit of the link after the last call.
  double price() const { return price_; }
  /// Capacity of the link for packets that pay, in bits per second.
  double capacity() const { return capacity_; }

  void add_state(StateDigest& d) const {
    d(price_, capacity_, interval_, paid_, ahead_, unpaid_, arrived_, queue_);
  }

 private:
  void turn(PicoSeconds now);

  LinkPriceParameters parameters_;
  double link_ = 0;
  double least_ = 0;  // minimum price per bit of the link
  double price_ = 0;
  double capacity_ = 0;
  std::int64_t interval_ = 0;
  double paid_ = 0;       // sum of the payments for the link in the present interval
  double ahead_ = 0;      // payments for the link that are expected in the next interval
  Bytes unpaid_ = 0;      // bytes of packets in the present interval that pay nothing
  bool arrived_ = false;  // true if a packet arrived in the present interval
  Bytes queue_ = 0;  // least queue that arriving packets found in the present interval, in bytes
};

}  // namespace dcc
