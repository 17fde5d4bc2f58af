// Mailboxes that carry items from one partition of a run to another.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "units.h"

namespace dcc {

/// State shared by all mailboxes that one partition fills. A mailbox has two sides: during a window
/// the sender fills one side while the receiver empties the other, and after the window they swap.
/// Neither waits for the other, and the barrier between windows is the only synchronisation.
struct alignas(64) Outgoing {
  unsigned side = 0;  // side that is being filled
  /// By side: earliest due time of the items in all these mailboxes; max() if there are none.
  std::array<PicoSeconds, 2> earliest{PicoSeconds::max(), PicoSeconds::max()};

  /// Selects the side that put() fills from now on. Precondition: that side is empty.
  void fill(unsigned number) {
    side = number;
    earliest[number] = PicoSeconds::max();
  }
};

class Mailbox;

/// Non-empty mailboxes to one partition, by side. With thousands of partitions only a few mailboxes
/// hold items at a time, and the receiver visits only these.
struct alignas(64) Incoming {
  std::array<std::vector<Mailbox*>, 2> filled;
};

/// Carries items from one partition to one other partition.
class Mailbox {
 public:
  using Enter = void (*)(void* receiver, void* item);

  /// Both must outlive the mailbox. All mailboxes of one `incoming` must be filled by one thread.
  explicit Mailbox(Outgoing& outgoing, Incoming* incoming = nullptr)
      : outgoing_(&outgoing), incoming_(incoming) {}

  /// Called by the sender. `enter(receiver, item)` will be called in the other partition before
  /// `due`, the time of the item's first effect there.
  void put(Enter enter, void* receiver, void* item, PicoSeconds due) {
    const unsigned number = outgoing_->side;
    std::vector<Letter>& letters = sides_[number].letters;
    if (letters.empty() && incoming_ != nullptr) incoming_->filled[number].push_back(this);
    letters.push_back({enter, receiver, item});
    outgoing_->earliest[number] = std::min(outgoing_->earliest[number], due);
  }

  /// Empties a side like empty(), but calls take(receiver, item) for each item instead.
  template <class Take>
  void hand_over(unsigned number, Take take) {
    Side& side = sides_[number];
    for (const Letter& letter : side.letters) take(letter.receiver, letter.item);
    side.letters.clear();
  }

  /// Called by the receiver. Enters all items of a side in the order of put().
  void empty(unsigned number) {
    Side& side = sides_[number];
    const std::size_t letters = side.letters.size();
    // Items may be in the cache of another processor, so they are prefetched in groups.
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
  Incoming* incoming_;  // non-empty mailboxes; null: the receiver visits all of them
};

}  // namespace dcc
