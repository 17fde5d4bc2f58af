// The credit queue of a port: a short queue with a token bucket.
#pragma once

#include <cstddef>
#include <vector>

#include "describe/visitor.h"
#include "sim/random.h"
#include "sim/state_digest.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// Cho et al., "Credit-Scheduled Delay-Bounded Congestion Control for Datacenters", SIGCOMM 2017,
/// section 3.1; constants of the authors' ns-2 code.
struct CreditQueueParameters {
  unsigned credits = 8;     // maximum number of credits that wait in the queue
  unsigned burst = 2;       // number of credits that may leave back to back after a pause
  Bytes credit_frame = 84;  // wire bytes of a credit packet, preamble and gap included
  Bytes data_frame = 1538;  // wire bytes of the largest data packet

  void describe(ParameterVisitor& v);
};

/// A port's queue that sends credits at the rate at which the requested data fills the link in the
/// opposite direction. A credit takes the time of a credit frame plus that of a data frame. If the
/// queue is full, a random credit among the queued credits and the arriving credit is dropped, so
/// that no flow is always the victim.
class CreditQueue {
 public:
  explicit CreditQueue(const CreditQueueParameters& parameters) : parameters_(parameters) {}

  /// Sets rate and overhead of the link. Called before the first credit.
  void attach(BitRate rate, Bytes overhead) {
    rate_ = rate;
    overhead_ = overhead;
  }
  /// Queues a credit. Returns the dropped credit; null if none was dropped.
  Packet* push(Packet* credit, RandomStream& random);
  bool empty() const { return waiting_.empty(); }
  std::size_t size() const { return waiting_.size(); }
  Bytes bytes() const { return bytes_; }
  /// Time at which the first waiting credit may leave. Precondition: not empty().
  PicoSeconds ready_at() const;
  /// Removes the first credit, even before ready_at(); the next credit then waits longer.
  /// Precondition: not empty().
  Packet* pop(PicoSeconds now);

  void add_state(StateDigest& d) const {
    d(waiting_.size(), full_at_);
    for (const Packet* packet : waiting_) d(*packet);
  }

 private:
  /// Time between two credits of the queue, for credit packets of `bytes` wire bytes.
  PicoSeconds spacing(Bytes bytes) const;

  CreditQueueParameters parameters_;
  BitRate rate_ = 10_Gbps;
  Bytes overhead_ = 0;
  std::vector<Packet*> waiting_;  // credits that wait in the queue, in order of arrival
  Bytes bytes_ = 0;
  PicoSeconds full_at_{};  // time at which the token bucket is full again
};

}  // namespace dcc
