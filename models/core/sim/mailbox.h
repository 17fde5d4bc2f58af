// What crosses from one partition of a run to another.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "units.h"

namespace dcc {

/// One way, from one partition to one other. Has two sides: during a window the sender fills one
/// while the receiver empties the other, and for the next window they change; so neither waits for
/// the other, and the barrier between windows is all the order they need.
class alignas(64) Mailbox {
 public:
  using Enter = void (*)(void* receiver, void* item);

  /// The sender's: `enter(receiver, item)` shall be called in the other partition, which must be
  /// before `due`, when the item has its first effect there.
  void put(Enter enter, void* receiver, void* item, PicoSeconds due) {
    Side& side = sides_[filling_];
    side.letters.push_back({enter, receiver, item});
    side.earliest = std::min(side.earliest, due);
  }
  /// From now on `put` fills this side, 0 or 1.
  void fill(unsigned side) { filling_ = side; }
  /// When the first item put into a side is due; max() if it is empty.
  PicoSeconds earliest(unsigned side) const { return sides_[side].earliest; }

  /// Instead of empty(): take(receiver, item) for each of a side, in the order put.
  template <class Take>
  void hand_over(unsigned number, Take take) {
    Side& side = sides_[number];
    for (const Letter& letter : side.letters) take(letter.receiver, letter.item);
    side.letters.clear();
    side.earliest = PicoSeconds::max();
  }

  /// The receiver's: takes in all of a side, in the order put.
  void empty(unsigned number) {
    Side& side = sides_[number];
    const std::size_t letters = side.letters.size();
    // Written on another processor a moment ago: asked for together rather than one by one.
    for (std::size_t i = 0; i < letters; ++i) {
      if (i % kAhead == 0) {
        for (std::size_t j = i; j < std::min(i + kAhead, letters); ++j) {
          __builtin_prefetch(side.letters[j].item, 1);
        }
      }
      const Letter& letter = side.letters[i];
      letter.enter(letter.receiver, letter.item);
    }
    side.letters.clear();
    side.earliest = PicoSeconds::max();
  }

 private:
  static constexpr std::size_t kAhead = 16;
  struct Letter {
    Enter enter;
    void* receiver;
    void* item;
  };
  struct alignas(64) Side {
    std::vector<Letter> letters;
    PicoSeconds earliest = PicoSeconds::max();
  };
  std::array<Side, 2> sides_;
  alignas(64) unsigned filling_ = 0;
};

}  // namespace dcc
