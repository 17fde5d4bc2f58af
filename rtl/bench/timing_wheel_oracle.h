// Untimed reference model of a wheel: a sorted set of (due, slot).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace dcc {

/// Reference model of the timing wheel, deliberately independent of the wheel's structure: this
/// model has no digits and no levels.
class WheelOracle {
 public:
  explicit WheelOracle(std::uint32_t slots) : due_(slots) {}

  bool is_started(std::uint32_t slot) const { return due_[slot].has_value(); }
  std::optional<std::uint64_t> due(std::uint32_t slot) const { return due_[slot]; }
  std::size_t pending() const { return order_.size(); }
  /// The earliest pending event. Precondition: pending() > 0.
  std::pair<std::uint64_t, std::uint32_t> first() const { return *order_.begin(); }
  /// All pending events in the order (due, slot).
  const std::set<std::pair<std::uint64_t, std::uint32_t>>& order() const { return order_; }

  void start(std::uint32_t slot, std::uint64_t due) {
    withdraw(slot);
    due_[slot] = due;
    order_.emplace(due, slot);
  }
  void withdraw(std::uint32_t slot) {
    if (!due_[slot].has_value()) return;
    order_.erase({*due_[slot], slot});
    due_[slot].reset();
  }
  void clear() {
    order_.clear();
    for (auto& due : due_) due.reset();
  }

 private:
  std::vector<std::optional<std::uint64_t>> due_;
  std::set<std::pair<std::uint64_t, std::uint32_t>> order_;
};

}  // namespace dcc
