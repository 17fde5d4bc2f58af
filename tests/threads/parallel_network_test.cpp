// A network with NICs gives the same times on several threads as on one thread. Under the thread
// sanitizer this test also shows that no two threads access the same data.
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "nic/nic_device.h"
#include "parallel/parallel_run.h"
#include "parallel/partition.h"
#include "schemes/hpcc/hpcc.h"
#include "switch/switch_device.h"

namespace dcc {
namespace {

const PicoSeconds kEnd = kMicroSecond * 400;

/// Every host of a tree of two pods sends a message to every other host, under HPCC and PFC with
/// small buffers. Telemetry, windows, ACKs and pauses cross the partition boundaries.
class Tree {
 public:
  explicit Tree(unsigned parts, unsigned threads = 1)
      : topology_(shape()), routing_(topology_), ledger_(std::size_t{hosts()} * hosts()) {
    partition_ = divide(topology_, std::vector<double>(topology_.nodes().size(), 1), parts);
    for (unsigned p = 0; p < partition_.count; ++p)
      pools_.push_back(std::make_unique<PacketPool>());
    if (partition_.count > 1) {
      run_ = std::make_unique<ParallelRun>(partition_.count, threads, partition_.lookahead,
                                           ParallelRun::Execution::kParallel);
    }
    make_switches();
    make_nics();
    make_wires();
    make_flows();
  }

  unsigned parts() const { return partition_.count; }
  void run_until(PicoSeconds end) {
    run_ != nullptr ? run_->run_until(end) : whole_.run_until(end);
    std::vector<PacketPool*> pools;
    for (const auto& pool : pools_) pools.push_back(pool.get());
    PacketPool::balance(pools);
  }

  /// All observable results of the run as a list of numbers.
  std::vector<std::int64_t> account() const {
    std::vector<std::int64_t> all;
    for (std::size_t flow = 0; flow < ledger_.size(); ++flow) {
      const FlowRecord& r = ledger_[flow];
      for (const PicoSeconds t : {r.posted, r.last_ack, r.last_received}) all.push_back(t.count);
      for (const Bytes bytes : {r.acked_bytes, r.received_bytes}) all.push_back(bytes);
      for (const std::uint64_t n : {r.sent_wire_bits, r.packets, r.retransmits}) {
        all.push_back(static_cast<std::int64_t>(n));
      }
    }
    for (const auto& link : links_) {
      all.push_back(static_cast<std::int64_t>(link->counters().packets));
      all.push_back(link->counters().busy.count);
    }
    for (const auto& device : switches_) {
      if (device == nullptr) continue;
      all.push_back(static_cast<std::int64_t>(device->totals().tx_bytes));
      all.push_back(static_cast<std::int64_t>(device->pfc_totals().pauses_sent));
      all.push_back(device->buffer().used());
    }
    return all;
  }
  std::size_t finished() const {
    std::size_t flows = 0;
    for (const auto& nic : nics_) flows += nic->transmitter().requester().tally().finished_flows;
    return flows;
  }
  std::uint64_t pauses() const {
    std::uint64_t pauses = 0;
    for (const auto& device : switches_) {
      if (device != nullptr) pauses += device->pfc_totals().pauses_sent;
    }
    return pauses;
  }
  std::int64_t packets_in_use() const {
    std::int64_t packets = 0;
    for (const auto& pool : pools_) packets += pool->in_use();
    return packets;
  }
  HostId hosts() const { return static_cast<HostId>(topology_.hosts()); }

