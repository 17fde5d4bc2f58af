// Oracle for timing engines: their contract in the simplest form, a sorted set of (due tick, slot).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace dcc::test {

class WheelOracle {
 public:
  explicit WheelOracle(std::uint32_t slots) : due_(slots) {}

  void start(std::uint32_t slot, std::uint32_t delay, std::uint64_t now) {
    cancel(slot);
    due_[slot] = now + (delay == 0 ? 1 : delay);
    order_.emplace(*due_[slot], slot);
  }
  bool cancel(std::uint32_t slot) {
    if (!due_[slot].has_value()) return false;
    order_.erase({*due_[slot], slot});
    due_[slot].reset();
    return true;
  }
  /// Takes the first expiry that is due, as (due tick, slot); empty if no expiry is due.
  std::optional<std::pair<std::uint64_t, std::uint32_t>> take(std::uint64_t now) {
    if (order_.empty() || order_.begin()->first > now) return std::nullopt;
    const auto first = *order_.begin();
    order_.erase(order_.begin());
    due_[first.second].reset();
    return first;
  }
  std::optional<std::uint64_t> due(std::uint32_t slot) const { return due_[slot]; }
  /// The next expiry that take() would return, as (due tick, slot).
  std::optional<std::pair<std::uint64_t, std::uint32_t>> front() const {
    if (order_.empty()) return std::nullopt;
    return *order_.begin();
  }
  std::optional<std::uint64_t> next_due() const {
    if (order_.empty()) return std::nullopt;
    return order_.begin()->first;
  }
  std::uint64_t lag(std::uint64_t now) const {
    return order_.empty() || order_.begin()->first > now ? 0 : now - order_.begin()->first;
  }
  std::size_t pending() const { return order_.size(); }

 private:
  std::set<std::pair<std::uint64_t, std::uint32_t>> order_;
  std::vector<std::optional<std::uint64_t>> due_;
};

}  // namespace dcc::test
