// Which parts of the platform run on which processor, and what each part needs of its own.
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

/// How a run is divided: among fewer threads than wanted where the network has fewer parts, and
/// into more parts than threads where a thread's share of it would not fit the caches.
struct PartitionPlan {
  NetworkPartition network;
  unsigned threads = 1;
  std::string refusal;  // why it is one thread where more were wanted; empty otherwise
};

/// `threads`: how many the user wants, 0: two where that pays. `watched`: somebody looks at single
/// events (a trace, a debugger, a person). Never more than one part where there cannot be:
/// software, RTL and whoever watches need the one order of all events. `parts`: how many there
/// shall be, if not as many as the caches ask for.
PartitionPlan plan_partitions(const PlatformConfig& config, const Topology& topology,
                              const Routing& routing, const FlowPlan& flows, unsigned threads,
                              bool watched, std::optional<unsigned> parts = std::nullopt);
/// One partition for each of so many processes. Throws std::runtime_error where that cannot be.
PartitionPlan plan_for_processes(const PlatformConfig& config, const Topology& topology,
                                 const Routing& routing, const FlowPlan& flows, unsigned processes,
                                 bool watched);

/// A scheduler and a packet pool for every partition. With one partition its scheduler is the
/// platform's; with several the platform's own events (traffic, samples, end of the run) stay on
/// the platform's scheduler, and happen while all partitions wait. Of several processes each has
/// one partition at work, and all run the platform's own events.
class Partitions {
 public:
  /// `group`: null, or as many processes as partitions; must outlive it.
  Partitions(Scheduler& platform, const PartitionPlan& plan, ProcessGroup* group = nullptr);
  ~Partitions();

  unsigned count() const { return static_cast<unsigned>(pools_.size()); }
  unsigned threads() const { return threads_; }
  ProcessGroup* group() const { return group_; }
  /// Is the node at work in this process?
  bool is_here(NodeId node) const { return group_ == nullptr || of(node) == group_->rank(); }
  unsigned of(NodeId node) const { return of_node_[static_cast<std::size_t>(node)]; }
  Scheduler& scheduler(unsigned partition) {
    return parallel_ == nullptr ? platform_ : parallel_->scheduler(partition);
  }
  Scheduler& scheduler_of(NodeId node) { return scheduler(of(node)); }
  PacketPool& pool_of(NodeId node) { return *pools_[of(node)]; }
  /// What packets between two nodes go through; null when they are in one partition.
  Mailbox* mailbox(NodeId from, NodeId to) {
    return of(from) == of(to) ? nullptr : &parallel_->mailbox(of(from), of(to));
  }
  /// A wire between two nodes; all of them in the same order in every process.
  void add(NodeId from, NodeId to, Link& link);
  /// Somebody notes what happens in all partitions, of which there are several in this process:
  /// ParallelRun::watch().
  void watch(std::function<void()> all_wait);
  /// Null with one partition.
  PartitionedRun* parallel() { return parallel_.get(); }

  // While all partitions wait:
  /// Events of the devices and of the platform, in all processes.
  std::uint64_t events_run() const;
  std::int64_t packets_in_use() const;
  /// Packets that this process has memory for; `visit(packet)` of all that are anywhere in it.
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
  /// Before the devices go. Each would look for its event among thousands of the same nanosecond;
  /// first come, first dropped, they are found at once.
  void drop_events();

 private:
  Scheduler& platform_;
  ProcessGroup* group_;
  std::vector<unsigned> of_node_;
  unsigned threads_ = 1;
  std::unique_ptr<PartitionedRun> parallel_;
  std::vector<std::unique_ptr<PacketPool>> pools_;
  std::unique_ptr<PacketCourier> courier_;  // between processes
};

}  // namespace dcc::vp
