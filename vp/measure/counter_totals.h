// Sums of the counters that devices describe (stats/metric.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "nic/algorithm/algorithm.h"
#include "nic/nic_parameters.h"
#include "stats/flow_ledger.h"
#include "stats/metric.h"
#include "switch/pfc.h"
#include "switch/switch_device.h"
#include "wire/link.h"

namespace dcc::vp {

/// A figure of `aggregate`: the sum of all counters with one name.
struct CounterInfo {
  std::string_view name;
  CounterAbout about;
  // kinds of devices over which the figure is a sum: "switches", "hosts", …
  std::vector<std::string_view> over;
  bool optional = false;  // true for counters of devices that most networks do not have
};

/// One sum for each figure, in the order of metrics.json. A reader names the counter's member
/// instead of the figure's text, so a reader of a missing counter does not compile.
class CounterTotals {
 public:
  /// All figures of `aggregate`, from the descriptions of all structs of counters.
  static const std::vector<CounterInfo>& described();

  CounterTotals() : sums_(described().size(), 0) {}

  /// Adds the counters of one device to the sums.
  template <class Counters>
  void add(const Counters& counters) {
    Counters::describe([&](auto member, std::string_view name, const CounterAbout&) {
      sums_[index_of(name)] += counters.*member;
    });
  }

  /// Combines every pair of sums by `operation(this sum, other sum)`.
  template <class Operation>
  CounterTotals combine(const CounterTotals& other, Operation operation) const {
    CounterTotals result;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      result.sums_[i] = operation(sums_[i], other.sums_[i]);
    }
    return result;
  }
  /// Returns the counts after `earlier`: the difference of every sum.
  CounterTotals since(const CounterTotals& earlier) const {
    return combine(earlier, [](std::uint64_t to, std::uint64_t from) { return to - from; });
  }

  template <class Visit>
  void each(Visit visit) {
    for (std::uint64_t& sum : sums_) visit(sum);
  }

  // sum of the figure that has this index in described()
  std::uint64_t at(std::size_t figure) const { return sums_[figure]; }
  /// The sum that contains the counter, e.g. of(&SwitchCounters::ecn_marks).
  template <class Counters>
  std::uint64_t of(std::uint64_t Counters::*counter) const {
    return sums_.at(figure_of(counter));
  }
  template <class Counters>
  void set(std::uint64_t Counters::*counter, std::uint64_t value) {
    sums_.at(figure_of(counter)) = value;
  }

 private:
  static std::size_t index_of(std::string_view name);
  template <class Counters>
  static std::size_t figure_of(std::uint64_t Counters::*counter) {
    // index of the figure in described(); out of range if the counter has no description
    std::size_t figure = described().size();
    Counters::describe([&](auto member, std::string_view name, const CounterAbout&) {
      if (member == counter) figure = index_of(name);
    });
    return figure;
  }

  std::vector<std::uint64_t> sums_;
};

}  // namespace dcc::vp
