// A link's capacity, given out for a while to whoever asks, first come first served (D3).
#pragma once

#include <algorithm>
#include <cstdint>

#include "describe/quantities.h"
#include "describe/visitor.h"
#include "units.h"

namespace dcc {

/// Wilson et al., "Better Never than Late: Meeting Deadlines in Datacenter Networks", SIGCOMM 2011,
/// section 5.
struct RateAllocatorParameters {
  PicoSeconds interval = kMicroSecond * 100;
  Ratio reclaim{1, 10};  // alpha
  Ratio drain{1};        // beta

  void describe(ParameterVisitor& v);
};

/// Knows of no flow, only sums: what was given, what was wanted for deadlines, how many asked. A
/// flow asks once a round trip, and returns what it was given before; it gets what it wants and a
/// share of what nobody wants, or what is left. The capacity is the link's, more by a part of what
/// was given in the last interval and not used, and less by what drains in one the queue that stood
/// all the last: the shortest that was found (as in XCP; a link whose rate is given out whole
/// always has some packets that met).
///
/// What is given is a lease: it ends with the interval after the one it was given in. So what is
/// never returned, because a packet was lost, is free again by then, and nothing is returned twice;
/// and, but for reclaimed rates, leases never add up to more than the link.
class RateAllocator {
 public:
  struct Lease {
    BitRate rate;         // wire bits, overhead included
    PicoSeconds until{};  // it does not hold any more from then on; zero: none
    template <class Digest>
    void add_state(Digest& d) const {
      d(rate, until);
    }
  };
  struct Request {
    BitRate desired;       // that meets the deadline; 0: there is none
    BitRate past_desired;  // when `past` was given
    Lease past;
    bool leaves = false;  // wants nothing any more
  };

  explicit RateAllocator(const RateAllocatorParameters& parameters) : parameters_(parameters) {}
  void set_link(BitRate rate);

  /// Bytes to be sent over the link have come, overhead included; `queue` wait for it.
  void comes(Bytes bytes, Bytes queue, PicoSeconds now) {
    turn(now);
    queue_ = arrived_ == 0 ? queue : std::min(queue_, queue);
    arrived_ += bytes;
  }
  Lease answer(const Request& request, PicoSeconds now);

  // As of the last call
  BitRate capacity() const { return BitRate(capacity_); }
  BitRate allocated() const { return BitRate(older_.allocated + newer_.allocated); }
  std::uint64_t flows() const { return older_.flows + newer_.flows; }

  template <class Digest>
  void add_state(Digest& d) const {
    d(capacity_, interval_, arrived_, queue_, older_, newer_);
  }

 private:
  /// Sums over the leases of one interval that still hold.
  struct Book {
    std::uint64_t allocated = 0;
    std::uint64_t demand = 0;
    std::uint64_t flows = 0;
    template <class Digest>
    void add_state(Digest& d) const {
      d(allocated, demand, flows);
    }
  };
  PicoSeconds end_of(std::int64_t interval) const { return parameters_.interval * (interval + 2); }
  void turn(PicoSeconds now);
  void take_back(const Request& request, PicoSeconds now);

  RateAllocatorParameters parameters_;
  std::uint64_t link_ = 0;
  std::uint64_t capacity_ = 0;
  std::int64_t interval_ = 0;
  Bytes arrived_ = 0;  // in this interval
  Bytes queue_ = 0;    // the shortest that arrivals found
  Book older_, newer_;
};

}  // namespace dcc
