// Figures computed from a run's results: shares, fairness, completion times, checks.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "config/platform_config.h"
#include "measure/flow_groups.h"
#include "measure/results.h"

namespace dcc::vp {

/// Figures of a flow that are computed from its result.
struct FlowMetrics {
  Ratio weight{1};
  PicoSeconds active{};  // time within the measured window in which the flow had data to send
  // goodput: payload received in the measured window divided by the active time
  double goodput_gbps = 0;
  std::optional<PicoSeconds> fct;     // time from the first byte posted to the last ACK
  std::optional<PicoSeconds> fct_rx;  // time from the first byte posted to the last byte received
  // slowdown: fct (fct_rx if nothing is acknowledged) divided by the ideal time
  std::optional<double> slowdown;
  std::optional<double> slowdown_received;   // slowdown by reception: fct_rx divided by ideal_rx
  std::optional<double> reference_slowdown;  // completion time relative to reference_ideal
};

/// Computes a flow's figures on request instead of storing them, because a run may have millions of
/// flows.
class FlowFigures {
 public:
  FlowFigures() = default;
  FlowFigures(const PlatformConfig& config, const RunResults& results)
      : FlowFigures(config, results.measured_from, results.measured_to) {}
  /// Prepares the computation. `from` and `to`: the measured window.
  FlowFigures(const PlatformConfig& config, PicoSeconds from, PicoSeconds to);
  FlowMetrics operator()(const FlowResult& flow) const;

 private:
  std::array<Ratio, 64> weights_;  // weight of the class of each DSCP
  PicoSeconds from_{};             // begin of the measured window
  PicoSeconds to_{};
};

struct ClassMetrics {
  unsigned dscp = 0;
  Ratio weight{1};
  std::size_t flows = 0;  // number of the class's flows that were active in the measured window
  // goodput: payload received in the measured window divided by the window's length
  double goodput_gbps = 0;
  // half the 95 % confidence interval of the goodput (measure/batch_means.h)
  std::optional<double> goodput_half_gbps;
  // share of the class in the goodput of all classes; empty if nothing was received
  std::optional<double> share;
  // Expected share of the class by its weight. Empty if there is more than one bottleneck, or if
  // the closed loop sets the shares of tenants.
  std::optional<double> expected_share;
  std::optional<double> share_error_max;  // greatest |share / expected - 1| of the class's flows
  std::optional<PicoSeconds> settled;     // settling time of the class (measure/settling.h)

  template <class Visitor>
  static void describe(Visitor&& v) {
    v(&ClassMetrics::dscp, "dscp", {"", "DSCP of the class"});
    v(&ClassMetrics::weight, "weight", {"", "weight of the class"});
    v(&ClassMetrics::flows, "flows",
      {"", "flows of the class that were active in the window", Statistic::kSum, Span::kWindow});
    v(&ClassMetrics::goodput_gbps, "goodput_gbps",
      {"Gb/s", "payload received in the window / length of the window", Statistic::kMean,
       Span::kWindow});
    v(&ClassMetrics::goodput_half_gbps, "goodput_half_gbps",
      {"Gb/s",
       "half the width of its 95 % confidence interval, by batch means over the class series; "
       "null: too few samples, or not settled",
       Statistic::kValue, Span::kWindow});
    v(&ClassMetrics::share, "share",
      {"", "share of the goodput of all classes", Statistic::kRatio, Span::kWindow});
    v(&ClassMetrics::expected_share, "expected_share",
      {"",
       "weight times active time of its flows, as a share of the sum over all classes; null with "
       "several bottlenecks or a QoS manager",
       Statistic::kRatio, Span::kWindow});
    v(&ClassMetrics::share_error_max, "share_error_max",
      {"", "greatest relative deviation of a flow from its expected share", Statistic::kMaximum,
       Span::kWindow});
    v(&ClassMetrics::settled, "settled_s",
      {"s",
       "time from the last start or end of a flow until its share stays within a tenth of its "
       "final value; null: not observed",
       Statistic::kValue, Span::kWindow});
  }
};

struct TenantMetrics {
  std::string name;
  std::optional<double> share;  // share of the tenant in the goodput of all tenants
  std::optional<double> expected_share;
  std::optional<double>
      share_error;  // relative error of the tenant's share, |share / expected - 1|
  // greatest error of the tenant's share over windows (measure/tenant_windows.h)
  std::optional<double> share_error_window;

