// Traffic as a user writes it (TrafficSpec) and as NICs send it (FlowSpec).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "describe/quantities.h"
#include "describe/visitor.h"
#include "traffic/trace_file.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

constexpr Bytes kMaxFlow = Bytes{1} << 40;  // maximum bytes of a flow in files of flows or sizes

constexpr Bytes kDefaultMessage = 64_KiB;
constexpr unsigned kDefaultRounds = 10;

/// One flow: the work of one queue pair.
struct FlowSpec {
  std::uint32_t id = 0;
  HostId from = 0;
  HostId to = 0;
  std::uint8_t dscp = 0;
  std::uint8_t priority = 0;
  // true for background traffic: not ECT, no congestion control, sent at `rate`
  bool background = false;
  Bytes bytes = 0;                  // payload bytes of the flow; 0: unlimited
  Bytes message = kDefaultMessage;  // payload bytes of one RDMA message of the flow
  Operation operation = Operation::kWrite;
  Service service = Service::kRc;
  std::uint8_t ee_context = 0;  // reliable datagrams: number of the flow's end-to-end context
  std::uint8_t rd_domain = 0;   // reliable datagrams: domain of the flow's queue pairs
  PicoSeconds start{};
  PicoSeconds stop = PicoSeconds::max();  // time from which on the flow posts no work
  BitRate rate{};          // rate limit that the application sets for the flow; 0: none
  BitRate initial_rate{};  // rate of the flow at its start; 0: the algorithm's initial rate
  std::optional<PicoSeconds> deadline;  // deadline of the flow, counted from its start; empty: none
  // Gates make a flow wait for others: the flow starts `think` after the last flow that opens its
  // gate has arrived; `start` is then the start of the flow's query. Gates are numbered from 0.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t opens = kNone;     // number of the gate that this flow's arrival helps to open
  std::uint32_t waits_at = kNone;  // number of the gate that this flow waits for
  PicoSeconds think{};
  std::uint32_t query = kNone;  // number of the query that this flow's arrival helps to complete
  // index of the flow's line in its trace, if lines of the trace wait for lines
  std::uint32_t line = kNone;
  std::uint16_t entry = 0;  // index of the flow's entry in the list of traffic
  bool of_incast = false;   // true if the flow is one of the answers of a random incast
  // true if the query starts when its first flow starts, instead of at `start`
  bool begins_query = false;

  bool is_gated() const { return waits_at != kNone; }
};

enum class TrafficPattern : std::uint8_t {
  kFlow,  // one flow from host `from` to host `to`
  // flows from every sender to the receiver, or repeatedly from random senders to a random receiver
  kIncast,
  kOneToMany,  // flows from one sender to every receiver
  // a random permutation of `hosts`: each host sends to one host and receives from one host
  kPermutation,
  // each of `hosts` sends to the host `stride` places further in the list, modulo its length
  kStride,
  // each of `hosts` sends to a random host of the sender's rack, of its pod, or of other pods
  kStaggered,
  kAllToAll,  // every ordered pair of `hosts` has a flow
  // `rounds` queries, one every `period`: every sender answers the receiver; with fan_out, requests
  // go down a tree and answers go up
  kPartitionAggregate,
  kCollective,  // `rounds` collective operations with `hosts` as ranks
  // flows between random pairs of `hosts` with Poisson arrivals and sizes from a distribution
  kPoisson,
  kTrace,  // flows read from a trace file
  // background traffic from `from` to `to` at a constant rate, not ECT, without congestion control
  kBackground,
  kCompute,  // no flow is sent; each of `hosts` computes for `time`
};
DCC_ENUM_NAMES(TrafficPattern, {TrafficPattern::kFlow, "flow"}, {TrafficPattern::kIncast, "incast"},
               {TrafficPattern::kOneToMany, "one_to_many"},
               {TrafficPattern::kPermutation, "permutation"}, {TrafficPattern::kStride, "stride"},
               {TrafficPattern::kStaggered, "staggered"}, {TrafficPattern::kAllToAll, "all_to_all"},
               {TrafficPattern::kPartitionAggregate, "partition_aggregate"},
               {TrafficPattern::kCollective, "collective"}, {TrafficPattern::kPoisson, "poisson"},
               {TrafficPattern::kTrace, "trace"}, {TrafficPattern::kBackground, "background"},
               {TrafficPattern::kCompute, "compute"});

