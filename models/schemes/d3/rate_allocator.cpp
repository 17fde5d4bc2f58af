#include "schemes/d3/rate_allocator.h"

#include <algorithm>

namespace dcc {

void RateAllocatorParameters::describe(ParameterVisitor& v) {
  const char* const paper = "D3, SIGCOMM'11";
  v.field("interval", interval, {"1us", "1s"},
          {"control interval, or two round trips if that is longer; a rate that is not "
           "requested again is free after one or two intervals"});
  v.field("reclaim", reclaim, {"0", "1"},
          {"alpha: share of unused allocated rate that is allocated again", paper});
  v.field("drain", drain, {"0", "10"},
          {"beta: share of the rate that would drain the standing queue in an interval, which is "
           "not allocated",
           paper});
}

void RateAllocator::set_link(BitRate rate) {
  link_ = rate.bits_per_second;
  capacity_ = link_;
}

/// Starts a new allocation interval if the present one is over. Leases expire if they were given
/// before the last interval.
void RateAllocator::turn(PicoSeconds now) {
  const std::int64_t interval = now / span_;
  if (interval == interval_) return;
  const bool next = interval == interval_ + 1;
  const double seconds = to_seconds(span_);
  const double given = next ? static_cast<double>(allocated().bits_per_second) : 0;
  const double queue = next ? static_cast<double>(arrivals_.queue()) : 0;
  const double used = next ? static_cast<double>(arrivals_.bytes()) * 8 / seconds : 0;
  const double capacity = static_cast<double>(link_) +
                          parameters_.reclaim.value() * std::max(given - used, 0.0) -
                          parameters_.drain.value() * queue * 8 / seconds;
  capacity_ = static_cast<std::uint64_t>(std::max(capacity, 0.0));
  older_ = next ? newer_ : Book{};
  newer_ = Book{};
  crowded_ = next && static_cast<double>(asked_) * 8 / seconds > static_cast<double>(link_) / 4;
  arrivals_ = {};
  asked_ = 0;
  interval_ = interval;
}

/// Sets the minimum length of allocation intervals. Leases that were given before keep their expiry
/// times.
void RateAllocator::lengthen(PicoSeconds least, PicoSeconds now) {
  if (least <= span_) return;
  span_ = least;
  interval_ = now / span_;
}

void RateAllocator::take_back(const Request& request, PicoSeconds now) {
  if (request.past.until <= now) return;
  Book& book = request.past.until == end_of(interval_) ? newer_ : older_;
  const auto less = [](std::uint64_t& sum, std::uint64_t part) { sum -= std::min(sum, part); };
  less(book.allocated, request.past.rate.bits_per_second);
  less(book.demand, request.past_desired.bits_per_second);
  less(book.flows, 1);
}

RateAllocator::Lease RateAllocator::answer(const Request& request, PicoSeconds now) {
  turn(now);
  lengthen(request.round_trip * 2, now);
  take_back(request, now);
  if (request.leaves) return {};
  const std::uint64_t desired = request.desired.bits_per_second;
  newer_.demand += desired;
  ++newer_.flows;
  const std::uint64_t given = allocated().bits_per_second;
  const std::uint64_t left = capacity_ - std::min(capacity_, given);
  const std::uint64_t demand = older_.demand + newer_.demand;
  const std::uint64_t share = (capacity_ - std::min(capacity_, demand)) / flows();
  const std::uint64_t rate = left > desired ? std::min(left, desired + share) : left;
  newer_.allocated += rate;
  return {BitRate(rate), end_of(interval_)};
}

}  // namespace dcc
