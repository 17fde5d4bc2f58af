// What a figure of a run's results is: the words that describe it, beside the member that holds it.
#pragma once

namespace dcc {

/// How many values become one figure.
enum class Statistic {
  kValue,    // a name, a setting, a state: nothing is summed
  kSum,      // counted
  kMaximum,  // the greatest
  kMean,
  kQuantile,
  kRatio,  // computed from other figures
};

/// Of which time a figure speaks.
enum class Span {
  kNone,    // no time is in it
  kWindow,  // `measure`: a sum is what was counted at its end less what was at its begin
  kRun,     // the whole run
  kEnd,     // the last instant
};

/// A figure's description. Its name stands beside it, as the key of metrics.json.
struct MetricAbout {
  const char* unit;  // empty: a number, text or truth value without unit
  const char* meaning;
  Statistic statistic = Statistic::kValue;
  Span span = Span::kNone;
  const char* label = "";  // a few words for tables of few words; empty: the name does
};

/// A counter of a device, of which a run reports the sum over all devices within `measure`.
///
/// A struct of counters names those with
///
///     template <class Visitor>
///     static void describe(Visitor&& v) {
///       v(&NicCounters::cnps_sent, "cnps_sent", {"CNPs sent", "packets", "notifications sent …"});
///     }
///
/// and that is all it takes: the sum, the difference over the window, metrics.json, `dccvp
/// metrics`, summary and report follow. Counters with the same name make one figure; the first
/// describes it.
struct CounterAbout {
  const char* label = "";
  const char* unit = "";
  const char* meaning = "";
};

}  // namespace dcc
