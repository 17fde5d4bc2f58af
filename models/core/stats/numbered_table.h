// State by a number that only grows (queue pairs, flows): what has ended gives its memory back, and
// nothing that is there ever moves.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace dcc {

/// A list of places from the least number that is kept to the greatest that ever was. To reach an
/// item costs no more than in a vector of them.
template <class T>
class NumberedTable {
 public:
  /// The item of that number, new or as it was.
  T& keep(std::size_t number) {
    if (places_.empty()) first_ = number;
    if (number < first_) {
      std::vector<std::unique_ptr<T>> places(first_ - number + places_.size());
      std::move(places_.begin(), places_.end(),
                places.begin() + static_cast<std::ptrdiff_t>(first_ - number));
      places_ = std::move(places);
      first_ = number;
      empty_ = 0;
    }
    const std::size_t at = number - first_;
    if (at >= places_.size()) places_.resize(at + 1);
    if (places_[at] == nullptr) places_[at] = std::make_unique<T>();
    if (at < empty_) empty_ = at;
    if (number >= size_) size_ = number + 1;
    return *places_[at];
  }
  void drop(std::size_t number) {
    if (!has(number)) return;
    places_[number - first_].reset();
    while (empty_ < places_.size() && places_[empty_] == nullptr) ++empty_;
    if (empty_ < kWorthWhile || empty_ < places_.size() / 2) return;
    // More moved out of the way than moved.
    places_.erase(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(empty_));
    if (places_.capacity() > 4 * places_.size() + kWorthWhile) places_.shrink_to_fit();
    first_ += empty_;
    empty_ = 0;
  }
  bool has(std::size_t number) const { return find(number) != nullptr; }
  /// Null: it is not kept.
  const T* find(std::size_t number) const {
    const std::size_t at = number - first_;  // of those before it beyond the end
    return at < places_.size() ? places_[at].get() : nullptr;
  }
  T* find(std::size_t number) {
    return const_cast<T*>(static_cast<const NumberedTable*>(this)->find(number));
  }
  /// Precondition: kept.
  T& operator[](std::size_t number) { return *places_[number - first_]; }
  const T& operator[](std::size_t number) const { return *places_[number - first_]; }
  /// Above the greatest number that was ever kept.
  std::size_t size() const { return size_; }

  /// `visit(number, item)` of all that are kept, by number.
  template <class Visit>
  void each(Visit visit) {
    for (std::size_t at = empty_; at < places_.size(); ++at) {
      if (places_[at] != nullptr) visit(first_ + at, *places_[at]);
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
  static constexpr std::size_t kWorthWhile = 64;

  std::vector<std::unique_ptr<T>> places_;  // null: not kept
  std::size_t first_ = 0;                   // number of places_[0]
  std::size_t empty_ = 0;                   // so many places at the beginning are
  std::size_t size_ = 0;
};

}  // namespace dcc
