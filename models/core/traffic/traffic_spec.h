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

constexpr Bytes kMaxFlow = Bytes{1} << 40;  // limit for files of flows or sizes

constexpr Bytes kDefaultMessage = 64_KiB;
constexpr unsigned kDefaultRounds = 10;

/// One flow: the work of one queue pair.
struct FlowSpec {
  std::uint32_t id = 0;
  HostId from = 0;
  HostId to = 0;
  std::uint8_t dscp = 0;
  std::uint8_t priority = 0;
  bool background = false;          // not ECT, no congestion control, sends at `rate`
  Bytes bytes = 0;                  // payload bytes of the flow; 0: unlimited
  Bytes message = kDefaultMessage;  // bytes of one request
  Operation operation = Operation::kWrite;
  Service service = Service::kRc;
  PicoSeconds start{};
  PicoSeconds stop = PicoSeconds::max();  // the flow posts nothing from this time on
  BitRate rate{};                         // rate limit of the application; 0: none
  BitRate initial_rate{};                 // rate at the start; 0: the algorithm's
  std::optional<PicoSeconds> deadline;    // deadline after the flow's start; empty: none
  // Gates make a flow wait for others: the flow starts `think` after the last flow that opens its
  // gate has arrived; `start` is then the start of its query. Gates are numbered from 0.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t opens = kNone;     // gate that this flow's arrival helps to open
  std::uint32_t waits_at = kNone;  // gate that this flow waits for
  PicoSeconds think{};
  std::uint32_t query = kNone;  // number of the query that this flow's arrival helps to complete
  std::uint32_t line = kNone;   // index of the flow's line, if lines of its trace wait for lines
  std::uint16_t entry = 0;      // index of its entry in the list of traffic
  bool of_incast = false;       // one of the answers of a random incast
  bool begins_query = false;    // the query starts when its first flow starts, not at `start`

  bool is_gated() const { return waits_at != kNone; }
};

enum class TrafficPattern : std::uint8_t {
  kFlow,       // from -> to
  kIncast,     // every sender -> receiver; or random senders -> a random receiver, again and again
  kOneToMany,  // sender -> every receiver
  kPermutation,  // a random permutation of `hosts`: each sends to one and receives from one
  kStride,       // each of `hosts` to the host `stride` places further, modulo their number
  kStaggered,    // each of `hosts` to a random host of its rack, of its pod, or of other pods
  kAllToAll,     // every ordered pair of `hosts`
  kPartitionAggregate,  // `rounds` times, every `period`: every sender answers the receiver; with
                        // fan_out: requests go down a tree, answers go up
  kCollective,          // `rounds` collective operations with `hosts` as ranks
  kPoisson,             // random pairs of `hosts`: sizes from a distribution, Poisson arrivals
  kTrace,               // flows from a file
  kBackground,          // from -> to at a constant rate, not ECT, no congestion control
  kCompute,             // no flow: each of `hosts` computes for `time`
};
DCC_ENUM_NAMES(TrafficPattern, {TrafficPattern::kFlow, "flow"}, {TrafficPattern::kIncast, "incast"},
               {TrafficPattern::kOneToMany, "one_to_many"},
               {TrafficPattern::kPermutation, "permutation"}, {TrafficPattern::kStride, "stride"},
               {TrafficPattern::kStaggered, "staggered"}, {TrafficPattern::kAllToAll, "all_to_all"},
               {TrafficPattern::kPartitionAggregate, "partition_aggregate"},
               {TrafficPattern::kCollective, "collective"}, {TrafficPattern::kPoisson, "poisson"},
               {TrafficPattern::kTrace, "trace"}, {TrafficPattern::kBackground, "background"},
               {TrafficPattern::kCompute, "compute"});

