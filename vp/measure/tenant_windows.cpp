#include "measure/tenant_windows.h"

#include <algorithm>
#include <cmath>

namespace dcc::vp {

namespace {

struct Grid {
  std::vector<PicoSeconds> t;  // end times of the series' intervals
  // Running sum of each tenant's goodput up to and including t.
  std::vector<std::vector<double>> total;
};

/// Index of the tenant that a DSCP belongs to; the number of tenants if it belongs to none.
std::size_t tenant_of(const PlatformConfig& config, unsigned dscp) {
  const std::string& name = config.dscp_of(dscp).tenant;
  std::size_t i = 0;
  while (i < config.tenants.size() && config.tenants[i].name != name) ++i;
  return i;
}

Grid grid_of(const PlatformConfig& config, const ClassColumns& series) {
  Grid grid;
  grid.total.resize(config.tenants.size());
  for (std::size_t i = 0; i < series.t.size(); ++i) {
    if (grid.t.empty() || grid.t.back() != series.t[i]) {
      grid.t.push_back(series.t[i]);
      for (auto& total : grid.total) total.push_back(total.empty() ? 0 : total.back());
    }
    const std::size_t tenant = tenant_of(config, series.dscp[i]);
    if (tenant < grid.total.size()) grid.total[tenant].back() += series.goodput_gbps[i];
  }
  return grid;
}

struct Presence {
  std::size_t tenant = 0;
  PicoSeconds from{};
  PicoSeconds to = PicoSeconds::max();
};

std::vector<Presence> presences_of(const PlatformConfig& config, const RunResults& results) {
  std::vector<Presence> presences;
  for (const FlowResult& flow : results.flows) {
    const std::size_t tenant = tenant_of(config, flow.dscp);
    if (flow.background || tenant == config.tenants.size()) continue;
    Presence presence{tenant, flow.start, PicoSeconds::max()};
    if (flow.end_rx) {
      presence.to = *flow.end_rx;
    } else if (flow.end) {
      presence.to = *flow.end;
    } else if (flow.stopped) {
      presence.to = *flow.stopped;
    }
    presences.push_back(presence);
  }
  return presences;
}

/// Sorted times at which a flow started or ended.
std::vector<PicoSeconds> changes_of(const std::vector<Presence>& presences) {
  std::vector<PicoSeconds> changes;
  for (const Presence& presence : presences) {
    changes.push_back(presence.from);
    if (presence.to != PicoSeconds::max()) changes.push_back(presence.to);
  }
  std::sort(changes.begin(), changes.end());
  return changes;
}

}  // namespace

std::vector<std::optional<double>> share_errors_over_windows(const PlatformConfig& config,
                                                             const RunResults& results) {
  const std::size_t tenants = config.tenants.size();
  std::vector<std::optional<double>> errors(tenants);
  if (!config.measure.window || tenants == 0) return errors;
  const Grid grid = grid_of(config, results.class_series);
  const auto steps = static_cast<std::size_t>(
      std::max<std::int64_t>(1, *config.measure.window / config.output.series.interval));
  const std::vector<Presence> presences = presences_of(config, results);
  const std::vector<PicoSeconds> changes = changes_of(presences);

  for (std::size_t last = steps; last < grid.t.size(); ++last) {
    const PicoSeconds begin = grid.t[last - steps];
    const PicoSeconds end = grid.t[last];
    if (begin < results.measured_from || results.measured_to < end) continue;
    const PicoSeconds quiet_from = begin - config.measure.settle;
    const auto change = std::upper_bound(changes.begin(), changes.end(), quiet_from);
    if (change != changes.end() && *change < end) continue;

    std::vector<bool> there(tenants, false);
    for (const Presence& presence : presences) {
      if (presence.from <= begin && end <= presence.to) there[presence.tenant] = true;
    }
    double weights = 0;
    double sum = 0;
    for (std::size_t i = 0; i < tenants; ++i) {
      if (!there[i]) continue;
      weights += config.tenants[i].weight.value();
      sum += grid.total[i][last] - grid.total[i][last - steps];
    }
    for (std::size_t i = 0; i < tenants; ++i) {
      if (!there[i] || sum <= 0) continue;
      const double share = (grid.total[i][last] - grid.total[i][last - steps]) / sum;
      const double error = std::abs(share * weights / config.tenants[i].weight.value() - 1);
      errors[i] = std::max(errors[i].value_or(0), error);
    }
  }
  return errors;
}

}  // namespace dcc::vp
