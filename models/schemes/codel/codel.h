// CoDel: a port that keeps the waiting time of packets near a target by dropping or marking
// departing packets.
#pragma once

#include <deque>

#include "switch/discipline.h"

namespace dcc {

/// Nichols, Jacobson, McGregor and Iyengar, "Controlled Delay Active Queue Management", RFC 8289.
/// The defaults are the RFC's, which are made for the Internet; a target near the base round trip
/// and an interval of some round trips suit a data center.
struct CodelParameters final : DisciplineParameters {
  Bytes limit = 375'000;  // queue limit of the port in wire bytes
  PicoSeconds target = kMilliSecond * 5;
  PicoSeconds interval = kMilliSecond * 100;
  bool ecn = true;  // true: packets with ECN capability are marked instead of dropped

  void describe(ParameterVisitor& v) override;
  void check() const override;
  const char* replaces() const override { return "drop_tail"; }
};

/// One queue for all priorities, first come first served. A packet that finds no room is dropped on
/// arrival. When every departing packet of one `interval` has waited for `target` or longer, the
/// port drops a departing packet; the next drop follows after interval / sqrt(count), with `count`
/// the number of drops since the port began to drop, until a packet has waited for less (RFC 8289,
/// section 5).
class CodelPort final : public PortDiscipline {
 public:
  CodelPort(const CodelParameters& parameters, const DisciplineContext& context)
      : parameters_(parameters), clock_(context.clock) {}

  EnqueueResult enqueue(Packet* packet) override;
  /// Takes the next packet; never null, since the last packet of the queue is not dropped.
  Packet* dequeue() override;
  Packet* evict() override { return pop().packet; }
  bool empty() const override { return waiting_.empty(); }
  Bytes bytes() const override { return bytes_; }
  void add_state(StateDigest& d) const override;

 private:
  struct Entry {
    Packet* packet = nullptr;
    PicoSeconds arrived{};
  };
  struct Departure {
    Packet* packet = nullptr;
    bool may_drop = false;  // true if the waiting time was above the target for a whole interval
  };
  Entry pop();
  Departure next();
  bool mark(Packet& packet);
  PicoSeconds control_law(PicoSeconds from) const;

  const CodelParameters parameters_;
  const Scheduler& clock_;
  std::deque<Entry> waiting_;
  Bytes bytes_ = 0;
  // size of the largest packet that arrived so far, in wire bytes; initially the RFC's value
  Bytes largest_packet_ = 512;
  // State of CoDel's pseudo-code (RFC 8289). first_above_ is PicoSeconds() while the queue is not
  // above the target.
  PicoSeconds first_above_{};
  PicoSeconds drop_next_{};
  std::uint64_t count_ = 0;
  std::uint64_t last_count_ = 0;
  bool dropping_ = false;
};

}  // namespace dcc