/// Communication patterns of collective operations among n ranks. A rank sends as soon as the data
/// that it depends on has arrived.
enum class CollectiveShape : std::uint8_t {
  // ring all-reduce in 2 (n - 1) steps; each rank sends 1/n of the data to the next rank in each
  // step
  kRing,
  kTree,  // tree all-reduce up a binary tree and down again; each rank sends all of the data
  // all-to-all in n - 1 steps; in step s each rank sends 1/n of the data to the rank s places
  // further
  kAllToAll,
  // reduce-scatter in n - 1 steps; each rank sends 1/n of the data to the next rank in each step
  kReduceScatter,
  // all-gather in n - 1 steps; each rank sends 1/n of the data to the next rank in each step
  kAllGather,
  kBroadcast,  // broadcast: all of the data goes down a binary tree from the first rank
  // pipeline: each rank sends all of the data to the next rank, beginning with the first rank
  kPipeline,
};
DCC_ENUM_NAMES(CollectiveShape, {CollectiveShape::kRing, "ring_all_reduce"},
               {CollectiveShape::kTree, "tree_all_reduce"},
               {CollectiveShape::kAllToAll, "all_to_all"},
               {CollectiveShape::kReduceScatter, "ring_reduce_scatter"},
               {CollectiveShape::kAllGather, "ring_all_gather"},
               {CollectiveShape::kBroadcast, "tree_broadcast"},
               {CollectiveShape::kPipeline, "pipeline"});

/// The sent bytes that the weight of a collective's class follows (TrafficSpec::weight_at_end).
enum class WeightBasis : std::uint8_t {
  kRank,  // each rank's weight follows the bytes that this rank has sent in the round
  kJob,   // the weight of all ranks follows the bytes that they have sent together
};
DCC_ENUM_NAMES(WeightBasis, {WeightBasis::kRank, "rank"}, {WeightBasis::kJob, "job"});

/// The event of a flow that others wait for: its last byte has arrived (kReceived), or is
/// acknowledged (kSent).
enum class WaitEvent : std::uint8_t { kReceived, kSent };
DCC_ENUM_NAMES(WaitEvent, {WaitEvent::kReceived, "received"}, {WaitEvent::kSent, "sent"});
enum class WaitNeed : std::uint8_t { kAll, kAny };
DCC_ENUM_NAMES(WaitNeed, {WaitNeed::kAll, "all"}, {WaitNeed::kAny, "any"});
/// Scope of waiting. kHost: each host waits only for flows and computations that end at the host
/// itself.
enum class WaitScope : std::uint8_t { kAll, kHost };
DCC_ENUM_NAMES(WaitScope, {WaitScope::kAll, "all"}, {WaitScope::kHost, "host"});

/// The events that a traffic entry waits for; the entry's `start` counts from these events
/// (traffic/dependencies.h).
struct After {
  // names of awaited entries, and of trace lines as ENTRY.LINE; empty: the entry waits for nothing
  std::vector<std::string> flows;
  WaitEvent event = WaitEvent::kReceived;
  WaitNeed need = WaitNeed::kAll;
  WaitScope scope = WaitScope::kAll;
  PicoSeconds delay{0};
};

