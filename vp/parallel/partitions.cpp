#include "parallel/partitions.h"

#include <signal.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "parallel/distributed_run.h"
#include "parallel/packet_courier.h"

namespace dcc::vp {

namespace {

constexpr unsigned kUnasked = 2;  // number of threads used if the user does not choose a number
// A window must be long compared with the two barriers around it (about 1 us). A window holds about
// ten events for each packet, and an event takes some hundred nanoseconds.
constexpr double kMinPackets = 50;
constexpr double kWorstShare = 0.7;
// Number of hosts of a part: the data that one window touches for these hosts, with their switches
// and wires, should fit a processor's own caches. The data of fewer than kManyHosts hosts fit the
// shared cache anyway.
constexpr int kHostsAPart = 64;
constexpr int kManyHosts = 512;
// greatest number of parts; each part has a calendar of 128 KB and its mailboxes
constexpr unsigned kMaxParts = 512;

bool software_runs(const PlatformConfig& config, const Topology& topology) {
  for (HostId host = 0; host < static_cast<HostId>(topology.hosts()); ++host) {
    if (config.host_of(host).driver != DriverKind::kNone) return true;
  }
  return false;
}

/// The reason why the events of this platform need one order; empty if they do not.
std::string needs_one_order(const PlatformConfig& config, const Topology& topology,
                            const FlowPlan& flows, bool watched) {
  const ControllerConfig& controller = config.nic.controller;
  if (software_runs(config, topology)) return "hosts run software";
  for (const Implementation part : {controller.engine, controller.timer, controller.rate_lut}) {
    if (part != Implementation::kModel) return "the controller is RTL";
  }
  if (config.fast_forward.memo) return "fast_forward.memo remembers the network as a whole";
  if (config.subnet.manager) return "the subnet manager (subnet.manager) knows all flows";
  if (watched) return "a trace, a debugger or a prompt watches single events";
  if (topology.host_ports().several()) {
    // A gate of a host may open flows of all its ports.
    const auto has_gates = [](const TrafficSpec& entry) { return entry.has_gates(); };
    if (flows.dependencies().any() ||
        std::any_of(config.traffic.begin(), config.traffic.end(), has_gates)) {
      return "flows wait for others at hosts with several ports";
    }
  }
  return "";
}

/// The number of bytes that each flow will send, as far as the configuration states it.
std::vector<Demand> demands_of(const PlatformConfig& config, const Topology& topology,
                               const FlowPlan& flows) {
  std::vector<Demand> demands;
  demands.reserve(flows.count());
  flows.each_spec([&](const FlowSpec& spec) {
    const PicoSeconds end = std::min(spec.stop, config.duration);
    if (end <= spec.start) return;
    BitRate rate = topology.link(topology.node_of(spec.from), 0).rate;
    if (spec.rate.bits_per_second != 0) rate = std::min(rate, spec.rate);
    double bytes = static_cast<double>(rate.bits_per_second) / 8 * to_seconds(end - spec.start);
    if (spec.bytes != 0) bytes = std::min(bytes, static_cast<double>(spec.bytes));
    demands.push_back({spec.from, spec.to, bytes});
  });
  return demands;
}

/// Numbers of full packets that hosts can exchange.
struct Packets {
  double sent = 0;      // packets that all senders together can send
  double received = 0;  // packets that all receivers together can receive
};

/// The packets that hosts with a demand can send within `time`, and that their receivers can take.
Packets packets_within(PicoSeconds time, const PlatformConfig& config, const Topology& topology,
                       const std::vector<Demand>& demands) {
  std::vector<char> sends(static_cast<std::size_t>(topology.hosts()));
  std::vector<char> receives(sends.size());
  for (const Demand& demand : demands) sends[demand.from] = receives[demand.to] = 1;
  const auto packets_of = [&](const std::vector<char>& hosts) {
    double sum = 0;
    for (HostId host = 0; host < hosts.size(); ++host) {
      if (hosts[host] == 0) continue;
      sum += static_cast<double>(topology.link(topology.node_of(host), 0).rate.bits_per_second);
    }
    return sum * to_seconds(time) / (8 * static_cast<double>(config.nic.mtu));
  };
  return {packets_of(sends), packets_of(receives)};
}

/// True if several threads are worth while although nobody asked for them.
bool pays_unasked(const NetworkPartition& divided, const Packets& packets) {
  return divided.heaviest(divided.count) <= kWorstShare &&
         std::min(packets.sent, packets.received) >= kMinPackets * divided.count;
}

unsigned parts_for_caches(const Topology& topology) {
  const int hosts = topology.hosts();
  return hosts < kManyHosts ? 1 : std::min(kMaxParts, static_cast<unsigned>(hosts / kHostsAPart));
}

}  // namespace

PartitionPlan plan_partitions(const PlatformConfig& config, const Topology& topology,
                              const Routing& routing, const FlowPlan& flows, unsigned threads,
                              bool watched, std::optional<unsigned> parts) {
  PartitionPlan plan;
  plan.network = undivided(topology);
  const bool asked = threads != 0;
  if (!asked) threads = std::min(kUnasked, std::thread::hardware_concurrency());
  const unsigned wanted = parts ? *parts : parts_for_caches(topology);
  if (threads < 2 && wanted < 2) return plan;
  std::string one_order = needs_one_order(config, topology, flows, watched);
  if (one_order.empty()) one_order = flows.dependencies().crossing;
  if (!one_order.empty()) {
    if (threads > 1) plan.refusal = std::move(one_order);
    return plan;
  }
  const std::vector<Demand> demands = demands_of(config, topology, flows);
  const std::vector<double> load = expected_load(topology, routing, demands);
  const auto packets_in_a_window = [&](const NetworkPartition& divided) {
    return packets_within(divided.lookahead, config, topology, demands);
  };

  // First step: the division of the network among threads.
  if (threads > 1) {
    NetworkPartition divided;
    for (; threads > 1 && divided.count < 2; --threads) divided = divide(topology, load, threads);
    if (divided.count < 2) {
      plan.refusal = "the traffic crosses too few switches with hosts";
    } else if (divided.lookahead.count <= 0) {
      plan.refusal = "a link between its parts has no delay";
    } else if (!asked && !pays_unasked(divided, packets_in_a_window(divided))) {
      plan.refusal = "a second thread would not make it faster";
    } else {
      plan.threads = divided.count;
      plan.network = std::move(divided);
    }
  }
  // Second step: the division of each thread's share into the same number of parts for each thread,
  // to balance the load. The load of a part is what its senders can send, because the network has
  // most to do at the beginning of an incast, before the senders slow down.
  for (unsigned each = wanted / plan.threads; each * plan.threads > plan.network.count; each /= 2) {
    NetworkPartition divided = divide(topology, load, each * plan.threads);
    if (divided.count < 2 || divided.lookahead.count <= 0) continue;
    const double packets = packets_in_a_window(divided).sent;
    if (!parts && packets < kMinPackets * divided.count) continue;
    plan.network = std::move(divided);
    break;
  }
  return plan;
}

PartitionPlan plan_for_processes(const PlatformConfig& config, const Topology& topology,
                                 const Routing& routing, const FlowPlan& flows, unsigned processes,
                                 bool watched) {
  PartitionPlan plan;
  plan.refusal = needs_one_order(config, topology, flows, watched);
  if (plan.refusal.empty()) plan.refusal = flows.dependencies().crossing;
  if (config.switch_.routing.is_central()) {
    plan.refusal = std::string("one scheduler (routing: ") + config.switch_.routing.name() +
                   ") reads all switches";
  }
  for (const TransportChoice* const transport : config.transports()) {
    if (transport->chosen() != nullptr && transport->chosen()->has_agent()) {
      plan.refusal = "one agent (transport: " + transport->name() + ") hears of all flows";
    }
  }
  if (config.dcbx.enabled) plan.refusal = "LLDP's frames (dcbx) carry bytes";
  if (config.nic.port_failover.detection && config.topology.host_ports().several()) {
    plan.refusal = "flows that move between ports (nic.port_failover) have hosts in all parts";
  }
  for (std::size_t i = 0; i < config.traffic.size(); ++i) {
    const TrafficSpec& spec = config.traffic[i];
    if (!spec.moves_weight() || spec.weight_follows != WeightBasis::kJob) continue;
    plan.refusal = "a process knows the bytes of its own ranks only (traffic." + std::to_string(i) +
                   ".weight_follows: job)";
  }
  if (plan.refusal.empty()) {
    const std::vector<Demand> demands = demands_of(config, topology, flows);
    plan.network = divide(topology, expected_load(topology, routing, demands), processes);
    if (plan.network.count < processes) {
      plan.refusal = "the traffic crosses too few switches with hosts";
    } else if (plan.network.lookahead.count <= 0) {
      plan.refusal = "a link between its parts has no delay";
    }
  }
  if (plan.refusal.empty()) return plan;
  throw std::runtime_error("cannot be divided among " + std::to_string(processes) +
                           " processes: " + plan.refusal);
}

Partitions::Partitions(Scheduler& platform, const PartitionPlan& plan, ProcessGroup* group)
    : platform_(platform), group_(group), of_node_(plan.network.of_node) {
  const NetworkPartition& network = plan.network;
  for (unsigned p = 0; p < network.count; ++p) pools_.push_back(std::make_unique<PacketPool>());
  if (group != nullptr) {
    auto run = std::make_unique<DistributedRun>(*group, network.lookahead);
    courier_ = std::make_unique<PacketCourier>(*pools_[group->rank()]);
    run->set_courier(*courier_);
    parallel_ = std::move(run);
    return;
  }
  if (network.count < 2) return;
  // Blocks signals in all threads but the first, because the first thread reads the flags that the
  // handlers set.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  auto run = std::make_unique<ParallelRun>(network.count, plan.threads, network.lookahead);
  threads_ = run->threads();
  parallel_ = std::move(run);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Partitions::~Partitions() = default;

void Partitions::add(NodeId from, NodeId to, Link& link) {
  Mailbox* const mailbox = this->mailbox(from, to);
  if (mailbox == nullptr) return;
  link.connect_across_partitions(scheduler_of(to), *mailbox);
  if (courier_ != nullptr) courier_->add(link);
}

void Partitions::watch(std::function<void()> all_wait) {
  assert(group_ == nullptr && parallel_ != nullptr);
  static_cast<ParallelRun&>(*parallel_).watch(std::move(all_wait));
}

std::uint64_t Partitions::events_run() const {
  auto events = static_cast<std::int64_t>(parallel_ != nullptr ? parallel_->events_run() : 0);
  if (group_ != nullptr) group_->sum(&events, 1);
  return platform_.events_run() + static_cast<std::uint64_t>(events);
}

std::int64_t Partitions::packets_in_use() const {
  std::int64_t packets =
      std::accumulate(pools_.begin(), pools_.end(), std::int64_t{0},
                      [](std::int64_t sum, const auto& pool) { return sum + pool->in_use(); });
  if (group_ != nullptr) group_->sum(&packets, 1);
  return packets;
}

void Partitions::drop_events() {
  const auto drop = [](Scheduler& scheduler) {
    while (Event* const event = scheduler.first()) scheduler.cancel(*event);
  };
  drop(platform_);
  for (unsigned p = 0; parallel_ != nullptr && p < count(); ++p) drop(parallel_->scheduler(p));
}

void Partitions::balance_pools() {
  if (count() < 2 || group_ != nullptr) return;
  std::vector<PacketPool*> pools;
  for (const auto& pool : pools_) pools.push_back(pool.get());
  PacketPool::balance(std::move(pools));
}

}  // namespace dcc::vp
