// Mailboxes that carry items from one partition of a run to another.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "units.h"

namespace dcc {

/// State shared by all mailboxes that one partition fills. A mailbox has two sides: during a window
/// the sender fills one side while the receiver empties the other, and after the window the sides
/// swap. Sender and receiver never wait for each other, and the barrier between windows is the only
/// synchronisation.
struct alignas(64) Outgoing {
  unsigned side = 0;  // side of the mailboxes that the sender is filling
  // index of the list in Incoming that the sender uses, the number of the sender's thread
  unsigned group = 0;
  /// Earliest due time of the items in all mailboxes of the partition, by side; max() if there are
  /// none.
  std::array<PicoSeconds, 2> earliest{PicoSeconds::max(), PicoSeconds::max()};

  /// Selects the side that put() fills from now on. Precondition: that side is empty.
  void fill(unsigned number) {
    side = number;
    earliest[number] = PicoSeconds::max();
  }
};

class Mailbox;

/// Non-empty mailboxes to one partition that one thread has filled, by side. With thousands of
/// partitions only a few mailboxes hold items at a time, and the receiver visits only these.
struct alignas(64) Incoming {
  std::array<std::vector<Mailbox*>, 2> filled;
};

/// A mailbox that carries items from one partition to one other partition.
class Mailbox {
 public:
  using Enter = void (*)(void* receiver, void* item);

  /// `outgoing` and `incoming` must outlive the mailbox. `incoming`: the receiver's lists, of which
  /// each is written by one thread at a time (Outgoing::group); null if the receiver visits all
  /// mailboxes.
  explicit Mailbox(Outgoing& outgoing, std::vector<Incoming>* incoming = nullptr)
      : outgoing_(&outgoing), incoming_(incoming) {}

  /// Puts an item into the mailbox; called by the sender. The receiver calls `enter(receiver,
  /// item)` before `due`, the time of the item's first effect in its partition.
  void put(Enter enter, void* receiver, void* item, PicoSeconds due) {
    const unsigned number = outgoing_->side;
    std::vector<Letter>& letters = sides_[number].letters;
    if (letters.empty() && incoming_ != nullptr) {
      (*incoming_)[outgoing_->group].filled[number].push_back(this);
    }
    letters.push_back({enter, receiver, item});
    outgoing_->earliest[number] = std::min(outgoing_->earliest[number], due);
  }

  /// Empties a side of the mailbox, but calls take(receiver, item) for each item instead of its
  /// `enter`.
  template <class Take>
  void hand_over(unsigned number, Take take) {
    Side& side = sides_[number];
    for (const Letter& letter : side.letters) take(letter.receiver, letter.item);
    side.letters.clear();
  }

  /// Enters all items of a side of the mailbox in the order of put(). The receiver calls this
  /// function.
  void empty(unsigned number) {
    Side& side = sides_[number];
    const std::size_t letters = side.letters.size();
    // Items may be in the cache of another processor, so the receiver prefetches them in groups.
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
  std::vector<Incoming>* incoming_;
};

}  // namespace dcc
