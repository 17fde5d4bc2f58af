// The visitor of all figures of a run. Each figure is described once, with its value and meaning;
// the visitor decides the form: metrics.json, a row of flows.csv, the list of `dccvp metrics`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "describe/quantities.h"
#include "stats/metric.h"
#include "units.h"

namespace dcc::vp {

enum class MetricType { kNumber, kInteger, kTruth, kText, kTexts, kFigures };

/// The value of a figure; a file format converts it. A time is written in the unit of its
/// description (s or us). monostate: the run has no such value.
using MetricValue =
    std::variant<std::monostate, bool, std::uint64_t, double, PicoSeconds, Ratio, std::string_view>;

/// One figure, as passed to visit().
struct VisitedMetric {
  std::string_view name;
  MetricType type = MetricType::kNumber;
  bool nullable = false;
  MetricValue value;
  MetricAbout about;
  // kinds of devices over which the figure is a sum; empty: the figure is no sum over devices
  std::vector<std::string_view> over;
};

class MetricVisitor {
 public:
  virtual ~MetricVisitor() = default;

  template <class T>
  void figure(std::string_view name, const T& value, const MetricAbout& about,
              std::vector<std::string_view> over = {}) {
    using Plain = typename Unwrapped<T>::Type;
    visit({name, type_of<Plain>(), !std::is_same_v<T, Plain>, value_of(value), about,
           std::move(over)});
  }
  /// Visits every member that a struct describes:
  ///
  ///     template <class Visitor>
  ///     static void describe(Visitor&& v) { v(&Struct::member, "name", {"unit", "meaning", …}); }
  template <class Struct>
  void members(const Struct& object) {
    Struct::describe([&](auto member, std::string_view name, const MetricAbout& about) {
      figure(name, object.*member, about);
    });
  }
  /// Visits a group of figures under the group's name.
  template <class Body>
  void group(std::string_view name, const Body& body) {
    begin_group(name);
    body();
    end_group();
  }
  /// Visits a list: calls `body(i)` for every element.
  template <class Body>
  void list(std::string_view name, std::size_t count, const Body& body) {
    begin_list(name, count);
    for (std::size_t i = 0; i < count; ++i) {
      begin_element();
      body(i);
      end_group();
    }
    end_list();
  }
  /// Visits a group whose figures differ from run to run: `about` describes all of them.
  template <class Body>
  void open_group(std::string_view name, const MetricAbout& about, const Body& body) {
    if (!begin_open_group(name, about)) return;
    body();
    end_group();
  }
  virtual void null_group(std::string_view name) = 0;
  virtual void texts(std::string_view name, const std::vector<std::string>& list,
                     const MetricAbout& about) = 0;

 protected:
  virtual void visit(const VisitedMetric& figure) = 0;
  virtual void begin_group(std::string_view name) = 0;
  /// Begins a group. Returns false if the visitor skips the figures of the group; end_group() is
  /// then not called.
  virtual bool begin_open_group(std::string_view name, const MetricAbout& /*about*/) {
    begin_group(name);
    return true;
  }
  virtual void begin_element() = 0;
  virtual void end_group() = 0;  // ends a group or an element of a list
  virtual void begin_list(std::string_view name, std::size_t count) = 0;
  virtual void end_list() = 0;

 private:
  template <class T>
  struct Unwrapped {
    using Type = T;
  };
  template <class T>
  struct Unwrapped<std::optional<T>> {
    using Type = T;
  };

  template <class T>
  static constexpr MetricType type_of() {
    if constexpr (std::is_same_v<T, bool>) return MetricType::kTruth;
    if constexpr (std::is_integral_v<T>) return MetricType::kInteger;
    if constexpr (std::is_convertible_v<T, std::string_view>) return MetricType::kText;
    return MetricType::kNumber;
  }
  template <class T>
  static MetricValue value_of(const T& value) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      return static_cast<std::uint64_t>(value);
    } else if constexpr (std::is_convertible_v<T, std::string_view>) {
      return std::string_view(value);
    } else {
      return value;
    }
  }
  template <class T>
  static MetricValue value_of(const std::optional<T>& value) {
    return value ? value_of(*value) : MetricValue{};
  }
};

}  // namespace dcc::vp
