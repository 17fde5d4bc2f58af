// The packets in flight of one queue pair that are acknowledged one by one, and its packets to be
// retransmitted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "sim/state_digest.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// Covers all packets from the first unacknowledged packet to the last packet sent.
class Outstanding {
 public:
  // position at which a packet enters the queue of packets to be retransmitted
  enum class Place : std::uint8_t { kLast, kFirst };
  struct Sent {
    Psn psn = 0;
    PicoSeconds when{};
  };

  /// Number of the queue pair's packets in flight.
  std::size_t out() const { return out_; }
  /// Number of the queue pair's packets to be retransmitted.
  std::size_t again() const { return again_.size(); }
  bool is_out(Psn psn) const { return find(psn) != nullptr && find(psn)->state == State::kOut; }
  /// True if the transmission of `psn` at time `sent` is in flight, and not a later transmission of
  /// it.
  bool is_out(Psn psn, PicoSeconds sent) const { return is_out(psn) && find(psn)->sent == sent; }
  /// The packet that has been in flight for the longest time; null if no packet is in flight.
  const Sent* oldest_out() {
    while (!sent_.empty() && !is_out(sent_.front().psn, sent_.front().when)) sent_.pop_front();
    return sent_.empty() ? nullptr : &sent_.front();
  }
  /// Time at which the oldest packet in flight reaches the age `timeout`; max() without packets in
  /// flight.
  PicoSeconds overdue_at(PicoSeconds timeout) {
    const Sent* const oldest = oldest_out();
    return oldest == nullptr ? PicoSeconds::max() : oldest->when + timeout;
  }
  /// The oldest packet in flight, if it has been in flight for `timeout` or longer.
  std::optional<Psn> overdue(PicoSeconds now, PicoSeconds timeout) {
    if (overdue_at(timeout) > now) return std::nullopt;
    return sent_.front().psn;
  }

  /// Chooses the packet to send now and records it as in flight: the first retransmission or,
  /// without one, `fresh`, the packet after the last packet that was ever sent.
  Psn send(Psn fresh, PicoSeconds now) {
    Psn psn = fresh;
    if (again_.empty()) {
      slots_.emplace_back();
    } else {
      psn = again_.front();
      again_.pop_front();
    }
    *find(psn) = {now, State::kOut};
    sent_.push_back({psn, now});
    ++out_;
    return psn;
  }
  /// Queues a lost packet for retransmission; false if the packet was not in flight.
  bool lost(Psn psn, Place place = Place::kLast) {
    if (!is_out(psn)) return false;
    find(psn)->state = State::kAgain;
    --out_;
    place == Place::kFirst ? again_.push_front(psn) : again_.push_back(psn);
    return true;
  }
  /// Records an acknowledged packet; false if the packet was not in flight. A packet that was
  /// queued for retransmission leaves that queue.
  bool arrived(Psn psn) {
    Slot* const slot = find(psn);
    if (slot == nullptr) return false;
    const bool out = slot->state == State::kOut;
    if (out) --out_;
    if (slot->state == State::kAgain) again_.erase(std::find(again_.begin(), again_.end(), psn));
    slot->state = State::kThere;
    for (; !slots_.empty() && slots_.front().state == State::kThere; ++base_) slots_.pop_front();
    return out;
  }

  void add_state(StateDigest& d) const { d(base_, slots_, again_); }

 private:
  enum class State : std::uint8_t { kOut, kAgain, kThere };
  struct Slot {
    PicoSeconds sent{};
    State state = State::kOut;
    void add_state(StateDigest& d) const { d(sent, state); }
  };
  const Slot* find(Psn psn) const {
    if (psn < base_ || psn - base_ >= slots_.size()) return nullptr;
    return &slots_[static_cast<std::size_t>(psn - base_)];
  }
  Slot* find(Psn psn) { return const_cast<Slot*>(std::as_const(*this).find(psn)); }

  Psn base_ = 0;  // number of the packet that slots_.front() describes
  std::deque<Slot> slots_;
  std::deque<Psn> again_;
  // sent packets in order of sending time, including some that are acknowledged already
  std::deque<Sent> sent_;
  std::size_t out_ = 0;
};

}  // namespace dcc
