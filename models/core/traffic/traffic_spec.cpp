#include "traffic/traffic_spec.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <set>

#include "describe/class_ranges.h"
#include "describe/parameter_error.h"
#include "traffic/flow_sizes.h"

namespace dcc {

void TrafficSpec::describe(ParameterVisitor& v) {
  using Kind = TrafficPattern;
  const auto is = [&](std::initializer_list<Kind> kinds) {
    return std::find(kinds.begin(), kinds.end(), pattern) != kinds.end();
  };
  const Range host{"0", "1048575"};
  v.choice("kind", pattern, {"pattern"});
  v.text("id", id, {"name by which other entries wait for this one; empty: none"});
  v.when(is({Kind::kFlow, Kind::kBackground}), "kind: flow or background", [&] {
    v.field("from", from, host, {"sending host"});
    v.field("to", to, host, {"receiving host"});
  });
  v.when(is({Kind::kIncast, Kind::kPartitionAggregate}), "kind: incast or partition_aggregate",
         [&] {
           v.hosts("senders", senders, {"hosts that send; all: all but the receiver"});
           v.field("receiver", receiver, "random", host,
                   {"host that they send to; random (incast): repeated incasts to the end of "
                    "the run, each with a random receiver and random senders"});
         });
  const char* const share =
      "incasts by random senders to a random receiver come at random (Poisson) and make up this "
      "share of what the links of all senders carry";
  v.when(is({Kind::kIncast}) && !receiver, "kind: incast with receiver: random", [&] {
    v.hosts("receivers", receivers, {"hosts of which one is drawn each time"});
    v.field("load", incast_load, "none", {"1/100000", "2"}, {share, "HPCC, SIGCOMM'19, 5.1"});
    v.field("fan_in", fan_in, "all", {"1", "1048575"}, {"number of senders drawn each time"});
  });
  v.when(is({Kind::kOneToMany}), "kind: one_to_many", [&] {
    v.field("sender", sender, host, {"sending host"});
    v.hosts("receivers", receivers, {"hosts it sends to; all: all others"});
  });
  v.when(is({Kind::kPermutation, Kind::kStride, Kind::kStaggered, Kind::kAllToAll,
             Kind::kCollective, Kind::kPoisson, Kind::kCompute}),
         "kind: permutation, stride, staggered, all_to_all, collective, poisson or compute", [&] {
           v.hosts(
               "hosts", hosts,
               {"hosts that send to each other; of a collective the ranks; of compute those that "
                "compute"});
         });
  v.when(is({Kind::kCompute}), "kind: compute", [&] {
    v.field("time", time, {"0ns", "1000s"}, {"time for which each of `hosts` computes"});
    v.field("processor", processor, {"0", "255"},
            {"processor of the host; does one computation at a time, first come, first served"});
  });
  v.when(is({Kind::kCollective}), "kind: collective", [&] {
    v.choice(
        "shape", shape,
        {"ring: all-reduce in 2 (n - 1) steps, an n-th of bytes to the next in each; tree: "
         "all-reduce of all bytes up a binary tree and down; all_to_all: n - 1 steps, an n-th "
         "to the rank so many steps on; reduce_scatter and all_gather: one half each of ring; "
         "broadcast: down the tree; pipeline: all bytes from each rank to the next. Each waits "
         "for what came in the step before"});
    v.field("weight_at_end", weight_at_end, "none", {"1/8", "128"},
            {"weight of the entry's DSCP at a rank that has sent its part of a round; from "
             "dscp.N.weight on the weight grows with the acknowledged bytes, and each round begins "
             "anew. none: the weight stays",
             "MLTCP, HotNets'24"});
  });
  v.when(is({Kind::kCollective}) && weight_at_end, "kind: collective with weight_at_end", [&] {
    v.field(
        "weight_interval", weight_interval, {"1us", "1s"},
        {"time after which the platform sets the weight again, by the driver's dcc_set_weight"});
    v.choice(
        "weight_follows", weight_follows,
        {"bytes that the weight follows: those of each rank, or those of all ranks together; of "
         "several such jobs an earlier entry counts up to a sixteenth of a round more, so that "
         "jobs "
         "that begin together part"});
  });
  v.when(is({Kind::kStride}), "kind: stride", [&] {
    v.field("stride", stride, {"1", "1048575"},
            {"each host sends to the one so many places further in `hosts`, cyclically",
             "Hedera, NSDI'10, 6: stride(i)"});
  });
  v.when(is({Kind::kStaggered}), "kind: staggered", [&] {
    v.field("rack", rack, {"1", "1048576"}, {"number of consecutive `hosts` in a rack"});
    v.field("pod", pod, {"1", "1048576"}, {"... and in a pod"});
    v.field("to_rack", to_rack, {"0", "1"},
            {"probability that a host sends to another of its rack",
             "Hedera, NSDI'10, 6: EdgeP of staggered prob"});
    v.field("to_pod", to_pod, {"0", "1"},
            {"... to another of its pod; else to another pod", "Hedera, NSDI'10, 6: PodP"});
  });
  v.when(is({Kind::kPartitionAggregate}), "kind: partition_aggregate", [&] {
    v.field("period", period, {"1us", "1000s"}, {"time between two queries"});
    v.numbers("fan_out", fan_out, 0, 8, {"1", "1048575"},
              {"requests go down a tree of senders, answers up: so many below the receiver, below "
               "each of these, and so on, in the order of senders; empty: answers come unasked",
               "DCTCP, SIGCOMM'10, 2.1"});
  });
  v.when(is({Kind::kPartitionAggregate, Kind::kCollective}),
         "kind: partition_aggregate or collective", [&] {
           v.field(
               "rounds", rounds, "unlimited", {"1", "1000000"},
               {"number of queries, or of times that the collective is done; unlimited: queries "
                "to the end of the run, a collective 10 times"});
         });
  v.when(is({Kind::kPartitionAggregate}) && !fan_out.empty(),
         "kind: partition_aggregate with a fan_out", [&] {
           v.field("request", request, {"1B", "1GB"}, {"payload of a request"});
         });
  const bool asks = !fan_out.empty() || is({Kind::kCollective});
  v.when(asks, "kind: partition_aggregate with a fan_out, or collective", [&] {
    v.field("think", think, {"0ns", "1s"},
            {"time from the arrival of awaited data to a host's next send; collective: time "
             "between two rounds"});
  });
  v.when(is({Kind::kPoisson}), "kind: poisson", [&] {
    v.field("load", load, {"1/1000", "2"}, {"mean load of each host's link, as a share"});
    v.path("sizes", sizes, FlowSizes::names(), {"distribution of flow sizes"});
    v.field("flows_per_host", flows_per_host, "unlimited", {"1", "1000000"},
            {"flows each host starts; unlimited: to the end of the run"});
    v.field("incast_load", incast_load, "none", {"1/100000", "2"},
            {share, "HPCC, SIGCOMM'19, 5.1"});
  });
  v.when(is({Kind::kPoisson}) && incast_load, "kind: poisson with an incast_load", [&] {
    v.field("incast_fan_in", fan_in, "all", {"1", "1048575"}, {"number of senders of an incast"});
    v.field("incast_bytes", incast_bytes, {"1B", "1000GB"},
            {"payload from each of them", "HPCC, SIGCOMM'19, 5.1"});
  });
  v.when(is({Kind::kTrace}), "kind: trace", [&] {
    v.path("file", file, {}, {"list of flows, .gz or plain"});
    v.field("time_offset", time_offset, {}, {"subtracted from the file's times"});
    v.number_map("dscp_map", dscp_map, any_dscp(), any_dscp(),
                 {"the file's priorities to DSCPs; unlisted: 0"});
  });
  v.when(!is({Kind::kTrace, Kind::kCompute}), "kind: any but trace and compute",
         [&] { v.field("dscp", dscp, any_dscp(), {"class of the flows"}); });
  const bool sized = !is({Kind::kTrace, Kind::kPoisson, Kind::kBackground, Kind::kCompute});
  v.when(is({Kind::kFlow, Kind::kIncast, Kind::kOneToMany, Kind::kPermutation, Kind::kStride,
             Kind::kStaggered, Kind::kAllToAll}),
         "kind: flow, incast, one_to_many, permutation, stride, staggered or all_to_all", [&] {
           v.field("new_dscp", new_dscp, "none", any_dscp(),
                   {"class that the flows get while they run, by the driver's nic_change_class; "
                    "their 802.1p priority stays, and figures count them to their first class"});
         });
  v.when(new_dscp.has_value(), "new_dscp", [&] {
    v.field("new_dscp_at", new_dscp_at, {"1ns", "1000s"}, {"time of that change"});
  });
  v.when(is({Kind::kFlow, Kind::kIncast, Kind::kOneToMany, Kind::kPermutation, Kind::kStride,
             Kind::kStaggered, Kind::kAllToAll}),
         "kind: flow, incast, one_to_many, permutation, stride, staggered or all_to_all", [&] {
           v.field(
               "guarantee", guarantee, "none", {"1Mbps", "10Tbps"},
               {"rate on the wire that each flow asks of subnet.manager before its queue pair is "
                "created; a flow that is refused sends nothing",
                "InfiniBand paper, 3 (3)"});
         });
  v.when(sized, "kind: any but trace, poisson, background and compute", [&] {
    v.field("bytes", bytes, "unlimited", {"1B", "1000GB"}, {"payload of a flow"});
    v.field("flows", flows, {"1", "16384"}, {"flows between each pair of hosts"});
    v.field("stagger", stagger, {}, {"time between the starts of successive flows"});
    v.field("stop_stagger", stop_stagger, {}, {"... and between their stops"});
    v.field("initial_rate", initial_rate, "algorithm", {"1Mbps", "10Tbps"},
            {"rate at which these flows start"});
  });
  v.when(is({Kind::kBackground}) || sized, "kind: any but trace, poisson and compute", [&] {
    v.field("rate", rate, "unlimited", {"1kbps", "10Tbps"},
            {"greatest rate that the application offers (background: its constant rate)"});
  });
  const bool works = !is({Kind::kBackground, Kind::kCompute});
  v.when(works, "kind: any but background and compute", [&] {
    v.field("deadline", deadline, "none", {"1ns", "1000s"},
            {"time after a flow's start at which it should have arrived", "D2TCP, SIGCOMM'12"});
  });
  v.field("start", start, {}, {"when the first flow starts; with `after` not before this"});
  v.section("after", {"what the entry waits for; its times then count from there"}, [&] {
    v.names("flows", after.flows, "none",
            {"`id` of other entries, or ENTRY.NAME for a named line of a trace; NAME:sent and "
             "NAME:received choose the event for one of them"});
    v.choice("event", after.event,
             {"received: the last byte has arrived; sent: the sender has the last ACK"});
    v.choice("need", after.need, {"all of these flows must have ended, or any one of them"});
    v.choice("scope", after.scope,
             {"all: each host waits for all of them; host: only for those that end at the host "
              "itself (received there, sent from there, computed there)"});
    v.field("delay", after.delay, {"0ns", "1000s"},
            {"time from the end of these flows to the begin"});
  });
  v.when(!is({Kind::kCompute}), "kind: any but compute", [&] {
    v.field("stop", stop, "end", {}, {"time after which no new data is sent"});
    v.field("message", message, {"1B", "1GiB"}, {"size of an RDMA message"});
  });
  v.when(works, "kind: any but background and compute", [&] {
    v.choice(
        "operation", operation,
        {"what the sending host does: write or send to the other, or read from it; the bytes of "
         "a read come back to the host that is called the sender",
         "InfiniBand transport"});
    v.choice(
        "service", service,
        {"transport service: rc acknowledges and repeats, uc and ud lose what is lost; ud sends "
         "datagrams of one packet; rd acknowledges and repeats, with one message under way for all "
         "flows of an end-to-end context",
         "InfiniBand transport"});
    v.when(service == Service::kRd, "service: rd", [&] {
      v.field("ee_context", ee_context, {"0", "255"},
              {"number of the end-to-end context, of those between the two hosts"});
      v.field("rd_domain", rd_domain, {"0", "255"},
              {"reliable datagram domain, the same for all flows of a context"});
    });
  });
}

namespace {

void require(bool condition, const char* key, const std::string& sentence) {
  if (!condition) throw ParameterError({key}, sentence);
}

/// Checks the hosts that an entry names against the network.
class ByName {
 public:
  explicit ByName(HostId there) : there_(there) {}

