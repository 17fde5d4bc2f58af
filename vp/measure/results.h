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
#include "measure/program_results.h"
#include "measure/race_result.h"
#include "stats/class_delays.h"
#include "stats/flow_ledger.h"
#include "stats/metric.h"
#include "stats/reordering.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc::vp {

/// Results of one flow. Numbers of bytes are payload bytes.
struct FlowResult {
  std::uint32_t id = 0;
  HostId from = 0;
  HostId to = 0;
  std::uint16_t from_port = 0;  // number of the port of `from` that the flow uses, from 0
  std::uint16_t to_port = 0;
  unsigned dscp = 0;
  unsigned entry = 0;      // index of the flow's entry in the list of traffic
  bool of_incast = false;  // true if the flow answers a random incast of its entry
  // true if the flow is outside congestion control and takes no part in fairness and shares
  bool background = false;
  std::optional<Bytes> bytes;  // size of the flow in payload bytes; empty if the flow has no end
  std::optional<PicoSeconds> deadline;  // deadline after `start`; empty: none
  PicoSeconds start{};                  // time at which the first byte was posted
  // time at which the last ACK arrived; empty if unfinished or never acknowledged
  std::optional<PicoSeconds> end;
  std::optional<PicoSeconds> end_rx;  // time at which the last byte was received
  // completion time alone in the empty network; empty if the flow has no end
  std::optional<PicoSeconds> ideal;
  // ideal time to the last byte received; empty if the transport is RoCE
  std::optional<PicoSeconds> ideal_rx;
  // completion time by the reference formula: base RTT plus wire bytes at the slowest link
  std::optional<PicoSeconds> reference_ideal;
  // time at which the flow's source ended, by `stop:` or by the transport
  std::optional<PicoSeconds> stopped;
  Bytes delivered_total = 0;
  Bytes delivered_measured = 0;  // payload bytes received within `measure`
  FlowCounts counts;
  // time at which a byte of the flow was last received or acknowledged; `start` if none was
  PicoSeconds progress{};
  BitRate rate_cap{};     // rate limit of the application; 0: none
  bool begun = false;     // true if the flow's first byte was posted
  bool waiting = false;   // true if posted bytes of a reliable flow have not been received
  bool reversed = false;  // true if `to` sends the data, as for READ
  bool completed = false;
};

/// Counts over all flows of a run, which need no list of flows.
struct FlowCensus {
  std::size_t flows = 0;
  std::size_t begun = 0;
  std::size_t completed = 0;
  std::size_t finite = 0;        // flows that have an end
  std::size_t finite_begun = 0;  // number of finite flows that began
  std::size_t timed = 0;         // completed flows with an ideal time
  bool background = false;       // true if there is a background flow
  bool all_over = true;          // true if every flow that began has completed or was stopped
  PicoSeconds last{};            // last byte, acknowledgement or stop of any flow
  Bytes delivered_measured = 0;
  std::array<std::uint64_t, 64> retransmits{};  // packets sent again, by DSCP

  void add(const FlowResult& flow);
};

/// One direction of a link. Numbers are counted within `measure`.
struct LinkResult {
  std::string name;  // name of the link, from->to, e.g. "h1->s0"
  BitRate rate;
  // wire bytes without overhead of packets that were not lost on the wire
  std::uint64_t tx_bytes = 0;
  PicoSeconds busy{};   // time spent sending, including overhead and lost packets
  PicoSeconds pause{};  // time in which PFC paused any priority
};

/// Results of an egress queue over `measure`; all priorities of a port together.
struct QueueResult {
  std::string port;  // name of the link that the queue feeds
  double mean_bytes = 0;
  Bytes p50_bytes = 0;
  Bytes p99_bytes = 0;
  Bytes max_bytes = 0;

