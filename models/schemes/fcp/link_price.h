// What a link asks for a bit: so much that all that is paid for it buys what it can carry (FCP).
#pragma once

#include <algorithm>
#include <cstdint>

#include "describe/quantities.h"
#include "describe/visitor.h"
#include "units.h"

namespace dcc {

/// Han, Grandl, Akella, Seshan, "FCP: A Flexible Transport Framework for Accommodating Diversity",
/// SIGCOMM 2013.
struct LinkPriceParameters {
  PicoSeconds interval = kMicroSecond * 20;
  Ratio drain{1, 4};
  Ratio floor{1, 100};

  void describe(ParameterVisitor& v);
};

/// A budget is a number a second; a price, of budget by bits a second: at the price p a budget of w
/// sends w / p bits a second, overhead included.
///
/// Every interval the price is what was paid in the last one, over the bits that the link could
/// have carried for it: without those of packets that pay nothing, and without a part of the
/// shortest queue that arrivals found. So a lone bottleneck, whose flows spend all their budgets
/// there, is right an interval later, however long ago they heard the price that they pay.
///
/// Who begins tells so, and the price rises at once. It counts as paid what is not paid yet, until
/// its data comes: to the end of this interval and the next.
class LinkPrice {
 public:
  /// Of a flow that is about to send.
  struct Preload {
    double budget = 0;
    double elsewhere = 0;  // the price of its way up to here
    Bytes bytes = 0;       // that it has to send
    PicoSeconds round_trip{};
  };

  explicit LinkPrice(const LinkPriceParameters& parameters) : parameters_(parameters) {}
  void set_link(BitRate rate);

  /// Bytes to be sent over the link have come, overhead included, at the price that was paid for
  /// each bit, 0: none; `queue` bytes wait for it.
  void comes(Bytes bytes, double paid, Bytes queue, PicoSeconds now);
  void preload(const Preload& ahead, PicoSeconds now);

  /// As of the last call.
  double price() const { return price_; }
  /// Bits a second, for those who pay.
  double capacity() const { return capacity_; }

  template <class Digest>
  void add_state(Digest& d) const {
    d(price_, capacity_, interval_, paid_, ahead_, unpaid_, arrived_, queue_);
  }

 private:
  void turn(PicoSeconds now);

  LinkPriceParameters parameters_;
  double link_ = 0;
  double least_ = 0;  // price
  double price_ = 0;
  double capacity_ = 0;
  std::int64_t interval_ = 0;
  double paid_ = 0;       // budget by seconds, in this interval …
  double ahead_ = 0;      // … and known of the next
  Bytes unpaid_ = 0;      // that came for nothing
  bool arrived_ = false;  // anything did
  Bytes queue_ = 0;       // the shortest that arrivals found
};

}  // namespace dcc
