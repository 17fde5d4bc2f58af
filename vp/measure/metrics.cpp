#include "measure/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "measure/batch_means.h"
#include "measure/flow_digest.h"
#include "measure/settling.h"
#include "measure/tenant_windows.h"

namespace dcc::vp {
namespace {

PicoSeconds active_between(const FlowResult& flow, PicoSeconds from, PicoSeconds to) {
  from = std::max(from, flow.start);
  if (flow.end_rx) {
    to = std::min(to, *flow.end_rx);
  } else if (flow.end) {
    to = std::min(to, *flow.end);
  } else if (flow.stopped) {
    to = std::min(to, *flow.stopped);
  }
  return std::max(PicoSeconds(0), to - from);
}

std::optional<double> ratio(const std::optional<PicoSeconds>& taken,
                            const std::optional<PicoSeconds>& ideal) {
  if (!taken || !ideal || ideal->count <= 0) return std::nullopt;
  return static_cast<double>(taken->count) / static_cast<double>(ideal->count);
}

void add_classes(const PlatformConfig& config, const RunResults& results, Metrics& metrics) {
  Bytes all_bytes = 0;
  double all_claims = 0;
  std::map<unsigned, std::pair<Bytes, double>> by_dscp;
  std::map<unsigned, std::size_t> counts;
  for (std::size_t i = 0; i < results.flows.size(); ++i) {
    const FlowResult& flow = results.flows[i];
    if (flow.background) continue;
    const FlowMetrics m = metrics.of_flow(flow);
    const bool part = takes_part(flow, m);
    auto& [bytes, claims] = by_dscp[flow.dscp];
    bytes += flow.delivered_measured;
    all_bytes += flow.delivered_measured;
    if (!part) continue;
    claims += claim(m);
    all_claims += claim(m);
    ++counts[flow.dscp];
  }
  const PicoSeconds window = results.measured_to - results.measured_from;
  const bool comparable = has_single_bottleneck(results) && all_claims > 0 && !config.qos.manager;
  for (const auto& [dscp, sums] : by_dscp) {
    ClassMetrics c;
    c.dscp = dscp;
    c.weight = config.dscp_of(dscp).weight;
    c.flows = counts[dscp];
    c.goodput_gbps = mean_gbps(sums.first, window);
    if (all_bytes > 0) {
      c.share = static_cast<double>(sums.first) / static_cast<double>(all_bytes);
    }
    if (comparable) c.expected_share = sums.second / all_claims;
    metrics.classes.push_back(c);
  }
  std::vector<unsigned> dscps;
  for (const ClassMetrics& c : metrics.classes) dscps.push_back(c.dscp);
  const auto settled = settling_times(config, results, dscps);
  for (std::size_t i = 0; i < settled.size(); ++i) metrics.classes[i].settled = settled[i];
  if (!comparable || all_bytes == 0) return;
  for (std::size_t i = 0; i < results.flows.size(); ++i) {
    const FlowResult& flow = results.flows[i];
    const FlowMetrics m = metrics.of_flow(flow);
    if (!takes_part(flow, m)) continue;
    const double share =
        static_cast<double>(flow.delivered_measured) / static_cast<double>(all_bytes);
    const double error = std::abs(share * all_claims / claim(m) - 1);
    for (ClassMetrics& c : metrics.classes) {
      if (c.dscp == flow.dscp) c.share_error_max = std::max(c.share_error_max.value_or(0), error);
    }
  }
}

std::optional<DeadlineMetrics> deadline_metrics(const RunResults& results) {
  std::optional<DeadlineMetrics> m;
  for (const FlowResult& flow : results.flows) {
    if (!flow.deadline) continue;
    if (!m) m.emplace();
    const PicoSeconds due = flow.start + *flow.deadline;
    const bool met = flow.end_rx && *flow.end_rx <= due;
    // skips a flow whose deadline is still open at the end of the run
    if (!met && due >= results.sim_time && !flow.end_rx) continue;
    ++m->flows;
    if (!met) ++m->missed;
  }
  if (m && m->flows != 0) {
    m->miss_share = static_cast<double>(m->missed) / static_cast<double>(m->flows);
  }
  return m;
}

/// The time within the window in which at least one of a tenant's flows was active.
PicoSeconds united_time(std::vector<std::pair<PicoSeconds, PicoSeconds>> spans) {
  std::sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) {
    return a.first < b.first || (a.first == b.first && a.second < b.second);
  });
  PicoSeconds total{};
  PicoSeconds reached{};
  for (const auto& [from, to] : spans) {
    const PicoSeconds begin = std::max(from, reached);
    if (begin < to) {
      total += to - begin;
      reached = to;
    }
  }
  return total;
}

