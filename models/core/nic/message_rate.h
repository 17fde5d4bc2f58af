// The limit of the number of messages that a NIC starts to send in a second.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "nic/nic_parameters.h"
#include "sim/state_digest.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// Says when each queue pair of one NIC may start its next message. A queue pair whose own limit
/// allows a message gets the next free turn of the NIC, in the order of the calls, and keeps that
/// turn until it starts the message. A message that starts late by less than one interval does not
/// lower the average rate. A message that is sent again from its first packet counts again.
class MessageRate {
 public:
  /// Precondition: limits.is_limited().
  explicit MessageRate(const MessageRateParameters& limits)
      : of_pair_(interval(limits.queue_pair)), of_nic_(interval(limits.nic)) {}

  /// A queue pair is created or reset: forgets its earlier messages.
  void begin(Qpn qpn) { pair(qpn) = Pair{}; }

  /// Returns the earliest time, not before `now`, at which the queue pair may start its next
  /// message. If this time is `now`, the message starts. Otherwise the owner calls again at that
  /// time or later.
  PicoSeconds start(Qpn qpn, PicoSeconds now) {
    Pair& own = pair(qpn);
    if (now < own.next) return own.next;
    if (!own.has_turn) {
      own.has_turn = true;
      own.turn = std::max(now, free_);
      free_ = own.turn + of_nic_;
    }
    if (now < own.turn) return own.turn;
    own.has_turn = false;
    own.next = (now - own.next < of_pair_ ? own.next : now) + of_pair_;
    return now;
  }

  void add_state(StateDigest& d) const {
    d(free_);
    for (const Pair& one : pairs_) d(one.next, one.turn, one.has_turn);
  }

 private:
  struct Pair {
    // time at which the queue pair's own limit allows a message; long ago before its first message
    PicoSeconds next{INT64_MIN / 4};
    PicoSeconds turn{};  // turn of the NIC that the queue pair holds, valid with has_turn
    bool has_turn = false;
  };
  static PicoSeconds interval(const std::optional<Frequency>& limit) {
    return limit ? limit->cycles(1) : PicoSeconds{};
  }
  Pair& pair(Qpn qpn) {
    if (qpn >= pairs_.size()) pairs_.resize(qpn + 1);
    return pairs_[qpn];
  }

  PicoSeconds of_pair_;  // least interval between messages of a queue pair; 0: no limit
  PicoSeconds of_nic_;   // least interval between messages of the NIC; 0: no limit
  PicoSeconds free_{};   // first turn of the NIC that no queue pair holds
  std::vector<Pair> pairs_;
};

}  // namespace dcc
