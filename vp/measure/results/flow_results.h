// Results of flows: one by one, counted, and over time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "stats/class_delays.h"
#include "stats/flow_ledger.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc::vp {

/// Results of one flow. Numbers of bytes are payload bytes.
struct FlowResult {
  std::uint32_t id = 0;
  HostId from = 0;
  HostId to = 0;
  std::uint16_t from_port = 0;  // number of the port of `from` that the flow uses, from 0
  std::uint16_t to_port = 0;
  unsigned dscp = 0;
  unsigned entry = 0;      // index of the flow's entry in the list of traffic
  bool of_incast = false;  // true if the flow answers a query of a random incast
  // true if the flow is outside congestion control and takes no part in fairness and shares
  bool background = false;
  std::optional<Bytes> bytes;  // size of the flow in payload bytes; empty if the flow has no end
  std::optional<PicoSeconds> deadline;  // deadline after `start`; empty: none
  PicoSeconds start{};                  // time at which the first byte was posted
  // time at which the last ACK arrived; empty if unfinished or never acknowledged
  std::optional<PicoSeconds> end;
  std::optional<PicoSeconds> end_rx;  // time at which the last byte was received
  // completion time alone in the empty network; empty if the flow has no end
  std::optional<PicoSeconds> ideal;
  // ideal time to the last byte received; empty if the transport is RoCE
  std::optional<PicoSeconds> ideal_rx;
  // completion time by the reference formula: base RTT plus wire bytes at the slowest link
  std::optional<PicoSeconds> reference_ideal;
  // time at which the flow's source ended, by the key `stop:` or by the transport
  std::optional<PicoSeconds> stopped;
  Bytes delivered_total = 0;
  Bytes delivered_measured = 0;  // payload bytes received within `measure`
  FlowCounts counts;
  // time at which a byte of the flow was last received or acknowledged; `start` if none was
  PicoSeconds progress{};
  BitRate rate_cap{};    // rate limit of the application; 0: none
  bool begun = false;    // true if the flow's first byte was posted
  bool waiting = false;  // true if posted bytes of a reliable flow have not been received
  // true if posted bytes have not been acknowledged, although the flow's receiver acknowledges them
  bool unacknowledged = false;
  bool reversed = false;  // true if `to` sends the data, as for READ
  bool completed = false;
};

/// Counts over all flows of a run, which need no list of flows.
struct FlowCensus {
  std::size_t flows = 0;
  std::size_t begun = 0;
  std::size_t completed = 0;
  std::size_t finite = 0;        // flows that have an end
  std::size_t finite_begun = 0;  // number of flows that have an end and began
  std::size_t timed = 0;         // number of completed flows for which an ideal time is known
  bool background = false;       // true if there is a background flow
  bool all_over = true;          // true if every flow that began has completed or was stopped
  PicoSeconds last{};            // time of the last byte, acknowledgement or stop of any flow
  Bytes delivered_measured = 0;
  std::array<std::uint64_t, 64> retransmits{};  // packets sent again, by DSCP

  /// Counts `times` flows that have the same properties but different times; `flow` is the last of
  /// them.
  void add(const FlowResult& flow, std::uint64_t times = 1);
};

/// Samples of a flow over the whole run; all columns have the same length.
struct FlowRateColumns {
  std::vector<PicoSeconds> t;
  std::vector<std::uint32_t> flow;
  std::vector<double> rate_gbps;  // rate that congestion control allows the flow, in wire bits
  std::vector<double> target_gbps;
  std::vector<double> alpha;
  std::vector<double> goodput_gbps;  // payload rate received in the interval that ends at t
};

struct ClassColumns {
  std::vector<PicoSeconds> t;
  std::vector<unsigned> dscp;
  std::vector<double> goodput_gbps;  // payload rate received in the interval that ends at t
};

/// Delays of a traffic class's packets within `measure`.
struct DelayResult {
  unsigned dscp = 0;
  ClassDelays of;
};

}  // namespace dcc::vp