  template <class Visitor>
  static void describe(Visitor&& v) {
    v(&QueueResult::port, "port", {"", "link that the queue feeds; all priorities together"});
    v(&QueueResult::mean_bytes, "mean_bytes",
      {"B", "mean length over time", Statistic::kMean, Span::kWindow});
    v(&QueueResult::p50_bytes, "p50_bytes",
      {"B", "median length over time", Statistic::kQuantile, Span::kWindow});
    v(&QueueResult::p99_bytes, "p99_bytes",
      {"B", "99th percentile of the length over time", Statistic::kQuantile, Span::kWindow});
    v(&QueueResult::max_bytes, "max_bytes",
      {"B", "greatest length", Statistic::kMaximum, Span::kWindow});
  }
};

/// Results of a switch's buffer over `measure`: the packets that wait for any of its ports.
struct BufferResult {
  std::string of;
  double mean_bytes = 0;
  Bytes max_bytes = 0;

  template <class Visitor>
  static void describe(Visitor&& v) {
    v(&BufferResult::of, "switch", {"", "name of the switch"});
    v(&BufferResult::mean_bytes, "mean_bytes",
      {"B", "mean number of bytes in its buffer, over time", Statistic::kMean, Span::kWindow});
    v(&BufferResult::max_bytes, "max_bytes",
      {"B", "greatest number of bytes at once", Statistic::kMaximum, Span::kWindow});
  }
};

/// An egress of a switch that can never send again (switch/deadlock.h), at the end of the run.
struct DeadlockedWire {
  std::string link;
  unsigned priority = 0;

  template <class Visitor>
  static void describe(Visitor&& v) {
    v(&DeadlockedWire::link, "link",
      {"", "link that is paused for ever by a circle of switches that wait for each other",
       Statistic::kValue, Span::kEnd});
    v(&DeadlockedWire::priority, "priority",
      {"", "priority in which the link is paused", Statistic::kValue, Span::kEnd});
  }
};

/// One of several harts of a host.
struct HartResult {
  HostId host = 0;
  std::uint64_t hart = 0;
  std::uint64_t instructions = 0;

  template <class Visitor>
  static void describe(Visitor&& v) {
    v(&HartResult::host, "host", {"", "number of the host, one with several harts (host.harts)"});
    v(&HartResult::hart, "hart", {"", "number of the hart in its host"});
    v(&HartResult::instructions, "instructions",
      {"", "instructions executed by the hart", Statistic::kSum, Span::kRun});
  }
};

/// The controller and the CPU of a host, or of one of its ports, over the whole run.
struct HostResult {
  HostId id = 0;
  std::string name;                 // name of the host's node, or of the port's
  std::uint64_t cnps_received = 0;  // CNPs received within `measure`
  std::uint64_t slots_in_use_max = 0;
  std::uint64_t timer_events = 0;  // timer events that expired
  std::uint64_t timer_lateness_max_ticks = 0;
  std::uint64_t missed_latency = 0;
  std::uint64_t cnps_lost = 0;
  std::uint64_t inputs_dropped = 0;
  std::uint64_t instructions = 0;  // instructions that the CPU executed; 0 if the host has no CPU
  std::uint64_t messages_verified = 0;  // received messages in which every byte was as sent
  std::uint64_t payload_errors = 0;     // received messages that differ from the messages sent
  std::uint64_t completions_lost = 0;   // acknowledged requests that never completed
  std::uint64_t receive_backlog_max_bytes = 0;
  std::uint64_t busy_ns = 0;  // time since the CPU last slept, if it is in a trap handler
  // 1 if the host's enabled controller cannot cut a rate; else 0
  std::uint64_t tables_unwritten = 0;