 private:
  static Topology shape() {
    FatTreeParameters tree;
    tree.pods = 2;
    tree.racks_per_pod = 2;
    tree.aggs_per_pod = 2;
    tree.hosts_per_rack = 4;
    tree.cores = 4;
    tree.host_link = {BitRate(100'000'000'000), kMicroSecond, 20};
    tree.fabric_link = {BitRate(100'000'000'000), kMicroSecond, 20};
    return Topology::fat_tree(tree);
  }
  unsigned part_of(NodeId node) const { return partition_.of_node[static_cast<std::size_t>(node)]; }
  Scheduler& scheduler(NodeId node) {
    return run_ != nullptr ? run_->scheduler(part_of(node)) : whole_;
  }
  PacketPool& pool(NodeId node) { return *pools_[part_of(node)]; }

  void make_switches() {
    SwitchParameters parameters;
    parameters.buffer = 300'000;
    parameters.ecn.enabled = false;
    parameters.pfc.enabled = true;
    for (std::size_t n = 0; n < topology_.nodes().size(); ++n) {
      const auto id = static_cast<NodeId>(n);
      const TopologyNode& node = topology_.node(id);
      switches_.emplace_back();
      if (node.is_host) continue;
      switches_.back() =
          std::make_unique<SwitchDevice>(scheduler(id), pool(id), parameters, node.ports, 1, n,
                                         100'000 + static_cast<std::uint32_t>(n));
      switches_.back()->set_routes(routing_.table(id));
    }
  }
  void make_nics() {
    for (HostId h = 0; h < hosts(); ++h) {
      const NodeId node = topology_.node_of(h);
      NicParameters parameters;
      parameters.host = h;
      nics_.push_back(std::make_unique<NicDevice>(scheduler(node), pool(node), ledger_, parameters,
                                                  200'000 + h));
      governors_.push_back(
          std::make_unique<Hpcc>(nics_.back()->transmitter(), HpccParameters{}, kMicroSecond * 13));
      nics_.back()->set_algorithm(governors_.back().get());
    }
  }
  void make_wires() {
    for (const Cable& cable : topology_.cables()) {
      for (int side = 0; side < 2; ++side) {
        const CableEnd from = cable.end[side], to = cable.end[1 - side];
        links_.push_back(std::make_unique<Link>(scheduler(from.node), pool(from.node), cable.link,
                                                static_cast<std::uint32_t>(links_.size())));
        Link& link = *links_.back();
        link.connect(sink(to.node), to.port);
        if (part_of(from.node) != part_of(to.node)) {
          link.connect_across_partitions(scheduler(to.node),
                                         run_->mailbox(part_of(from.node), part_of(to.node)));
        }
        if (topology_.node(from.node).is_host) {
          nics_[topology_.node(from.node).host]->connect(link);
        } else {
          switches_[static_cast<std::size_t>(from.node)]->attach(from.port, link, cable.link);
        }
      }
    }
  }
  PacketSink& sink(NodeId node) {
    if (topology_.node(node).is_host) return *nics_[topology_.node(node).host];
    return *switches_[static_cast<std::size_t>(node)];
  }
  void make_flows() {
    for (HostId a = 0; a < hosts(); ++a) {
      for (HostId b = 0; b < hosts(); ++b) {
        if (a == b) continue;
        QueuePairConfig config;
        config.remote_host = b;
        config.remote_qpn = hosts() + a;  // number of host b's queue pair for messages from host a
        config.flow = a * hosts() + b;
        nics_[a]->create_queue_pair(b, config);
        QueuePairConfig back = config;
        back.remote_host = a;
        back.remote_qpn = b;
        back.governed = false;
        nics_[b]->create_queue_pair(hosts() + a, back);
        ledger_[config.flow].target_bytes = 100'000;
        WorkItem item;
        item.bytes = 100'000;
        nics_[a]->transmitter().post(b, item);
        nics_[a]->connect_queue_pair(b);
      }
    }
  }

  Topology topology_;
  Routing routing_;
  NetworkPartition partition_;
  FlowLedger ledger_;
  Scheduler whole_;
  std::unique_ptr<ParallelRun> run_;
  std::vector<std::unique_ptr<PacketPool>> pools_;
  std::vector<std::unique_ptr<SwitchDevice>> switches_;  // switches by node number; null for hosts
  std::vector<std::unique_ptr<NicDevice>> nics_;
  std::vector<std::unique_ptr<Hpcc>> governors_;
  std::vector<std::unique_ptr<Link>> links_;
};

TEST(ParallelNetwork, IsTheSameInOnePieceAndInSeveral) {
  Tree whole(1);
  whole.run_until(kEnd);
  EXPECT_EQ(whole.finished(), 16u * 15u);
  EXPECT_EQ(whole.packets_in_use(), 0);
  EXPECT_GT(whole.pauses(), 0u);
  const std::vector<std::pair<unsigned, unsigned>> shapes{{2, 2}, {4, 4}, {4, 2}, {4, 1}};
  for (const auto& [parts, threads] : shapes) {
    Tree divided(parts, threads);
    ASSERT_EQ(divided.parts(), parts);
    for (PicoSeconds t; t < kEnd; t += kMicroSecond * 7) divided.run_until(t);
    divided.run_until(kEnd);
    EXPECT_EQ(divided.account(), whole.account()) << parts << " parts, " << threads << " threads";
    EXPECT_EQ(divided.finished(), whole.finished());
    EXPECT_EQ(divided.packets_in_use(), 0);
  }
}

}  // namespace
}  // namespace dcc
