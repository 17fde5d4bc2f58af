// Divides the platform among threads or processes, and holds the schedulers and packet pools of the
// partitions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/platform_config.h"
#include "parallel/parallel_run.h"
#include "parallel/partition.h"
#include "parallel/process_group.h"
#include "sim/scheduler.h"
#include "traffic/flow_plan.h"
#include "wire/packet.h"

namespace dcc {
class PacketCourier;
}

namespace dcc::vp {

/// The division of a run into threads and partitions. The division has fewer threads than wanted if
/// the network has fewer parts, and more partitions than threads if a thread's share would not fit
/// the caches.
struct PartitionPlan {
  NetworkPartition network;
  unsigned threads = 1;
  // reason why one thread runs everything although more were requested; else empty
  std::string refusal;
};

/// Divides a run among threads of this process. `threads`: number that the user requests; 0: two if
/// the run becomes faster. `watched`: single events are observed (trace, debugger, prompt).
/// Software, RTL and observers of single events need one order of all events, so they allow one
/// part only. `parts`: requested number of parts; empty: as many as fit the caches.
PartitionPlan plan_partitions(const PlatformConfig& config, const Topology& topology,
                              const Routing& routing, const FlowPlan& flows, unsigned threads,
                              bool watched, std::optional<unsigned> parts = std::nullopt);
/// Makes one partition for each process. Throws std::runtime_error with the reason if the run
/// cannot be divided.
PartitionPlan plan_for_processes(const PlatformConfig& config, const Topology& topology,
                                 const Routing& routing, const FlowPlan& flows, unsigned processes,
                                 bool watched);

/// Holds a scheduler and a packet pool for every partition. With one partition, its scheduler is
/// the platform's. With several partitions, the platform's own events (traffic, samples, end of the
/// run) stay on the platform's scheduler and run while all partitions wait. Each of several
/// processes works on one partition, and all of them run the platform's own events.
class Partitions {
 public:
  /// Makes the partitions. `group`: null, or a group with as many processes as partitions; must
  /// outlive this object.
  Partitions(Scheduler& platform, const PartitionPlan& plan, ProcessGroup* group = nullptr);
  ~Partitions();

  unsigned count() const { return static_cast<unsigned>(pools_.size()); }
  unsigned threads() const { return threads_; }
  ProcessGroup* group() const { return group_; }
  /// True if this process simulates the node.
  bool is_here(NodeId node) const { return group_ == nullptr || of(node) == group_->rank(); }
  unsigned of(NodeId node) const { return of_node_[static_cast<std::size_t>(node)]; }
  Scheduler& scheduler(unsigned partition) {
    return parallel_ == nullptr ? platform_ : parallel_->scheduler(partition);
  }
  Scheduler& scheduler_of(NodeId node) { return scheduler(of(node)); }
  PacketPool& pool_of(NodeId node) { return *pools_[of(node)]; }
  /// The mailbox for packets between two nodes; null if both nodes are in one partition.
  Mailbox* mailbox(NodeId from, NodeId to) {
    return of(from) == of(to) ? nullptr : &parallel_->mailbox(of(from), of(to));
  }
  /// Adds a wire between two nodes. Every process must add all wires in the same order.
  void add(NodeId from, NodeId to, Link& link);
  /// Registers an observer of all partitions (ParallelRun::watch()). Precondition: several
  /// partitions in this process.
  void watch(std::function<void()> all_wait);
  /// The parallel run of several partitions; null if there is one partition.
  PartitionedRun* parallel() { return parallel_.get(); }

  // The functions below may be called only while all partitions wait.
  /// Number of events run by devices and platform, in all processes.
  std::uint64_t events_run() const;
  std::int64_t packets_in_use() const;
  /// Number of packets for which this process has memory. each_packet() calls `visit(packet)` for
  /// each packet in use.
  std::size_t packets_there() const {
    std::size_t packets = 0;
    for (const auto& pool : pools_) packets += pool->size();
    return packets;
  }
  template <class Visit>
  void each_packet(Visit visit) const {
    for (const auto& pool : pools_) pool->each_in_use(visit);
  }
  void balance_pools();
  /// Cancels all events in the order of time. Call before devices are destroyed, because a device
  /// would search for its event among thousands of events of the same nanosecond.
  void drop_events();

 private:
  Scheduler& platform_;
  ProcessGroup* group_;
  std::vector<unsigned> of_node_;
  unsigned threads_ = 1;
  std::unique_ptr<PartitionedRun> parallel_;
  std::vector<std::unique_ptr<PacketPool>> pools_;
  std::unique_ptr<PacketCourier> courier_;  // courier that carries packets between processes
};

}  // namespace dcc::vp
