// Sums the figures of all processes, each of which knows its part of the platform.
#pragma once

#include <cstdint>
#include <vector>

#include "parallel/process_group.h"
#include "units.h"

namespace dcc::vp {

/// Replaces every added figure by its sum over all processes, in all processes. A process leaves
/// counters of devices that another process simulates at zero. With one process nothing happens.
/// Added figures must keep their addresses until finish(), which the destructor calls.
class AllReduce {
 public:
  explicit AllReduce(ProcessGroup* group) : group_(group) {}
  AllReduce(const AllReduce&) = delete;
  AllReduce& operator=(const AllReduce&) = delete;
  ~AllReduce() { finish(); }

  void add(std::int64_t& figure) {
    if (group_ == nullptr) return;
    figures_.push_back(&figure);
    if (figures_.size() == kMax) finish();
  }
  // Adds an unsigned figure. Signed and unsigned sums are the same, and both types may alias the
  // same object.
  void add(std::uint64_t& figure) { add(reinterpret_cast<std::int64_t&>(figure)); }
  void add(PicoSeconds& figure) { add(figure.count); }
  template <class Figure>
  void add(std::vector<Figure>& figures) {
    for (Figure& figure : figures) add(figure);
  }
  void finish() {
    if (figures_.empty()) return;
    std::vector<std::int64_t> numbers;
    numbers.reserve(figures_.size());
    for (const std::int64_t* const figure : figures_) numbers.push_back(*figure);
    group_->sum(numbers.data(), numbers.size());
    for (std::size_t i = 0; i < figures_.size(); ++i) *figures_[i] = numbers[i];
    figures_.clear();
  }

 private:
  static constexpr std::size_t kMax = 1 << 16;  // greatest number of figures in one message
  ProcessGroup* group_;
  std::vector<std::int64_t*> figures_;
};

}  // namespace dcc::vp
