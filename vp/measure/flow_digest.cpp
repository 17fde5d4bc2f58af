#include "measure/flow_digest.h"

#include <algorithm>
#include <cmath>

#include "measure/settling.h"

namespace dcc::vp {

void FlowCensus::add(const FlowResult& flow, std::uint64_t times) {
  flows += times;
  begun += flow.begun ? times : 0;
  completed += flow.completed ? times : 0;
  finite += flow.bytes ? times : 0;
  finite_begun += flow.bytes && flow.begun ? times : 0;
  timed += flow.completed && flow.ideal ? times : 0;
  background = background || flow.background;
  delivered_measured += flow.delivered_measured * static_cast<Bytes>(times);
  retransmits[flow.dscp] += flow.counts.of(&FlowRecord::retransmits) * times;
  if (!flow.begun) return;
  all_over = all_over && (flow.completed || (flow.stopped && !flow.waiting));
  last = std::max({last, flow.progress, flow.stopped.value_or(PicoSeconds(0))});
}

FlowCensus census_of(const RunResults& results) {
  if (results.digest != nullptr) return results.digest->census();
  FlowCensus census;
  for (const FlowResult& flow : results.flows) census.add(flow);
  return census;
}

void FlowDigest::Jain::add(double value, std::uint64_t times) {
  sum.add(value, times);
  squares.add(value * value, times);
  count += times;
}

std::optional<double> FlowDigest::Jain::index() const {
  if (count == 0) return std::nullopt;
  if (squares.value() == 0) return 1.0;
  return sum.value() * sum.value() / (static_cast<double>(count) * squares.value());
}

FlowDigest::FlowDigest(const PlatformConfig& config)
    : config_(config),
      kept_(config.output.flows),
      from_(config.measure.from),
      to_(config.measure_end()),
      tenants_(config.tenants.size()),
      grouping_(config, from_, to_, kept_) {
  end_run(from_, to_, sim_time_);
  for (unsigned dscp = 0; dscp < tenant_of_.size(); ++dscp) {
    const std::string& name = config.dscp_of(dscp).tenant;
    std::size_t& index = tenant_of_[dscp];
    while (index < tenants_.size() && config.tenants[index].name != name) ++index;
  }
}

void FlowDigest::end_run(PicoSeconds measured_from, PicoSeconds measured_to, PicoSeconds sim_time) {
  from_ = measured_from;
  to_ = measured_to;
  sim_time_ = sim_time;
  figures_ = FlowFigures(config_, from_, to_);
  grouping_.set_window(from_, to_);
}

void FlowDigest::add(const FlowResult& flow, std::uint64_t times) {
  const FlowMetrics m = figures_(flow);
  census_.add(flow, times);
  add_change(flow);
  add_share(flow, m, times);
  add_deadline(flow);
  grouping_.add(flow, m.fct ? m.fct : m.fct_rx, m.slowdown, times);
  if (kept_ == FlowOutput::kNone) return;
  const Bytes size = flow.bytes.value_or(0);
  slowdowns_.add(size, m.slowdown, times);
  if (from_ <= flow.start && flow.start < to_) received_.add(size, m.slowdown_received, times);
  reference_.add(size, m.reference_slowdown, times);
}

void FlowDigest::add_change(const FlowResult& flow) {
  if (flow.background) return;
  const auto ended = flow.end_rx ? flow.end_rx : flow.end ? flow.end : flow.stopped;
  for (const std::optional<PicoSeconds>& at : {std::optional(flow.start), ended}) {
    if (at && *at <= to_) last_change_ = std::max(last_change_, *at);
  }
}

void FlowDigest::add_share(const FlowResult& flow, const FlowMetrics& m, std::uint64_t times) {
  if (flow.background) return;
  const Bytes delivered = flow.delivered_measured * static_cast<Bytes>(times);
  goodput_bytes_ += delivered;
  Class& of = classes_[flow.dscp];
  of.bytes += delivered;
  const std::size_t tenant = tenant_of_[flow.dscp];
  if (tenant < tenants_.size()) tenants_[tenant].bytes += delivered;
  if (!takes_part(flow, m)) return;
  jain_.add(m.goodput_gbps, times);
  if (m.weight.numerator != 0) jain_weighted_.add(m.goodput_gbps / m.weight.value(), times);
  if (!any_active_) {
    any_active_ = true;
    first_from_ = flow.from;
    first_to_ = flow.to;
  }
  same_from_ = same_from_ && flow.from == first_from_;
  same_to_ = same_to_ && flow.to == first_to_;
  of.active += times;
  of.active_ps.add(static_cast<double>(m.active.count), times);
  const double served = static_cast<double>(flow.delivered_measured) / claim(m);
  of.least = std::min(of.least, served);
  of.greatest = std::max(of.greatest, served);
  if (tenant < tenants_.size()) {
    const PicoSeconds begin = std::max(flow.start, from_);
    tenants_[tenant].active.add(begin, begin + m.active);
  }
}

/// Counts a deadline that was met or missed; a deadline that is still open at the end does not
/// count.
void FlowDigest::add_deadline(const FlowResult& flow) {
  if (!flow.deadline) return;
  if (!deadlines_) deadlines_.emplace();
  const PicoSeconds due = flow.start + *flow.deadline;
  const bool met = flow.end_rx && *flow.end_rx <= due;
  if (!met && due >= sim_time_ && !flow.end_rx) return;
  ++deadlines_->flows;
  if (!met) ++deadlines_->missed;
}

void FlowDigest::add_classes(const RunResults& results, Metrics& metrics) const {
  Bytes all_bytes = 0;
  double all_claims = 0;
  const auto claims_of = [this](unsigned dscp, const Class& of) {
    return config_.dscp_of(dscp).weight.value() * of.active_ps.value() * 1e-12;
  };
  for (const auto& [dscp, of] : classes_) {
    all_bytes += of.bytes;
    all_claims += claims_of(dscp, of);
  }
  const bool comparable = has_single_bottleneck() && all_claims > 0 && !config_.qos.manager;
  for (const auto& [dscp, of] : classes_) {
    ClassMetrics c;
    c.dscp = dscp;
    c.weight = config_.dscp_of(dscp).weight;
    c.flows = of.active;
    c.goodput_gbps = mean_gbps(of.bytes, to_ - from_);
    if (all_bytes > 0) {
      c.share = static_cast<double>(of.bytes) / static_cast<double>(all_bytes);
    }
    if (comparable) c.expected_share = claims_of(dscp, of) / all_claims;
    if (comparable && all_bytes > 0 && of.active > 0) {
      const double fair = all_claims / static_cast<double>(all_bytes);
      c.share_error_max = std::max(std::abs(of.least * fair - 1), std::abs(of.greatest * fair - 1));
    }
    metrics.classes.push_back(c);
  }
  std::vector<unsigned> dscps;
  for (const ClassMetrics& c : metrics.classes) dscps.push_back(c.dscp);
  const auto settled = settling_times(config_, results, dscps);
  for (std::size_t i = 0; i < settled.size(); ++i) metrics.classes[i].settled = settled[i];
}

/// Computes figures of tenants without share_error_window, which needs the flows at each time.
void FlowDigest::add_tenants(Metrics& metrics) const {
  Bytes all_bytes = 0;
  double all_claims = 0;
  const auto claims_of = [this](std::size_t t) {
    return config_.tenants[t].weight.value() * to_seconds(tenants_[t].active.length());
  };
  for (std::size_t t = 0; t < tenants_.size(); ++t) {
    all_bytes += tenants_[t].bytes;
    all_claims += claims_of(t);
  }
  const bool comparable = has_single_bottleneck() && all_claims > 0;
  for (std::size_t t = 0; t < tenants_.size(); ++t) {
    TenantMetrics m;
    m.name = config_.tenants[t].name;
    if (all_bytes > 0) {
      m.share = static_cast<double>(tenants_[t].bytes) / static_cast<double>(all_bytes);
    }
    if (comparable) {
      m.expected_share = claims_of(t) / all_claims;
      if (m.share && claims_of(t) > 0) m.share_error = std::abs(*m.share / *m.expected_share - 1);
    }
    metrics.tenants.push_back(m);
  }
}

void FlowDigest::Sizes::summarise_to(std::optional<SlowdownBin>& total,
                                     std::vector<SlowdownBin>& list) const {
  const auto summarised = [](Bytes above, std::optional<Bytes> up_to, const QuantileSketch& of) {
    SlowdownBin bin;
    bin.above = above;
    bin.up_to = up_to;
    bin.flows = static_cast<std::size_t>(of.count());
    bin.p50 = of.quantile(50);
    bin.p95 = of.quantile(95);
    bin.p99 = of.quantile(99);
    bin.mean = of.mean();
    return bin;
  };
  QuantileSketch all;
  for (std::size_t b = 0; b < SizeBins::kCount; ++b) {
    if (bins[b].count() == 0) continue;
    all.merge(bins[b]);
    list.push_back(summarised(SizeBins::above(b), SizeBins::up_to(b), bins[b]));
  }
  if (all.count() != 0) total = summarised(0, std::nullopt, all);
}

Metrics FlowDigest::metrics(const RunResults& results) const {
  Metrics metrics;
  metrics.of_flow = figures_;
  metrics.goodput_gbps = mean_gbps(goodput_bytes_, to_ - from_);
  metrics.deadlines = deadlines_;
  if (metrics.deadlines && metrics.deadlines->flows != 0) {
    metrics.deadlines->miss_share = static_cast<double>(metrics.deadlines->missed) /
                                    static_cast<double>(metrics.deadlines->flows);
  }
  metrics.queries = query_metrics(results.queries);
  metrics.jain = jain_.index();
  metrics.jain_weighted = jain_weighted_.index();
  add_classes(results, metrics);
  add_tenants(metrics);
  add_intervals(results, census_.background, metrics);
  metrics.completion_times = grouping_.groups();
  slowdowns_.summarise_to(metrics.slowdown, metrics.slowdown_bins);
  received_.summarise_to(metrics.slowdown_received, metrics.slowdown_received_bins);
  reference_.summarise_to(metrics.reference_slowdown, metrics.reference_slowdown_bins);
  return metrics;
}

}  // namespace dcc::vp
