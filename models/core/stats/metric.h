// Descriptions of the figures in a run's results, written beside the members that hold the figures.
#pragma once

namespace dcc {

/// How several values are combined into one figure.
enum class Statistic {
  kValue,  // a name, a setting or a state, which is not combined
  kSum,    // a count, which is summed
  kMaximum,
  kMean,
  kQuantile,
  kRatio,  // a ratio, computed from other figures
};

/// The time span that a figure covers.
enum class Span {
  kNone,  // the figure covers no time
  // the figure covers the window `measure`: a sum is the count at its end minus the count at its
  // begin
  kWindow,
  kRun,  // the figure covers the whole run
  kEnd,  // the figure is the value at the last instant of the run
};

/// Description of a figure in the results; the figure's name is its key in metrics.json.
struct MetricAbout {
  const char* unit;  // unit of the figure; empty: the figure has no unit, or is a text or Boolean
  const char* meaning;
  Statistic statistic = Statistic::kValue;
  Span span = Span::kNone;
  const char* label = "";  // short label for tables; empty: the figure's name
};

/// Description of a device's counter. A run reports the sum over all devices within `measure`.
///
/// A struct of counters describes its counters with
///
///     template <class Visitor>
///     static void describe(Visitor&& v) {
///       v(&NicCounters::cnps_sent, "cnps_sent", {"CNPs sent", "packets", "notifications sent …"});
///     }
///
/// The sum, the difference over the window, metrics.json, `dccvp metrics`, summary and report
/// follow from this line alone. Counters with the same name form one figure, which the first of
/// these counters describes.
struct CounterAbout {
  const char* label = "";
  const char* unit = "";
  const char* meaning = "";
};

}  // namespace dcc