  void one(HostId host, const char* key) const {
    require(host < there_, key,
            "there is no host " + std::to_string(host) + ": the topology has 0 to " +
                std::to_string(there_ - 1));
  }
  /// Checks a list of hosts that must not contain `other`; returns the number of hosts that the
  /// list stands for.
  std::uint64_t list(const HostList& hosts, const char* key, HostId other,
                     const char* other_is) const {
    for (const HostId host : hosts) one(host, key);
    require(std::count(hosts.begin(), hosts.end(), other) == 0, key,
            std::string("the ") + other_is + " is among the " + key);
    return distinct(hosts, key, there_ - 1);
  }
  /// Checks a list of any hosts; returns the number of hosts that the list stands for.
  std::uint64_t any(const HostList& hosts, const char* key) const {
    for (const HostId host : hosts) one(host, key);
    return distinct(hosts, key, there_);
  }
  std::uint64_t among_themselves(const HostList& hosts, const char* key) const {
    for (const HostId host : hosts) one(host, key);
    const std::uint64_t count = distinct(hosts, key, there_);
    require(count >= 2, key, "one host has nobody to send to");
    return count;
  }

 private:
  static std::uint64_t distinct(const HostList& hosts, const char* key, std::uint64_t all) {
    require(std::set<HostId>(hosts.begin(), hosts.end()).size() == hosts.size(), key,
            std::string("a host appears twice among the ") + key);
    return hosts.empty() ? all : hosts.size();
  }
  HostId there_;
};

}  // namespace

namespace {

/// Number of hosts in a tree below its root; if far too large, some number above the number of
/// hosts.
std::uint64_t places_in(const std::vector<unsigned>& fan_out) {
  std::uint64_t all = 0;
  std::uint64_t level = 1;
  for (const unsigned children : fan_out) {
    level = std::min<std::uint64_t>(level * children, kMaxFlows);
    all += level;
  }
  return all;
}

}  // namespace

void TrafficSpec::check_new_dscp(PicoSeconds end) const {
  if (!new_dscp) return;
  require(!has_random_incasts(), "new_dscp", "flows of random incasts begin at unknown times");
  require(!waits(), "new_dscp", "flows that wait for others begin at unknown times");
  require(!expects_response(operation), "new_dscp",
          "the data of a read has the class of the queue pair that answers: write or send");
  const Uint128 staggered = Uint128(static_cast<std::uint64_t>(stagger.count)) * (flows - 1);
  const PicoSeconds left = new_dscp_at - start;
  require(left.count > 0 && staggered < Uint128(static_cast<std::uint64_t>(left.count)),
          "new_dscp_at", "is not after the start of every flow of the entry");
  require(new_dscp_at < end, "new_dscp_at", "is not before the end of the run (duration)");
}

std::uint64_t TrafficSpec::rounds_until(PicoSeconds end) const {
  if (rounds) return *rounds;
  if (pattern == TrafficPattern::kCollective) return kDefaultRounds;
  end = std::min(end, stop.value_or(PicoSeconds::max()));
  if (end <= start) return 0;
  return static_cast<std::uint64_t>((end - start - PicoSeconds(1)) / period) + 1;
}

void TrafficSpec::check_random_incasts(std::uint64_t senders_there,
                                       std::uint64_t receivers_there) const {
  const bool with_poisson = pattern == TrafficPattern::kPoisson;
  require(incast_load.has_value(), "load",
          "incasts to random receivers need a load, such as load: 0.02");
  // The greatest fan-in is one less than the number of senders, since one of the senders may be the
  // receiver.
  const std::uint64_t most = senders_there - 1;
  require(most >= 1 && (!fan_in || *fan_in <= most), with_poisson ? "incast_fan_in" : "fan_in",
          "an incast has at most " + std::to_string(most) + " senders: there are " +
              std::to_string(senders_there) + " hosts, and one may be the receiver");
  require(receivers_there >= 1, "receivers", "there is no host to send to");
  if (with_poisson) return;
  require(bytes.has_value(), "bytes",
          "incasts to random receivers need bytes, the payload from each sender");
  require(flows == 1, "flows", "a sender of a random incast has one flow");
  require(stagger.count == 0, "stagger", "the senders of a random incast begin together");
}

std::uint64_t TrafficSpec::check_tree(std::uint64_t senders_there, PicoSeconds end) const {
  require(places_in(fan_out) == senders_there, "fan_out",
          "there are " + std::to_string(places_in(fan_out)) + " places in the tree, and " +
              std::to_string(senders_there) + " senders");
  check_gated();
  return senders_there * 2 * rounds_until(end);
}

void TrafficSpec::check_gated() const {
  require(flows == 1, "flows", "what others wait for is one flow");
  require(is_reliable(service), "service",
          "what nobody repeats may never come: what others wait for is sent by reliable services "
          "(rc, rd)");
  require(operation == Operation::kWrite || operation == Operation::kSend, "operation",
          "what others wait for is written or sent");
}

std::uint64_t TrafficSpec::check_collective(std::uint64_t ranks) const {
  require(bytes.has_value(), "", "collective needs bytes, the data of a rank");
  require(!stop, "stop", "a collective goes on to its end: rounds says how often it is done");
  require(stagger.count == 0, "stagger", "the ranks of a collective begin together");
  require(!deadline, "deadline",
          "when a rank may send is not known before: no flow has a deadline");
  check_gated();
  const auto is = [this](std::initializer_list<CollectiveShape> shapes) {
    return std::find(shapes.begin(), shapes.end(), shape) != shapes.end();
  };
  const bool onwards = is({CollectiveShape::kBroadcast, CollectiveShape::kPipeline});
  require(!onwards || rounds == 1u, "rounds",
          "nothing comes back to the first rank, so that it could begin another round: rounds: 1, "
          "and further entries with `after`");
  const std::uint64_t steps = is({CollectiveShape::kRing})   ? 2 * ranks
                              : is({CollectiveShape::kTree}) ? 2
                              : onwards                      ? 1
                                                             : ranks;
  return steps * (ranks - 1) * rounds_until(PicoSeconds::max());
}

void TrafficSpec::check_after() const {
  const bool plain = std::all_of(id.begin(), id.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
  require(plain, "id", "a name has letters, digits, _ and -");
  if (!waits()) {
    constexpr const char* kNothing = "there is nothing that this counts from: name it in flows";
    require(after.delay == PicoSeconds(0), "after.delay", kNothing);
    require(after.event == After().event, "after.event", kNothing);
    require(after.need == After().need, "after.need", kNothing);
    require(after.scope == After().scope, "after.scope", kNothing);
    return;
  }
  require(!stop, "stop", "when a flow that waits begins is not known before: give it bytes");
  require(!deadline, "deadline", "when a flow that waits begins is not known before");
}

std::uint64_t TrafficSpec::check(HostId hosts_there, PicoSeconds end) const {
  const ByName named(hosts_there);
  check_after();
  check_new_dscp(end);
  require(!stop || start < *stop, "stop", "stops before it starts");
  const bool ends = end != PicoSeconds::max();
  const bool sized_elsewhere =
      pattern == TrafficPattern::kPoisson || pattern == TrafficPattern::kTrace;
  require(!deadline || bytes || sized_elsewhere, "deadline",
          "a flow without end cannot meet a deadline: give it bytes");
  require(!expects_response(operation) || service == Service::kRc, "service",
          is_atomic(operation) ? "only a reliable connection (rc) has atomic operations"
                               : "only a reliable connection (rc) can read");
  if (is_atomic(operation)) {
    require(message == kAtomicBytes, "message", "an atomic operation is on 8 bytes: message: 8B");
    require(!sized_elsewhere && (!bytes || *bytes % kAtomicBytes == 0), "bytes",
            "atomic operations are on 8 bytes each: bytes is a multiple of 8, and given here");
  }
  require(
      operation == Operation::kWrite || operation == Operation::kSend || service != Service::kRd,
      "service", "reliable datagrams (rd) are written or sent");
  require(operation == Operation::kSend || service != Service::kUd, "service",
          "datagrams (ud) can only be sent (operation: send)");
  switch (pattern) {
    case TrafficPattern::kFlow:
    case TrafficPattern::kBackground:
      named.one(from, "from");
      named.one(to, "to");
      require(from != to, "", "from and to are the same host");
      require(pattern == TrafficPattern::kFlow || rate, "", "background traffic needs a rate");
      return flows;
    case TrafficPattern::kIncast:
      if (!receiver) {
        require(stop || ends, "stop", "is needed: the traffic has no end");
        check_random_incasts(named.any(senders, "senders"), named.any(receivers, "receivers"));
        return 0;  // flows of this pattern are drawn, so their number is unknown
      }
      named.one(*receiver, "receiver");
      return named.list(senders, "senders", *receiver, "receiver") * flows;
    case TrafficPattern::kPartitionAggregate:
      require(receiver.has_value(), "receiver", "only an incast has a random receiver");
      named.one(*receiver, "receiver");
      require(bytes.has_value(), "", "partition_aggregate needs bytes, the size of an answer");
      require(rounds || stop || ends, "rounds", "is needed: the traffic has no end");
      if (!fan_out.empty()) {
        return check_tree(named.list(senders, "senders", *receiver, "receiver"), end);
      }
      return named.list(senders, "senders", *receiver, "receiver") * flows * rounds_until(end);
    case TrafficPattern::kOneToMany:
      named.one(sender, "sender");
      return named.list(receivers, "receivers", sender, "sender") * flows;
    case TrafficPattern::kPermutation:
      return named.among_themselves(hosts, "hosts") * flows;
    case TrafficPattern::kStride: {
      const std::uint64_t count = named.among_themselves(hosts, "hosts");
      require(stride % count != 0, "stride",
              std::to_string(stride) + " places on is the host itself: there are " +
                  std::to_string(count));
      return count * flows;
    }
    case TrafficPattern::kStaggered: {
      const std::uint64_t count = named.among_themselves(hosts, "hosts");
      require(pod % rack == 0, "pod", "a pod is of whole racks");
      const auto sum = Uint128(to_rack.to_fixed(32)) + to_pod.to_fixed(32);
      const Uint128 one = Uint128(1) << 32;
      require(sum <= one, "to_pod", "to_rack and to_pod are more than 1 together");
      require(count % pod == 0, "hosts", "are no whole number of pods");
      require(to_rack.to_fixed(32) == 0 || rack > 1, "to_rack", "a rack has one host only");
      require(to_pod.to_fixed(32) == 0 || pod > rack, "to_pod", "a pod has one rack only");
      require(sum == one || count > pod, "hosts", "there is one pod only");
      return count * flows;
    }
    case TrafficPattern::kAllToAll: {
      const std::uint64_t count = named.among_themselves(hosts, "hosts");
      return count * (count - 1) * flows;
    }
    case TrafficPattern::kCollective:
      return check_collective(named.among_themselves(hosts, "hosts"));
    case TrafficPattern::kPoisson: {
      const std::uint64_t count = named.among_themselves(hosts, "hosts");
      const bool counted = flows_per_host && !incast_load;
      require(counted || stop || ends, "flows_per_host", "is needed: the traffic has no end");
      if (incast_load) check_random_incasts(count, count);
      // number of drawn flows; 0 if flows are drawn to the end of the run
      return flows_per_host ? count * *flows_per_host : 0;
    }
    case TrafficPattern::kTrace:
      require(!file.empty(), "", "kind: trace needs a file");
      return 0;
    case TrafficPattern::kCompute:
      named.any(hosts, "hosts");
      return 0;  // an entry that computes has no flow
  }
  return 0;
}

}  // namespace dcc