/// Collective operations. A rank sends as soon as the data that it depends on has arrived.
enum class CollectiveShape : std::uint8_t {
  kRing,           // all-reduce in 2 (n - 1) steps, an n-th of the data to the next rank in each
  kTree,           // all-reduce up a binary tree and down again, all of the data in each
  kAllToAll,       // n - 1 steps, in each an n-th of the data to the rank that is a step further on
  kReduceScatter,  // n - 1 steps, an n-th of the data to the next rank in each
  kAllGather,      // n - 1 steps, an n-th of the data to the next rank in each
  kBroadcast,      // all of the data down a binary tree from the first rank
  kPipeline,       // all of the data from each rank to the next one, the first to the second first
};
DCC_ENUM_NAMES(CollectiveShape, {CollectiveShape::kRing, "ring_all_reduce"},
               {CollectiveShape::kTree, "tree_all_reduce"},
               {CollectiveShape::kAllToAll, "all_to_all"},
               {CollectiveShape::kReduceScatter, "ring_reduce_scatter"},
               {CollectiveShape::kAllGather, "ring_all_gather"},
               {CollectiveShape::kBroadcast, "tree_broadcast"},
               {CollectiveShape::kPipeline, "pipeline"});

/// What ends a flow for those that wait for it: its last byte has arrived, or is acknowledged.
enum class WaitEvent : std::uint8_t { kReceived, kSent };
DCC_ENUM_NAMES(WaitEvent, {WaitEvent::kReceived, "received"}, {WaitEvent::kSent, "sent"});
enum class WaitNeed : std::uint8_t { kAll, kAny };
DCC_ENUM_NAMES(WaitNeed, {WaitNeed::kAll, "all"}, {WaitNeed::kAny, "any"});
/// kHost: each host waits only for what ends at the host itself.
enum class WaitScope : std::uint8_t { kAll, kHost };
DCC_ENUM_NAMES(WaitScope, {WaitScope::kAll, "all"}, {WaitScope::kHost, "host"});

/// What an entry waits for before its `start` counts (traffic/dependencies.h).
struct After {
  std::vector<std::string> flows;  // names of entries, and of lines as ENTRY.LINE; empty: nothing
  WaitEvent event = WaitEvent::kReceived;
  WaitNeed need = WaitNeed::kAll;
  WaitScope scope = WaitScope::kAll;
  PicoSeconds delay{0};
};

/// One entry of the traffic list. The pattern decides which members have a meaning (see
/// describe()). An empty list of hosts stands for all hosts except the one at the other end.
struct TrafficSpec {
  TrafficPattern pattern = TrafficPattern::kFlow;
  std::string id;  // name by which others wait for the entry; empty: none
  After after;
  unsigned dscp = 0;
  PicoSeconds start{0};
  std::optional<PicoSeconds> stop;  // end of the flows; empty: end of the run
  std::optional<Bytes> bytes;       // bytes of each flow; empty: unlimited
  Bytes message = kDefaultMessage;  // bytes of an RDMA message
  Operation operation = Operation::kWrite;
  Service service = Service::kRc;
  unsigned flows = 1;                   // queue pairs for each pair of hosts
  PicoSeconds stagger{0};               // added to the start of every further flow
  PicoSeconds stop_stagger{0};          // added to the stop of every further flow
  std::optional<BitRate> initial_rate;  // rate at the start; empty: the algorithm's
  std::optional<PicoSeconds> deadline;  // deadline of each flow after its start; empty: none
  std::optional<BitRate> rate;          // rate limit of the application; kBackground: the rate

  HostId from = 0;  // sender of kFlow and kBackground
  HostId to = 0;
  HostList senders;  // senders of kIncast and kPartitionAggregate
  std::optional<HostId> receiver =
      0;              // empty (kIncast only): a random one of `receivers` each time
  HostId sender = 0;  // kOneToMany
  HostList receivers;
  HostList hosts;  // hosts of kPermutation, kStride, kStaggered, kAllToAll, kCollective, kPoisson

  unsigned stride = 1;  // kStride
  unsigned rack = 2;    // kStaggered: consecutive `hosts` that form a rack
  unsigned pod = 4;     // kStaggered: consecutive `hosts` that form a pod
  Ratio to_rack{1, 5};  // kStaggered: probability of a destination in the same rack
  Ratio to_pod{3, 10};  // kStaggered: probability of a destination in the same pod

