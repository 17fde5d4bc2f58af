// Allocates the capacity of a link to the most critical flows; other flows pause (PDQ).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "describe/quantities.h"
#include "describe/visitor.h"
#include "sim/state_digest.h"
#include "units.h"

namespace dcc {

/// Scheduling header that a flow sends to the ports of its path with every packet. The ports change
/// the header, and the answer carries it back past the ports to the sender.
struct SchedulingHeader {
  BitRate rate;  // allowed rate in wire bits per second, the minimum of the ports passed so far
  std::uint64_t paused_by = 0;                // number of the port that pauses the flow; 0: no port
  PicoSeconds deadline = PicoSeconds::max();  // deadline of the flow; max(): no deadline
  PicoSeconds
      left{};  // time to send the flow's remaining data at the maximum rate; 0: nothing left
  PicoSeconds round_trip{};   // round-trip time that the flow's sender measured, above 0
  PicoSeconds probe_after{};  // time until a paused flow's next probe
  PicoSeconds waited{};  // time that a paused flow waited before the probe that carries this header
};

/// Parameters of PDQ's allocation (Hong, Caesar, Godfrey, "Finishing Flows Quickly with Preemptive
/// Scheduling", SIGCOMM 2012, section 3.3).
struct PreemptiveAllocatorParameters {
  std::uint32_t early_start = 2;  // early start limit in round trips (K of the PDQ paper)
  Ratio probing{1, 5};            // time between two probes in round trips (X of the PDQ paper)
  // Time after one flow begins in which no other flow begins, in round trips. A granted rate counts
  // at once, so this time need not last until the rate has come back.
  Ratio dampening{1, 4};
  std::uint32_t flows = 16;

  void describe(ParameterVisitor& v);
};

/// The allocator keeps a list of flows, the most critical first: earliest deadline, then least data
/// left, then lowest number. A flow may send at the capacity that the flows before it leave, or
/// pauses. Flows before it that end within a few round trips are ignored as long as the sum of
/// their remaining round trips is below `early_start`, so the next flow starts before they end.
/// After a longer flow has started, no further long flow starts for `dampening`.
///
/// A rate becomes valid when the answer that carries the rate has passed the port; a rate that was
/// raised on the forward path counts for two round trips until then. The list does not keep flows
/// that another port pauses, flows that send their last packet, and more flows than `flows` or
/// twice the number of sending flows. A flow without a place in the list waits twice as long before
/// its next probe if probes took more than a quarter of the link, and a quarter less otherwise.
/// Probes of the listed flows take at most half the link. Probes leave before data, so probes of
/// many flows would keep all data waiting.
class PreemptiveAllocator {
 public:
  /// `name`: identification number of the port in SchedulingHeader::paused_by, unique and not 0.
  PreemptiveAllocator(const PreemptiveAllocatorParameters& parameters, std::uint64_t name)
      : parameters_(parameters), name_(name) {}
  void set_link(BitRate rate);
  std::uint64_t name() const { return name_; }

  /// Handles a scheduling header on the forward path. `queue`: bytes that wait for the link;
  /// `wire`: bytes that the header's packet takes on the wire, if that packet is a probe.
  void ask(std::uint32_t flow, SchedulingHeader& header, Bytes queue, PicoSeconds now,
           Bytes wire = 0);
  /// Handles a scheduling header on the reverse path. `sent`: sending time of the packet that the
  /// answer acknowledges.
  void answer(std::uint32_t flow, const SchedulingHeader& header, PicoSeconds sent);
  void leave(std::uint32_t flow);

  /// Capacity of the link after the last call.
  BitRate capacity() const { return BitRate(capacity_); }
  struct Flow {
    std::uint32_t number = 0;
    PicoSeconds deadline{};
    PicoSeconds left{};
    PicoSeconds round_trip{};
    // rate of the flow by the last answer; 0: the flow is paused, or no answer has passed
    BitRate rate;
    BitRate offered;       // rate that the port last granted to the flow on the forward path
    PicoSeconds sent{};    // sending time of the flow's packet whose answer came back last
    PicoSeconds raised{};  // time until which the granted rate (`offered`) counts without an answer
    // time at which the flow leaves the port's list unless a packet of the flow arrives
    PicoSeconds forgotten{};
    void add_state(StateDigest& d) const {
      d(number, deadline, left, round_trip, rate, offered, sent, raised, forgotten);
    }
  };
  /// List of the flows that the port knows, the most critical first.
  const std::vector<Flow>& flows() const { return flows_; }

  void add_state(StateDigest& d) const {
    d(capacity_, controlled_, shortest_queue_, next_may_begin_, probe_, probed_, counted_from_,
      crowded_, flows_);
  }

 private:
  static bool more_critical(const Flow& a, const Flow& b);
  static BitRate rate_of(const Flow& flow, PicoSeconds now);
  std::size_t place_of(std::uint32_t flow) const;
  std::size_t most(PicoSeconds now) const;
  std::size_t put(const Flow& flow);
  void count_probe(Bytes wire, PicoSeconds round_trip, PicoSeconds now);
  void control_rate(PicoSeconds round_trip, Bytes queue, PicoSeconds now);
  void forget_the_silent(PicoSeconds now);
  std::uint64_t available(std::size_t place, PicoSeconds now) const;
  void pause(SchedulingHeader& header, std::size_t place) const;

  PreemptiveAllocatorParameters parameters_;
  std::uint64_t name_;
  std::uint64_t link_ = 0;
  std::uint64_t capacity_ = 0;
  PicoSeconds controlled_{};  // time of the next adjustment of the link's capacity
  // least queue of the link in bytes since the last adjustment of its capacity
  Bytes shortest_queue_ = 0;
  PicoSeconds next_may_begin_{};  // earliest time at which the next long flow may start
  PicoSeconds probe_{};           // time that a probe takes on the link
  PicoSeconds probed_{};          // sum of the link times of all probes since counted_from_
  PicoSeconds counted_from_{};
  bool crowded_ = false;  // true if probes took more than a quarter of the link's time
  std::vector<Flow> flows_;
};

}  // namespace dcc
