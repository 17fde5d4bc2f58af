// State by a number that only grows (queue pairs, flows): what has ended gives its memory back, and
// nothing that is there ever moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace dcc {

/// Blocks of neighbouring numbers, from the first in which one is kept to the last in which one
/// ever was. The list of blocks is short enough to stay in the caches, so that reaching an item
/// costs little more than in a vector of them. A block goes when nothing in it is kept.
template <class T>
class NumberedTable {
 public:
  /// The item of that number, new or as it was.
  T& keep(std::size_t number) {
    const std::size_t block = number / kBlock;
    if (blocks_.empty()) first_ = block;
    if (block < first_) {
      std::vector<std::unique_ptr<Block>> blocks(first_ - block + blocks_.size());
      std::move(blocks_.begin(), blocks_.end(),
                blocks.begin() + static_cast<std::ptrdiff_t>(first_ - block));
      blocks_ = std::move(blocks);
      first_ = block;
      empty_ = 0;
    }
    const std::size_t at = block - first_;
    if (at >= blocks_.size()) blocks_.resize(at + 1);
    if (blocks_[at] == nullptr) blocks_[at] = std::make_unique<Block>();
    if (at < empty_) empty_ = at;
    if (number >= size_) size_ = number + 1;
    return blocks_[at]->keep(number % kBlock);
  }
  void drop(std::size_t number) {
    if (!has(number)) return;
    std::unique_ptr<Block>& block = blocks_[number / kBlock - first_];
    block->drop(number % kBlock);
    if (block->kept != 0) return;
    block.reset();
    while (empty_ < blocks_.size() && blocks_[empty_] == nullptr) ++empty_;
    if (empty_ < kWorthWhile || empty_ < blocks_.size() / 2) return;
    // More moved out of the way than moved.
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(empty_));
    if (blocks_.capacity() > 4 * blocks_.size() + kWorthWhile) blocks_.shrink_to_fit();
    first_ += empty_;
    empty_ = 0;
  }
  bool has(std::size_t number) const { return find(number) != nullptr; }
  /// Null: it is not kept.
  const T* find(std::size_t number) const {
    const std::size_t at = number / kBlock - first_;  // of those before it beyond the end
    if (at >= blocks_.size() || blocks_[at] == nullptr) return nullptr;
    return blocks_[at]->has(number % kBlock) ? &blocks_[at]->item(number % kBlock) : nullptr;
  }
  T* find(std::size_t number) {
    return const_cast<T*>(static_cast<const NumberedTable*>(this)->find(number));
  }
  /// Precondition: kept.
  T& operator[](std::size_t number) {
    return blocks_[number / kBlock - first_]->item(number % kBlock);
  }
  const T& operator[](std::size_t number) const {
    return blocks_[number / kBlock - first_]->item(number % kBlock);
  }
  /// Above the greatest number that was ever kept.
  std::size_t size() const { return size_; }

  /// `visit(number, item)` of all that are kept, by number. It drops none.
  template <class Visit>
  void each(Visit visit) {
    for (std::size_t at = empty_; at < blocks_.size(); ++at) {
      for (std::size_t i = 0; i < kBlock; ++i) {
        if (blocks_[at] == nullptr || !blocks_[at]->has(i)) continue;
        visit((first_ + at) * kBlock + i, blocks_[at]->item(i));
      }
    }
  }
  template <class Visit>
  void each(Visit visit) const {
    const_cast<NumberedTable*>(this)->each(
        [&](std::size_t number, const T& item) { visit(number, item); });
  }
  /// `visit(item)` of every number up to the greatest, as if all of them were kept.
  template <class Visit>
  void every(Visit visit) const {
    const T fresh{};
    for (std::size_t number = 0; number < size_; ++number) {
      const T* const item = find(number);
      visit(item != nullptr ? *item : fresh);
    }
  }
  /// As a vector of them all.
  template <class Digest>
  void add_state(Digest& d) const {
    d(size_);
    every([&](const T& item) { d(item); });
  }

 private:
  static constexpr std::size_t kBlock = 16;
  static constexpr std::size_t kWorthWhile = 8;

  /// An item that is not kept takes room, and nothing else.
  struct Block {
    Block() {}  // not defaulted: making one would clear its room
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    ~Block() {
      for (std::size_t i = 0; i < kBlock; ++i) {
        if (has(i)) item(i).~T();
      }
    }
    bool has(std::size_t i) const { return (kept >> i & 1u) != 0; }
    T& item(std::size_t i) { return *std::launder(reinterpret_cast<T*>(room + i * sizeof(T))); }
    T& keep(std::size_t i) {
      if (!has(i)) ::new (static_cast<void*>(room + i * sizeof(T))) T();
      kept |= 1u << i;
      return item(i);
    }
    void drop(std::size_t i) {
      item(i).~T();
      kept &= ~(1u << i);
    }

    std::uint32_t kept = 0;  // by place
    alignas(T) std::byte room[kBlock * sizeof(T)];
  };
  static_assert(kBlock <= 32);

  std::vector<std::unique_ptr<Block>> blocks_;  // null: nothing is kept there
  std::size_t first_ = 0;                       // number of blocks_[0]
  std::size_t empty_ = 0;                       // so many at the beginning are null
  std::size_t size_ = 0;
};

}  // namespace dcc
