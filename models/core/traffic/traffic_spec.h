// What is to be sent, as a user writes it (TrafficSpec) and as the NICs need it (FlowSpec).
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

constexpr Bytes kMaxFlow = Bytes{1} << 40;  // in a file of flows or of sizes

constexpr Bytes kDefaultMessage = 64_KiB;

/// One flow: work for one queue pair.
struct FlowSpec {
  std::uint32_t id = 0;
  HostId from = 0;
  HostId to = 0;
  std::uint8_t dscp = 0;
  std::uint8_t priority = 0;
  bool background = false;          // not ECT, no congestion control, at `rate`
  Bytes bytes = 0;                  // 0: unlimited
  Bytes message = kDefaultMessage;  // of one request
  Operation operation = Operation::kWrite;
  Service service = Service::kRc;
  PicoSeconds start{};
  PicoSeconds stop = PicoSeconds::max();  // posts nothing from then on
  BitRate rate{};                         // the application's own limit; 0: none
  BitRate initial_rate{};                 // 0: the algorithm's
  std::optional<PicoSeconds> deadline;    // after its start; empty: none
  // A flow that waits for others starts `think` after the last that opens its gate has arrived at
  // its sender; `start` is then that of the query it is part of. Gates are numbered from 0.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t opens = kNone;  // gate that its arrival helps to open
  std::uint32_t waits_at = kNone;
  PicoSeconds think{};
  std::uint32_t query = kNone;  // number of the query whose last answers this is one of
  bool begins_query = false;  // … which is asked when the first such flow starts, not at `start`

  bool is_gated() const { return waits_at != kNone; }
};

enum class TrafficPattern : std::uint8_t {
  kFlow,         // from -> to
  kIncast,       // every sender -> receiver
  kOneToMany,    // sender -> every receiver
  kPermutation,  // every one of `hosts` to another of them, each receiving once; by the seed
  kStride,       // each of `hosts` to the one `stride` places on, round and round
  kStaggered,    // each of `hosts` to another of its rack, of its pod, or of others; by the seed
  kAllToAll,     // every ordered pair of `hosts`
  kPartitionAggregate,  // `rounds` times, every `period`: every sender answers receiver; with
                        // fan_out: requests go down a tree, answers up
  kCollective,          // `rounds` times: `hosts` are the ranks of a collective operation
  kPoisson,             // `hosts` among themselves: sizes from a distribution, random gaps
  kTrace,               // flows of a file
  kBackground,          // from -> to at a constant rate, not ECT, no congestion control
};
DCC_ENUM_NAMES(TrafficPattern, {TrafficPattern::kFlow, "flow"}, {TrafficPattern::kIncast, "incast"},
               {TrafficPattern::kOneToMany, "one_to_many"},
               {TrafficPattern::kPermutation, "permutation"}, {TrafficPattern::kStride, "stride"},
               {TrafficPattern::kStaggered, "staggered"}, {TrafficPattern::kAllToAll, "all_to_all"},
               {TrafficPattern::kPartitionAggregate, "partition_aggregate"},
               {TrafficPattern::kCollective, "collective"}, {TrafficPattern::kPoisson, "poisson"},
               {TrafficPattern::kTrace, "trace"}, {TrafficPattern::kBackground, "background"});

/// What ranks do together. A rank sends when what it waits for has come, and not before.
enum class CollectiveShape : std::uint8_t {
  kRing,      // all-reduce in 2 (n - 1) steps, an n-th of the data to the next rank in each
  kTree,      // all-reduce up a binary tree and down again, all of the data in each
  kAllToAll,  // n - 1 steps, in each an n-th of the data to the rank that is a step further on
};
DCC_ENUM_NAMES(CollectiveShape, {CollectiveShape::kRing, "ring_all_reduce"},
               {CollectiveShape::kTree, "tree_all_reduce"},
               {CollectiveShape::kAllToAll, "all_to_all"});

