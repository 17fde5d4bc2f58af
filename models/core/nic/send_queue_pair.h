// The state that a transmitter keeps for one queue pair.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "nic/algorithm_timers.h"
#include "nic/completion_sink.h"
#include "nic/nic_parameters.h"
#include "nic/read_responder.h"
#include "nic/recovery/recovery_window.h"
#include "nic/recovery/retransmit_timer.h"
#include "nic/recovery/selective_repeat.h"
#include "nic/work_queue.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// State for READ and atomic operations and for refused requests; exists after the first of them,
/// in either direction.
struct ReadState {
  ResponderState responder;
  bool own_turn = false;  // true if a request was sent last; responses and requests alternate
  // Requester:
  Psn acked_to = 0;  // packets below this number are acknowledged; their READs may still miss data
  bool gap = false;  // part of a response is missing and was requested again
  Psn refused_at = 0;
  bool refused = false;  // request `refused_at` was refused; reported after all earlier ones
  CompletionSink::Status refusal{};

  template <class Digest>
  void add_state(Digest& d) const {
    d(responder, acked_to, own_turn, gap, refused_at, refused, refusal);
  }
};

/// Pacing of a queue pair; FlowPacer computes with it.
struct PacingState {
  Rate rate;  // pacing rate of the algorithm, at most the application's limit
  std::uint32_t last_wire =
      0;                     // wire bytes with overhead of the last packet, or of the burst so far
  PicoSeconds full_gap{};    // gap after a full packet at `rate`
  PicoSeconds paced_from{};  // when the last packet, or burst, was due to start
};

/// The first cache line holds the members that decide whether and when the queue pair sends; the
/// members of its work and of a packet follow.
struct alignas(64) SendQueuePair {
  SendQueuePair() : SendQueuePair(0) {}
  explicit SendQueuePair(std::uint32_t mtu) : work(mtu) {}

  bool created = false;
  bool connected = false;
  bool open = false;         // connected, and the switch does not stop packets to the remote host
  bool failed = false;       // error state: work is flushed until the queue pair is created anew
  bool goes_back = false;    // the responder does not support selective repeat; see Retransmission
  bool has_window = false;   // the algorithm set a window; ACKs are requested within messages
  std::uint8_t retries = 0;  // retransmissions since the last progress, saturating at 255
  PacingState pacing;
  Bytes window = INT64_MAX;  // least of the windows: the algorithm's, recovery's, nic.window
  PicoSeconds not_before{};  // end of the delay that a not-ready NAK asked for
  Bytes burst_left = 0;      // payload bytes that may still follow without a gap
  std::unique_ptr<ReadState> reads;
  WorkQueue work;
  RetransmitTimer::Deadline deadline;  // deadline of the ACK; armed while packets are in flight
  PicoSeconds round_trip{};  // longest recent RTT; falls by an eighth with each acknowledgement
  Psn asked = 0;             // number above the last sent packet that asks for an ACK or response
  std::unique_ptr<RecoveryWindow> recovery;    // null: no timeout since the queue pair was idle
  std::unique_ptr<SelectiveRepeat> selective;  // null: no packet is known to be lost
  Bytes algorithm_window = INT64_MAX;          // set with `recovery` or `window_limit`
  Bytes window_limit = INT64_MAX;              // limit by nic.window
  QueuePairConfig config;
  PicoSeconds burst_next{};  // when a burst below line rate continues
  PicoSeconds due{};         // when the next packet, or the burst it belongs to, may start
  std::unique_ptr<AlgorithmTimers> timers;
  std::uint8_t rnr_retries = 0;  // number of `retries` that a not-ready NAK caused

  /// Records a round-trip time: an acknowledgement arrived `rtt` after its packet was sent.
  void heard_after(PicoSeconds rtt) {
    round_trip = std::max(rtt, PicoSeconds(round_trip.count - round_trip.count / 8));
  }
  /// True if the receiver was asked for an acknowledgement, or for a response, that is outstanding.
  bool awaits_answer() const { return asked > work.oldest_unacked(); }

  template <class Digest>
  void add_state(Digest& d) const {
    d(created, connected, failed, retries, rnr_retries, work, pacing.rate, window,
      pacing.paced_from, pacing.last_wire, burst_left, burst_next, due, not_before, deadline,
      timers, reads, round_trip, awaits_answer(), recovery, selective, algorithm_window,
      window_limit, config.dscp);
  }
};

}  // namespace dcc