  template <class Visitor>
  static void describe(Visitor&& v) {
    constexpr Statistic kSum = Statistic::kSum;
    constexpr Statistic kMaximum = Statistic::kMaximum;
    v(&HostResult::id, "id", {"", "number of the host"});
    v(&HostResult::name, "name",
      {"",
       "name of the host; of one with several ports, which has an entry for each: of the port"});
    v(&HostResult::cnps_received, "cnps_received",
      {"packets", "CNPs received in the window", kSum, Span::kWindow});
    v(&HostResult::slots_in_use_max, "slots_in_use_max",
      {"", "greatest number of slots of its controller in use at once", kMaximum, Span::kRun});
    v(&HostResult::timer_events, "timer_events",
      {"", "timer events of its controller that expired", kSum, Span::kRun});
    v(&HostResult::timer_lateness_max_ticks, "timer_lateness_max_ticks",
      {"ticks", "greatest lag of an expiry behind its tick", kMaximum, Span::kRun});
    v(&HostResult::missed_latency, "missed_latency",
      {"", "timer events of its controller issued too late for their tick", kSum, Span::kRun});
    v(&HostResult::cnps_lost, "cnps_lost",
      {"", "CNPs that found the input queue of its controller full", kSum, Span::kRun});
    v(&HostResult::inputs_dropped, "inputs_dropped",
      {"",
       "CNPs and sent packets that its controller dropped during a reset, and sent packets beyond "
       "1024 that wait for its byte port",
       kSum, Span::kRun});
    v(&HostResult::instructions, "instructions",
      {"", "instructions executed by its CPU; 0 without a CPU", kSum, Span::kRun});
    v(&HostResult::payload_errors, "payload_errors",
      {"messages", "received messages that differ from what was sent", kSum, Span::kRun});
    v(&HostResult::messages_verified, "messages_verified",
      {"", "received messages in which every byte was as sent", kSum, Span::kRun});
    v(&HostResult::completions_lost, "completions_lost",
      {"", "acknowledged requests that never completed", kSum, Span::kRun});
    v(&HostResult::receive_backlog_max_bytes, "receive_backlog_max_bytes",
      {"bytes",
       "greatest amount of payload in the receive buffer of its NIC; 0 where DMA is as fast as the "
       "port",
       kMaximum, Span::kRun});
    v(&HostResult::busy_ns, "busy_ns",
      {"ns", "time since its CPU last slept, if the run ended within a trap handler; else 0",
       kMaximum, Span::kEnd});
    v(&HostResult::tables_unwritten, "tables_unwritten",
      {"", "1 if its controller is enabled and its decrease table is as after reset", kSum,
       Span::kEnd});
  }
};
/// Combines the figures of all hosts, each by its own statistic. `id` has no meaning in the result.
HostResult sum_over_hosts(const std::vector<HostResult>& hosts);

/// Sums that must be balanced over the whole run. Failures of the platform itself (a payload
/// mismatch, a firmware trap) go to RunResults::failures.
struct Balance {
  std::uint64_t packets_sent = 0;  // packets sent by NICs and switches, CNPs, ACKs and PFC included
  std::uint64_t packets_delivered = 0;
  std::uint64_t packets_dropped = 0;    // packets dropped anywhere, losses by faults included
  std::uint64_t packets_in_flight = 0;  // packets in flight at the end of the run
  std::uint64_t events_started = 0;     // timer events that controllers started
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

/// Samples over the whole run; all columns have equal length.
struct FlowRateColumns {
  std::vector<PicoSeconds> t;
  std::vector<std::uint32_t> flow;
  std::vector<double> rate_gbps;  // rate that congestion control allows the flow, in wire bits
  std::vector<double> target_gbps;
  std::vector<double> alpha;
  std::vector<double> goodput_gbps;  // payload received in the interval that ends at t
};
struct QueueColumns {
  std::vector<PicoSeconds> t;
  std::vector<std::uint32_t> port;  // index of the port's queue in RunResults::queues
  std::vector<Bytes> bytes;
};
struct ClassColumns {
  std::vector<PicoSeconds> t;
  std::vector<unsigned> dscp;
  std::vector<double> goodput_gbps;  // payload received in the interval that ends at t
};

/// The closed loop's state at the end of the run.
struct QosTenantResult {
  std::string name;
  unsigned dscp = 0;
  unsigned flows = 0;     // active flows at the meters' last report
  double factor = 1;      // factor of one of its flows in the senders' tables
  double correction = 0;  // part of the tenant's factor that was learned from shares, in octaves

