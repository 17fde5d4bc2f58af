// What crosses from one partition of a run to another.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "units.h"

namespace dcc {

/// What all mailboxes that one partition fills have in common. Mailboxes have two sides: during a
/// window the sender fills one while receivers empty the other, and for the next window they
/// change; so neither waits for the other, and the barrier between windows is all the order they
/// need.
struct alignas(64) Outgoing {
  unsigned side = 0;  // being filled
  /// When the first item put into a side of any of them is due; max() where there is none.
  std::array<PicoSeconds, 2> earliest{PicoSeconds::max(), PicoSeconds::max()};

  /// From now on `put` fills this side, which is empty.
  void fill(unsigned number) {
    side = number;
    earliest[number] = PicoSeconds::max();
  }
};

class Mailbox;

/// Those of some mailboxes to one partition that are not empty, by side: of thousands of parts each
/// hears of a few at a time.
struct alignas(64) Incoming {
  std::array<std::vector<Mailbox*>, 2> filled;
};

/// One way, from one partition to one other.
class Mailbox {
 public:
  using Enter = void (*)(void* receiver, void* item);

  /// Both must outlive it. `incoming`: who fills other mailboxes of its does so in the same thread.
  explicit Mailbox(Outgoing& outgoing, Incoming* incoming = nullptr)
      : outgoing_(&outgoing), incoming_(incoming) {}

  /// The sender's: `enter(receiver, item)` shall be called in the other partition, which must be
  /// before `due`, when the item has its first effect there.
  void put(Enter enter, void* receiver, void* item, PicoSeconds due) {
    const unsigned number = outgoing_->side;
    std::vector<Letter>& letters = sides_[number].letters;
    if (letters.empty() && incoming_ != nullptr) incoming_->filled[number].push_back(this);
    letters.push_back({enter, receiver, item});
    outgoing_->earliest[number] = std::min(outgoing_->earliest[number], due);
  }

  /// Instead of empty(): take(receiver, item) for each of a side, in the order put.
  template <class Take>
  void hand_over(unsigned number, Take take) {
    Side& side = sides_[number];
    for (const Letter& letter : side.letters) take(letter.receiver, letter.item);
    side.letters.clear();
  }

  /// The receiver's: takes in all of a side, in the order put.
  void empty(unsigned number) {
    Side& side = sides_[number];
    const std::size_t letters = side.letters.size();
    // Written by another processor, or long ago: asked for together rather than one by one.
    for (std::size_t i = 0; i < letters; ++i) {
      if (i % kPrefetchAhead == 0) {
        for (std::size_t j = i; j < std::min(i + kPrefetchAhead, letters); ++j) {
          __builtin_prefetch(side.letters[j].item, 1);
        }
      }
      const Letter& letter = side.letters[i];
      letter.enter(letter.receiver, letter.item);
    }
    side.letters.clear();
  }

 private:
  static constexpr std::size_t kPrefetchAhead = 16;
  struct Letter {
    Enter enter;
    void* receiver;
    void* item;
  };
  struct alignas(64) Side {
    std::vector<Letter> letters;
  };
  std::array<Side, 2> sides_;
  Outgoing* outgoing_;
  Incoming* incoming_;  // null: the receiver knows
};

}  // namespace dcc
