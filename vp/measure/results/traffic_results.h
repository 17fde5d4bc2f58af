// Results of traffic that waits for other traffic: queries, computations, ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stats/metric.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc::vp {

/// A query (partition_aggregate) or a round of a collective, which several flows answer.
struct QueryResult {
  PicoSeconds asked{};  // time of the query; max(): the query lies after the end of the run
  // time at which the last byte of the last answer arrived; empty if an answer is incomplete
  std::optional<PicoSeconds> answered;
};

/// A computation of a host (traffic/dependencies.h), over the whole run.
struct ComputationResult {
  std::uint32_t id = 0;
  HostId host = 0;
  std::uint16_t entry = 0;  // index of the computation's entry in the list of traffic
  // time at which the computation began; empty: the computation did not begin
  std::optional<PicoSeconds> start;
  // time at which the computation ended; empty: the computation did not end
  std::optional<PicoSeconds> end;
};

/// Times of a host that takes part in traffic with dependencies: unions of the intervals of the
/// host's computations, and of the flows that the host sends or receives.
struct RankResult {
  HostId host = 0;
  PicoSeconds computing{};
  PicoSeconds communicating{};
  PicoSeconds exposed{};  // time in which the host communicates without computing

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

/// A step of the critical path: a flow or a computation.
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

/// Results of traffic with dependencies: entries with `after`, traces whose lines wait, and
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
  std::vector<RankResult> ranks;  // times of each host that takes part in traffic with dependencies
  // steps of the critical path in the order of time; empty if the traffic is unfinished
  std::vector<PathStep> path;
  // by entry of `traffic`: true if the entry takes part in dependencies
  std::vector<bool> takes_part;
  // name of the first entry that did not begin, and the event for which the entry waited
  std::string first_never;

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
