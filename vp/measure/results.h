// The results of a run, independent of file formats: filled by the platform, read by metrics and
// reports. Members that are figures are described beside them (measure/metric_visitor.h).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/finding.h"
#include "measure/counter_totals.h"
#include "measure/field_counters.h"
#include "measure/interrupt_result.h"
#include "measure/program_results.h"
#include "measure/race_result.h"
#include "measure/results/flow_results.h"
#include "measure/results/host_results.h"
#include "measure/results/port_results.h"
#include "measure/results/qos_results.h"
#include "measure/results/subnet_results.h"
#include "measure/results/traffic_results.h"
#include "parallel/partitioned_run.h"
#include "stats/class_delays.h"
#include "stats/flow_ledger.h"
#include "stats/metric.h"
#include "stats/reordering.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc::vp {

/// Sums of packets and timer events that must balance over the whole run. Failures of the platform
/// itself (a payload mismatch, a firmware trap) go to RunResults::failures.
struct Balance {
  std::uint64_t packets_sent = 0;  // packets sent by NICs and switches, CNPs, ACKs and PFC included
  std::uint64_t packets_delivered = 0;
  std::uint64_t packets_dropped = 0;    // packets dropped anywhere, losses by faults included
  std::uint64_t packets_in_flight = 0;  // packets in flight at the end of the run
  std::uint64_t events_started = 0;     // number of timer events that controllers started
  std::uint64_t events_expired = 0;
  // timer events cancelled; a restart counts as one cancelled and one started
  std::uint64_t events_cancelled = 0;
  std::uint64_t events_pending = 0;

  template <class Visitor>
  static void describe(Visitor&& v) {
    constexpr Statistic kSum = Statistic::kSum;
    v(&Balance::packets_sent, "packets_sent",
      {"packets", "packets sent by NICs and switches", kSum, Span::kRun});
    v(&Balance::packets_delivered, "packets_delivered",
      {"packets", "packets received at their destination", kSum, Span::kRun});
    v(&Balance::packets_dropped, "packets_dropped",
      {"packets", "packets dropped anywhere, including faults", kSum, Span::kRun});
    v(&Balance::packets_in_flight, "packets_in_flight",
      {"packets", "packets on a wire or in a queue at the end", kSum, Span::kEnd});
    v(&Balance::events_started, "events_started",
      {"", "timer events of controllers that were started", kSum, Span::kRun});
    v(&Balance::events_expired, "events_expired",
      {"", "timer events that expired", kSum, Span::kRun});
    v(&Balance::events_cancelled, "events_cancelled",
      {"", "timer events that were cancelled or restarted", kSum, Span::kRun});
    v(&Balance::events_pending, "events_pending",
      {"", "timer events pending at the end", kSum, Span::kEnd});
  }
};

/// Greatest number of flows in series/flow_rates.csv; a run with more leaves the series out.
constexpr std::size_t kMostFlowsInSeries = 2048;

/// Packets that the network carried in vain or whose permission to send went unused, over the whole
/// run.
struct WastedResult {
  std::uint64_t trimmed = 0;
  std::uint64_t returned = 0;
  std::uint64_t dropped = 0;
  std::uint64_t retransmitted = 0;
  std::uint64_t credits_sent = 0;
  std::uint64_t credits_unused = 0;
  std::uint64_t credits_dropped = 0;

  template <class Visitor>
  static void describe(Visitor&& v) {
    constexpr Statistic kSum = Statistic::kSum;
    v(&WastedResult::trimmed, "trimmed",
      {"packets", "packets that lost their payload at a full queue", kSum, Span::kRun});
    v(&WastedResult::returned, "returned",
      {"packets", "headers that were returned to their senders", kSum, Span::kRun});
    v(&WastedResult::dropped, "dropped",
      {"packets", "packets dropped by switches", kSum, Span::kRun});
    v(&WastedResult::retransmitted, "retransmitted",
      {"packets", "packets that were sent again", kSum, Span::kRun});
    v(&WastedResult::credits_sent, "credits_sent",
      {"packets", "credits that receivers sent: pulls, grants, tokens", kSum, Span::kRun});
    v(&WastedResult::credits_unused, "credits_unused",
      {"packets", "credits that arrived when the sender had nothing left to send", kSum,
       Span::kRun});
    v(&WastedResult::credits_dropped, "credits_dropped",
      {"packets", "credits dropped by switches and NICs that pace them", kSum, Span::kRun});
  }
};