  template <class Visitor>
  static void describe(Visitor&& v) {
    v(&TenantMetrics::name, "name", {"", "as configured"});
    v(&TenantMetrics::share, "share",
      {"", "share of the goodput of all tenants", Statistic::kRatio, Span::kWindow});
    v(&TenantMetrics::expected_share, "expected_share",
      {"", "share by the tenants' weights", Statistic::kRatio, Span::kWindow});
    v(&TenantMetrics::share_error, "share_error",
      {"", "relative deviation of share from expected_share", Statistic::kRatio, Span::kWindow});
    v(&TenantMetrics::share_error_window, "share_error_window",
      {"", "greatest deviation over all watched windows", Statistic::kMaximum, Span::kWindow});
  }
};

/// Slowdowns of the completed flows whose payload is more than `above` and at most `up_to` bytes.
struct SlowdownBin {
  Bytes above = 0;
  std::optional<Bytes> up_to;  // greatest flow size of the bin in bytes; empty: no upper limit
  std::size_t flows = 0;
  double mean = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;

  template <class Visitor>
  static void describe(Visitor&& v) {
    constexpr Statistic kQuantile = Statistic::kQuantile;
    v(&SlowdownBin::above, "above_bytes", {"B", "flows of this bin have more payload"});
    v(&SlowdownBin::up_to, "up_to_bytes", {"B", "and at most this payload; null: no limit"});
    v(&SlowdownBin::flows, "flows",
      {"", "completed flows of the bin", Statistic::kSum, Span::kRun});
    v(&SlowdownBin::mean, "mean",
      {"", "mean of completion time / completion time in an empty network", Statistic::kMean,
       Span::kRun});
    v(&SlowdownBin::p50, "p50", {"", "its median (nearest rank)", kQuantile, Span::kRun});
    v(&SlowdownBin::p95, "p95", {"", "its 95th percentile", kQuantile, Span::kRun});
    v(&SlowdownBin::p99, "p99", {"", "its 99th percentile", kQuantile, Span::kRun});
  }
};

/// Number of flows with a deadline for which the run decided whether the last byte arrived in time.
struct DeadlineMetrics {
  std::size_t flows = 0;
  std::size_t missed = 0;
  double miss_share = 0;

  template <class Visitor>
  static void describe(Visitor&& v) {
    v(&DeadlineMetrics::flows, "flows",
      {"", "flows whose deadline was met or missed before the end", Statistic::kSum, Span::kRun});
    v(&DeadlineMetrics::missed, "missed",
      {"", "flows whose last byte was not received by the deadline", Statistic::kSum, Span::kRun});
    v(&DeadlineMetrics::miss_share, "miss_share",
      {"", "missed / flows", Statistic::kRatio, Span::kRun});
  }
};

/// Times from the beginning of a query to the arrival of the last byte of its last answer.
struct QueryMetrics {
  std::size_t queries = 0;
  std::size_t answered = 0;
  // mean time of the answered queries; empty if no query was answered
  std::optional<PicoSeconds> mean;
  std::optional<PicoSeconds> p50;
  std::optional<PicoSeconds> p99;
  std::optional<PicoSeconds> longest;

