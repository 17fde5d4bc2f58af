// Event counters of a switch.
#pragma once

#include <cstdint>

namespace dcc {

/// Counters of one egress port, or the sum over all ports of a switch (SwitchDevice::totals()).
struct SwitchCounters {
  std::uint64_t enqueued = 0;         // packets that joined a queue or passed through
  std::uint64_t dequeued = 0;         // packets that left a queue, passed through or were dropped
  std::uint64_t tx_bytes = 0;         // bytes sent, link overhead included
  std::uint64_t ecn_marks = 0;        // packets changed from ECT to CE by this switch
  std::uint64_t dropped = 0;          // packets that found no room in the buffer
  std::uint64_t dropped_bytes = 0;    // wire bytes of the dropped packets
  std::uint64_t credits_dropped = 0;  // credit packets dropped by a discipline; not in `dropped`
  std::uint64_t cnms_sent = 0;  // congestion notification messages (802.1Qau) that the switch sent
  std::uint64_t trimmed = 0;    // packets whose payload the switch trimmed
  std::uint64_t trimmed_bytes = 0;  // payload bytes removed from the trimmed packets
  std::uint64_t returned = 0;       // trimmed headers sent back to their senders
  // pauses of the packets to one host, and ends of such pauses, that the switch sent
  std::uint64_t flow_pauses = 0;
  // number of times that a flow got no queue of its own because none was free
  std::uint64_t queues_refused = 0;
  // Counters of a switch as a whole; 0 in the counters of a single port.
  std::uint64_t unroutable = 0;       // packets dropped because the switch has no route for them
  std::uint64_t path_news_sent = 0;   // load-balancer packets that this switch created
  std::uint64_t path_news_taken = 0;  // load-balancer packets that this switch consumed

  template <class Visitor>
  static void describe(Visitor&& v) {  // Describes the switch counters (stats/metric.h).
    v(&SwitchCounters::dropped, "drops_no_room",
      {"packets without room", "packets", "of drops, those for which a switch had no room"});
    v(&SwitchCounters::unroutable, "drops_no_route",
      {"packets without a route", "packets", "of drops, those for which a switch had no way out"});
    v(&SwitchCounters::dropped, "drops", {});
    v(&SwitchCounters::unroutable, "drops", {});
    v(&SwitchCounters::ecn_marks, "ecn_marks", {"ECN marks", "packets", "marked CE by switches"});
    v(&SwitchCounters::flow_pauses, "flow_pauses",
      {"pauses of single hosts", "", "stops of the packets to one host, and their ends"});
    v(&SwitchCounters::queues_refused, "queues_refused",
      {"queues refused", "", "times a flow got no queue of its own, as none was free"});
  }
};

}  // namespace dcc