void add_tenants(const PlatformConfig& config, const RunResults& results, Metrics& metrics) {
  std::vector<Bytes> bytes(config.tenants.size(), 0);
  std::vector<double> claims(config.tenants.size(), 0);
  Bytes all_bytes = 0;
  double all_claims = 0;
  for (std::size_t t = 0; t < config.tenants.size(); ++t) {
    std::vector<std::pair<PicoSeconds, PicoSeconds>> spans;
    for (std::size_t i = 0; i < results.flows.size(); ++i) {
      const FlowResult& flow = results.flows[i];
      if (flow.background || config.dscp_of(flow.dscp).tenant != config.tenants[t].name) continue;
      bytes[t] += flow.delivered_measured;
      const FlowMetrics m = metrics.of_flow(flow);
      if (!takes_part(flow, m)) continue;
      const PicoSeconds begin = std::max(flow.start, results.measured_from);
      spans.emplace_back(begin, begin + m.active);
    }
    claims[t] = config.tenants[t].weight.value() * to_seconds(united_time(std::move(spans)));
    all_bytes += bytes[t];
    all_claims += claims[t];
  }
  const bool comparable = has_single_bottleneck(results) && all_claims > 0;
  const auto window_errors = share_errors_over_windows(config, results);
  for (std::size_t t = 0; t < config.tenants.size(); ++t) {
    TenantMetrics m;
    m.name = config.tenants[t].name;
    if (all_bytes > 0) m.share = static_cast<double>(bytes[t]) / static_cast<double>(all_bytes);
    if (comparable) {
      m.expected_share = claims[t] / all_claims;
      if (m.share && claims[t] > 0) m.share_error = std::abs(*m.share / *m.expected_share - 1);
      m.share_error_window = window_errors[t];
    }
    metrics.tenants.push_back(m);
  }
}

SlowdownBin summarise(Bytes above, std::optional<Bytes> up_to, std::vector<double>& slowdowns) {
  SlowdownBin bin;
  bin.above = above;
  bin.up_to = up_to;
  bin.flows = slowdowns.size();
  bin.p50 = percentile(slowdowns, 50);
  bin.p95 = percentile(slowdowns, 95);
  bin.p99 = percentile(slowdowns, 99);
  double sum = 0;
  // sorted, so that the sum does not depend on the order of flows
  for (const double s : slowdowns) sum += s;
  bin.mean = sum / static_cast<double>(slowdowns.size());
  return bin;
}

struct JainSums {
  double sum = 0;
  double squares = 0;
  std::size_t count = 0;

  void add(double value) {
    sum += value;
    squares += value * value;
    ++count;
  }
  std::optional<double> index() const {
    if (count == 0) return std::nullopt;
    if (squares == 0) return 1.0;
    return sum * sum / (static_cast<double>(count) * squares);
  }
};

/// Collects slowdowns of one kind by flow size.
class Slowdowns {
 public:
  void add(Bytes bytes, const std::optional<double>& slowdown) {
    if (slowdown && bytes > 0) by_bin_[SizeBins::of(bytes)].push_back(*slowdown);
  }
  /// Fills `total` and `bins`, then forgets the values.
  void summarise_to(std::optional<SlowdownBin>& total, std::vector<SlowdownBin>& bins) {
    std::vector<double> all;
    for (std::size_t b = 0; b < SizeBins::kCount; ++b) {
      std::vector<double>& in_bin = by_bin_[b];
      if (in_bin.empty()) continue;
      all.insert(all.end(), in_bin.begin(), in_bin.end());
      bins.push_back(summarise(SizeBins::above(b), SizeBins::up_to(b), in_bin));
      in_bin = {};
    }
    if (!all.empty()) total = summarise(0, std::nullopt, all);
  }

 private:
  std::array<std::vector<double>, SizeBins::kCount> by_bin_;
};

}  // namespace

FlowFigures::FlowFigures(const PlatformConfig& config, PicoSeconds from, PicoSeconds to)
    : from_(from), to_(to) {
  for (unsigned dscp = 0; dscp < 64; ++dscp) weights_[dscp] = config.dscp_of(dscp).weight;
}

FlowMetrics FlowFigures::operator()(const FlowResult& flow) const {
  FlowMetrics m;
  m.weight = weights_[flow.dscp];
  m.active = active_between(flow, from_, to_);
  m.goodput_gbps = mean_gbps(flow.delivered_measured, m.active);
  if (!flow.completed) return m;
  if (flow.end) m.fct = *flow.end - flow.start;
  if (flow.end_rx) m.fct_rx = *flow.end_rx - flow.start;
  const std::optional<PicoSeconds>& taken = m.fct ? m.fct : m.fct_rx;
  m.slowdown = ratio(taken, flow.ideal);
  m.slowdown_received = ratio(m.fct_rx, flow.ideal_rx);
  m.reference_slowdown = ratio(taken, flow.reference_ideal);
  return m;
}