/// One entry of the traffic list. The pattern decides which members have a meaning (see
/// describe()). An empty list of hosts stands for all hosts except the host at the other end of the
/// flows.
struct TrafficSpec {
  TrafficPattern pattern = TrafficPattern::kFlow;
  std::string id;  // name by which other entries wait for this entry; empty: none
  After after;
  unsigned dscp = 0;
  // class that the flows get at new_dscp_at, while they run; empty: they keep `dscp`
  std::optional<unsigned> new_dscp;
  PicoSeconds new_dscp_at = kMilliSecond;
  PicoSeconds start{0};
  // time from which on the entry's flows post no work; empty: end of the run
  std::optional<PicoSeconds> stop;
  std::optional<Bytes> bytes;       // payload bytes of each flow; empty: unlimited
  Bytes message = kDefaultMessage;  // payload bytes of each RDMA message
  Operation operation = Operation::kWrite;
  Service service = Service::kRc;
  unsigned ee_context = 0;      // reliable datagrams: number of the flows' end-to-end context
  unsigned rd_domain = 0;       // reliable datagrams: domain of the flows' queue pairs
  unsigned flows = 1;           // number of queue pairs for each pair of hosts
  PicoSeconds stagger{0};       // time added to the start of every further flow of a pair
  PicoSeconds stop_stagger{0};  // time added to the stop of every further flow of a pair
  // rate of a flow at its start; empty: the algorithm's initial rate
  std::optional<BitRate> initial_rate;
  std::optional<PicoSeconds>
      deadline;  // deadline of each flow, counted from its start; empty: none
  // wire rate that each flow asks of the subnet manager before its queue pair is created; empty: no
  // request
  std::optional<BitRate> guarantee;
  // rate limit that the application sets; for kBackground, the constant rate
  std::optional<BitRate> rate;

  HostId from = 0;  // sending host of kFlow and kBackground
  HostId to = 0;
  HostList senders;  // sending hosts of kIncast and kPartitionAggregate
  std::optional<HostId> receiver =
      0;              // receiving host; empty (kIncast only): a random one of `receivers` each time
  HostId sender = 0;  // sending host of kOneToMany
  HostList receivers;
  // participating hosts of kPermutation, kStride, kStaggered, kAllToAll, kCollective, kPoisson
  HostList hosts;

  unsigned stride = 1;  // kStride: distance from sender to receiver in the list of hosts
  unsigned rack = 2;    // kStaggered: number of consecutive `hosts` that form a rack
  unsigned pod = 4;     // kStaggered: number of consecutive `hosts` that form a pod
  Ratio to_rack{1, 5};  // kStaggered: probability of a destination in the same rack
  Ratio to_pod{3, 10};  // kStaggered: probability of a destination in the same pod

  PicoSeconds period = kMilliSecond;  // kPartitionAggregate: time between two queries
  // number of rounds; empty: rounds to the end of the run, or kDefaultRounds
  std::optional<unsigned> rounds;
  // number of children per node of the query tree, level by level; empty: no tree
  std::vector<unsigned> fan_out;
  Bytes request = 2000;
  PicoSeconds think{0};
  // kCollective: communication pattern, used with rounds and think
  CollectiveShape shape = CollectiveShape::kRing;
  // kCollective: weight of `dscp` at a rank that has sent all bytes of a round; empty: the weight
  // does not change
  std::optional<Ratio> weight_at_end;
  // kCollective: time between two settings of the weight
  PicoSeconds weight_interval = kMicroSecond * 50;
  // kCollective: sent bytes that the weight follows
  WeightBasis weight_follows = WeightBasis::kRank;

  Ratio load{7, 10};  // kPoisson: load, payload bits divided by the sender's link rate
  // distribution of flow sizes: one of FlowSizes::names(), or a file (traffic/flow_sizes.h)
  std::string sizes = "websearch";
  // number of flows of each host; empty: flows to the end of the run
  std::optional<unsigned> flows_per_host;

  // Parameters of random incasts with Poisson arrivals: kIncast without a receiver, or added to
  // kPoisson.
  // load of the incasts: payload bits divided by the rate of all senders' links; empty: no incasts
  std::optional<Ratio> incast_load;
  // number of senders of each random incast; empty: all hosts except the receiver
  std::optional<unsigned> fan_in;
  Bytes incast_bytes = 500'000;  // kPoisson: payload bytes from each sender of an incast