/// Hosts that other hosts could not reach after routes had changed.
struct NetworkSplit {
  PicoSeconds when{};
  std::size_t hosts = 0;
  std::string first;  // name of one of the unreachable hosts
};

/// Digests of device states (`output.digest`): one row for each instant, one column for each
/// device.
struct DigestColumns {
  std::vector<std::string> devices;
  std::vector<PicoSeconds> t;
  std::vector<std::vector<std::uint64_t>> rows;
};

/// Mean and one quantile of a histogram; empty if no value was counted.
std::optional<PicoSeconds> mean_of(const LogHistogram& nanoseconds);
std::optional<PicoSeconds> quantile_of(const LogHistogram& nanoseconds, unsigned per_mille);

/// Counts of traffic bursts that were replayed from memory (disturb/memo.h).
struct MemoResult {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t checked = 0;
  std::uint64_t refused = 0;
  std::uint64_t entries = 0;
  std::uint64_t flows = 0;
  PicoSeconds skipped{};
  // errors that checks found, as shares of completion times; empty with too few checks
  std::optional<double> error_mean;
  std::optional<double> error_interval;
  std::optional<double> error_max;
  // number of bursts that memory could not replay, by cause
  std::uint64_t unknown = 0;
  std::uint64_t differing = 0;
  std::uint64_t cut = 0;
  std::uint64_t lossy = 0;

  template <class Visitor>
  static void describe(Visitor&& v) {
    constexpr Statistic kSum = Statistic::kSum;
    constexpr Span kRun = Span::kRun;
    v(&MemoResult::hits, "hits",
      {"", "bursts of traffic taken from memory; the group exists only with fast_forward.memo",
       kSum, kRun});
    v(&MemoResult::misses, "misses",
      {"", "bursts simulated packet by packet, spot checks aside", kSum, kRun});
    v(&MemoResult::checked, "checked",
      {"", "known bursts simulated packet by packet as spot checks", kSum, kRun});
    v(&MemoResult::refused, "refused",
      {"", "bursts forgotten since a spot check differed by more than memo_error", kSum, kRun});
    v(&MemoResult::entries, "entries", {"", "bursts in memory", kSum, kRun});
    v(&MemoResult::flows, "flows", {"", "flows that ended as remembered", kSum, kRun});
    v(&MemoResult::skipped, "skipped_s",
      {"s",
       "simulated time of the bursts taken from memory: counters, statistics and flows include it, "
       "balance, link_traversals and hosts do not",
       kSum, kRun});
    v(&MemoResult::error_mean, "error_mean",
      {"",
       "of the spot checks: mean difference of a flow's arrival between memory and simulation, as "
       "a "
       "share of its time since the burst began; null without checks",
       Statistic::kMean, kRun});
    v(&MemoResult::error_interval, "error_interval",
      {"",
       "half the width of its 95 % confidence interval, over the checks; null with fewer than two",
       Statistic::kMean, kRun});
    v(&MemoResult::error_max, "error_max",
      {"", "the greatest such difference of any flow; null without checks", Statistic::kMaximum,
       kRun});
    v(&MemoResult::unknown, "unknown",
      {"", "misses whose first flow had not yet begun a burst in memory", kSum, kRun});
    v(&MemoResult::differing, "differing",
      {"", "misses whose first flow was known, but other flows followed", kSum, kRun});
    v(&MemoResult::cut, "cut",
      {"",
       "misses during which a flow started by the clock, or the run or `measure` began or ended",
       kSum, kRun});
    v(&MemoResult::lossy, "lossy",
      {"", "bursts not remembered since packets were sent again", kSum, kRun});
  }
};

