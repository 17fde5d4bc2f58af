// Results of traffic that depends on other traffic: queries, computations, ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stats/metric.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc::vp {

/// A query (partition_aggregate) or a round of a collective: asked once, answered by several flows.
struct QueryResult {
  PicoSeconds asked{};  // time of the query; max(): it would be asked after the end of the run
  // time at which the last byte of the last answer arrived; empty if an answer is missing
  std::optional<PicoSeconds> answered;
};

/// A computation of a host (traffic/dependencies.h), over the whole run.
struct ComputationResult {
  std::uint32_t id = 0;
  HostId host = 0;
  std::uint16_t entry = 0;           // index of the computation's entry in the list of traffic
  std::optional<PicoSeconds> start;  // time at which the computation began; empty: it did not begin
  std::optional<PicoSeconds> end;    // time at which the computation ended; empty: it did not end
};

/// A host's share in traffic that waits: unions of the times of its computations, and of the flows
/// that the host sends or receives.
struct RankResult {
  HostId host = 0;
  PicoSeconds computing{};
  PicoSeconds communicating{};
  PicoSeconds exposed{};  // time in which the host communicates and does not compute

  template <class Visitor>
  static void describe(Visitor&& v) {
    constexpr Statistic kSum = Statistic::kSum;
    v(&RankResult::host, "host", {"", "number of the host"});
    v(&RankResult::computing, "computing_s", {"s", "time with a computation", kSum, Span::kRun});
    v(&RankResult::communicating, "communicating_s",
      {"s", "time with a flow that the host sends or receives", kSum, Span::kRun});
    v(&RankResult::exposed, "exposed_s",
      {"s", "time with such a flow and without a computation", kSum, Span::kRun});
  }
};

/// A flow or a computation on the critical path.
struct PathStep {
  std::string kind;  // kind of the step: flow or compute
  std::uint32_t id = 0;
  HostId from = 0;
  HostId to = 0;
  PicoSeconds start{};
  PicoSeconds end{};

  template <class Visitor>
  static void describe(Visitor&& v) {
    v(&PathStep::kind, "kind", {"", "flow or compute"});
    v(&PathStep::id, "id", {"", "number of the flow, or of the computation in timeline.csv"});
    v(&PathStep::from, "from", {"", "sending host, or the one that computes"});
    v(&PathStep::to, "to", {"", "receiving host, or the one that computes"});
    v(&PathStep::start, "start_s", {"s", "begin", Statistic::kValue, Span::kRun});
    v(&PathStep::end, "end_s",
      {"s", "end, as the next step or the end of all saw it", Statistic::kValue, Span::kRun});
  }
};

/// Results for traffic that waits by name: `after`, traces whose lines wait, and
/// computations.
struct DependencyResult {
  std::size_t waiting = 0;
  std::size_t never_begun = 0;
  std::optional<PicoSeconds> completion;
  PicoSeconds path_compute{};
  PicoSeconds path_communication{};
  PicoSeconds path_idle{};
  std::optional<PicoSeconds> exposed_mean;
  std::optional<PicoSeconds> exposed_max;
  std::vector<RankResult> ranks;  // times of each host that takes part
  std::vector<PathStep> path;     // path in the order of time; empty if unfinished
  std::vector<bool> takes_part;   // true for each entry of `traffic` that takes part
  std::string first_never;        // first entry that did not begin, and its awaited event

  template <class Visitor>
  static void describe(Visitor&& v) {
    constexpr Statistic kSum = Statistic::kSum;
    v(&DependencyResult::waiting, "waiting",
      {"", "flows and computations that wait for others; the group exists only where such are",
       kSum, Span::kRun});
    v(&DependencyResult::never_begun, "never_begun",
      {"", "of these, those that did not begin before the end of the run", kSum, Span::kRun});
    v(&DependencyResult::completion, "completion_s",
      {"s", "from the first begin to the last end of all that take part; null: not all ended",
       Statistic::kValue, Span::kRun});
    v(&DependencyResult::path_compute, "path_compute_s",
      {"s", "computations on the critical path", kSum, Span::kRun});
    v(&DependencyResult::path_communication, "path_communication_s",
      {"s", "flows on the critical path", kSum, Span::kRun});
    v(&DependencyResult::path_idle, "path_idle_s",
      {"s", "delays on the critical path, and waiting for a processor", kSum, Span::kRun});
    v(&DependencyResult::exposed_mean, "exposed_s_mean",
      {"s", "mean of exposed_s over hosts that take part", Statistic::kMean, Span::kRun});
    v(&DependencyResult::exposed_max, "exposed_s_max",
      {"s", "greatest exposed_s", Statistic::kMaximum, Span::kRun});
  }
};

}  // namespace dcc::vp