double mean_gbps(Bytes bytes, PicoSeconds time) {
  if (time.count <= 0) return 0;
  return static_cast<double>(bytes) * 8e3 / static_cast<double>(time.count);
}

bool takes_part(const FlowResult& flow, const FlowMetrics& m) {
  return !flow.background && m.active.count > 0;
}

double claim(const FlowMetrics& m) { return m.weight.value() * to_seconds(m.active); }

std::optional<QueryMetrics> query_metrics(const std::vector<QueryResult>& queries) {
  if (queries.empty()) return std::nullopt;
  QueryMetrics m;
  std::vector<double> took;  // query times in ps; a double is exact for more than a day
  double sum = 0;
  for (const QueryResult& query : queries) {
    if (query.asked != PicoSeconds::max()) ++m.queries;
    if (query.answered) took.push_back(static_cast<double>((*query.answered - query.asked).count));
  }
  m.answered = took.size();
  if (took.empty()) return m;
  const auto time = [](double ps) { return PicoSeconds(static_cast<std::int64_t>(ps)); };
  m.p50 = time(percentile(took, 50));
  m.p99 = time(percentile(took, 99));
  m.longest = time(took.back());  // percentile() has sorted the vector
  for (const double one : took) sum += one;
  m.mean = time(sum / static_cast<double>(took.size()));
  return m;
}

void add_intervals(const RunResults& results, bool background, Metrics& metrics) {
  const ClassColumns& series = results.class_series;
  std::map<unsigned, std::vector<double>> by_dscp;
  std::vector<double> all;
  std::optional<PicoSeconds> last;
  for (std::size_t i = 0; i < series.t.size(); ++i) {
    if (series.t[i] <= results.measured_from || series.t[i] > results.measured_to) continue;
    if (last != series.t[i]) all.push_back(0);
    last = series.t[i];
    all.back() += series.goodput_gbps[i];
    by_dscp[series.dscp[i]].push_back(series.goodput_gbps[i]);
  }
  if (background) return;
  metrics.goodput_half_gbps = batch_means_half(all);
  for (ClassMetrics& one : metrics.classes) {
    one.goodput_half_gbps = batch_means_half(by_dscp[one.dscp]);
  }
}

std::optional<double> jain_index(const std::vector<double>& values) {
  JainSums sums;
  for (const double v : values) sums.add(v);
  return sums.index();
}

namespace {
/// Sorts values in ascending order. Long lists take a radix sort over the bits of the numbers,
/// eleven bits a pass, whose time is proportional to the number of values.
void sort_values(std::vector<double>& values) {
  constexpr std::size_t kFew = 4096;
  constexpr unsigned kBits = 11, kPasses = 6;  // 6 times 11 bits are at least 64
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  if (values.size() < kFew) return std::sort(values.begin(), values.end());
  std::vector<std::uint64_t> keys(values.size()), sorted(values.size());
  std::array<std::array<std::size_t, 1u << kBits>, kPasses> places{};
  const auto digit = [](std::uint64_t key, unsigned pass) {
    return key >> (pass * kBits) & ((1u << kBits) - 1);
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &values[i], sizeof bits);
    keys[i] = (bits & kSign) != 0 ? ~bits : bits | kSign;  // sort keys in the order of the values
    for (unsigned pass = 0; pass < kPasses; ++pass) ++places[pass][digit(keys[i], pass)];
  }
  for (unsigned pass = 0; pass < kPasses; ++pass) {
    // skips a pass in which all keys have the same digit
    if (places[pass][digit(keys[0], pass)] == keys.size()) continue;
    std::size_t sum = 0;
    for (std::size_t& place : places[pass]) sum += std::exchange(place, sum);
    for (const std::uint64_t key : keys) sorted[places[pass][digit(key, pass)]++] = key;
    keys.swap(sorted);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t bits = (keys[i] & kSign) != 0 ? keys[i] & ~kSign : ~keys[i];
    std::memcpy(&values[i], &bits, sizeof bits);
  }
}
}  // namespace

double percentile(std::vector<double>& values, double percent) {
  if (!std::is_sorted(values.begin(), values.end())) sort_values(values);
  const double rank = std::ceil(percent / 100 * static_cast<double>(values.size()) - 1e-9);
  const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
  return values[std::min(index, values.size() - 1)];
}

