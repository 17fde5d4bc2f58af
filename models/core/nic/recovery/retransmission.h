// The rules by which RoCE queue pairs retransmit lost packets: timeout, number of retries,
// selective repeat, and the window that limits a queue pair during recovery.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "nic/nic_parameters.h"
#include "nic/recovery/retransmit_timer.h"
#include "nic/send_queue_pair.h"
#include "sim/scheduler.h"

namespace dcc {

/// The retransmission rules of one NIC: when a queue pair times out, whether it may retry, and how
/// far it may send until its work is acknowledged. The state stands in SendQueuePair; the
/// transmitter sends the packets.
class Retransmission {
 public:
  /// The event `expired` must call Retransmission::expire().
  Retransmission(Scheduler& scheduler, const NicParameters& parameters, Event expired)
      : scheduler_(scheduler),
        parameters_(parameters),
        timer_(scheduler, std::move(expired)),
        first_timeout_(parameters.recovery.first_timeout()),
        selective_window_(parameters.recovery.is_selective() ? parameters.recovery.reorder_window
                                                             : 0) {}

  /// True if the NIC retransmits lost packets; false with recovery.kind: none.
  bool is_on() const { return parameters_.retransmit_timeout() != PicoSeconds::max(); }

  /// Arms the timer for a packet that was sent and ends before `end`. While no sent packet requests
  /// an ACK or a response, each packet restarts the timer, because a message whose last packet
  /// alone requests an ACK may take longer to send than the timeout. The first packet that requests
  /// one
  /// (`asks`) starts the timeout, and later packets do not move it.
  void sent(Qpn qpn, SendQueuePair& pair, Psn end, bool asks) {
    if (!pair.awaits_answer()) arm(qpn, pair);
    if (asks) pair.asked = std::max(pair.asked, end);
  }
  /// Handles progress of a queue pair: `newly_acked` bytes were acknowledged for the first time.
  void progressed(Qpn qpn, SendQueuePair& pair, Bytes newly_acked) {
    if (newly_acked == 0) return;
    pair.retries = pair.rnr_retries = 0;
    if (!is_on()) return;
    if (pair.recovery != nullptr) open_window(pair, newly_acked);
    timer_.progressed(pair.deadline, qpn, pair.work.has_unacked(), timeout_of(pair));
  }
  /// An acknowledgement arrived `rtt` after its packet was sent. With selective repeat the receiver
  /// acknowledges the packets behind a lost one when the lost one arrives, so the time of a timeout
  /// is no part of a round trip: otherwise each timeout would be twice as long as the last one.
  void heard_after(SendQueuePair& pair, PicoSeconds rtt) const {
    if (pair.recovery != nullptr && repeats_selectively(pair)) {
      rtt = std::min(rtt, scheduler_.now() - pair.recovery->last_timeout());
    }
    pair.heard_after(rtt);
  }
  /// The receiver reported a gap in the sequence of packets.
  void gap_reported(SendQueuePair& pair) const;

  // True if the queue pair uses selective repeat, towards a responder that does so as well. READ
  // and atomic requests use go-back-N instead, because a response is repeated whole.
  bool repeats_selectively(const SendQueuePair& pair) const {
    return selective_window_ != 0 && !pair.goes_back && pair.work.reads_out() == 0;
  }
  /// Notes that the receiver keeps packet `early`, which arrived before a missing packet. The call
  /// is ignored if the packet is already acknowledged, or will be sent again anyway.
  void arrived_early(SendQueuePair& pair, Psn early) const;
  /// Must be called after a timeout: every packet that is not known to have arrived is lost.
  void repeat_unheard(SendQueuePair& pair) const;
  /// Tells recovery that `bytes` of a queue pair were newly acknowledged.
  static void acknowledged(SendQueuePair& pair, Bytes bytes) {
    if (pair.selective == nullptr || bytes == 0) return;
    pair.selective->acknowledged(pair.work, bytes);
    if (pair.selective->is_over()) pair.selective.reset();
  }
  /// True if a lost packet waits to be sent again, and the window for repeats after a timeout has
  /// room.
  static bool may_repeat(const SendQueuePair& pair) {
    return pair.selective != nullptr && has_lost(pair);
  }
  /// False if the receiver might discard the next packet because it cannot keep more early packets.
  bool has_room(const SendQueuePair& pair) const { return has_room(pair, pair.work.next_psn()); }
  /// False if the receiver might discard packet `psn` because it cannot keep more early packets.
  bool has_room(const SendQueuePair& pair, Psn psn) const {
    return selective_window_ == 0 || pair.goes_back ||
           psn - pair.work.oldest_unacked() < selective_window_;
  }