class FlowDigest;

struct RunResults {
  bool completed = false;  // true if the run reached `duration` or the end of all traffic
  PicoSeconds sim_time{};
  std::optional<PicoSeconds>
      fast_forwarded;  // part of sim_time that was skipped; empty if fast-forward is off
  // results of the traffic memory; empty unless fast_forward.memo is enabled
  std::optional<MemoResult> memo;
  PicoSeconds measured_from{};
  PicoSeconds measured_to{};
  double wall_s = 0;  // wall-clock time of the simulation without set-up, in seconds
  std::uint64_t link_traversals = 0;
  std::uint64_t events = 0;              // number of events that all schedulers ran
  unsigned threads = 1;                  // number of threads that shared the run
  PartitionedRun::TimeSpent time_spent;  // how the threads spent their time
  // reason why one thread ran everything although more were allowed; empty otherwise
  std::string partition_refusal;
  CounterTotals counters;           // counts of devices within `measure`
  LogHistogram rtt_ns;              // RTTs of packets acknowledged within `measure`
  Reordering reordering;            // reordering of data received within `measure`
  std::vector<DelayResult> delays;  // delays of packets by DSCP; empty if output.delays is off
  std::vector<FlowResult> flows;    // results of flows by id; empty if output.flows keeps no list
  // digest in place of `flows` unless output.flows is `all`; else null
  std::shared_ptr<const FlowDigest> digest;
  std::vector<QueryResult> queries;
  std::vector<ComputationResult> computations;  // results of all computations, by number
  // results of traffic that waits by name; empty if no traffic waits
  std::optional<DependencyResult> dependencies;
  std::vector<LinkResult> links;
  std::vector<QueueResult> queues;
  std::vector<BufferResult> buffers;
  std::vector<HostResult> hosts;  // results of hosts, one for each port
  std::vector<HartResult> harts;  // results of harts, for hosts with several harts
  // results of race checks by host; hosts without a race check are left out
  std::vector<RaceResult> races;
  // interrupt latencies by firmware host and source; sources without a request are left out
  std::vector<InterruptResult> interrupts;
  // results of programs, by file; empty if no NIC runs a program
  std::vector<ProgramResult> programs;
  std::optional<ReactionResult> reaction;  // reaction times; empty if no algorithm measures them
  std::vector<DeadlockedWire> deadlock;
  // hosts that faults cut off from the others; empty if no host was cut off
  std::optional<NetworkSplit> split;
  // counters under the names of adapter and switch tools; empty unless reported
  std::optional<FieldCounts> field_counters;
  Balance balance;
  // figures of the QoS manager's closed loop; empty without a manager
  std::optional<QosResult> qos;
  std::optional<DcbxResult> dcbx;  // figures of DCBX; empty unless DCBX is enabled
  // figures of InfiniBand's management plane; empty without a subnet manager
  std::optional<SubnetResult> subnet;
  // figures of the transport; empty if the transport is RoCE, which has no such counters
  std::optional<WastedResult> wasted;
  FlowRateColumns flow_rates;
  QueueColumns queue_series;
  ClassColumns class_series;
  // digests of device states; empty unless output.digest is enabled
  std::optional<DigestColumns> digests;
  /// Violations of the platform's guarantees, one sentence each. The run then exits with 1.
  std::vector<std::string> failures;
  /// One sentence for each trace file.
  std::vector<std::string> traces;
  /// Trace files that could not be written; all other results are complete.
  std::vector<std::string> lost_traces;
  /// Findings that only the platform could see during the run, in the order of time; diagnose()
  /// adds these to its findings (diagnose/platform_notes.cpp has their ids).
  std::vector<Finding> notes;
  /// Findings of diagnose() (diagnose/diagnosis.h), for the user; a finding does not fail the run.
  std::vector<Finding> diagnoses;
};

/// Counts over the flows of a run, whether or not the results list the flows.
FlowCensus census_of(const RunResults& results);

}  // namespace dcc::vp
