// Credits that wait for their turn on a wire: a short queue behind a token bucket.
#pragma once

#include <cstddef>
#include <vector>

#include "describe/visitor.h"
#include "sim/random.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// Cho et al., "Credit-Scheduled Delay-Bounded Congestion Control for Datacenters", SIGCOMM 2017,
/// section 3.1; constants of the authors' ns-2 code.
struct CreditQueueParameters {
  unsigned credits = 8;     // that may wait
  unsigned burst = 2;       // that may leave in a row after a pause
  Bytes credit_frame = 84;  // a credit on the wire, preamble and gap included …
  Bytes data_frame = 1538;  // … and the largest packet that answers it

  void describe(ParameterVisitor& v);
};

/// Lets credits leave at the pace at which the data that they call for fills the wire the other
/// way: each takes the time of itself and of that. One that finds the queue full is dropped, or
/// takes the place of another, by lot, so that nobody's are always the unlucky ones.
class CreditQueue {
 public:
  explicit CreditQueue(const CreditQueueParameters& parameters) : parameters_(parameters) {}

  /// The wire it is for. Before the first credit.
  void attach(BitRate rate, Bytes overhead) {
    rate_ = rate;
    overhead_ = overhead;
  }
  /// Takes a credit. Returns the one that found no room; null: all have.
  Packet* push(Packet* credit, RandomStream& random);
  bool empty() const { return waiting_.empty(); }
  std::size_t size() const { return waiting_.size(); }
  Bytes bytes() const { return bytes_; }
  /// When the first may leave. Precondition: not empty().
  PicoSeconds ready_at() const;
  /// The first leaves now. Precondition: not empty(). It may do so before ready_at(); then the next
  /// waits for the longer.
  Packet* pop(PicoSeconds now);

  template <class Digest>
  void add_state(Digest& d) const {
    d(waiting_.size(), full_at_);
    for (const Packet* packet : waiting_) d(*packet);
  }

 private:
  /// Of so many bytes of credit.
  PicoSeconds spacing(Bytes bytes) const;

  CreditQueueParameters parameters_;
  BitRate rate_ = 10_Gbps;
  Bytes overhead_ = 0;
  std::vector<Packet*> waiting_;  // by arrival
  Bytes bytes_ = 0;
  PicoSeconds full_at_{};  // when the bucket would be full again
};

}  // namespace dcc
