// Completion times of the flows that begin within `measure`, by class, traffic entry and size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "config/platform_config.h"
#include "measure/metric_visitor.h"
#include "measure/results.h"
#include "stats/quantile_sketch.h"
#include "stats/size_bins.h"

namespace dcc::vp {

/// Figures of finite flows whose first byte was posted within `measure`. A completion time runs
/// from the first posted byte to the last ACK (to the last received byte if nothing acknowledges)
/// and may end after `measure`. Quantiles are nearest ranks over the completed flows.
struct FlowGroup {
  std::size_t begun = 0;
  std::size_t completed = 0;
  std::size_t unfinished = 0;
  std::optional<PicoSeconds> mean, p50, p90, p99, p999, longest;
  std::optional<double> slowdown_mean, slowdown_p50, slowdown_p90, slowdown_p99, slowdown_p999;

  template <class Visitor>
  static void describe(Visitor&& v) {
    constexpr Statistic kQuantile = Statistic::kQuantile;
    constexpr Span kWindow = Span::kWindow;
    v(&FlowGroup::begun, "begun",
      {"", "flows with a size whose first byte was posted in the window", Statistic::kSum,
       kWindow});
    v(&FlowGroup::completed, "completed",
      {"", "of these, completed before the end of the run", Statistic::kSum, kWindow});
    v(&FlowGroup::unfinished, "unfinished",
      {"", "of these, not completed: the quantiles miss them", Statistic::kSum, kWindow});
    v(&FlowGroup::mean, "us_mean",
      {"us", "mean completion time of the completed flows", Statistic::kMean, kWindow});
    v(&FlowGroup::p50, "us_p50", {"us", "its median (nearest rank)", kQuantile, kWindow});
    v(&FlowGroup::p90, "us_p90", {"us", "its 90th percentile", kQuantile, kWindow});
    v(&FlowGroup::p99, "us_p99", {"us", "its 99th percentile", kQuantile, kWindow});
    v(&FlowGroup::p999, "us_p999", {"us", "its 99.9th percentile", kQuantile, kWindow});
    v(&FlowGroup::longest, "us_max", {"us", "longest time", Statistic::kMaximum, kWindow});
    v(&FlowGroup::slowdown_mean, "slowdown_mean",
      {"", "mean of completion time / completion time in an empty network", Statistic::kMean,
       kWindow});
    v(&FlowGroup::slowdown_p50, "slowdown_p50", {"", "its median", kQuantile, kWindow});
    v(&FlowGroup::slowdown_p90, "slowdown_p90", {"", "its 90th percentile", kQuantile, kWindow});
    v(&FlowGroup::slowdown_p99, "slowdown_p99", {"", "its 99th percentile", kQuantile, kWindow});
    v(&FlowGroup::slowdown_p999, "slowdown_p999",
      {"", "its 99.9th percentile", kQuantile, kWindow});
  }
};

/// The flows of a group whose size falls into one of the SizeBins.
struct SizedFlowGroup {
  Bytes above = 0;
  std::optional<Bytes> up_to;  // greatest flow size of the bin in bytes; empty: no upper limit
  FlowGroup flows;
};

struct FlowGroupWithSizes {
  FlowGroup flows;
  // groups of flows by size bin; bins without flows are left out
  std::vector<SizedFlowGroup> by_size;
};
struct ClassFlowGroup {
  unsigned dscp = 0;
  Ratio weight{1};
  FlowGroupWithSizes of;
};
struct EntryFlowGroup {
  unsigned entry = 0;
  std::string kind;
  FlowGroupWithSizes of;
};

struct FlowGroups {
  FlowGroupWithSizes all;
  std::vector<ClassFlowGroup> classes;  // groups of flows by class, sorted by DSCP
  // groups of flows by traffic entry, in the order of the list `traffic`
  std::vector<EntryFlowGroup> entries;
};

/// Groups flows one by one; the result does not depend on their order.
class FlowGrouping {
 public:
  FlowGrouping(const PlatformConfig& config, const RunResults& results)
      : FlowGrouping(config, results.measured_from, results.measured_to) {}
  /// Makes empty groups. `from` and `to`: the measured window. `kept`: kAll keeps each completion
  /// time, kSketch a sketch of the times, kNone counts.
  FlowGrouping(const PlatformConfig& config, PicoSeconds from, PicoSeconds to,
               FlowOutput kept = FlowOutput::kAll)
      : config_(config), from_(from), to_(to), kept_(kept) {}
  /// Sets the measured window for flows that are added later.
  void set_window(PicoSeconds from, PicoSeconds to) {
    from_ = from;
    to_ = to;
  }
  /// Adds `times` flows that have the figures of `flow`. `taken`: their completion time; empty: the
  /// flows did not complete.
  void add(const FlowResult& flow, const std::optional<PicoSeconds>& taken,
           const std::optional<double>& slowdown, std::uint64_t times = 1);
  FlowGroups groups() const;

 private:
  struct Sample {
    std::int64_t taken = 0;  // completion time of a flow in picoseconds
    double slowdown = 0;     // slowdown of a flow; negative: unknown
  };
  struct Cell {
    std::size_t begun = 0;
    std::size_t ended = 0;
    // completion times of flows; empty unless all times are kept
    std::vector<Sample> completed;
    // sketches of completion times and slowdowns; empty unless sketches are kept
    QuantileSketch times_ps, slowdowns;
  };
  // key: DSCP, traffic entry, true for a flow of a random incast, size bin
  using Key = std::tuple<unsigned, unsigned, bool, std::size_t>;

  static FlowGroup summed(const std::vector<const Cell*>& cells);
  static FlowGroup sketched(const std::vector<const Cell*>& cells);
  template <class Select>
  FlowGroupWithSizes group(Select select) const;

  const PlatformConfig& config_;
  PicoSeconds from_;
  PicoSeconds to_;
  FlowOutput kept_;
  std::map<Key, Cell> cells_;
};

void describe_flow_groups(MetricVisitor& v, const FlowGroups& groups);

}  // namespace dcc::vp