  /// The queue pair sends again from its oldest unacknowledged packet.
  static void went_back(SendQueuePair& pair) {
    cancel(pair);
    pair.asked = pair.work.oldest_unacked();
  }
  static void cancel(SendQueuePair& pair) { RetransmitTimer::disarm(pair.deadline); }

  /// Counts one retransmission without progress. Returns false if the limit of retries is reached,
  /// so that the queue pair fails.
  bool count_retry(SendQueuePair& pair) const {
    return count(pair.retries, parameters_.recovery.retries);
  }
  bool count_not_ready(SendQueuePair& pair) const {
    return count(pair.rnr_retries, parameters_.recovery.not_ready_retries);
  }

  /// Calls `timed_out(qpn, pair, counts)` for each queue pair whose acknowledgement or response is
  /// overdue. `counts` is false for an adaptive timeout shorter than recovery.timeout, which does
  /// not count to the limit of retries. A queue pair waits longer if the packet that requests the
  /// acknowledgement still waits for its turn
  /// (`may_send(pair)`). `find(qpn)` returns the queue pair, or null.
  template <class Find, class MaySend, class TimedOut>
  void expire(Find find, MaySend may_send, TimedOut timed_out) {
    timer_.expire(
        [&](Qpn qpn) {
          SendQueuePair* const pair = find(qpn);
          return pair != nullptr ? &pair->deadline : nullptr;
        },
        [&](Qpn qpn) {
          SendQueuePair& pair = *find(qpn);
          if (!pair.awaits_answer() && may_send(pair)) {
            arm(qpn, pair);
            return;
          }
          const bool counts = timeout_of(pair) >= parameters_.recovery.timeout;
          close_window(pair);
          timed_out(qpn, pair, counts);
        });
  }

  /// Limits the window that the algorithm allows by nic.window and by the window of a recovery
  /// under way.
  static void limit_window(SendQueuePair& pair) {
    pair.window = std::min(pair.algorithm_window, pair.window_limit);
    if (pair.recovery != nullptr) pair.window = std::min(pair.window, pair.recovery->limit());
  }

 private:
  void arm(Qpn qpn, SendQueuePair& pair) {
    timer_.arm(pair.deadline, qpn, scheduler_.now() + timeout_of(pair));
  }
  /// Timeout of a queue pair: at least two round trips, since no acknowledgement arrives within
  /// less than one; longer after consecutive timeouts. A fixed timeout stays the same if the number
  /// of retries is limited; an adaptive one grows up to recovery.timeout, or to two round trips.
  /// Precondition: is_on().
  PicoSeconds timeout_of(const SendQueuePair& pair) const {
    const PicoSeconds timeout = std::max(first_timeout_, pair.round_trip * 2);
    if (pair.recovery == nullptr) return timeout;
    return after_timeouts(pair, timeout);
  }
  /// The timeout of a queue pair after a timeout; see timeout_of(). `timeout`: its value without
  /// consecutive timeouts.
  [[gnu::noinline]] PicoSeconds after_timeouts(const SendQueuePair& pair,
                                               PicoSeconds timeout) const {
    const RecoveryParameters& recovery = parameters_.recovery;
    if (!recovery.adaptive && recovery.retries) return timeout;
    const PicoSeconds grown = timeout * (std::int64_t{1} << pair.recovery->backoff());
    return recovery.adaptive ? std::max(timeout, std::min(grown, recovery.timeout)) : grown;
  }
  static bool count(std::uint8_t& retries, const std::optional<unsigned>& limit) {
    if (limit && retries >= *limit) return false;
    if (retries < 255) ++retries;
    return true;
  }
  static void open_window(SendQueuePair& pair, Bytes newly_acked);
  void close_window(SendQueuePair& pair) const;
  [[gnu::noinline]] static bool has_lost(const SendQueuePair& pair);

  Scheduler& scheduler_;
  const NicParameters& parameters_;
  RetransmitTimer timer_;
  PicoSeconds first_timeout_;  // value of RecoveryParameters::first_timeout()
  // Greatest number of unacknowledged packets of a queue pair; 0: no selective repeat.
  unsigned selective_window_;
};

}  // namespace dcc