/// One entry of the traffic list. Which members mean something depends on the pattern: describe()
/// says it. A list of hosts that is empty stands for all but the one at the other end.
struct TrafficSpec {
  TrafficPattern pattern = TrafficPattern::kFlow;
  unsigned dscp = 0;
  PicoSeconds start{0};
  std::optional<PicoSeconds> stop;  // empty: with the run
  std::optional<Bytes> bytes;       // empty: unlimited
  Bytes message = kDefaultMessage;  // RDMA message
  Operation operation = Operation::kWrite;
  Service service = Service::kRc;
  unsigned flows = 1;                   // queue pairs for each pair of hosts
  PicoSeconds stagger{0};               // every further flow starts this much later
  PicoSeconds stop_stagger{0};          // … and stops this much later
  std::optional<BitRate> initial_rate;  // empty: the algorithm's
  std::optional<PicoSeconds> deadline;  // of each flow, after its start; empty: none
  std::optional<BitRate> rate;          // the application's own limit; kBackground: its rate

  HostId from = 0;  // kFlow, kBackground
  HostId to = 0;
  HostList senders;  // kIncast, kPartitionAggregate
  HostId receiver = 0;
  HostId sender = 0;  // kOneToMany
  HostList receivers;
  HostList hosts;  // kPermutation, kStride, kStaggered, kAllToAll, kCollective, kPoisson

  unsigned stride = 1;  // kStride
  unsigned rack = 2;    // kStaggered: so many of `hosts` in a row make a rack
  unsigned pod = 4;     // … and so many a pod
  Ratio to_rack{1, 5};  // … probability of another of the rack
  Ratio to_pod{3, 10};  // … of another of the pod

  PicoSeconds period = kMilliSecond;  // kPartitionAggregate
  unsigned rounds = 10;
  std::vector<unsigned> fan_out;  // children of the receiver, of each of these …; empty: no tree
  Bytes request = 2000;
  PicoSeconds think{0};
  CollectiveShape shape = CollectiveShape::kRing;  // kCollective, with rounds and think

  Ratio load{7, 10};                // kPoisson: payload bits / the sender's link rate
  std::string sizes = "websearch";  // of FlowSizes::names(), or a file (traffic/flow_sizes.h)
  unsigned flows_per_host = 1000;

  std::string file;                       // kTrace (traffic/trace_file.h)
  PicoSeconds time_offset{0};             // subtracted from the file's times
  std::map<unsigned, unsigned> dscp_map;  // the file's priority -> DSCP; unlisted: 0

  void describe(ParameterVisitor& v);
  /// Number of flows it makes in a network of so many hosts, at most; a file's are not counted.
  /// Throws ParameterError, with an empty key for the entry as a whole.
  std::uint64_t check(HostId hosts_there) const;
  /// Do flows of it begin when others have arrived?
  bool has_gates() const { return !fan_out.empty() || pattern == TrafficPattern::kCollective; }

 private:
  void check_gated() const;
  std::uint64_t check_tree(std::uint64_t senders_there) const;
  std::uint64_t check_collective(std::uint64_t ranks) const;
};

/// What the expansion has to know of the platform.
struct TrafficContext {
  HostId hosts = 0;
  std::uint64_t seed = 1;
  std::function<BitRate(HostId)> link_rate;  // of a host's own link
  std::array<std::uint8_t, 64> priority_of_dscp{};
  /// Of all walks over the flows, which so agree.
  std::shared_ptr<TraceStore> traces = std::make_shared<TraceStore>();
};

/// Something that cannot be expanded; what() names the entry or file:line and says why.
class TrafficError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Most flows of a run: results take some 300 bytes of each.
constexpr std::size_t kMaxFlows = 50'000'000;
/// … where they are all there from the beginning: patterns that list their pairs, and runs with
/// software, with somebody who watches, or of several processes. They take a kilobyte or two each.
constexpr std::size_t kMaxHeldFlows = 4'000'000;
/// True of patterns that draw or read flows one by one.
constexpr bool is_drawn(TrafficPattern pattern) {
  return pattern == TrafficPattern::kPoisson || pattern == TrafficPattern::kTrace;
}

}  // namespace dcc
