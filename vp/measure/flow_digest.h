// Results of flows without a list of flows: counts, sums, and sketches of quantiles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "config/platform_config.h"
#include "measure/flow_groups.h"
#include "measure/metrics.h"
#include "measure/results.h"
#include "stats/exact_sum.h"
#include "stats/quantile_sketch.h"
#include "stats/size_bins.h"
#include "stats/time_union.h"

namespace dcc::vp {

/// Adds up the figures of flows without keeping the flows. Each flow is added when it has ended or
/// at the end of the run. Counts, sums, means and extremes equal those that compute_metrics()
/// computes from a list of the same flows, except for rounding; quantiles differ by at most
/// QuantileSketch::kError of their value. The content does not depend on the order of flows, so it
/// is the same for any number of threads. Memory grows with the number of classes, entries of
/// `traffic` and bins of sizes.
class FlowDigest {
 public:
  /// Makes the digest. `config` must outlive the digest and its run.
  explicit FlowDigest(const PlatformConfig& config);

  /// Adds `times` flows that differ only in their times, by steps within or outside the measured
  /// window; `flow` is the last of them. Before end_run() only flows that have ended may be added,
  /// because their figures do not depend on the end of the run.
  void add(const FlowResult& flow, std::uint64_t times = 1);
  /// Ends the run at `sim_time` with this measured window; unfinished flows may be added
  /// afterwards.
  void end_run(PicoSeconds measured_from, PicoSeconds measured_to, PicoSeconds sim_time);

  FlowOutput kept() const { return kept_; }
  const FlowCensus& census() const { return census_; }
  /// The time of the last start or end of a flow within the measured window; 0 if there was none.
  PicoSeconds last_change() const { return last_change_; }
  /// All figures of the run; `results` supplies the figures that do not depend on flows.
  Metrics metrics(const RunResults& results) const;

 private:
  struct Sizes {
    std::array<QuantileSketch, SizeBins::kCount> bins;
    void add(Bytes bytes, const std::optional<double>& slowdown, std::uint64_t times) {
      if (slowdown && bytes > 0) bins[SizeBins::of(bytes)].add(*slowdown, times);
    }
    void summarise_to(std::optional<SlowdownBin>& total, std::vector<SlowdownBin>& list) const;
  };
  struct Jain {
    ExactSum<50> sum, squares;
    std::size_t count = 0;
    void add(double value, std::uint64_t times);
    std::optional<double> index() const;
  };
  struct Class {
    Bytes bytes = 0;
    std::size_t active = 0;  // number of flows that take part in fairness and shares
    ExactSum<20> active_ps;  // total active time of flows, in picoseconds
    // Least and greatest payload per second of a flow's claim.
    double least = std::numeric_limits<double>::max();
    double greatest = 0;
  };
  struct Tenant {
    Bytes bytes = 0;
    TimeUnion active;
  };

  void add_share(const FlowResult& flow, const FlowMetrics& m, std::uint64_t times);
  void add_change(const FlowResult& flow);
  void add_deadline(const FlowResult& flow);
  void add_classes(const RunResults& results, Metrics& metrics) const;
  void add_tenants(Metrics& metrics) const;
  bool has_single_bottleneck() const { return any_active_ && (same_from_ || same_to_); }

  const PlatformConfig& config_;
  const FlowOutput kept_;
  FlowFigures figures_;
  PicoSeconds from_{};
  PicoSeconds to_{};
  PicoSeconds sim_time_ = PicoSeconds::max();
  FlowCensus census_;
  PicoSeconds last_change_{};
  Bytes goodput_bytes_ = 0;
  Jain jain_, jain_weighted_;
  bool any_active_ = false;
  bool same_from_ = true, same_to_ = true;
  HostId first_from_ = 0, first_to_ = 0;
  std::map<unsigned, Class> classes_;  // figures of traffic classes by DSCP
  std::vector<Tenant> tenants_;        // tenants in the order of the configuration
  // index of the tenant by DSCP; the number of tenants if the DSCP has no tenant
  std::array<std::size_t, 64> tenant_of_{};
  std::optional<DeadlineMetrics> deadlines_;
  Sizes slowdowns_, received_, reference_;
  FlowGrouping grouping_;
};

}  // namespace dcc::vp
