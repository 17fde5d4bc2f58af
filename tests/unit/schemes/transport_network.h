// NICs with a transport around one switch, for tests of transports: flows, losses, and checks of
// arrivals.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "nic/nic_device.h"
#include "nic/transport_registry.h"
#include "sim/random.h"
#include "switch/switch_device.h"

namespace dcc::test {

/// A star in which every flow is a queue pair with the flow's number at both ends. A transport on
/// top of RoCE uses RoCE's NICs without an algorithm.
class TransportStar : public CompletionSink {
 public:
  struct Done {
    std::uint32_t flow;
    std::uint64_t id;
    PicoSeconds when;
  };

  virtual ~TransportStar() = default;
  TransportStar(HostId hosts, const TransportChoice& transport, SwitchParameters switches,
                const LinkParameters& link, std::uint32_t mtu, std::size_t most_flows = 256,
                AckMode ack = AckMode::kPerPacket)
      : ledger(most_flows), link_(link), mtu_(mtu) {
    if (switches.discipline.name() == "auto") {
      switches.discipline.choose(transport.chosen()->discipline());
    }
    switches.pfc.enabled = switches.pfc.enabled && transport.chosen()->may_be_paused() &&
                           switches.discipline.name() == "fifo";
    switches.ecn.enabled = false;
    device = std::make_unique<SwitchDevice>(scheduler, pool, switches, static_cast<int>(hosts), 1,
                                            0, 1000);
    RouteTable routes(hosts);
    routes.set_block(0, hosts, 1, 0);
    device->set_routes(routes);
    std::uint32_t rank = 1;
    for (HostId h = 0; h < hosts; ++h) {
      NicParameters nic;
      nic.host = h;
      nic.mtu = mtu;
      nic.ack = ack;
      nic.line_rate = link.rate;
      nic.link_overhead = link.overhead;
      transport.chosen()->ask_nic(nic);
      nics.push_back(std::make_unique<NicDevice>(scheduler, pool, ledger, nic, 2000 + h));
      NicDevice& device_of = *nics.back();
      device_of.transmitter().set_completion_sink(this);
      transports.push_back(
          transport.make({scheduler, pool, ledger, device_of.counters(), device_of.parameters(),
                          device_of.transmitter(), 2000 + h, base_rtt(), hosts, 1}));
      device_of.set_transport(transports.back().get());
      up.push_back(std::make_unique<Link>(scheduler, pool, link, rank++));
      down.push_back(std::make_unique<Link>(scheduler, pool, link, rank++));
      up.back()->connect(*device, static_cast<int>(h));
      down.back()->connect(device_of, 0);
      device_of.connect(*up.back());
      device->attach(static_cast<int>(h), *down.back(), link);
    }
  }

  /// Starts a flow from one host to another now. Returns the flow's number.
  std::uint32_t send(HostId from, HostId to, Bytes bytes, PicoSeconds deadline = PicoSeconds::max(),
                     std::uint8_t priority = 0) {
    const auto flow = static_cast<std::uint32_t>(flows_++);
    QueuePairConfig there;
    there.remote_host = to;
    there.remote_qpn = flow;
    there.flow = flow;
    there.deadline = deadline;
    there.priority = priority;
    QueuePairConfig back = there;
    back.remote_host = from;
    nics[to]->create_queue_pair(flow, back);
    nics[from]->create_queue_pair(flow, there);
    ledger[flow].target_bytes = bytes;
    nics[from]->connect_queue_pair(flow);
    nics[to]->connect_queue_pair(flow);
    post(flow, from, bytes);
    return flow;
  }
  void post(std::uint32_t flow, HostId from, Bytes bytes, std::uint64_t id = 0) {
    WorkItem item;
    item.bytes = bytes;
    item.id = id;
    nics[from]->transmitter().post(flow, item);
  }

  /// Makes every link lose the packets for which `lost` returns true.
  void lose(std::function<bool(const Packet&)> lost) {
    for (auto* links : {&up, &down}) {
      for (auto& link : *links) link->set_loss_hook(lost);
    }
  }

  /// Checks that every flow has arrived completely and once, that its sender has received the last
  /// ACK, and that no packet is in flight.
  void expect_all_arrived() {
    for (std::size_t flow = 0; flow < flows_; ++flow) {
      const FlowRecord& record = ledger[flow];
      EXPECT_EQ(record.received_bytes, record.posted_bytes) << "flow " << flow;
      EXPECT_EQ(record.acked_bytes, record.posted_bytes) << "flow " << flow;
      std::size_t times = 0;
      for (const Done& one : done) times += one.flow == flow ? 1 : 0;
      EXPECT_EQ(times, 1u) << "flow " << flow;
    }
    EXPECT_EQ(pool.in_use(), 0) << "packets that are nowhere";
  }
  TransportCounters counters() const {
    TransportCounters sum;
    for (const auto& one : transports) {
      if (one == nullptr) continue;  // skips RoCE's own queue pairs
      const TransportCounters c = one->counters();
      sum.credits_sent += c.credits_sent;
      sum.credits_used += c.credits_used;
      sum.credits_unused += c.credits_unused;
      sum.credits_dropped += c.credits_dropped;
    }
    return sum;
  }
  std::uint64_t sum_of(std::uint64_t NicCounters::*counter) const {
    std::uint64_t sum = 0;
    for (const auto& nic : nics) sum += nic->counters().*counter;
    return sum;
  }
  PicoSeconds received_at(std::uint32_t flow) const { return ledger[flow].last_received; }

  void work_done(Qpn qpn, const WorkItem& item, Status status) override {
    EXPECT_EQ(status, Status::kOk);
    done.push_back({qpn, item.id, scheduler.now()});
  }

  Scheduler scheduler;
  PacketPool pool;
  FlowLedger ledger;
  std::unique_ptr<SwitchDevice> device;
  std::vector<std::unique_ptr<NicDevice>> nics;
  std::vector<std::unique_ptr<Transport>> transports;
  std::vector<std::unique_ptr<Link>> up, down;
  std::vector<Done> done;

 private:
  PicoSeconds base_rtt() const {
    const PicoSeconds data = serialization_time(mtu_ + 64 + link_.overhead, link_.rate);
    const PicoSeconds ack = serialization_time(64 + link_.overhead, link_.rate);
    return (data + ack + link_.delay * 2) * 2;
  }

  LinkParameters link_;
  std::uint32_t mtu_;
  std::size_t flows_ = 0;
};

}  // namespace dcc::test