  template <class Visitor>
  static void describe(Visitor&& v) {
    constexpr Statistic kQuantile = Statistic::kQuantile;
    v(&QueryMetrics::queries, "asked",
      {"", "queries and rounds of collectives; the group exists only if the traffic has some",
       Statistic::kSum, Span::kRun});
    v(&QueryMetrics::answered, "answered",
      {"", "queries whose answers all arrived", Statistic::kSum, Span::kRun});
    v(&QueryMetrics::mean, "us_mean",
      {"us", "mean time from the question to the last byte of the last answer", Statistic::kMean,
       Span::kRun});
    v(&QueryMetrics::p50, "us_p50", {"us", "median (nearest rank)", kQuantile, Span::kRun});
    v(&QueryMetrics::p99, "us_p99", {"us", "99th percentile", kQuantile, Span::kRun});
    v(&QueryMetrics::longest, "us_max", {"us", "longest time", Statistic::kMaximum, Span::kRun});
  }
};

struct Metrics {
  double goodput_gbps = 0;  // sum of the goodput of all flows except background flows
  // Half width of the goodput's 95 % confidence interval (measure/batch_means.h); empty with
  // background flows.
  std::optional<double> goodput_half_gbps;
  std::optional<double> jain;  // Jain's index of active flows' goodput; empty if no flow was active
  // Jain's index of goodput / weight; 1 if all flows share by weight
  std::optional<double> jain_weighted;
  FlowFigures of_flow;
  std::vector<ClassMetrics> classes;   // figures of the classes that have flows, by DSCP
  std::vector<TenantMetrics> tenants;  // figures of the tenants, in the order of the configuration
  // slowdowns over all completed flows; empty if no flow completed
  std::optional<SlowdownBin> slowdown;
  std::vector<SlowdownBin> slowdown_bins;  // slowdowns by size bin; bins without flows are left out
  // Statistics of FlowMetrics::slowdown_received of the flows that begin within `measure`, whenever
  // they end; empty for RoCE.
  std::optional<SlowdownBin> slowdown_received;
  std::vector<SlowdownBin> slowdown_received_bins;
  // numbers of flows that met or missed their deadline; empty if no flow has a deadline
  std::optional<DeadlineMetrics> deadlines;
  // completion times of queries; empty if there are no queries
  std::optional<QueryMetrics> queries;
  // Slowdowns by FlowMetrics::reference_slowdown, for comparison with published tables.
  std::optional<SlowdownBin> reference_slowdown;
  std::vector<SlowdownBin> reference_slowdown_bins;
  FlowGroups completion_times;
};

/// Converts payload over a time into Gb/s; 0 if the time is 0.
double mean_gbps(Bytes bytes, PicoSeconds time);
/// True if a flow counts for fairness and shares: it was active in the window, and congestion
/// control governs it.
bool takes_part(const FlowResult& flow, const FlowMetrics& m);
/// A flow's claim on a shared link: weight times active time in seconds.
double claim(const FlowMetrics& m);
/// Completion times of queries; empty if there are no queries.
std::optional<QueryMetrics> query_metrics(const std::vector<QueryResult>& queries);
/// Adds the confidence intervals of rates. The goodput series of classes contains background flows;
/// the goodput of all flows does not. `background`: whether the run has background flows.
void add_intervals(const RunResults& results, bool background, Metrics& metrics);

Metrics compute_metrics(const PlatformConfig& config, const RunResults& results);

/// Jain's index (Σx)² / (n·Σx²) of the values, between 1/n and 1. Empty for no values; 1 if all
/// values are zero.
std::optional<double> jain_index(const std::vector<double>& values);

/// Returns the value of rank ⌈percent/100·n⌉ (nearest rank) and sorts `values`. Precondition:
/// `values` is not empty.
double percentile(std::vector<double>& values, double percent);

/// True if all active flows share one link that limits them: one port of one receiver or sender.
bool has_single_bottleneck(const RunResults& results);

/// Returns a sentence for each balance of counts that the results break, and for each loss that the
/// configuration forbids.
std::vector<std::string> broken_balances(const RunResults& results);

}  // namespace dcc::vp
