// A link's capacity, given to the most critical flows that ask for it; the others pause (PDQ).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "describe/quantities.h"
#include "describe/visitor.h"
#include "units.h"

namespace dcc {

/// What a flow tells the ports on its way with every packet, and what they make of it: the answer
/// brings it back past them to the sender.
struct SchedulingHeader {
  BitRate rate;                 // that it may send at, wire bits, as far as it has asked
  std::uint64_t paused_by = 0;  // the port that lets it send nothing; 0: none
  PicoSeconds deadline = PicoSeconds::max();  // max(): none
  PicoSeconds left{};         // that the rest takes at the sender's highest rate; 0: none is left
  PicoSeconds round_trip{};   // as the sender measured it, > 0
  PicoSeconds probe_after{};  // if it is paused
};

/// Hong, Caesar, Godfrey, "Finishing Flows Quickly with Preemptive Scheduling", SIGCOMM 2012,
/// section 3.3.
struct PreemptiveAllocatorParameters {
  std::uint32_t early_start = 2;  // K, in round trips
  Ratio probing{1, 5};            // X, in round trips
  Ratio dampening{1};             // in round trips
  std::uint32_t flows = 16;

  void describe(ParameterVisitor& v);
};

/// Keeps a list of flows, the most critical first: that with the earlier deadline, then that with
/// less left, then the lower number. A flow may send at what those before it leave of the capacity,
/// or pauses. Those before it that end within round trips are left out, as far as the round trips
/// of all of them are less than `early_start`: the next begins before they have ended. Of flows
/// that last longer no second one begins for `dampening`, until the first has been heard of.
///
/// A rate counts when the answer has come back with it; one that was raised on the way out counts
/// for two round trips, until it does. Flows that pause elsewhere are not kept, nor is one
/// that sends its last packet, nor more than `flows` or twice those that send.
class PreemptiveAllocator {
 public:
  /// `name` of the port, in SchedulingHeader::paused_by: another for each, not 0.
  PreemptiveAllocator(const PreemptiveAllocatorParameters& parameters, std::uint64_t name)
      : parameters_(parameters), name_(name) {}
  void set_link(BitRate rate);
  std::uint64_t name() const { return name_; }

  /// On the way out; `queue` bytes wait for the link.
  void ask(std::uint32_t flow, SchedulingHeader& header, Bytes queue, PicoSeconds now);
  /// On the way back; `sent`: of the packet that is answered.
  void answer(std::uint32_t flow, const SchedulingHeader& header, PicoSeconds sent);
  void leave(std::uint32_t flow);

  /// As of the last call.
  BitRate capacity() const { return BitRate(capacity_); }
  struct Flow {
    std::uint32_t number = 0;
    PicoSeconds deadline{};
    PicoSeconds left{};
    PicoSeconds round_trip{};
    BitRate rate;             // as an answer came back; 0: it pauses, or there was none yet
    BitRate offered;          // on its way out, last
    PicoSeconds sent{};       // the packet whose answer came back
    PicoSeconds raised{};     // until when what was offered counts though no answer has it
    PicoSeconds forgotten{};  // when, if nothing more is heard of it
    template <class Digest>
    void add_state(Digest& d) const {
      d(number, deadline, left, round_trip, rate, offered, sent, raised, forgotten);
    }
  };
  /// The most critical first.
  const std::vector<Flow>& flows() const { return flows_; }

  template <class Digest>
  void add_state(Digest& d) const {
    d(capacity_, controlled_, shortest_queue_, next_may_begin_, flows_);
  }

 private:
  static bool more_critical(const Flow& a, const Flow& b);
  static BitRate rate_of(const Flow& flow, PicoSeconds now);
  std::size_t place_of(std::uint32_t flow) const;
  std::size_t most(PicoSeconds now) const;
  std::size_t put(const Flow& flow);
  void control_rate(PicoSeconds round_trip, Bytes queue, PicoSeconds now);
  void forget_the_silent(PicoSeconds now);
  std::uint64_t available(std::size_t place, PicoSeconds now) const;
  void pause(SchedulingHeader& header, std::size_t place) const;

  PreemptiveAllocatorParameters parameters_;
  std::uint64_t name_;
  std::uint64_t link_ = 0;
  std::uint64_t capacity_ = 0;
  PicoSeconds controlled_{};      // when the capacity is next looked at
  Bytes shortest_queue_ = 0;      // since the last time
  PicoSeconds next_may_begin_{};  // one that does not end soon
  std::vector<Flow> flows_;
};

}  // namespace dcc
