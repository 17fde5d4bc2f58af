#include "measure/flow_groups.h"

#include <set>

#include "measure/metrics.h"

namespace dcc::vp {

void FlowGrouping::add(const FlowResult& flow, const std::optional<PicoSeconds>& taken,
                       const std::optional<double>& slowdown, std::uint64_t times) {
  if (flow.background || !flow.begun || flow.bytes.value_or(0) <= 0) return;
  // Skips flows outside the window; the window's last instant belongs to it when the run ends
  // there.
  if (flow.start < from_ || flow.start >= to_) return;
  Cell& cell = cells_[{flow.dscp, flow.entry, flow.of_incast, SizeBins::of(*flow.bytes)}];
  cell.begun += times;
  if (!taken) return;
  cell.ended += times;
  if (kept_ == FlowOutput::kAll) {
    cell.completed.insert(cell.completed.end(), times, {taken->count, slowdown.value_or(-1)});
  } else if (kept_ == FlowOutput::kSketch) {
    cell.times_ps.add(static_cast<double>(taken->count), times);
    if (slowdown) cell.slowdowns.add(*slowdown, times);
  }
}

namespace {
PicoSeconds time_of(double ps) { return PicoSeconds(static_cast<std::int64_t>(ps)); }
}  // namespace

FlowGroup FlowGrouping::sketched(const std::vector<const Cell*>& cells) {
  FlowGroup group;
  QuantileSketch times, slowdowns;
  for (const Cell* cell : cells) {
    group.begun += cell->begun;
    group.completed += cell->ended;
    times.merge(cell->times_ps);
    slowdowns.merge(cell->slowdowns);
  }
  group.unfinished = group.begun - group.completed;
  if (times.count() != 0) {
    group.p50 = time_of(times.quantile(50));
    group.p90 = time_of(times.quantile(90));
    group.p99 = time_of(times.quantile(99));
    group.p999 = time_of(times.quantile(99.9));
    group.longest = time_of(times.max());
    group.mean = time_of(times.mean());
  }
  if (slowdowns.count() != 0) {
    group.slowdown_p50 = slowdowns.quantile(50);
    group.slowdown_p90 = slowdowns.quantile(90);
    group.slowdown_p99 = slowdowns.quantile(99);
    group.slowdown_p999 = slowdowns.quantile(99.9);
    group.slowdown_mean = slowdowns.mean();
  }
  return group;
}

FlowGroup FlowGrouping::summed(const std::vector<const Cell*>& cells) {
  FlowGroup group;
  std::vector<double> times;  // completion times in ps; a double is exact for more than a day
  std::vector<double> slowdowns;
  for (const Cell* cell : cells) {
    group.begun += cell->begun;
    for (const Sample& sample : cell->completed) {
      times.push_back(static_cast<double>(sample.taken));
      if (sample.slowdown >= 0) slowdowns.push_back(sample.slowdown);
    }
  }
  group.completed = times.size();
  group.unfinished = group.begun - group.completed;
  // Sums are taken after percentile() has sorted, so they do not depend on the order of flows.
  const auto mean = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  if (!times.empty()) {
    group.p50 = time_of(percentile(times, 50));
    group.p90 = time_of(percentile(times, 90));
    group.p99 = time_of(percentile(times, 99));
    group.p999 = time_of(percentile(times, 99.9));
    group.longest = time_of(times.back());
    group.mean = time_of(mean(times));
  }
  if (!slowdowns.empty()) {
    group.slowdown_p50 = percentile(slowdowns, 50);
    group.slowdown_p90 = percentile(slowdowns, 90);
    group.slowdown_p99 = percentile(slowdowns, 99);
    group.slowdown_p999 = percentile(slowdowns, 99.9);
    group.slowdown_mean = mean(slowdowns);
  }
  return group;
}

template <class Select>
FlowGroupWithSizes FlowGrouping::group(Select select) const {
  std::vector<const Cell*> all;
  std::array<std::vector<const Cell*>, SizeBins::kCount> by_size;
  for (const auto& [key, cell] : cells_) {
    if (!select(key)) continue;
    all.push_back(&cell);
    by_size[std::get<3>(key)].push_back(&cell);
  }
  FlowGroupWithSizes found;
  const auto sum = kept_ == FlowOutput::kAll ? summed : sketched;
  found.flows = sum(all);
  for (std::size_t bin = 0; bin < by_size.size(); ++bin) {
    if (by_size[bin].empty()) continue;
    found.by_size.push_back({SizeBins::above(bin), SizeBins::up_to(bin), sum(by_size[bin])});
  }
  return found;
}

FlowGroups FlowGrouping::groups() const {
  FlowGroups groups;
  groups.all = group([](const Key&) { return true; });
  std::set<unsigned> dscps;
  std::set<std::pair<unsigned, bool>> entries;
  for (const auto& one : cells_) {
    dscps.insert(std::get<0>(one.first));
    entries.insert({std::get<1>(one.first), std::get<2>(one.first)});
  }
  for (const unsigned dscp : dscps) {
    groups.classes.push_back({dscp, config_.dscp_of(dscp).weight,
                              group([dscp](const Key& key) { return std::get<0>(key) == dscp; })});
  }
  for (const auto& entry : entries) {
    std::string kind = "incast";
    if (!entry.second && entry.first < config_.traffic.size()) {
      kind = name_of(config_.traffic[entry.first].pattern);
    }
    groups.entries.push_back({entry.first, kind, group([&entry](const Key& key) {
                                return std::get<1>(key) == entry.first &&
                                       std::get<2>(key) == entry.second;
                              })});
  }
  return groups;
}

namespace {
void describe_with_sizes(MetricVisitor& v, const FlowGroupWithSizes& group) {
  v.members(group.flows);
  v.list("by_size", group.by_size.size(), [&](std::size_t i) {
    const SizedFlowGroup& one = group.by_size[i];
    v.figure("above_bytes", one.above, {"B", "flows of this bin have more payload"});
    v.figure("up_to_bytes", one.up_to, {"B", "and at most this payload; null: no limit"});
    v.members(one.flows);
  });
}
}  // namespace

void describe_flow_groups(MetricVisitor& v, const FlowGroups& groups) {
  v.group("all", [&] { describe_with_sizes(v, groups.all); });
  v.list("by_class", groups.classes.size(), [&](std::size_t i) {
    v.figure("dscp", groups.classes[i].dscp, {"", "DSCP of the class"});
    v.figure("weight", groups.classes[i].weight, {"", "weight of the class"});
    describe_with_sizes(v, groups.classes[i].of);
  });
  v.list("by_entry", groups.entries.size(), [&](std::size_t i) {
    v.figure("entry", groups.entries[i].entry, {"", "index of the entry in `traffic`"});
    v.figure("kind", groups.entries[i].kind,
             {"", "kind of the entry; incast: also the random incasts of a poisson entry"});
    describe_with_sizes(v, groups.entries[i].of);
  });
}

}  // namespace dcc::vp