  std::string file;            // kTrace: path of the trace file (traffic/trace_file.h)
  PicoSeconds time_offset{0};  // time subtracted from all times in the file
  // DSCP of each priority in the file; unlisted priorities have DSCP 0
  std::map<unsigned, unsigned> dscp_map;

  PicoSeconds time = kMicroSecond;  // kCompute: duration of the computation
  unsigned processor =
      0;  // kCompute: number of the host's processor, which does one computation at a time

  void describe(ParameterVisitor& v);
  /// Checks the traffic entry. Returns an upper limit of the number of flows in a network of
  /// `hosts_there` hosts, without flows of files. Throws ParameterError, with an empty key if the
  /// error concerns the entry as a whole. `end`: end of the run; max(): unknown, and patterns that
  /// go on to the end are refused.
  std::uint64_t check(HostId hosts_there, PicoSeconds end) const;
  /// True if flows of the entry wait for the arrival of other flows.
  bool has_gates() const {
    return !fan_out.empty() || pattern == TrafficPattern::kCollective || waits() ||
           pattern == TrafficPattern::kCompute;
  }
  /// True if the weight of the entry's class follows the bytes sent in a round.
  bool moves_weight() const {
    return pattern == TrafficPattern::kCollective && weight_at_end.has_value();
  }
  /// True if the entry waits for other entries or for lines of a trace.
  bool waits() const { return !after.flows.empty(); }
  /// The key that makes flows of the entry wait, for messages. Precondition: has_gates().
  const char* gated_by() const { return !fan_out.empty() ? "fan_out" : waits() ? "after" : "kind"; }
  /// True if the entry draws the receiver and the senders of incasts.
  bool has_random_incasts() const {
    return pattern == TrafficPattern::kIncast ? !receiver
                                              : pattern == TrafficPattern::kPoisson && incast_load;
  }
  /// Number of queries (kPartitionAggregate) that begin before `stop` and before the end of the
  /// run, or number of repetitions of a collective.
  std::uint64_t rounds_until(PicoSeconds end) const;

 private:
  void check_gated() const;
  void check_after() const;
  void check_new_dscp(PicoSeconds end) const;
  void check_random_incasts(std::uint64_t senders_there, std::uint64_t receivers_there) const;
  std::uint64_t check_tree(std::uint64_t senders_there, PicoSeconds end) const;
  std::uint64_t check_collective(std::uint64_t ranks) const;
};

/// Properties of the platform that the expansion of traffic needs.
struct TrafficContext {
  HostId hosts = 0;
  std::uint64_t seed = 1;
  PicoSeconds end = PicoSeconds::max();      // end of the run, from which on no flow starts
  std::function<BitRate(HostId)> link_rate;  // returns the rate of a host's link
  std::array<std::uint8_t, 64> priority_of_dscp{};
  /// Trace files that are shared by all iterations over the flows, so that every iteration sees the
  /// same traces.
  std::shared_ptr<TraceStore> traces = std::make_shared<TraceStore>();
};

/// Error in traffic that cannot be expanded. what() names the entry or file:line and the reason.
class TrafficError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Maximum number of flows in a run; results take about 300 bytes per flow.
constexpr std::size_t kMaxFlows = 50'000'000;
/// Maximum number of flows in a run where all flows exist from the beginning: patterns whose flows
/// wait for each other, and runs with software, with an interactive prompt, or with several
/// processes. A flow then takes one to two kilobytes.
constexpr std::size_t kMaxHeldFlows = 4'000'000;
/// True for patterns whose flows are made one by one during the run, so that no list of them
/// exists.
constexpr bool is_made_singly(TrafficPattern pattern) {
  return pattern != TrafficPattern::kPartitionAggregate && pattern != TrafficPattern::kCollective &&
         pattern != TrafficPattern::kCompute;
}
/// True for patterns that draw or read their flows one by one.
constexpr bool is_drawn(TrafficPattern pattern) {
  return pattern == TrafficPattern::kPoisson || pattern == TrafficPattern::kTrace;
}

}  // namespace dcc