  template <class Visitor>
  static void describe(Visitor&& v) {
    v(&QosTenantResult::name, "name", {"", "as configured"});
    v(&QosTenantResult::dscp, "dscp", {"", "DSCP of the class"});
    v(&QosTenantResult::flows, "flows",
      {"", "active flows at the manager's last update", Statistic::kSum, Span::kEnd});
    v(&QosTenantResult::factor, "factor",
      {"", "factor of one of its flows in the senders' tables", Statistic::kValue, Span::kEnd});
    v(&QosTenantResult::correction, "correction_octaves",
      {"octaves", "correction of the factor, learned from shares", Statistic::kValue, Span::kEnd});
  }
};
struct QosResult {
  HostId manager = 0;
  std::uint64_t updates = 0;
  std::uint64_t commands = 0;            // commands that changed a factor
  std::uint64_t messages = 0;            // reports and commands on the wire, including repeats
  Bytes bytes = 0;                       // payload of reports and commands that arrived
  std::vector<QosTenantResult> tenants;  // tenants in the order of the configuration

  template <class Visitor>
  static void describe(Visitor&& v) {  // describes all members except the tenants
    constexpr Statistic kSum = Statistic::kSum;
    v(&QosResult::manager, "manager",
      {"host", "host of the QoS manager; the group exists only with a manager"});
    v(&QosResult::updates, "updates", {"", "rounds of its control loop", kSum, Span::kRun});
    v(&QosResult::commands, "commands", {"", "commands that changed a factor", kSum, Span::kRun});
    v(&QosResult::messages, "messages",
      {"", "reports and commands on the wire, repeats included", kSum, Span::kRun});
    v(&QosResult::bytes, "bytes",
      {"B", "payload of reports and commands that arrived", kSum, Span::kRun});
  }
};

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

/// Packets that the network carried or permitted without use, over the whole run.
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

/// Two ends of a link whose DCBX settings differ at the end of the run, with neither end willing to
/// change.
struct DcbxDifference {
  std::string link;
  std::string of;
  std::string here;
  std::string there;
  PicoSeconds since{};

  template <class Visitor>
  static void describe(Visitor&& v) {
    constexpr Statistic kValue = Statistic::kValue;
    v(&DcbxDifference::link, "link",
      {"", "link that begins at the end `here`", kValue, Span::kEnd});
    v(&DcbxDifference::of, "of",
      {"", "pfc, ets or applications; lldp: no frames come back", kValue, Span::kEnd});
    v(&DcbxDifference::here, "here", {"", "setting in force at this end", kValue, Span::kEnd});
    v(&DcbxDifference::there, "there",
      {"", "setting in force at the other end", kValue, Span::kEnd});
    v(&DcbxDifference::since, "since_s", {"s", "since when the ends differ", kValue, Span::kEnd});
  }
};
struct DcbxResult {
  std::uint64_t ends = 0;
  std::uint64_t frames_sent = 0;
  std::uint64_t frames_received = 0;
  std::uint64_t unsound = 0;
  std::vector<DcbxDifference> differences;

