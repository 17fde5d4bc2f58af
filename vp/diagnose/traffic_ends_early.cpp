// Diagnosis `traffic_ends_early`: there is no traffic in a part of the run or of the window.
#include <fmt/format.h>

#include <algorithm>

#include "describe/readable.h"
#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

class TrafficEndsEarly final : public Diagnosis {
  // Rates over a window are accurate enough if the window is idle for less than this share.
  static constexpr int kIdleShare = 10;  // one tenth of the measured window

 public:
  Found before(const Evidence& evidence) const override {
    const PlatformConfig& config = evidence.config();
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
      const TrafficSpec& entry = config.traffic[i];
      // Start times of a trace's flows are in the trace file, not in the entry.
      if (entry.pattern == TrafficPattern::kTrace) continue;
      if (entry.start < config.duration) {
        if (const Found late = late_rounds(config, i)) return late;
        continue;
      }
      return Observation{
          fmt::format("traffic.{}.start: {} is not before the end of the run at {}: this traffic "
                      "does not begin",
                      i, readable(entry.start), readable(config.duration)),
          {{"entry", i}, {"start_s", to_seconds(entry.start)}}};
    }
    return std::nullopt;
  }

  Found after(const Evidence& evidence, const RunResults& results) const override {
    const FlowCensus census = census_of(results);
    if (!results.completed || census.flows == 0) return std::nullopt;
    const std::size_t begun = census.begun;
    const PicoSeconds last = census.last;
    if (begun == 0) {
      return Observation{
          fmt::format("None of {} flows began within {}", census.flows, readable(results.sim_time)),
          {{"flows", census.flows}}};
    }
    if (census.all_over) {
      if (results.measured_to <= results.measured_from) {
        return Observation{
            fmt::format("All {} flows had ended at {}, before the window begins: nothing was "
                        "measured (measure.from)",
                        begun, readable(last)),
            {{"end_s", to_seconds(last)}, {"flows", begun}}};
      }
      if (const Found idle = idle_window(results, last)) return idle;
      if (const Found count = ended_by_count(evidence, begun, last)) return count;
    }
    return before(evidence);
  }

 private:
  /// Finds a window that continues after the last byte of all traffic.
  static Found idle_window(const RunResults& results, PicoSeconds last) {
    const PicoSeconds window = results.measured_to - results.measured_from;
    const PicoSeconds idle = results.measured_to - std::max(last, results.measured_from);
    if (window.count <= 0 || idle * kIdleShare <= window) return std::nullopt;
    const double share = static_cast<double>(idle.count) / static_cast<double>(window.count);
    return Observation{
        fmt::format("The last flow ended at {}, and the window goes on until {}: goodput, "
                    "utilisation and queues are means over a window that is idle for {:.1f} % "
                    "(measure.to, or traffic without `bytes`)",
                    readable(last), readable(results.measured_to), 100 * share),
        {{"end_s", to_seconds(last)}, {"idle_share", share}}};
  }

  /// Finds rounds that the user asked for and that are due at or after the end of the run.
  static Found late_rounds(const PlatformConfig& config, std::size_t entry) {
    TrafficSpec spec = config.traffic[entry];
    if (spec.pattern != TrafficPattern::kPartitionAggregate || !spec.rounds) return std::nullopt;
    const std::uint64_t wanted = *spec.rounds;
    spec.rounds.reset();
    const std::uint64_t begun = spec.rounds_until(config.duration);
    if (begun >= wanted) return std::nullopt;
    return Observation{
        fmt::format("traffic.{}.rounds: {} of {} rounds, one every {}, begin before the end of the "
                    "run at {}",
                    entry, begun, wanted, readable(spec.period), readable(config.duration)),
        {{"entry", entry}, {"rounds", begun}}};
  }

  /// Finds a random or repeated pattern whose number of flows was reached before the window that
  /// the user set.
  static Found ended_by_count(const Evidence& evidence, std::size_t begun, PicoSeconds last) {
    const PlatformConfig& config = evidence.config();
    if (!config.measure.to || (*config.measure.to - last) * kIdleShare <= *config.measure.to) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
      const TrafficSpec& entry = config.traffic[i];
      const bool poisson = entry.pattern == TrafficPattern::kPoisson;
      const std::optional<unsigned>& number = poisson ? entry.flows_per_host : entry.rounds;
      if (!number) continue;
      return Observation{
          fmt::format("All {} flows had ended at {}, before measure.to: {}: traffic.{}.{} = {} "
                      "limits them",
                      begun, readable(last), readable(*config.measure.to), i,
                      poisson ? "flows_per_host" : "rounds", *number),
          {{"end_s", to_seconds(last)}, {"flows", begun}}};
    }
    return std::nullopt;
  }
};

const RegisteredDiagnosis<TrafficEndsEarly> kTrafficEndsEarly{
    "traffic_ends_early",
    "A part of the run or of the measured window has no traffic, or traffic is due after its end",
    "Set `measure.to` or `duration` to the end of the traffic, or give it more or fewer `rounds`, "
    "more `flows_per_host` or `bytes`"};

}  // namespace
}  // namespace dcc::vp