bool has_single_bottleneck(const RunResults& results) {
  bool same_from = true;
  bool same_to = true;
  const FlowResult* first = nullptr;
  for (const FlowResult& flow : results.flows) {
    if (flow.background ||
        active_between(flow, results.measured_from, results.measured_to).count == 0)
      continue;
    if (first == nullptr) first = &flow;
    same_from = same_from && flow.from == first->from && flow.from_port == first->from_port;
    same_to = same_to && flow.to == first->to && flow.to_port == first->to_port;
  }
  return first != nullptr && (same_from || same_to);
}

std::optional<PicoSeconds> mean_of(const LogHistogram& nanoseconds) {
  if (nanoseconds.count() == 0) return std::nullopt;
  return kNanoSecond * static_cast<std::int64_t>(nanoseconds.sum() / nanoseconds.count());
}

std::optional<PicoSeconds> quantile_of(const LogHistogram& nanoseconds, unsigned per_mille) {
  if (nanoseconds.count() == 0) return std::nullopt;
  return kNanoSecond * static_cast<std::int64_t>(nanoseconds.quantile(per_mille));
}

Metrics compute_metrics(const PlatformConfig& config, const RunResults& results) {
  if (results.digest != nullptr) return results.digest->metrics(results);
  Metrics metrics;
  metrics.of_flow = FlowFigures(config, results);
  JainSums active;
  JainSums by_weight;
  Slowdowns slowdowns, received, reference;
  FlowGrouping grouping(config, results);
  Bytes bytes = 0;
  for (const FlowResult& flow : results.flows) {
    const FlowMetrics m = metrics.of_flow(flow);
    if (!flow.background) bytes += flow.delivered_measured;
    if (takes_part(flow, m)) {
      active.add(m.goodput_gbps);
      if (m.weight.numerator != 0) by_weight.add(m.goodput_gbps / m.weight.value());
    }
    const Bytes size = flow.bytes.value_or(0);
    slowdowns.add(size, m.slowdown);
    grouping.add(flow, m.fct ? m.fct : m.fct_rx, m.slowdown);
    if (flow.start >= results.measured_from && flow.start < results.measured_to) {
      received.add(size, m.slowdown_received);
    }
    reference.add(size, m.reference_slowdown);
  }
  metrics.goodput_gbps = mean_gbps(bytes, results.measured_to - results.measured_from);
  metrics.deadlines = deadline_metrics(results);
  metrics.queries = query_metrics(results.queries);
  metrics.jain = active.index();
  metrics.jain_weighted = by_weight.index();
  add_classes(config, results, metrics);
  add_tenants(config, results, metrics);
  add_intervals(results, census_of(results).background, metrics);
  metrics.completion_times = grouping.groups();
  slowdowns.summarise_to(metrics.slowdown, metrics.slowdown_bins);
  received.summarise_to(metrics.slowdown_received, metrics.slowdown_received_bins);
  reference.summarise_to(metrics.reference_slowdown, metrics.reference_slowdown_bins);
  return metrics;
}

HostResult sum_over_hosts(const std::vector<HostResult>& hosts) {
  HostResult all;
  for (const HostResult& host : hosts) {
    HostResult::describe([&](auto member, const char*, const MetricAbout& about) {
      if (about.statistic == Statistic::kSum) all.*member += host.*member;
      if (about.statistic == Statistic::kMaximum) all.*member = std::max(all.*member, host.*member);
    });
  }
  return all;
}

std::vector<std::string> broken_balances(const RunResults& results) {
  std::vector<std::string> broken;
  const Balance& b = results.balance;
  const auto text = [](std::uint64_t n) { return std::to_string(n); };
  if (b.packets_sent != b.packets_delivered + b.packets_dropped + b.packets_in_flight) {
    broken.push_back("packets do not add up: " + text(b.packets_sent) + " sent, but " +
                     text(b.packets_delivered) + " delivered + " + text(b.packets_dropped) +
                     " dropped + " + text(b.packets_in_flight) + " in flight");
  }
  if (b.events_started != b.events_expired + b.events_cancelled + b.events_pending) {
    broken.push_back("timer events do not add up: " + text(b.events_started) + " started, but " +
                     text(b.events_expired) + " expired + " + text(b.events_cancelled) +
                     " cancelled + " + text(b.events_pending) + " pending");
  }
  for (const HostResult& host : results.hosts) {
    if (host.payload_errors > 0) {
      broken.push_back("host " + text(host.id) + " received " + text(host.payload_errors) +
                       " messages that are not what was sent");
    }
    if (host.completions_lost > 0) {
      broken.push_back("host " + text(host.id) + " lost " + text(host.completions_lost) +
                       " completions (firmware that keeps no accounts in the boot block: "
                       "keeps_accounts: false)");
    }
  }
  return broken;
}

}  // namespace dcc::vp
