#include "measure/settling.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "measure/flow_digest.h"

namespace dcc::vp {

namespace {
constexpr double kSettledWithin = 0.1;
constexpr std::size_t kMinWindows = 4;

/// The series of classes as running sums, so that the sum over any interval is a difference.
struct SummedClasses {
  std::vector<PicoSeconds> t;  // end times of the series' intervals
  std::map<unsigned, std::vector<double>> by_dscp;
  std::vector<double> all;

  double share(unsigned dscp, std::size_t from, std::size_t to) const {
    const std::vector<double>& sums = by_dscp.at(dscp);
    const double whole = all[to] - all[from];
    return whole > 0 ? (sums[to] - sums[from]) / whole : 0;
  }
};

SummedClasses summed(const ClassColumns& series, PicoSeconds from, PicoSeconds to) {
  SummedClasses out;
  for (std::size_t i = 0; i < series.t.size(); ++i) {
    if (series.t[i] < from || to < series.t[i]) continue;
    if (out.t.empty() || out.t.back() != series.t[i]) {
      out.t.push_back(series.t[i]);
      out.all.push_back(out.all.empty() ? 0 : out.all.back());
    }
    out.all.back() += series.goodput_gbps[i];
    std::vector<double>& sums = out.by_dscp[series.dscp[i]];
    const double before = sums.empty() ? 0 : sums.back();
    sums.resize(out.t.size() - 1, before);
    sums.push_back(before + series.goodput_gbps[i]);
  }
  return out;
}

PicoSeconds last_change(const RunResults& results) {
  PicoSeconds last = results.measured_from;
  if (results.digest != nullptr) return std::max(last, results.digest->last_change());
  const auto changed = [&](std::optional<PicoSeconds> at) {
    if (at && *at <= results.measured_to) last = std::max(last, *at);
  };
  for (const FlowResult& flow : results.flows) {
    if (flow.background) continue;
    changed(flow.start);
    changed(flow.end_rx ? flow.end_rx : flow.end ? flow.end : flow.stopped);
  }
  return last;
}
}  // namespace

std::vector<std::optional<PicoSeconds>> settling_times(const PlatformConfig& config,
                                                       const RunResults& results,
                                                       const std::vector<unsigned>& dscps) {
  std::vector<std::optional<PicoSeconds>> times(dscps.size());
  const PicoSeconds change = last_change(results);
  const SummedClasses sums = summed(results.class_series, change, results.measured_to);
  const auto steps = static_cast<std::size_t>(std::max<std::int64_t>(
      1, config.measure.window.value_or(kMilliSecond) / config.output.series.interval));
  if (sums.t.size() <= kMinWindows * steps) return times;
  const std::size_t last = sums.t.size() - 1;
  for (std::size_t i = 0; i < dscps.size(); ++i) {
    if (sums.by_dscp.count(dscps[i]) == 0) continue;
    const double kept = sums.share(dscps[i], last / 2, last);
    // begin of the earliest window from which on all windows are close to the final share
    std::size_t from = last - steps + 1;
    while (from > 0 && std::abs(sums.share(dscps[i], from - 1, from - 1 + steps) - kept) <=
                           kSettledWithin * kept) {
      --from;
    }
    if (from <= last - steps) times[i] = sums.t[from] - change;
  }
  return times;
}

}  // namespace dcc::vp
