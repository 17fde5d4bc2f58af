#include "schemes/fcp/link_price.h"

#include <cmath>

namespace dcc {

namespace {
/// Least share of the link's rate that is sold, however much the queue and unpaid packets take.
constexpr double kMinSold = 0.1;
}  // namespace

void LinkPriceParameters::describe(ParameterVisitor& v) {
  v.field("interval", interval, {"1us", "1s"},
          {"time between two prices: at least a round trip, and the time of many packets"});
  v.field("drain", drain, {"0", "1"},
          {"beta: share of the standing queue that is to drain in an interval"});
  v.field("floor", floor, {"1/1000000", "1"},
          {"a link's least price, as the budget that would buy the whole link"});
}

void LinkPrice::set_link(BitRate rate) {
  link_ = capacity_ = static_cast<double>(rate.bits_per_second);
  price_ = least_ = parameters_.floor.value() / link_;
}

/// Starts a new price interval if the present one is over.
void LinkPrice::turn(PicoSeconds now) {
  const std::int64_t interval = now / parameters_.interval;
  const std::int64_t later = interval - interval_;
  if (later == 0) return;
  if (later > 1) {  // no packet arrived in the last price interval
    paid_ = later == 2 ? ahead_ : 0;
    ahead_ = 0;
    unpaid_ = queue_ = 0;
  }
  const double seconds = to_seconds(parameters_.interval);
  const double taken =
      static_cast<double>(unpaid_) + parameters_.drain.value() * static_cast<double>(queue_);
  capacity_ = std::max(link_ - taken * 8 / seconds, link_ * kMinSold);
  price_ = std::max(paid_ / (capacity_ * seconds), least_);
  paid_ = ahead_;
  ahead_ = 0;
  unpaid_ = queue_ = 0;
  arrived_ = false;
  interval_ = interval;
}

void LinkPrice::comes(Bytes bytes, double paid, Bytes queue, PicoSeconds now) {
  turn(now);
  queue_ = arrived_ ? std::min(queue_, queue) : queue;
  arrived_ = true;
  if (paid > 0) {
    paid_ += paid * static_cast<double>(bytes) * 8;
  } else {
    unpaid_ += bytes;
  }
}

/// Raises the link's price for an announced flow. The flow pays here the share of its budget that
/// this link's price has in the path's price. The rise r of the price p solves r C = w (p + r) / (p
/// + r + elsewhere), with the budget w and the link's capacity C. A flow with little data pays no
/// more than its data costs.
void LinkPrice::preload(const Preload& ahead, PicoSeconds now) {
  turn(now);
  const double seconds = to_seconds(parameters_.interval);
  const double about = std::max(price_, ahead.budget / capacity_);
  const double budget =
      std::min(ahead.budget, about * static_cast<double>(ahead.bytes) * 8 / seconds);
  const double b = price_ + budget / capacity_ - ahead.elsewhere;
  const double price = (b + std::sqrt(b * b + 4 * price_ * ahead.elsewhere)) / 2;
  const double spent = (price - price_) * capacity_;
  price_ = price;
  const double until = to_seconds(now - parameters_.interval * interval_ + ahead.round_trip);
  paid_ += spent * std::min(until, seconds);
  ahead_ += spent * std::min(std::max(until - seconds, 0.0), seconds);
}

}  // namespace dcc
