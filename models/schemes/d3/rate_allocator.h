// Allocates the capacity of a link by leases, first come first served (D3).
#pragma once

#include <algorithm>
#include <cstdint>

#include "describe/quantities.h"
#include "describe/visitor.h"
#include "schemes/common/interval_arrivals.h"
#include "sim/state_digest.h"
#include "units.h"

namespace dcc {

/// Parameters of D3's rate allocation (Wilson et al., "Better Never than Late: Meeting Deadlines in
/// Datacenter Networks", SIGCOMM 2011, section 5).
struct RateAllocatorParameters {
  PicoSeconds interval = kMicroSecond * 100;
  Ratio reclaim{1, 10};  // alpha, the share of granted but unused rates that is granted again
  Ratio drain{1};        // beta, the gain on the interval's minimum queue

  void describe(ParameterVisitor& v);
};

/// Allocates the capacity of a link by sums of granted rates, desired rates and requests, without
/// state per flow. A flow sends a request once per round trip, which returns its previous grant.
/// The new grant is the flow's desired rate plus a share of the capacity that no flow desires, or
/// the remaining capacity if that is less. The capacity is the link's rate, plus a part of the
/// rates that were granted but unused in the last interval, minus the rate that drains the last
/// interval's minimum queue in one interval (as in XCP; on a fully allocated link some packets
/// always meet).
///
/// An allocation interval lasts at least two round trips, because a lease must still be valid when
/// the answer with its grant has arrived.
///
/// A grant is a lease that expires at the end of the interval after the one in which the port gave
/// it. So a rate that is not returned, because a packet was lost, becomes free again, and no rate
/// is returned twice. Except for reclaimed rates, leases never exceed the link's rate.
class RateAllocator {
 public:
  struct Lease {
    BitRate rate;         // granted rate of the lease in wire bits per second, overhead included
    PicoSeconds until{};  // time at which the lease expires; zero: no lease
    void add_state(StateDigest& d) const { d(rate, until); }
  };
  struct Request {
    BitRate desired;  // desired rate, which meets the flow's deadline; 0: no deadline
    // desired rate of the flow's previous request, to which the rate `past` was granted
    BitRate past_desired;
    Lease past;
    bool leaves = false;       // true if the flow withdraws its demand
    PicoSeconds round_trip{};  // longest round-trip time of the flow without queues; 0: unknown
  };

  explicit RateAllocator(const RateAllocatorParameters& parameters)
      : parameters_(parameters), span_(parameters.interval) {}
  void set_link(BitRate rate);

  /// Records bytes that arrive for the link, overhead included; `queue`: bytes that wait for the
  /// link.
  void comes(Bytes bytes, Bytes queue, PicoSeconds now) {
    turn(now);
    arrivals_.add(bytes, queue);
  }
  Lease answer(const Request& request, PicoSeconds now);
  /// Records that `bytes` of the arrived bytes were a separate request packet.
  void request_comes(Bytes bytes) { asked_ += bytes; }
  /// True if requests took more than a quarter of the link in the last interval.
  bool is_crowded() const { return crowded_; }

  // Capacity, granted rate and number of flows of the link after the last call.
  BitRate capacity() const { return BitRate(capacity_); }
  BitRate allocated() const { return BitRate(older_.allocated + newer_.allocated); }
  std::uint64_t flows() const { return older_.flows + newer_.flows; }

  void add_state(StateDigest& d) const {
    d(capacity_, span_, interval_, arrivals_, asked_, crowded_, older_, newer_);
  }

 private:
  /// Sums over the leases of a link that are valid in one interval.
  struct Book {
    std::uint64_t allocated = 0;
    std::uint64_t demand = 0;
    std::uint64_t flows = 0;
    void add_state(StateDigest& d) const { d(allocated, demand, flows); }
  };
  PicoSeconds end_of(std::int64_t interval) const { return span_ * (interval + 2); }
  void lengthen(PicoSeconds least, PicoSeconds now);
  void turn(PicoSeconds now);
  void take_back(const Request& request, PicoSeconds now);

  RateAllocatorParameters parameters_;
  std::uint64_t link_ = 0;
  std::uint64_t capacity_ = 0;
  PicoSeconds span_;           // length of an allocation interval
  std::int64_t interval_ = 0;  // number of the present allocation interval
  IntervalArrivals arrivals_;
  Bytes asked_ = 0;  // bytes of request packets that arrived in the present interval
  bool crowded_ = false;
  Book older_, newer_;
};

}  // namespace dcc
