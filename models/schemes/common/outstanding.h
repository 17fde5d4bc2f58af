// Of what one queue pair sends in packets that are answered each: which are under way, since when,
// and which are to be sent again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// From the first packet that is not known to have arrived to the last that was sent.
class Outstanding {
 public:
  enum class Place : std::uint8_t { kLast, kFirst };  // among those to be sent again
  struct Sent {
    Psn psn = 0;
    PicoSeconds when{};
  };

  /// Under way.
  std::size_t out() const { return out_; }
  /// To be sent again.
  std::size_t again() const { return again_.size(); }
  bool is_out(Psn psn) const { return find(psn) != nullptr && find(psn)->state == State::kOut; }
  /// The one that was sent then; not, if it was sent again since.
  bool is_out(Psn psn, PicoSeconds sent) const { return is_out(psn) && find(psn)->sent == sent; }
  /// What has been under way for longest; null: nothing is.
  const Sent* oldest_out() {
    while (!sent_.empty() && !is_out(sent_.front().psn, sent_.front().when)) sent_.pop_front();
    return sent_.empty() ? nullptr : &sent_.front();
  }
  /// When that has been under way for `timeout`; max(): nothing is.
  PicoSeconds overdue_at(PicoSeconds timeout) {
    const Sent* const oldest = oldest_out();
    return oldest == nullptr ? PicoSeconds::max() : oldest->when + timeout;
  }
  /// What has been under way for longest, if that is for `timeout` or more.
  std::optional<Psn> overdue(PicoSeconds now, PicoSeconds timeout) {
    if (overdue_at(timeout) > now) return std::nullopt;
    return sent_.front().psn;
  }

  /// What goes now: the first that is to be sent again; without one, `fresh`, which follows the
  /// last that was ever sent.
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
  /// It did not get through, and is to be sent again. False: it was not under way.
  bool lost(Psn psn, Place place = Place::kLast) {
    if (!is_out(psn)) return false;
    find(psn)->state = State::kAgain;
    --out_;
    place == Place::kFirst ? again_.push_front(psn) : again_.push_back(psn);
    return true;
  }
  /// False: it was not under way. It may have been thought lost.
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

  template <class Digest>
  void add_state(Digest& d) const {
    d(base_, slots_, again_);
  }

 private:
  enum class State : std::uint8_t { kOut, kAgain, kThere };
  struct Slot {
    PicoSeconds sent{};
    State state = State::kOut;
    template <class Digest>
    void add_state(Digest& d) const {
      d(sent, state);
    }
  };
  const Slot* find(Psn psn) const {
    if (psn < base_ || psn - base_ >= slots_.size()) return nullptr;
    return &slots_[static_cast<std::size_t>(psn - base_)];
  }
  Slot* find(Psn psn) { return const_cast<Slot*>(std::as_const(*this).find(psn)); }

  Psn base_ = 0;  // psn of slots_.front()
  std::deque<Slot> slots_;
  std::deque<Psn> again_;
  std::deque<Sent> sent_;  // in that order; those that were answered may be in it
  std::size_t out_ = 0;
};

}  // namespace dcc