  PicoSeconds period = kMilliSecond;  // kPartitionAggregate
  std::optional<unsigned> rounds;     // number of rounds; empty: to the end, or kDefaultRounds
  std::vector<unsigned> fan_out;      // number of children, level by level; empty: no tree
  Bytes request = 2000;
  PicoSeconds think{0};
  CollectiveShape shape = CollectiveShape::kRing;   // kCollective, with rounds and think
  std::optional<Ratio> weight_at_end;               // kCollective: weight of `dscp` at a rank that
                                                    // has sent its round; empty: as at its begin
  PicoSeconds weight_interval = kMicroSecond * 50;  // kCollective: time between two settings

  Ratio load{7, 10};                // kPoisson: payload bits divided by the sender's link rate
  std::string sizes = "websearch";  // one of FlowSizes::names(), or a file (traffic/flow_sizes.h)
  std::optional<unsigned> flows_per_host;  // flows of each host; empty: to the end of the run

  // Random incasts with Poisson arrivals: kIncast without a receiver, or added to kPoisson.
  std::optional<Ratio> incast_load;  // payload bits / rate of all senders' links; empty: none
  std::optional<unsigned> fan_in;    // senders of each random incast; empty: all but the receiver
  Bytes incast_bytes = 500'000;      // kPoisson: payload bytes from each sender

  std::string file;                       // kTrace: path of the file (traffic/trace_file.h)
  PicoSeconds time_offset{0};             // time subtracted from the file's times
  std::map<unsigned, unsigned> dscp_map;  // DSCP of each priority of the file; unlisted: 0

  PicoSeconds time = kMicroSecond;  // kCompute
  unsigned processor = 0;           // kCompute: processor, which does one computation at a time

  void describe(ParameterVisitor& v);
  /// Upper limit of the number of flows in a network of this many hosts; flows of files are not
  /// counted. Throws ParameterError, with an empty key for the entry as a whole.
  /// `end`: of the run; max(): unknown, and patterns that go on to the end are refused.
  std::uint64_t check(HostId hosts_there, PicoSeconds end) const;
  /// True if flows of the entry wait for the arrival of others.
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
  /// The key that makes flows wait, for messages. Precondition: has_gates().
  const char* gated_by() const { return !fan_out.empty() ? "fan_out" : waits() ? "after" : "kind"; }
  /// True if the entry draws the receiver and the senders of incasts.
  bool has_random_incasts() const {
    return pattern == TrafficPattern::kIncast ? !receiver
                                              : pattern == TrafficPattern::kPoisson && incast_load;
  }
  /// Number of queries (kPartitionAggregate) that begin before `stop` and the end of the run, or of
  /// times that a collective is done.
  std::uint64_t rounds_until(PicoSeconds end) const;

 private:
  void check_gated() const;
  void check_after() const;
  void check_random_incasts(std::uint64_t senders_there, std::uint64_t receivers_there) const;
  std::uint64_t check_tree(std::uint64_t senders_there, PicoSeconds end) const;
  std::uint64_t check_collective(std::uint64_t ranks) const;
};

/// Properties of the platform that the expansion needs.
struct TrafficContext {
  HostId hosts = 0;
  std::uint64_t seed = 1;
  PicoSeconds end = PicoSeconds::max();      // no flow starts at the end of the run or later
  std::function<BitRate(HostId)> link_rate;  // rate of a host's link
  std::array<std::uint8_t, 64> priority_of_dscp{};
  /// Shared by all iterations over the flows, so that they see the same traces.
  std::shared_ptr<TraceStore> traces = std::make_shared<TraceStore>();
};

/// Traffic that cannot be expanded. what() names the entry or file:line and the reason.
class TrafficError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Limit of the number of flows of a run; results take about 300 bytes per flow.
constexpr std::size_t kMaxFlows = 50'000'000;
/// Limit where all flows exist from the beginning: patterns that list pairs, and runs with
/// software, with an interactive prompt, or with several processes. A flow then takes one to two
/// kilobytes.
constexpr std::size_t kMaxHeldFlows = 4'000'000;
/// True for patterns that draw or read flows one by one.
constexpr bool is_drawn(TrafficPattern pattern) {
  return pattern == TrafficPattern::kPoisson || pattern == TrafficPattern::kTrace;
}

}  // namespace dcc
