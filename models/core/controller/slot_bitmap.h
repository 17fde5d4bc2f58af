// A set of small numbers with constant-time access to its least member.
#pragma once

#include <cstdint>
#include <vector>

namespace dcc {

/// Bitmap set of up to 64^3 = 262 144 slots, with two levels of 64-bit words under a top word.
class SlotBitmap {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  SlotBitmap() : SlotBitmap(1) {}
  explicit SlotBitmap(std::uint32_t size)
      : size_(size), words_((size + 63) / 64), summary_((words_.size() + 63) / 64) {}

  std::uint32_t size() const { return size_; }
  bool empty() const { return top_ == 0; }
  bool contains(std::uint32_t i) const { return (words_[i >> 6] >> (i & 63) & 1) != 0; }

  void insert(std::uint32_t i) {
    words_[i >> 6] |= bit(i);
    summary_[i >> 12] |= bit(i >> 6);
    top_ |= bit(i >> 12);
  }
  void erase(std::uint32_t i) {
    if ((words_[i >> 6] &= ~bit(i)) != 0) return;
    if ((summary_[i >> 12] &= ~bit(i >> 6)) != 0) return;
    top_ &= ~bit(i >> 12);
  }
  void clear() {
    while (!empty()) {
      const std::uint32_t word = least() >> 6;
      // bit 0 becomes the word's only member, so erase() also clears the word's summary bit
      words_[word] = 1;
      erase(word << 6);
    }
  }

  /// The least member of the set; kNone if the set is empty.
  std::uint32_t least() const {
    if (top_ == 0) return kNone;
    const std::uint32_t block = lowest(top_);
    return least_of_word(block << 6 | lowest(summary_[block]));
  }
  /// The least member of the set that is not less than `from`; kNone if there is none.
  std::uint32_t least_from(std::uint32_t from) const {
    if (from >= size_) return kNone;
    const std::uint32_t word = from >> 6;
    const std::uint64_t here = words_[word] >> (from & 63);
    if (here != 0) return from + lowest(here);
    const std::uint32_t block = word >> 6;
    const std::uint64_t later_words = above(summary_[block], word & 63);
    if (later_words != 0) return least_of_word(block << 6 | lowest(later_words));
    const std::uint64_t later_blocks = above(top_, block);
    if (later_blocks == 0) return kNone;
    const std::uint32_t next = lowest(later_blocks);
    return least_of_word(next << 6 | lowest(summary_[next]));
  }

 private:
  static std::uint64_t bit(std::uint32_t i) { return std::uint64_t{1} << (i & 63); }
  static std::uint32_t lowest(std::uint64_t word) {
    return static_cast<std::uint32_t>(__builtin_ctzll(word));
  }
  /// The bits of `word` above position `i`.
  static std::uint64_t above(std::uint64_t word, std::uint32_t i) {
    return i == 63 ? 0 : word & (~std::uint64_t{0} << (i + 1));
  }
  std::uint32_t least_of_word(std::uint32_t word) const { return word << 6 | lowest(words_[word]); }

  std::uint32_t size_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> summary_;
  std::uint64_t top_ = 0;
};

}  // namespace dcc