  template <class Visitor>
  static void describe(Visitor&& v) {  // describes all members except the differences
    constexpr Statistic kSum = Statistic::kSum;
    v(&DcbxResult::ends, "ends",
      {"", "ends of links that send LLDP frames; the group exists only with dcbx"});
    v(&DcbxResult::frames_sent, "frames_sent", {"packets", "LLDP frames sent", kSum, Span::kRun});
    v(&DcbxResult::frames_received, "frames_received",
      {"packets", "LLDP frames received", kSum, Span::kRun});
    v(&DcbxResult::unsound, "unsound",
      {"packets", "received LLDP frames that could not be parsed", kSum, Span::kRun});
  }
};

/// Hosts that could not be reached from the others after routes had changed.
struct NetworkSplit {
  PicoSeconds when{};
  std::size_t hosts = 0;
  std::string first;  // name of one of the unreachable hosts
};

/// Digests (`output.digest`): one row for each instant, one column for each device.
struct DigestColumns {
  std::vector<std::string> devices;
  std::vector<PicoSeconds> t;
  std::vector<std::vector<std::uint64_t>> rows;
};

/// Mean of a histogram, and one of its quantiles; empty if no value was counted.
std::optional<PicoSeconds> mean_of(const LogHistogram& nanoseconds);
std::optional<PicoSeconds> quantile_of(const LogHistogram& nanoseconds, unsigned per_mille);

/// Delays of a class's packets within `measure`.
struct DelayResult {
  unsigned dscp = 0;
  ClassDelays of;
};

/// Bursts of traffic that were taken from memory (disturb/memo.h).
struct MemoResult {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t checked = 0;
  std::uint64_t refused = 0;
  std::uint64_t entries = 0;
  std::uint64_t flows = 0;
  PicoSeconds skipped{};
  // Errors found by checks, as shares of completion times; empty with too few checks.
  std::optional<double> error_mean;
  std::optional<double> error_interval;
  std::optional<double> error_max;
  // Number of misses by cause:
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
  double wall_s = 0;  // wall-clock time of the simulation alone, in seconds
  std::uint64_t link_traversals = 0;
  std::uint64_t events = 0;  // number of events that all schedulers ran
  unsigned threads = 1;      // number of threads that shared the run
  // why one thread ran everything although more were allowed; empty otherwise
  std::string partition_refusal;
  CounterTotals counters;           // counts within `measure`
  LogHistogram rtt_ns;              // RTTs of packets acknowledged within `measure`
  Reordering reordering;            // reordering of data received within `measure`
  std::vector<DelayResult> delays;  // delays by DSCP; empty if output.delays is off
  std::vector<FlowResult> flows;    // flows by id; empty if output.flows keeps no list
  // takes the place of `flows` unless output.flows is `all`; else null
  std::shared_ptr<const FlowDigest> digest;
  std::vector<QueryResult> queries;
  std::vector<ComputationResult> computations;  // results of all computations, by number
  // results of traffic that waits by name; empty if there is none
  std::optional<DependencyResult> dependencies;
  std::vector<LinkResult> links;
  std::vector<QueueResult> queues;
  std::vector<BufferResult> buffers;
  std::vector<HostResult> hosts;  // hosts by port
  std::vector<HartResult> harts;  // harts of hosts with several harts
  std::vector<RaceResult> races;  // by host; hosts without a race check are left out
  // results of programs, by file; empty if no NIC runs a program
  std::vector<ProgramResult> programs;
  std::optional<ReactionResult> reaction;  // reaction times; empty if no algorithm measures them
  std::vector<DeadlockedWire> deadlock;
  std::optional<NetworkSplit> split;          // hosts cut off by faults; empty if none was
  std::optional<FieldCounts> field_counters;  // counters by the field's names, if they are reported
  Balance balance;
  std::optional<QosResult> qos;    // figures of the closed loop, if there is one
  std::optional<DcbxResult> dcbx;  // figures of DCBX, if it is enabled
  // empty if the transport is RoCE, where nothing of this kind is counted
  std::optional<WastedResult> wasted;
  FlowRateColumns flow_rates;
  QueueColumns queue_series;
  ClassColumns class_series;
  std::optional<DigestColumns> digests;  // state digests, if output.digest is enabled
  /// Broken promises that the platform found, one sentence each. The run then exits with 1.
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

/// Counts over the flows of a run, whether the results list them or not.
FlowCensus census_of(const RunResults& results);

}  // namespace dcc::vp
