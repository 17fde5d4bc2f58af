// State that a transmitter keeps for one queue pair.
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
#include "sim/state_digest.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// State of a queue pair for READ and atomic operations and for refused requests; allocated at the
/// first of them, in either direction.
struct ReadState {
  ResponderState responder;
  bool own_turn = false;  // the queue pair sent a request last; responses and requests alternate
  // Requester:
  Psn acked_to = 0;  // packets below this number are acknowledged; their READs may still miss data
  bool gap = false;  // part of a READ response is missing and was requested again
  Psn refused_at = 0;
  // the request with number `refused_at` was refused; reported after all earlier requests
  bool refused = false;
  CompletionSink::Status refusal{};

  void add_state(StateDigest& d) const {
    d(responder, acked_to, own_turn, gap, refused_at, refused, refusal);
  }
};

/// Pacing state of a queue pair, which FlowPacer updates.
struct PacingState {
  Rate rate;  // pacing rate of the algorithm, at most the application's limit
  std::uint32_t last_wire =
      0;                     // wire bytes, with overhead, of the last packet or of the burst so far
  PicoSeconds full_gap{};    // pacing gap after a full packet at `rate`
  PicoSeconds paced_from{};  // time at which the last packet or burst was due to start
};

/// Sending state of one queue pair. The first cache line holds the members that decide whether and
/// when the queue pair sends; members that describe work and packets follow.
struct alignas(64) SendQueuePair {
  SendQueuePair() : SendQueuePair(0) {}
  explicit SendQueuePair(std::uint32_t mtu) : work(mtu) {}

  bool created = false;
  bool connected = false;
  // the queue pair is connected, and the switch does not stop packets to the remote host
  bool open = false;
  bool failed = false;  // error state: posted work is flushed until the queue pair is created anew
  bool goes_back = false;    // the responder does not support selective repeat; see Retransmission
  bool has_window = false;   // the algorithm set a window; ACKs are requested within messages
  std::uint8_t retries = 0;  // retransmissions since the last progress, saturating at 255
  PacingState pacing;
  // least of the windows of the algorithm, of loss recovery and of nic.window
  Bytes window = INT64_MAX;
  PicoSeconds not_before{};  // end of the delay that an RNR NAK asked for
  Bytes burst_left = 0;  // payload bytes of the current burst that may still follow without a gap
  std::unique_ptr<ReadState> reads;
  WorkQueue work;
  // retransmission deadline of the oldest packet; armed while packets are in flight
  RetransmitTimer::Deadline deadline;
  // longest recent round-trip time; falls by an eighth with each acknowledgement
  PicoSeconds round_trip{};
  Psn asked = 0;  // sequence number above the last sent packet that asks for an ACK or response
  // state of timeout recovery; null: no timeout since the queue pair was idle
  std::unique_ptr<RecoveryWindow> recovery;
  // state of selective repeat; null: no packet is known to be lost
  std::unique_ptr<SelectiveRepeat> selective;
  // window of the algorithm, set with `recovery` or `window_limit`
  Bytes algorithm_window = INT64_MAX;
  Bytes window_limit = INT64_MAX;  // limit of unacknowledged bytes by nic.window
  QueuePairConfig config;
  PicoSeconds burst_next{};  // time at which a burst below line rate continues
  PicoSeconds due{};         // time at which the next packet, or its burst, may start
  std::unique_ptr<AlgorithmTimers> timers;
  std::uint8_t rnr_retries = 0;  // number of those `retries` that an RNR NAK caused

  /// Records a round-trip time: an acknowledgement arrived `rtt` after its packet was sent.
  void heard_after(PicoSeconds rtt) {
    round_trip = std::max(rtt, PicoSeconds(round_trip.count - round_trip.count / 8));
  }
  /// True if the receiver was asked for an acknowledgement or a response that has not arrived.
  bool awaits_answer() const { return asked > work.oldest_unacked(); }

  void add_state(StateDigest& d) const {
    d(created, connected, failed, retries, rnr_retries, work, pacing.rate, window,
      pacing.paced_from, pacing.last_wire, burst_left, burst_next, due, not_before, deadline,
      timers, reads, round_trip, awaits_answer(), recovery, selective, algorithm_window,
      window_limit, config.dscp);
  }
};

}  // namespace dcc
