// A table by ascending numbers (queue pairs, flows) that frees the memory of dropped items and
// never moves an item.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace dcc {

/// A table of items by number, stored in blocks of neighbouring numbers. The list of blocks is
/// short and stays in the caches, so an access costs little more than in a vector; a single block
/// is referenced by the table itself. The table frees a block without items.
template <class T>
class NumberedTable {
 public:
  NumberedTable() = default;
  NumberedTable(NumberedTable&& other) noexcept { *this = std::move(other); }
  NumberedTable& operator=(NumberedTable&& other) noexcept {
    blocks_.swap(other.blocks_);
    std::swap(first_, other.first_);
    std::swap(empty_, other.empty_);
    std::swap(size_, other.size_);
    look();
    other.look();
    return *this;
  }
  ~NumberedTable() {
    for (const Block* block : blocks_) delete block;
  }

  /// The table's item with this number; creates a default item if the table does not hold one.
  T& keep(std::size_t number) {
    const std::size_t block = number / kBlock;
    if (blocks_.empty()) first_ = block;
    if (block < first_) {
      blocks_.insert(blocks_.begin(), first_ - block, nullptr);
      first_ = block;
      empty_ = 0;
    }
    const std::size_t at = block - first_;
    if (at >= blocks_.size()) blocks_.resize(at + 1);
    if (blocks_[at] == nullptr) {
      blocks_[at] = new Block;
      look();
    }
    if (at < empty_) empty_ = at;
    if (number >= size_) size_ = number + 1;
    return blocks_[at]->keep(number % kBlock);
  }
  void drop(std::size_t number) {
    if (!has(number)) return;
    Block*& block = blocks_[number / kBlock - first_];
    block->drop(number % kBlock);
    if (block->kept != 0) return;
    delete block;
    block = nullptr;
    look();
    while (empty_ < blocks_.size() && blocks_[empty_] == nullptr) ++empty_;
    if (empty_ < kWorthWhile || empty_ < blocks_.size() / 2) return;
    // Entries of the block list are erased only when more entries are removed than moved, which is
    // amortised O(1).
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(empty_));
    if (blocks_.capacity() > 4 * blocks_.size() + kWorthWhile) blocks_.shrink_to_fit();
    first_ += empty_;
    empty_ = 0;
    look();
  }
  bool has(std::size_t number) const { return find(number) != nullptr; }
  /// The table's item with this number; null if the table does not hold it.
  const T* find(std::size_t number) const {
    // index of the block in list_; a block number below first_ wraps to a large index
    const std::size_t at = number / kBlock - first_;
    if (at >= count_ || list_[at] == nullptr) return nullptr;
    return list_[at]->has(number % kBlock) ? &list_[at]->item(number % kBlock) : nullptr;
  }
  T* find(std::size_t number) {
    return const_cast<T*>(static_cast<const NumberedTable*>(this)->find(number));
  }
  /// The item with this number. Precondition: the table holds the item.
  T& operator[](std::size_t number) {
    return list_[number / kBlock - first_]->item(number % kBlock);
  }
  const T& operator[](std::size_t number) const {
    return list_[number / kBlock - first_]->item(number % kBlock);
  }
  /// One above the highest number that the table ever held.
  std::size_t size() const { return size_; }

  /// Calls visit(number, item) for every item, in ascending order. `visit` must not drop items.
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
  /// Calls visit(item) for every number below size(); a default item stands for a missing one.
  template <class Visit>
  void every(Visit visit) const {
    const T fresh{};
    for (std::size_t number = 0; number < size_; ++number) {
      const T* const item = find(number);
      visit(item != nullptr ? *item : fresh);
    }
  }
  /// Digest of a vector with all items; a default item stands for a missing one.
  template <class Digest>
  void add_state(Digest& d) const {
    d(size_);
    every([&](const T& item) { d(item); });
  }

 private:
  static constexpr std::size_t kBlock = 16;
  static constexpr std::size_t kWorthWhile = 8;

  /// Memory for kBlock items of the table, which are constructed one by one.
  struct Block {
    Block() {}  // not defaulted, because `= default` would clear `room`
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

    std::uint32_t kept = 0;  // flags of the items that the block holds, one bit per item
    alignas(T) std::byte room[kBlock * sizeof(T)];
  };
  static_assert(kBlock <= 32);

  /// Updates list_ and count_; called after each change of the list of blocks.
  void look() {
    count_ = blocks_.size();
    sole_ = count_ == 1 ? blocks_[0] : nullptr;
    list_ = count_ == 1 ? &sole_ : blocks_.data();
  }

  Block* const* list_ = nullptr;  // list of blocks for access: points to sole_ or into blocks_
  std::size_t first_ = 0;         // block number of list_[0]
  Block* sole_ = nullptr;
  std::size_t count_ = 0;
  std::vector<Block*> blocks_;  // blocks that the table owns; null for a block without items
  std::size_t empty_ = 0;       // number of null entries at the beginning of blocks_
  std::size_t size_ = 0;
};

}  // namespace dcc
