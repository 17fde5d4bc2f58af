// A queue in a growing ring buffer, for the inputs and outcomes of the controller.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dcc {

/// A first-in-first-out queue that allocates memory when it grows, and none before the first entry.
template <class T>
class RingQueue {
 public:
  bool empty() const { return count_ == 0; }
  std::uint32_t size() const { return count_; }
  T& front() { return items_[head_]; }
  const T& front() const { return items_[head_]; }
  /// The queue entry `i` places behind the front.
  T& operator[](std::uint32_t i) { return items_[(head_ + i) & mask()]; }
  T& back() { return (*this)[count_ - 1]; }

  void push(const T& item) {
    if (count_ == items_.size()) grow();
    items_[(head_ + count_++) & mask()] = item;
  }
  void pop() {
    // An empty queue starts at its first place again, since that place is still in the cache.
    head_ = --count_ == 0 ? 0 : (head_ + 1) & mask();
  }
  /// Removes the front entry of the queue and returns it.
  T take() {
    const T item = front();
    pop();
    return item;
  }
  void clear() { head_ = count_ = 0; }

 private:
  std::uint32_t mask() const { return static_cast<std::uint32_t>(items_.size()) - 1; }
  void grow() {
    std::rotate(items_.begin(), items_.begin() + head_, items_.end());
    head_ = 0;
    items_.resize(items_.empty() ? 4 : items_.size() * 2);
  }

  std::vector<T> items_;  // items of the ring; their number is a power of two, or 0
  std::uint32_t head_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace dcc
