// The set of a flow's received packets, in any order of arrival.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/state_digest.h"
#include "wire/packet.h"

namespace dcc {

/// A set with one bit per packet from the first missing packet on; packets below it need no memory.
class SequenceSet {
 public:
  static constexpr Psn kBits = 64;  // number of bits in one word of the set

  /// Adds a packet to the set; false if the packet was in the set already.
  bool insert(Psn psn) {
    if (contains(psn)) return false;
    const std::size_t word = first_ + static_cast<std::size_t>((psn - base_) / 64);
    if (word >= words_.size()) words_.resize(word + 1, 0);
    words_[word] |= std::uint64_t{1} << psn % 64;
    ++count_;
    while (first_ < words_.size() && words_[first_] == ~std::uint64_t{0}) {
      base_ += 64;
      ++first_;
    }
    // Words whose 64 packets are all in the set are erased many at a time, so that the amortised
    // cost per packet is O(1).
    if (first_ == words_.size() || first_ >= kSpare) {
      words_.erase(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    return true;
  }
  bool contains(Psn psn) const {
    if (psn < base_) return true;
    const std::size_t word = first_ + static_cast<std::size_t>((psn - base_) / 64);
    return word < words_.size() && (words_[word] >> psn % 64 & 1) != 0;
  }
  /// Returns 64 bits of the set; bit i is set if packet `from` + i is in the set.
  std::uint64_t bits(Psn from) const {
    const Psn shift = from % kBits;
    const std::uint64_t low = word_at(from - shift) >> shift;
    return shift == 0 ? low : low | word_at(from - shift + kBits) << (kBits - shift);
  }
  /// The lowest packet number that is not in the set.
  Psn first_missing() const {
    if (first_ == words_.size()) return base_;
    return base_ + static_cast<Psn>(__builtin_ctzll(~words_[first_]));
  }
  /// The first packet above `from` that is in the set; `end` if there is no such packet below
  /// `end`.
  Psn gap_end(Psn from, Psn end) const {
    Psn to = from + 1;
    while (to < end && !contains(to)) ++to;
    return to;
  }
  std::uint64_t count() const { return count_; }

  void add_state(StateDigest& d) const {
    d(base_, words_.size() - first_);
    for (std::size_t word = first_; word < words_.size(); ++word) d(words_[word]);
  }

 private:
  static constexpr std::size_t kSpare = 64;
  /// Returns 64 bits of the set from packet `from` on. Precondition: `from` is a multiple of kBits.
  std::uint64_t word_at(Psn from) const {
    if (from < base_) return ~std::uint64_t{0};
    const std::size_t word = first_ + static_cast<std::size_t>((from - base_) / kBits);
    return word < words_.size() ? words_[word] : 0;
  }
  Psn base_ = 0;  // packet number of the set's first bit; a multiple of 64
  std::size_t first_ = 0;
  // bitmap of received packets; the word at first_ is the first in use
  std::vector<std::uint64_t> words_;
  std::uint64_t count_ = 0;
};

}  // namespace dcc
