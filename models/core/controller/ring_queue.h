// A queue in a ring that grows: inputs before the controller's pipeline, outcomes behind it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dcc {

/// First in, first out, without allocation once it has grown to what is needed; none before.
template <class T>
class RingQueue {
 public:
  bool empty() const { return count_ == 0; }
  std::uint32_t size() const { return count_; }
  T& front() { return items_[head_]; }
  const T& front() const { return items_[head_]; }
  /// `i` places behind the front.
  T& operator[](std::uint32_t i) { return items_[(head_ + i) & mask()]; }
  T& back() { return (*this)[count_ - 1]; }

  void push(const T& item) {
    if (count_ == items_.size()) grow();
    items_[(head_ + count_++) & mask()] = item;
  }
  void pop() {
    // Empty, it begins again at its first place, which is still in the cache.
    head_ = --count_ == 0 ? 0 : (head_ + 1) & mask();
  }
  /// The front, which leaves.
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

  std::vector<T> items_;  // a power of two, or none yet
  std::uint32_t head_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace dcc
